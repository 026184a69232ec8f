// SPDX-License-Identifier: Apache-2.0

/// The grammar of numbers in scripts, device files, exclusions and options.
///
/// Formats of other programs, such as C, Java and JSON, have grammars of their own.
package enum NumberText {
  /// Reads a whole number: decimal digits, or hex digits after `0x`, with `-` before them for a
  /// negative number.
  ///
  /// - Returns: The number; nil for other text, and for a number that the type cannot hold.
  package static func integer<Number: FixedWidthInteger>(
    _ text: some StringProtocol, as type: Number.Type = Number.self
  ) -> Number? {
    let isNegative = text.hasPrefix("-")
    let digits = Substring(isNegative ? text.dropFirst() : text[...])
    let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    let number = isHex ? digits.dropFirst(2) : digits
    guard !number.isEmpty, number.utf8.allSatisfy({ hexDigit($0) != nil }) else { return nil }
    return Number((isNegative ? "-" : "") + number, radix: isHex ? 16 : 10)
  }

  /// Reads a number in hex after `0x`; nil for other text, and for a number that the type cannot
  /// hold.
  package static func hexadecimal<Number: FixedWidthInteger>(
    _ text: some StringProtocol, as type: Number.Type = Number.self
  ) -> Number? {
    text.hasPrefix("0x") || text.hasPrefix("0X") ? integer(text, as: type) : nil
  }

  /// Reads a decimal number of up to 18 bytes, such as `-12.5`; nil for other text.
  package static func decimal(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? Substring(text.dropFirst()) : Substring(text)
    guard digits.utf8.count <= 18, digits.utf8.contains(where: { hexDigit($0) != nil }),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(text)
  }

  private static let units: [(name: String, microseconds: Double)] = [
    ("us", 1), ("ms", 1e3), ("s", 1e6), ("m", 60e6), ("h", 3600e6),
  ]

  /// The longest duration in scripts and files: a day.
  package static let longestDuration = Duration.seconds(86_400)

  /// Reads a duration: a decimal number and a unit, us, ms, s, m or h, such as `1.5s`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - longest: The longest duration to accept; a day by default.
  /// - Returns: The duration, rounded to microseconds; nil for other text, and for a longer one.
  package static func duration(
    _ text: some StringProtocol, upTo longest: Duration = longestDuration
  ) -> Duration? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }), !text.hasPrefix("-"),
      let number = decimal(text.dropLast(unit.name.count))
    else { return nil }
    // The number is not negative, so that the conversion to an integer rounds it. `rounded()` would
    // need the C library's mathematics, with which programs of this module alone are not linked.
    let microseconds = number * unit.microseconds + 0.5
    guard microseconds <= 1e16 else { return nil }
    let duration = Duration.microseconds(Int64(microseconds))
    return duration <= longest ? duration : nil
  }
}

extension FixedWidthInteger {
  /// Returns the lower-case hex digits of the number, with zeros before them up to a count.
  ///
  /// - Parameter count: The least number of digits; by default all that the type has.
  package func hexDigits(_ count: Int = Self.bitWidth / 4) -> String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, count - digits.utf8.count)) + digits
  }

  /// Returns the number with a point before its last digits: 1250 with 3 decimals is `1.250`.
  ///
  /// - Parameter count: The number of digits after the point.
  package func decimalText(places count: Int) -> String {
    let digits = String(magnitude)
    let missing = Swift.max(0, count + 1 - digits.utf8.count)
    var text = String(repeating: "0", count: missing) + digits
    text.insert(".", at: text.utf8.index(text.endIndex, offsetBy: -count))
    return self < 0 ? "-" + text : text
  }
}

extension Duration {
  /// The duration in microseconds, 0 if it is negative.
  package var wholeMicroseconds: Int64 {
    let (seconds, attoseconds) = components
    return max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// The duration as scripts and files write it: `500ms`, `2s`.
  package var text: String {
    let (seconds, attoseconds) = components
    let microseconds = attoseconds / 1_000_000_000_000
    if microseconds == 0 { return "\(seconds)s" }
    if microseconds % 1000 == 0 { return "\(seconds * 1000 + microseconds / 1000)ms" }
    return "\(seconds * 1_000_000 + microseconds)us"
  }
}
