// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// Bytes of a report, some of which are known only when it is made: `01 ${battery:u8} ${request[2]:u8}`.
public struct HIDReportTemplate: Hashable, Sendable {
  /// A run of bytes.
  public enum Part: Hashable, Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// A number.
    case integer(Integer)
    /// A state of so many bytes, whole.
    case state(String, count: Int)
    /// The host's report, its ID first where it is numbered: these bytes of it, zeros where it has none;
    /// `nil` for all of it.
    case request(ClosedRange<Int>?)
    /// Bytes of a report as the device remembers it, from its ID on where it is numbered.
    case report(HIDReportType, HIDReportID?, ClosedRange<Int>)
  }

  /// A number, and how it is written.
  public struct Integer: Hashable, Sendable {
    /// Where it comes from.
    public var source: Source
    /// How it is written: its low bits.
    public var format: Format

    /// Creates a term from its parts.
    public init(_ source: Source, as format: Format) {
      self.source = source
      self.format = format
    }
  }

  /// Where a number comes from.
  public enum Source: Hashable, Sendable {
    /// A state, or a control's logical value in the last report that has it.
    case value(HIDValueName)
    /// The host's report from this byte on, read as the term is written; zeros where it has none.
    case request(Int)
    /// A report as the device remembers it, from this byte on, as for `request`.
    case report(HIDReportType, HIDReportID?, Int)
    /// How many reports of one ID were stamped before.
    case counter
    /// How long the device has been plugged, in whole units.
    case time(unit: Duration)
    /// Which of several copies of one device it is in its run, from 1.
    case instance
    /// A number that no other device on this machine has while it is plugged.
    case device
    /// The CRC-32 of IEEE 802.3 of some bytes, and of the report from its ID up to here.
    case crc32(seed: [UInt8])
  }

  /// How a number is written.
  public struct Format: Hashable, Sendable {
    /// How many bytes it takes, 1 to 4.
    public var byteCount: Int
    /// Whether its top bit is a sign, where it is read.
    public var isSigned: Bool
    /// Whether the most significant byte comes first.
    public var isBigEndian: Bool

    /// Creates a format from its parts.
    public init(byteCount: Int, isSigned: Bool = false, isBigEndian: Bool = false) {
      self.byteCount = byteCount
      self.isSigned = isSigned
      self.isBigEndian = isBigEndian
    }
  }

  /// The runs in order.
  public var parts: [Part]

  /// Creates a template from its runs.
  public init(_ parts: [Part]) { self.parts = parts }

  /// Creates a template of nothing but known bytes.
  public init(_ bytes: [UInt8]) { parts = bytes.isEmpty ? [] : [.bytes(bytes)] }

  /// How many bytes it makes at least; more only where it has the whole of a host's report.
  public var minimumByteCount: Int {
    parts.reduce(0) { count, part in
      switch part {
      case .bytes(let bytes): count + bytes.count
      case .integer(let integer): count + integer.format.byteCount
      case .state(_, let stateCount): count + stateCount
      case .request(let range): count + (range?.count ?? 0)
      case .report(_, _, let range): count + range.count
      }
    }
  }
}

/// What a condition or a term looks at.
public enum HIDValueName: Hashable, Sendable {
  /// A state.
  case state(String)
  /// A control by a name of it.
  case control(String, HIDControl)

  /// The name as it was written.
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

  /// Adds a number's low bits to some bytes.
  func append(_ number: Int64, to bytes: inout [UInt8]) {
    for index in 0..<byteCount {
      let shift = 8 * (isBigEndian ? byteCount - 1 - index : index)
      bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
    }
  }

  /// Reads a number; bytes that are not there are zeros.
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
