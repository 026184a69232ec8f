// SPDX-License-Identifier: Apache-2.0

// Usages, their ranges and pages. For the sources see HIDLintRule+Refusals.swift.

extension HIDLintRule {
  /// A usage range ends before it begins.
  public static let usageRangeReversed = HIDLintRule(
    "usage-range-reversed", .warning, [.linux, .macOS, .specification],
    "Usage Minimum above Usage Maximum",
    "Linux counts up from the minimum until its table of 12,288 usages is full. If the main item "
      + "already has at least as many usages as the maximum is below the minimum, Linux adds none. "
      + "macOS refuses the descriptor (IOHIDFamily, kHIDInvertedUsageRangeErr). Source: HID 1.11, "
      + "section 6.2.2.8.")
  /// A usage range has one end only.
  public static let usageRangeHalf = HIDLintRule(
    "usage-range-half", .warning, [.linux, .macOS, .specification],
    "a usage range with one end only",
    "With the maximum alone, Linux starts at usage 0. With the minimum alone, there are no "
      + "usages. macOS ignores half a range (IOHIDFamily, kHIDUnmatchedUsageRangeErr). Source: "
      + "HID 1.11, section 6.2.2.8.")
  /// Usage Maximum comes before Usage Minimum.
  public static let usageMaximumFirst = HIDLintRule(
    "usage-maximum-first", .warning, [.linux], "Usage Maximum before Usage Minimum",
    "Linux makes the range at the maximum, so the range starts at usage 0. macOS accepts either "
      + "order (IOHIDFamily, HIDProcessLocalItem).")
  /// One end of a usage range has 32 bits, and the other end has fewer.
  public static let usageRangeWidths = HIDLintRule(
    "usage-range-widths", .warning, [.linux, .specification], "a usage range with one 32-bit end",
    "Four bytes hold a page and an ID, fewer bytes the ID alone (HID 1.11, section 6.2.2.8). "
      + "Linux compares the two numbers as they stand, so it reads another range, or none.")
  /// The ends of a usage range are on different pages.
  public static let usageRangePages = HIDLintRule(
    "usage-range-pages", .warning, [.linux, .macOS, .specification], "a usage range over two pages",
    "macOS refuses the descriptor (IOHIDFamily, kHIDInvalidRangePageErr). Linux takes all usages "
      + "between the two ends, up to 12,288. Source: HID 1.11, section 6.2.2.8.")
  /// Linux cuts a usage range.
  public static let usageRangeCut = HIDLintRule(
    "usage-range-cut", .note, [.linux], "a usage range beyond 12,288 usages",
    "Linux keeps 12,288 usages for a main item (HID_MAX_USAGES) and drops the rest.")
  /// The usage page changes between a usage and its main item.
  public static let lateUsagePage = HIDLintRule(
    "late-usage-page", .warning, [.macOS], "a Usage Page between a usage and its main item",
    "Linux and Windows use the page that is in force at the main item. macOS uses the page in "
      + "force at the usage (IOHIDFamily, HIDProcessLocalItem).")
  /// A usage is of page 0.
  public static let usagePageZero = HIDLintRule(
    "usage-page-zero", .note, [.specification], "a usage of page 0",
    "Page 0 is undefined (HID Usage Tables, section 3). Usually a Usage Page is missing.")
  /// A usage page has more than 16 bits.
  public static let usagePageOver16Bits = HIDLintRule(
    "usage-page-over-16-bits", .warning, [.linux, .specification], "a Usage Page above ffff",
    "A usage page has 16 bits (HID 1.11, section 6.2.2.7). Linux drops the other bits.")
  /// A usage is of a reserved page.
  public static let unknownUsagePage = HIDLintRule(
    "unknown-usage-page", .note, [.specification], "a usage of a reserved page",
    "HID Usage Tables 1.4, section 3, do not define the page. Vendors' pages are ff00 to ffff.")
  /// A single usage, of a page in the usage tables, is not in the usage tables.
  public static let unknownUsage = HIDLintRule(
    "unknown-usage", .note, [.specification], "a usage that the usage tables do not define",
    "HID Usage Tables 1.4 reserve the usage. Vendors' usages are on the pages ff00 to ffff.")
  /// A single usage, of a page in the usage tables, has ID 0.
  public static let usageZero = HIDLintRule(
    "usage-zero", .note, [.specification], "usage 0 by itself",
    "Usage 0 is undefined on every page (HID Usage Tables). In the usage range of an array "
      + "it means that nothing is pressed; lint does not report it there.")
  /// No field and no collection uses the usages before an End Collection or the end.
  public static let usagesLeftOver = HIDLintRule(
    "usages-left-over", .warning, [.linux, .specification], "usages without a field",
    "Usages belong to the next main item (HID 1.11, section 6.2.2.8). Before an End Collection, "
      + "or at the end, no field uses them.")
  /// A variable field has more usages than elements.
  public static let moreUsagesThanElements = HIDLintRule(
    "more-usages-than-elements", .note, [.linux, .specification], "more usages than elements",
    "Each element of a variable field takes one usage (HID 1.11, section 6.2.2.8); the last ones have "
      + "no element.")
  /// A variable field, not a vendor's, has more than one usage, but fewer usages than elements.
  public static let fewerUsagesThanElements = HIDLintRule(
    "fewer-usages-than-elements", .note, [.linux, .specification], "fewer usages than elements",
    "The last usage applies to all elements that remain (HID 1.11, section 6.2.2.8), so several "
      + "elements have the same usage. One usage for all elements is usual and not reported.")
  /// An array's logical range reaches beyond its usages.
  public static let arrayValuesWithoutUsage = HIDLintRule(
    "array-values-without-usage", .note, [.linux, .specification],
    "an array with values that select nothing",
    "An array's value minus its logical minimum is the index of the usage (HID 1.11, section "
      + "6.2.2.5). Linux ignores values above the last usage, so it drops what the device reports "
      + "with them.")
  /// An array's logical range is shorter than its list of usages.
  public static let arrayUsagesOutOfReach = HIDLintRule(
    "array-usages-out-of-reach", .warning, [.linux, .specification],
    "an array with usages that no value selects",
    "An array's value minus its logical minimum is the index of the usage (HID 1.11, section "
      + "6.2.2.5). Values outside the logical range select no usage.")
  /// An array's values are shifted against its usages.
  public static let arrayOffByOne = HIDLintRule(
    "array-off-by-one", .warning, [.linux, .windows, .specification],
    "an array whose usages begin one later than its values",
    "An array's value minus its logical minimum is the index of the usage (HID 1.11, section "
      + "6.2.2.5). With Logical Minimum 0 and Usage Minimum 1, value 1 is usage 2.")
  /// An array has one usage and more than one value.
  public static let arrayOfOneUsage = HIDLintRule(
    "array-of-one-usage", .note, [.linux, .specification],
    "an array with one usage and many values",
    "An array's elements say which usages are on (HID 1.11, section 6.2.2.5); with one usage "
      + "there is nothing to select. Declare buttons and buffers of data as variable fields: bit "
      + "1 of the flags.")
  /// A single usage, not a vendor's, occurs twice among the variable data fields of an input report
  /// and collection.
  public static let duplicateUsage = HIDLintRule(
    "duplicate-usage", .note, [.linux, .windows], "the same usage twice in a collection",
    "Linux sends nothing for the second usage, unless the two may share an event code, like keys "
      + "and the absolute axes X to Rz. Programs on Windows ask for a value by its usage, and get "
      + "the first (Microsoft, HidP_GetUsageValue).")

  static let usages: [HIDLintRule] = [
    usageRangeReversed, usageRangeHalf, usageMaximumFirst, usageRangeWidths, usageRangePages,
    usageRangeCut, lateUsagePage, usagePageZero, usagePageOver16Bits, unknownUsagePage,
    unknownUsage, usageZero, usagesLeftOver, moreUsagesThanElements, fewerUsagesThanElements,
    arrayValuesWithoutUsage, arrayUsagesOutOfReach, arrayOffByOne, arrayOfOneUsage, duplicateUsage,
  ]
}
