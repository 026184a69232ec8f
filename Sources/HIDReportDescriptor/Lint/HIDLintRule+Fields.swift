// SPDX-License-Identifier: Apache-2.0

// Reports, sizes, ranges, units, flags. For the sources see HIDLintRule+Refusals.swift; "USB-IF's
// tests" are those of USB3CV, "HID Tests", assertion 3.2.61.

extension HIDLintRule {
  /// A report is not a whole number of bytes.
  public static let unalignedReport = HIDLintRule(
    "unaligned-report", .warning, [.windows, .specification],
    "a report that is not a whole number of bytes",
    "A report is a whole number of bytes (HID 1.11, section 8.4). Linux rounds up. Windows "
      + "refuses the descriptor: \"Report Descriptor was not byte aligned\" "
      + "(HIDP_GETCOLDESC_BYTE_ALLIGN).")
  /// A report has no bits.
  public static let emptyReport = HIDLintRule(
    "empty-report", .warning, [.linux, .specification], "a report without bits",
    "A report without bits carries no data.")
  /// A report has more fields with usages than Linux keeps.
  public static let tooManyFields = HIDLintRule(
    "too-many-fields", .warning, [.linux], "more than 256 fields with usages in a report",
    "Linux keeps 256 fields of a report (HID_MAX_FIELDS) and drops the rest.")
  /// A device has more elements than hidsim offers.
  public static let tooManyElements = HIDLintRule(
    "too-many-elements", .warning, [.linux], "more than 65,536 elements",
    "hidsim offers the first 65,536 elements of a device to programs on Linux.")
  /// There is no Report Size before a field.
  public static let reportSizeMissing = HIDLintRule(
    "report-size-missing", .warning, [.linux, .specification], "a field before any Report Size",
    "A field must have a Report Size (HID 1.11, section 6.2.2). Linux assumes 0, so the field has "
      + "no bits.")
  /// There is no Report Count before a field.
  public static let reportCountMissing = HIDLintRule(
    "report-count-missing", .warning, [.linux, .macOS, .specification],
    "a field before any Report Count",
    "A field must have a Report Count (HID 1.11, section 6.2.2). Linux assumes 0, so the field "
      + "has no elements. macOS was seen to disable the device (keyboardio/KeyboardioHID, pull "
      + "request 27).")
  /// A field with usages has no elements, or elements of no bits.
  public static let emptyField = HIDLintRule(
    "empty-field", .warning, [.linux, .specification], "a field with usages but no bits",
    "Report Size or Report Count is 0, so the report has no bits for the usages.")
  /// The elements of a data field with usages have more than 32 bits.
  public static let fieldOver32Bits = HIDLintRule(
    "field-over-32-bits", .warning, [.linux, .specification], "elements of more than 32 bits",
    "HID 1.11, section 8.4, allows 32 bits, and Linux reads no more. Declare plain bytes as "
      + "elements of 8 bits with a Report Count.")
  /// An element of at most 32 bits, in a data field with usages, is spread over five bytes.
  public static let fieldOverFourBytes = HIDLintRule(
    "field-over-four-bytes", .note, [.specification], "an element spread over five bytes",
    "An element spans at most four bytes of the report (HID 1.11, section 8.4). An element of 32 "
      + "bits must therefore begin at a byte boundary.")
  /// A field that is not constant has no usage.
  public static let dataWithoutUsage = HIDLintRule(
    "data-without-usage", .warning, [.linux, .windows, .specification],
    "a data field without usage",
    "Linux treats the field as padding. Windows refuses the descriptor: \"A non constant main "
      + "item was declared without a corresponding usage\" (HIDP_GETCOLDESC_MAIN_ITEM_NO_USAGE). "
      + "Padding is constant (HID 1.11, section 6.2.2.9).")
  /// An input field with usages, other than a vendor's and single usages with ID 0, is constant.
  public static let constantWithUsage = HIDLintRule(
    "constant-with-usage", .note, [.linux, .specification], "a constant input field with usages",
    "Constant input cannot be changed (HID 1.11, section 6.2.2.5), and Linux makes no events of "
      + "it. Keys of real headsets do nothing on Linux for this reason.")
  /// There is no Logical Minimum or no Logical Maximum before a data field with usages.
  public static let logicalRangeMissing = HIDLintRule(
    "logical-range-missing", .warning, [.specification], "a field before any logical range",
    "A field must have a Logical Minimum and a Logical Maximum (HID 1.11, section 6.2.2). "
      + "USB-IF's tests fail without them: \"LOGICAL MIN MUST be defined\".")
  /// The logical range has one value; allowed for an array with one usage.
  public static let logicalRangeEmpty = HIDLintRule(
    "logical-range-empty", .warning, [.windows, .specification],
    "Logical Minimum equal to Logical Maximum",
    "The field has only one value to report (HID 1.11, section 6.2.2.7). Windows does not scale "
      + "it: the maximum must be above the minimum (hidpi.h, HIDP_STATUS_BAD_LOG_PHY_VALUES).")
  /// The bits do not hold the logical range.
  public static let logicalRangeOverBits = HIDLintRule(
    "logical-range-over-bits", .warning, [.macOS, .specification],
    "a logical range that does not fit into the bits",
    "USB-IF's tests fail: \"LOGICAL MAX MUST be bounded by Report\". macOS cuts the range to the "
      + "bits (IOHIDFamily, HIDProcessReportItem). Usually the range of an earlier field is still "
      + "in force, because it is a global item (HID 1.11, section 6.2.2.7).")
  /// The bytes of a logical maximum mean another number by HID 1.11.
  public static let logicalMaximumSign = HIDLintRule(
    "logical-maximum-sign", .warning, [.macOS, .specification],
    "a Logical Maximum that HID 1.11 reads as negative",
    "The number is signed (HID 1.11, section 6.2.2.7): 25 ff is -1. Linux reads it as unsigned if "
      + "the minimum is not negative, and Windows was seen to accept it. macOS reads it as "
      + "signed, and USB-IF's tests fail: both need 255 in two bytes (esrille/new-keyboard, issue "
      + "4; hathach/tinyusb, issue 170; keyboardio/KeyboardioHID, pull request 102).")
  /// The bytes of a physical maximum mean another number by HID 1.11.
  public static let physicalMaximumSign = HIDLintRule(
    "physical-maximum-sign", .warning, [.macOS, .specification],
    "a Physical Maximum that HID 1.11 reads as negative",
    "The number is signed, like that of Logical Maximum (HID 1.11, section 6.2.2.7). Linux reads "
      + "it as unsigned if the minimum is not negative. macOS uses the logical range instead "
      + "(IOHIDFamily, HIDProcessReportItem).")
  /// The physical range is reversed, or has one value other than 0.
  public static let physicalRangeReversed = HIDLintRule(
    "physical-range-reversed", .warning, [.windows, .macOS, .specification],
    "Physical Minimum not below Physical Maximum",
    "Windows scales no value (hidpi.h, HIDP_STATUS_BAD_LOG_PHY_VALUES). macOS uses the logical "
      + "range instead (IOHIDFamily, HIDProcessReportItem). Only 0 and 0 mean that the field has "
      + "no physical range (HID 1.11, section 6.2.2.7).")
  /// The unit exponent is not one nibble.
  public static let unitExponentForm = HIDLintRule(
    "unit-exponent-form", .note, [.specification], "a Unit Exponent that is not one nibble",
    "An exponent is -8 to 7, in one nibble: -3 is 0d (HID 1.11, section 6.2.2.7). Linux also "
      + "accepts a signed byte: fd is -3, too.")
  /// A unit is in force at buttons, keys or lamps of one bit, or at an array.
  public static let unitOfButtons = HIDLintRule(
    "unit-of-buttons", .note, [.specification], "buttons, keys or lamps with a unit",
    "The Unit of an earlier field is still in force, because Unit is a global item (HID 1.11, "
      + "section 6.2.2.7).")
  /// A variable field with a null state has no null value.
  public static let nullStateWithoutValue = HIDLintRule(
    "null-state-without-value", .warning, [.specification], "a null state without a null value",
    "A null value is outside the logical range (HID 1.11, section 6.2.2.5). This range contains "
      + "every value that the bits hold, so no null value is left (section 5.10).")
  /// A hat switch has no null state.
  public static let hatSwitchWithoutNullState = HIDLintRule(
    "hat-switch-without-null-state", .note, [.specification], "a hat switch without null state",
    "A hat switch at rest points in no direction. A null state reports that (HID 1.11, section "
      + "6.2.2.5).")
  /// A relative axis cannot move backwards.
  public static let relativeUnsigned = HIDLintRule(
    "relative-unsigned", .warning, [.linux, .specification],
    "a relative axis without negative values",
    "A relative value is a change (HID 1.11, section 6.2.2.5). Without a negative minimum Linux reads "
      + "ff as 255, not as -1.")
  /// The absolute position of a mouse can be negative.
  public static let absolutePointerNegative = HIDLintRule(
    "absolute-pointer-negative", .note, [.windows], "an absolute mouse with negative values",
    "Windows 7 was seen to use only a quarter of the screen (NicoHood/HID, pull request 306).")
  /// A Resolution Multiplier has a range that Linux cannot calculate with.
  public static let multiplierStopsLinux = HIDLintRule(
    "multiplier-stops-linux", .error, [.linux], "a Resolution Multiplier that stops Linux",
    "After it has read a descriptor, Linux divides the value of each multiplier, minus its "
      + "minimum, by the length of the logical range. It calculates in 32 bits "
      + "(hid_calculate_multiplier in drivers/hid/hid-core.c, 6.12). With -2147483648 to "
      + "2147483647 and the value 0, it divides -2147483648 by -1. The result does not fit into "
      + "32 bits, and the processor faults in the kernel. Never plug the device into a Linux "
      + "machine.")
  /// An Input, Output or Feature item has reserved bits set.
  public static let reservedFlags = HIDLintRule(
    "reserved-flags", .note, [.specification], "a main item with reserved bits set",
    "Bits 9 to 31 are reserved, and in an Input item bit 7, too (HID 1.11, section 6.2.2.5).")

  static let fields: [HIDLintRule] = [
    unalignedReport, emptyReport, tooManyFields, tooManyElements, reportSizeMissing,
    reportCountMissing, emptyField, fieldOver32Bits, fieldOverFourBytes,
    dataWithoutUsage, constantWithUsage, logicalRangeMissing, logicalRangeEmpty,
    logicalRangeOverBits, logicalMaximumSign, physicalMaximumSign, physicalRangeReversed,
    unitExponentForm, unitOfButtons, nullStateWithoutValue, hatSwitchWithoutNullState,
    relativeUnsigned, absolutePointerNegative, multiplierStopsLinux, reservedFlags,
  ]
}
