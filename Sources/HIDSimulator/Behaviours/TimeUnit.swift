// SPDX-License-Identifier: Apache-2.0

import HIDText

/// Units of time as templates and the repeats of switches write them: `5ms`, `1/3us`.
enum TimeUnit {
  /// Reads a unit: a duration, or a fraction of one.
  static func duration(_ text: String) -> Duration? {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return NumberText.duration(text)
    }
    let digits = parts[1].prefix { $0.isASCII && $0.isNumber }
    guard let divisor = Int(digits), (1...1000).contains(divisor),
      let whole = NumberText.duration(
        parts[0] + String(parts[1].dropFirst(digits.count)))
    else { return nil }
    return whole / divisor
  }

  /// Returns the text of a unit that `duration(_:)` has read.
  static func text(_ unit: Duration) -> String {
    let microsecond = Duration.microseconds(1)
    for divisor in 1...1000 {
      let whole = unit * divisor
      let count = Int64((whole / microsecond).rounded())
      // The division rounds a fraction such as a third down to whole attoseconds. The product can
      // be too small by less than 1,000 attoseconds: by less than one for each of at most 1,000
      // parts.
      guard
        microsecond * Int(count) - whole < .init(secondsComponent: 0, attosecondsComponent: 1000),
        microsecond * Int(count) >= whole
      else { continue }
      return divisor == 1 ? whole.text : "\(count)/\(divisor)us"
    }
    return unit.text
  }
}
