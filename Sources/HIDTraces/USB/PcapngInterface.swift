// SPDX-License-Identifier: Apache-2.0

/// An interface of a section of a pcapng file: its link type and its unit of time.
struct PcapngInterface: Sendable {
  let link: CaptureLink
  /// The unit of timestamps, `if_tsresol`: a negative exponent of 10, or of 2 if the top bit is
  /// set.
  private let resolution: UInt8
  /// The seconds that are added to each timestamp: `if_tsoffset`.
  private let secondsOffset: Int64
  private var hasWarned = false

  init(_ block: CaptureBytes) {
    link = CaptureLink(number: UInt32(block.half(at: 8)))
    resolution = Self.option(of: block, at: 16, code: 9, count: 1)?.byte(at: 0) ?? 6
    secondsOffset = Int64(
      bitPattern: Self.option(of: block, at: 16, code: 14, count: 8)?.long(at: 0) ?? 0)
  }

  /// Marks that a warning about its packets was given; returns whether this is the first time.
  mutating func warn() -> Bool {
    defer { hasWarned = true }
    return !hasWarned
  }

  /// Returns a timestamp in microseconds since the time from which the file counts: usually 1970.
  ///
  /// The result is limited to half of the range of `Int64`.
  func microseconds(_ ticks: UInt64) -> Int64 {
    let limit = Int128(Int64.max / 2)
    let exponent = Int(resolution & 0x7F)
    let scaled =
      resolution & 0x80 == 0
      ? Self.decimal(ticks, exponent) : (UInt128(ticks) * 1_000_000) >> UInt128(exponent)
    let time = Int128(min(scaled, UInt128(UInt64.max))) + Int128(secondsOffset) * 1_000_000
    return Int64(max(-limit, min(limit, time)))
  }

  private static func decimal(_ ticks: UInt64, _ exponent: Int) -> UInt128 {
    // A number of ticks is always less than 10^20.
    guard exponent < 26 else { return 0 }
    let power = (0..<abs(exponent - 6)).reduce(UInt128(1)) { power, _ in power * 10 }
    return exponent < 6 ? UInt128(ticks) * power : UInt128(ticks) / power
  }

  /// Returns the value of an option of a block; nil if it is missing or too short.
  static func option(
    of block: CaptureBytes, at start: Int, code: UInt16, count: Int
  ) -> CaptureBytes? {
    var offset = start
    while offset + 4 <= block.count {
      let found = block.half(at: offset)
      let length = Int(block.half(at: offset + 2))
      guard found != 0, offset + 4 + length <= block.count else { return nil }
      if found == code, length >= count { return block.part(at: offset + 4, count: length) }
      offset += 4 + (length + 3) / 4 * 4
    }
    return nil
  }
}
