// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// The declared length of each report of a device, looked up by its first byte in constant time.
///
/// Lengths are in bytes on the wire: the report ID of numbered reports is counted.
public struct HIDReportLengths: Sendable {
  private struct Table: Hashable, Sendable {
    var isNumbered = false
    var unnumbered: Int?
    var numbered: [Int32] = []  // by report ID; -1 where none is declared
    var maximum = 0
    var minimum = 0
  }

  /// The tables: a device's are looked at for each report, and must not be copied for it.
  private final class Tables: Sendable {
    let input: Table
    let output: Table
    let feature: Table

    init(input: Table, output: Table, feature: Table) {
      self.input = input
      self.output = output
      self.feature = feature
    }
  }

  /// Why a report cannot be sent as it is.
  public enum Mismatch: Error, Hashable, Sendable {
    /// There are no bytes at all.
    case empty
    /// The descriptor declares no such report.
    case undeclared(HIDReportID?)
    /// Fewer bytes than declared.
    case short(declared: Int, found: Int)
    /// More bytes than declared.
    case long(declared: Int, found: Int)
  }

  private let tables: Tables
  /// Whether input reports may be longer than declared.
  public let allowsLongInput: Bool
  /// The length of the un-numbered input report, where there is none other; else -1.
  @usableFromInline let soleInputByteCount: Int

  /// Reads the lengths from a descriptor.
  public init(_ descriptor: HIDReportDescriptor) {
    let tables = HIDReportType.allCases.map { type in
      var table = Table()
      table.isNumbered = descriptor.numbersReports(type)
      if table.isNumbered { table.numbered = Array(repeating: -1, count: 256) }
      for report in descriptor.reports where report.type == type {
        // In a type that has both, the kernel takes a first byte 0 for the un-numbered report (6.12). Ours
        // cannot be sent, since there is no ID 0; a foreign one can come.
        let byteCount = table.isNumbered ? report.payloadByteCount + 1 : report.byteCount
        if let id = report.id {
          table.numbered[Int(id.rawValue)] = Int32(clamping: byteCount)
        } else if !table.isNumbered {
          table.unnumbered = byteCount
        }
        table.minimum = table.maximum == 0 ? byteCount : min(table.minimum, byteCount)
        table.maximum = max(table.maximum, byteCount)
      }
      return (type, table)
    }
    func table(_ wanted: HIDReportType) -> Table {
      tables.first { $0.0 == wanted }?.1 ?? Table()
    }
    self.tables = Tables(
      input: table(.input), output: table(.output), feature: table(.feature))
    allowsLongInput = descriptor.allowsLongInput
    let sole = table(.input).isNumbered ? nil : table(.input).unnumbered
    soleInputByteCount = sole.flatMap { $0 > 0 ? $0 : nil } ?? -1
  }

  private func table(_ type: HIDReportType) -> Table {
    switch type {
    case .input: tables.input
    case .output: tables.output
    case .feature: tables.feature
    }
  }

  /// Whether reports of a type start with their report ID.
  public func isNumbered(_ type: HIDReportType) -> Bool { table(type).isNumbered }

  /// Which types are numbered.
  public var numberedReports: HIDNumberedReports {
    var set: HIDNumberedReports = []
    if tables.input.isNumbered { set.insert(.input) }
    if tables.output.isNumbered { set.insert(.output) }
    if tables.feature.isNumbered { set.insert(.feature) }
    return set
  }

  /// The length of the longest report of a type in bytes, 0 if there is none.
  public func longest(_ type: HIDReportType) -> Int { table(type).maximum }

  /// The one length that all reports of a type have, if they have one.
  public func uniform(_ type: HIDReportType) -> Int? {
    if type == .input, allowsLongInput { return nil }
    let table = table(type)
    return table.maximum > 0 && table.minimum == table.maximum ? table.maximum : nil
  }

  /// The declared length of a report in bytes, its ID included; `nil` if it is not declared.
  ///
  /// Where some reports of a type are numbered, one without ID counts as not declared: nothing tells it apart.
  public func byteCount(_ type: HIDReportType, _ id: HIDReportID?) -> Int? {
    let table = table(type)
    guard table.isNumbered else { return id == nil ? table.unnumbered : nil }
    guard let id, table.numbered[Int(id.rawValue)] >= 0 else { return nil }
    return Int(table.numbered[Int(id.rawValue)])
  }

