// SPDX-License-Identifier: Apache-2.0

/// The declared length of each report of a device, looked up by its first byte in constant time.
///
/// Lengths are in bytes on the wire: the report ID of numbered reports is counted.
public struct HIDReportLengths: Sendable {
  private struct Table: Hashable, Sendable {
    var isNumbered = false
    var unnumbered: Int?
    var numbered: [Int32] = []  // by report ID; -1 if the ID is not declared
    var maximum = 0
    var minimum = 0
  }

  /// The tables; a class avoids a copy of them for each report.
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

  /// The reason why a report cannot be sent as it is.
  public enum Mismatch: Error, Hashable, Sendable {
    /// The report has no bytes.
    case empty
    /// The descriptor declares no such report.
    case undeclared(HIDReportID?)
    /// The report has fewer bytes than declared.
    case short(declared: Int, found: Int)
    /// The report has more bytes than declared.
    case long(declared: Int, found: Int)
  }

  private let tables: Tables
  /// True if input reports may be longer than declared.
  public let allowsLongInput: Bool
  /// The length in bytes of the only input report if it is unnumbered and not empty; else -1.
  @usableFromInline let soleInputByteCount: Int

  /// Reads the lengths from a descriptor.
  public init(_ descriptor: HIDReportDescriptor) {
    let tables = HIDReportType.allCases.map { type in
      var table = Table()
      table.isNumbered = descriptor.numbersReports(type)
      if table.isNumbered { table.numbered = Array(repeating: -1, count: 256) }
      for report in descriptor.reports where report.type == type {
        // If a type has numbered reports and an unnumbered one, the kernel takes a first byte 0 for
        // the unnumbered report (6.12). A simulated device cannot send that report, since there is
        // no ID 0; another device can.
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

  /// Returns whether reports of a type start with their report ID.
  public func isNumbered(_ type: HIDReportType) -> Bool { table(type).isNumbered }

  /// Returns the length of the longest report of a type in bytes; 0 if there is none, or if it is
  /// empty.
  public func longest(_ type: HIDReportType) -> Int { table(type).maximum }

  /// Returns the length in bytes that all reports of a type have in common; `nil` if there is none.
  ///
  /// It is also `nil` for input reports that may be longer than declared, and for an empty report.
  public func uniform(_ type: HIDReportType) -> Int? {
    if type == .input, allowsLongInput { return nil }
    let table = table(type)
    return table.maximum > 0 && table.minimum == table.maximum ? table.maximum : nil
  }

  /// Returns the declared length of a report in bytes with its ID; `nil` if it is not declared.
  ///
  /// If some reports of a type are numbered, a report without an ID counts as not declared, since
  /// its bytes do not identify it.
  public func byteCount(_ type: HIDReportType, _ id: HIDReportID?) -> Int? {
    let table = table(type)
    guard table.isNumbered else { return id == nil ? table.unnumbered : nil }
    guard let id, table.numbered[Int(id.rawValue)] >= 0 else { return nil }
    return Int(table.numbered[Int(id.rawValue)])
  }

  /// Returns the number of bytes that a client reserves when it requests a report.
  ///
  /// It is more than declared: USB and I2C put a 0 before unnumbered reports, and devices do not
  /// always send what they declare.
  public func requestCapacity(_ type: HIDReportType, _ id: HIDReportID?) -> Int {
    max((byteCount(type, id) ?? longest(type)) + 2, 66)
  }

  /// Returns the declared length of the input report that starts with `first`; -1 if there is none.
  @usableFromInline
  func inputByteCount(startingWith first: UInt8) -> Int {
    tables.input.isNumbered
      ? Int(tables.input.numbered[Int(first)]) : (tables.input.unnumbered ?? -1)
  }

  /// Checks that an input report is declared, and as long as declared.
  ///
  /// The kernel drops a shorter report without an error (6.12). It delivers all bytes of a longer
  /// one to hidraw, and only the declared ones to evdev. So a device may not send these reports. A
  /// longer one is accepted only if the descriptor allows it and uhid would not cut it. An empty
  /// report is always refused.
  @inlinable
  public func checkInput(_ report: Span<UInt8>) throws(Mismatch) {
    if report.count == soleInputByteCount { return }
    try checkAnyInput(report)
  }

  /// Returns whether an input report is declared, not empty, and exactly as long as declared.
  @inlinable
  public func isAsDeclared(_ report: Span<UInt8>) -> Bool {
    report.count == soleInputByteCount
      || report.count > 0 && inputByteCount(startingWith: report[0]) == report.count
  }

  /// Returns the declared length of the only input report, if it is unnumbered and each report of
  /// the range has this length.
  ///
  /// If the result is `nil`, the reports can still be valid.
  @inlinable
  public func soleByteCount(of batch: HIDReportBatch, in range: Range<Int>) -> Int? {
    batch.areAll(soleInputByteCount, in: range) ? soleInputByteCount : nil
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

  /// Separates the report ID from the bytes that a host sent.
  ///
  /// For unnumbered reports a leading `00` is removed only if there is exactly one byte more than
  /// declared. hidraw clients add that byte, the kernel's LED path does not (6.12), and a report of
  /// zeros must not lose a byte. Numbered reports keep their ID as first byte.
  ///
  /// - Parameters:
  ///   - raw: The bytes as they were received.
  ///   - type: The report type with which they were received.
  /// - Returns: The report's ID, and the number of bytes to remove from the front, 0 or 1. The ID
  ///   is `nil` for an unnumbered report, and if the bytes are empty or start with 0.
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
  /// Returns whether the reports of two devices have the same lengths, and either both devices or
  /// neither may send longer input reports.
  public static func == (first: HIDReportLengths, second: HIDReportLengths) -> Bool {
    first.allowsLongInput == second.allowsLongInput
      && (first.tables === second.tables
        || HIDReportType.allCases.allSatisfy { first.table($0) == second.table($0) })
  }

  /// Feeds the lengths and ``allowsLongInput`` to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(allowsLongInput)
    for type in HIDReportType.allCases { hasher.combine(table(type)) }
  }
}
