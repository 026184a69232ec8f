// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDScript.Value {
  /// The reason why a text is not a value.
  enum Misreading: Error {
    case unknown(String)
    case outOfRange(String)

    var message: String {
      switch self {
      case .unknown(let text): "expected a value, found \(quoted(text))"
      case .outOfRange(let text): "\(quoted(text)) is out of range"
      }
    }

    var help: String {
      switch self {
      case .unknown: "such as on, off, 12, 50%, 0.5n or 12.5p"
      case .outOfRange: "percentages go from 0% to 100%, normalised values from -1n to 1n"
      }
    }
  }

  /// Reads a value: `on`, `off`, `12`, `0x0c`, `50%`, `0.5n`, `12.5p`.
  init(reading text: String) throws(Misreading) {
    let number = Self.decimal(text.dropLast())
    switch (text, text.last, number) {
    case ("on", _, _): self = .on
    case ("off", _, _): self = .off
    case (_, "%", let percent?) where (0...100).contains(percent): self = .percent(percent)
    case (_, "n", let part?) where (-1...1).contains(part): self = .normalised(part)
    case (_, "p", let physical?): self = .physical(physical)
    case (_, "%", _?), (_, "n", _?): throw .outOfRange(text)
    default:
      guard let value = Self.integer(text) else { throw .unknown(text) }
      self = .logical(value)
    }
  }

  /// True if the value can be that of an on-off control.
  var isSwitched: Bool {
    switch self {
    case .on, .off, .logical(0), .logical(1): true
    case .logical, .percent, .normalised, .physical: false
    }
  }

  /// Reads a whole number, decimal or with `0x`.
  static func integer(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text[...]
    let isHex = digits.hasPrefix("0x")
    let number = isHex ? digits.dropFirst(2) : digits
    guard let first = number.utf8.first, hexDigit(first) != nil else { return nil }
    return Int((isNegative ? "-" : "") + number, radix: isHex ? 16 : 10)
  }

  /// Reads a decimal number such as `-12.5`.
  static func decimal(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? Substring(text.dropFirst()) : Substring(text)
    guard let first = digits.utf8.first, (0x30...0x39).contains(first), digits.utf8.count <= 18,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
    else { return nil }
    return Double(text)
  }
}