  /// How many bytes a client makes room for when it asks for a report: more than declared, since
  /// USB and I2C put a number before un-numbered reports, and devices do not always do as they declare.
  public func requestCapacity(_ type: HIDReportType, _ id: HIDReportID?) -> Int {
    max((byteCount(type, id) ?? longest(type)) + 2, 66)
  }

  /// The declared length of the input report that starts with `first`, -1 if there is none.
  @usableFromInline
  func inputByteCount(startingWith first: UInt8) -> Int {
    tables.input.isNumbered
      ? Int(tables.input.numbered[Int(first)]) : (tables.input.unnumbered ?? -1)
  }

  /// Checks that an input report is declared, and as long as declared.
  ///
  /// A shorter one would be dropped by the kernel without a word (6.12), a longer one delivered to
  /// hidraw whole and to evdev cut: what a device sends is refused here instead, a longer one only
  /// where that is not allowed or uhid would cut it.
  @inlinable
  public func checkInput(_ report: Span<UInt8>) throws(Mismatch) {
    if report.count == soleInputByteCount { return }
    try checkAnyInput(report)
  }

  /// Whether an input report is declared, and exactly as long as declared.
  @inlinable
  public func isAsDeclared(_ report: Span<UInt8>) -> Bool {
    report.count == soleInputByteCount
      || report.count > 0 && inputByteCount(startingWith: report[0]) == report.count
  }

  /// The length of all reports of a batch, where the device has one input report alone, which is not numbered, and they
  /// are as it is declared; nil otherwise, and then they may be right as well.
  @inlinable
  public func soleByteCount(of batch: HIDReportBatch, in range: Range<Int>) -> Int? {
    batch.areAll(soleInputByteCount, in: range) ? soleInputByteCount : nil
  }

  /// Checks every report of a batch; see ``checkInput(_:)``.
  ///
  /// - Parameter range: Which reports to look at; nil for all.
  /// - Throws: What is wrong with the first that is not as declared, as the error of a port.
  @inlinable
  public func checkInput(
    _ batch: HIDReportBatch, in range: Range<Int>? = nil
  ) throws(HIDWireError) {
    let range = range ?? 0..<batch.count
    do throws(Mismatch) {
      try batch.withBytes { bytes throws(Mismatch) in
        for index in range {
          try checkInput(bytes.extracting(batch.byteRange(ofReport: index)))
        }
      }
    } catch {
      throw HIDWireError(error)
    }
  }

  @usableFromInline
  func checkAnyInput(_ report: Span<UInt8>) throws(Mismatch) {
    guard report.count > 0 else { throw .empty }
    let declared = inputByteCount(startingWith: report[0])
    if declared == report.count { return }
    if declared < 0 {
      throw .undeclared(tables.input.isNumbered ? HIDReportID(rawValue: report[0]) : nil)
    }
    if allowsLongInput, report.count > declared,
      report.count <= HIDReportDescriptor.uhidMaximumReportByteCount
    {
      return
    }
    throw report.count < declared
      ? .short(declared: declared, found: report.count)
      : .long(declared: declared, found: report.count)
  }

  /// Splits what a host sent into report ID and report.
  ///
  /// On un-numbered reports a leading `00` is taken off only when the bytes are exactly one more
  /// than declared: hidraw clients put it there, the kernel's LED path does not (6.12), and a
  /// report that is all zeros must stay whole. Numbered reports keep their ID as first byte.
  ///
  /// - Parameters:
  ///   - raw: The bytes as they came.
  ///   - type: The type they came as.
  /// - Returns: The report's ID, `nil` when it has none or starts with 0; and how many bytes to drop
  ///   from the front, 0 or 1.
  public func normalized(
    _ raw: HIDReportBytes, type: HIDReportType
  ) -> (id: HIDReportID?, dropping: Int) {
    let table = table(type)
    if table.isNumbered { return (raw.first.flatMap(HIDReportID.init(rawValue:)), 0) }
    guard let declared = table.unnumbered, raw.count == declared + 1, raw.first == 0 else {
      return (nil, 0)
    }
    return (nil, 1)
  }
}

extension HIDReportLengths: Hashable {
  /// Whether two devices have reports of the same lengths.
  public static func == (first: HIDReportLengths, second: HIDReportLengths) -> Bool {
    first.allowsLongInput == second.allowsLongInput
      && (first.tables === second.tables
        || HIDReportType.allCases.allSatisfy { first.table($0) == second.table($0) })
  }

  /// Feeds the lengths to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(allowsLongInput)
    for type in HIDReportType.allCases { hasher.combine(table(type)) }
  }
}
