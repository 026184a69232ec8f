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
    let number = NumberText.decimal(text.dropLast())
    switch (text, text.last, number) {
    case ("on", _, _): self = .on
    case ("off", _, _): self = .off
    case (_, "%", let percent?) where (0...100).contains(percent): self = .percent(percent)
    case (_, "n", let part?) where (-1...1).contains(part): self = .normalised(part)
    case (_, "p", let physical?): self = .physical(physical)
    case (_, "%", _?), (_, "n", _?): throw .outOfRange(text)
    default:
      guard let value = NumberText.integer(text, as: Int.self) else { throw .unknown(text) }
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
}
