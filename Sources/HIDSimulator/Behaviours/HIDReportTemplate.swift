// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// The bytes of a report, some of which are known only when the report is made.
///
/// An example is `01 ${battery:u8} ${request[2]:u8}`.
public struct HIDReportTemplate: Hashable, Sendable {
  /// A run of bytes.
  public enum Part: Hashable, Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// A number.
    case integer(Integer)
    /// A byte of two halves, the more significant half first.
    case halves(Half, Half)
    /// All bytes of a state that has this number of bytes.
    case state(String, count: Int)
    /// The bytes at these offsets of a state of bytes.
    case stateBytes(String, ClosedRange<Int>)
    /// The bytes of the host's report at these offsets; `nil` for the whole report.
    ///
    /// Offset 0 of a numbered report is its ID. A byte beyond the end of the report is 0.
    case request(ClosedRange<Int>?)
    /// The bytes at these offsets of a report that the device remembers.
    ///
    /// Offset 0 of a numbered report is its ID.
    case report(HIDReportType, HIDReportID?, ClosedRange<Int>)
  }

  /// A number and its format.
  public struct Integer: Hashable, Sendable {
    /// The source of the number.
    public var source: Source
    /// The format, in which the low bits of the number are written.
    public var format: Format
    /// The number of bits by which the number is shifted to the right, 0 to 31; first.
    public var shift = 0
    /// The bits of the number that are kept, after the shift; nil for all.
    public var mask: UInt32?

    /// Creates a term from its parts.
    public init(_ source: Source, as format: Format) {
      self.source = source
      self.format = format
    }

    /// Returns the bits of a number that the term inserts.
    func bits(of number: Int64) -> Int64 {
      let shifted = number >> Int64(shift)
      return mask.map { shifted & Int64($0) } ?? shifted
    }
  }

  /// Four bits of a byte.
  public enum Half: Hashable, Sendable {
    /// A digit, 0 to 15.
    case digit(UInt8)
    /// The lowest four bits of a number, which is read as one byte.
    case integer(Integer)
  }

  /// The source of a number.
  public enum Source: Hashable, Sendable {
    /// The value of a state, or the logical value of a control in the current report.
    case value(HIDValueName)
    /// The number at this offset of the host's report, read in the format of the term.
    ///
    /// A byte beyond the end of the report is 0.
    case request(Int)
    /// The number at this offset of a report that the device remembers, read as for `request`.
    case report(HIDReportType, HIDReportID?, Int)
    /// The number at this offset of a state of bytes, read as for `request`.
    case stateBytes(String, Int)
    /// The number of reports of the same ID that were stamped before this report.
    case counter
    /// The time since plugging the interface began, in whole units.
    case time(unit: Duration)
    /// The number of the device: 1, or one more than the largest of earlier devices of its name.
    ///
    /// Devices that were removed from the run do not count, so a number can be used again.
    case instance
    /// The low bits of a number that no other plugged device on this machine has.
    case device
    /// The CRC-32 of IEEE 802.3 of the seed and of the bytes before this term, a report's ID
    /// included.
    case crc32(seed: [UInt8])
  }

  /// The format of a number.
  public struct Format: Hashable, Sendable {
    /// The number of bytes, 1 to 4.
    public var byteCount: Int
    /// True if the top bit is a sign when the number is read.
    public var isSigned: Bool
    /// True if the most significant byte comes first.
    public var isBigEndian: Bool

    /// Creates a format from its parts.
    public init(byteCount: Int, isSigned: Bool = false, isBigEndian: Bool = false) {
      self.byteCount = byteCount
      self.isSigned = isSigned
      self.isBigEndian = isBigEndian
    }
  }

  /// The runs of bytes, in order.
  public var parts: [Part]

  /// Creates a template from its runs.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Creates a template of known bytes only.
  public init(_ bytes: [UInt8]) { parts = bytes.isEmpty ? [] : [.bytes(bytes)] }

  /// The minimum number of bytes that the template makes.
  ///
  /// Only a template that contains all bytes of a host's report can make more.
  public var minimumByteCount: Int {
    parts.reduce(0) { count, part in
      switch part {
      case .bytes(let bytes): count + bytes.count
      case .integer(let integer): count + integer.format.byteCount
      case .halves: count + 1
      case .state(_, let stateCount): count + stateCount
      case .stateBytes(_, let range): count + range.count
      case .request(let range): count + (range?.count ?? 0)
      case .report(_, _, let range): count + range.count
      }
    }
  }
}

/// The name of a value that a condition or a term reads.
public enum HIDValueName: Hashable, Sendable {
  /// A state.
  case state(String)
  /// A control, by one of its names.
  case control(String, HIDReportElement)

  /// The name as the device file gives it.
  public var text: String {
    switch self {
    case .state(let name), .control(let name, _): name
    }
  }
}

extension HIDReportTemplate.Format {
  /// The formats by the names that templates use.
  static let named: [(String, Self)] =
    [("u8", Self(byteCount: 1)), ("i8", Self(byteCount: 1, isSigned: true))]
    + [2, 3, 4].flatMap { count in
      [false, true].flatMap { isSigned in
        [("le", false), ("be", true)].map { suffix, isBigEndian in
          (
            "\(isSigned ? "i" : "u")\(count * 8)\(suffix)",
            Self(byteCount: count, isSigned: isSigned, isBigEndian: isBigEndian)
          )
        }
      }
    }

  var name: String {
    Self.named.first { $0.1 == self }?.0 ?? "u\(byteCount * 8)\(isBigEndian ? "be" : "le")"
  }

  /// Appends the low bits of a number to some bytes.
  func append(_ number: Int64, to bytes: inout [UInt8]) {
    for index in 0..<byteCount {
      let shift = 8 * (isBigEndian ? byteCount - 1 - index : index)
      bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
    }
  }

  /// Reads a number; bytes beyond the end are zeros.
  func read(_ bytes: [UInt8], at offset: Int) -> Int64 {
    var number: Int64 = 0
    for index in 0..<byteCount {
      let byte = bytes.indices.contains(offset + index) ? bytes[offset + index] : 0
      let shift = 8 * (isBigEndian ? byteCount - 1 - index : index)
      number |= Int64(byte) << Int64(shift)
    }
    let isNegative = isSigned && number >> Int64(8 * byteCount - 1) == 1
    return isNegative ? number - 1 << Int64(8 * byteCount) : number
  }
}
