// SPDX-License-Identifier: Apache-2.0

/// Whose reading of a report descriptor: where HID 1.11 and Linux differ.
public enum HIDReading: Hashable, Sendable, CaseIterable {
  /// What a Linux host sees: Linux 6.12, `drivers/hid/hid-core.c`.
  ///
  /// - The maximum of a range is signed only if its minimum is negative: one byte ff after a minimum of 0 is
  ///   255.
  /// - A unit exponent is a nibble up to 15, else the signed number that its bytes are.
  /// - Of delimited sets of usages the first is taken whole, one control for each of its usages, and the
  ///   others are ignored.
  /// - A Usage Page between usages and their main item applies to those after it, and to those before it back
  ///   to the last that had the page already.
  /// - The bytes of a Usage Maximum say whether the range is 32 bits wide.
  /// - Long items and reserved global items are refused.
  case linux
  /// The letter of HID 1.11.
  ///
  /// - Both ends of a range are signed, as many bits wide as they are written (section 6.2.2.7, with section
  ///   5.8): one byte ff is -1. Where that puts a minimum above its maximum, the range is kept so.
  /// - A unit exponent is the low nibble of its data (section 6.2.2.7).
  /// - Each delimited set is one control, whose first usage is preferred (section 6.2.2.8).
  /// - The last Usage Page before a main item applies to all its usages that were written without one (section
  ///   6.2.2.8).
  /// - A Usage Minimum or Usage Maximum in 32 bits gives its page to the other end.
  /// - Long items and all reserved items are passed over (section 6.2.2.3).
  /// - Push has no limit (section 6.2.2.7), a descriptor can have 65,535 bytes (section 6.2.1).
  case specification
}
