// SPDX-License-Identifier: Apache-2.0

extension HIDUsage: Hashable {
  /// Returns whether the numbers are equal: `.generic(1, 6)` equals `.genericDesktop(.keyboard)`.
  public static func == (left: Self, right: Self) -> Bool {
    left.page == right.page && left.usage == right.usage
  }

  /// Hashes the numbers, so that equal values hash equally.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(page)
    hasher.combine(usage)
  }
}

extension HIDUsage {
  /// Makes a usage from its 32-bit form: the page in the upper half, the ID in the lower.
  ///
  /// Source: HID 1.11, section 6.2.2.8, "extended usage".
  package init(extended: UInt32) {
    self.init(
      page: UInt16(truncatingIfNeeded: extended >> 16), usage: UInt16(truncatingIfNeeded: extended))
  }

  /// The 32-bit form: the page in the upper half, the ID in the lower, which is 0 without a usage.
  package var extended: UInt32 { UInt32(page) << 16 | UInt32(usage ?? 0) }
}
