// SPDX-License-Identifier: Apache-2.0

extension Int {
  /// Returns the number with a noun whose plural ends in s: `1 report`, `2 reports`.
  ///
  /// - Parameter noun: The noun in the singular.
  package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
