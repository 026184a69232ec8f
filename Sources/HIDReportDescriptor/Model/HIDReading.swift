// SPDX-License-Identifier: Apache-2.0

/// The rules for reading a report descriptor, where HID 1.11 and Linux differ.
public enum HIDReading: Hashable, Sendable, CaseIterable {
  /// The rules of a Linux host: Linux 6.12, `drivers/hid/hid-core.c`.
  ///
  /// - The maximum of a logical or physical range is signed only if its minimum is negative: one
  ///   byte ff after a minimum of 0 is 255.
  /// - A unit exponent from 0 to 15 is a nibble; any other is the signed number in its bytes.
  /// - All usages of the first delimited set are used, one control for each. All usages after the
  ///   start of the second set are ignored.
  /// - Usages without a page of their own get the page in force at their main item. Linux goes back
  ///   from the last usage, and stops at a usage that has this page already. The usages before it
  ///   keep the page in force where they stand.
  /// - The number of bytes of a Usage Maximum decides if the range is 32 bits wide. A maximum
  ///   without a minimum starts at 0. A range is cut where its main item has 12,288 usages. A
  ///   reversed range can count up from its minimum to that limit.
  /// - Long items, which begin with any byte from f0 up, and reserved global items are refused.
  case linux
  /// The rules of HID 1.11 to the letter.
  ///
  /// - Both ends of a logical or physical range are signed, and as wide as they are written
  ///   (section 6.2.2.7, with section 5.8). So one byte ff is -1. A range is kept even if its
  ///   minimum is then above its maximum.
  /// - A unit exponent is the low nibble of its data, as two's complement (section 6.2.2.7).
  /// - Each delimited set is one control, whose first usage is preferred (section 6.2.2.8).
  /// - The last Usage Page before a main item applies to all its usages that were written without a
  ///   page (section 6.2.2.8).
  /// - A Usage Minimum or Usage Maximum in 32 bits gives its page to a shorter other end. A maximum
  ///   without a minimum adds no usages. A range of more than 12,288 usages is refused.
  /// - Long items and all reserved items are skipped (section 6.2.2.3), but a reserved main item
  ///   clears the local items before it.
  /// - Push has no limit (section 6.2.2.7), and a descriptor can have 65,535 bytes (section 6.2.1).
  case specification
}
