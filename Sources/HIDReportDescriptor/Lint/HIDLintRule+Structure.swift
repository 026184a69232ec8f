// SPDX-License-Identifier: Apache-2.0

// Collections, report IDs, delimiters, Push and Pop, reserved items. For the sources see
// HIDLintRule+Refusals.swift.

extension HIDLintRule {
  /// There is no application collection.
  public static let noApplicationCollection = HIDLintRule(
    "no-application-collection", .warning, [.linux, .windows, .specification],
    "no application collection",
    "An application collection says what the device is for (HID 1.11, section 6.2.2.6). Without "
      + "one, Linux makes no input device, unless a physical collection has the usage of one, such "
      + "as Mouse. Without any collection, Windows refuses the descriptor "
      + "(HIDP_GETCOLDESC_NO_DATA).")
  /// A top-level collection is not an application collection.
  public static let topCollectionNotApplication = HIDLintRule(
    "top-collection-not-application", .note, [.linux, .specification],
    "a top-level collection that is not an application collection",
    "HID 1.11, section 8.4, requires an application collection. Windows makes a device of every "
      + "top-level collection, whatever its kind (Microsoft, \"Top-level collections\"). Linux "
      + "takes the application of a field, which decides on event codes, from application "
      + "collections only.")
  /// An application collection is inside another.
  public static let nestedApplicationCollection = HIDLintRule(
    "nested-application-collection", .note, [.windows], "an application collection inside another",
    "Windows makes a device of a collection only at the top level (Microsoft, \"Top-level "
      + "collections\"). The inner collection gets no device of its own.")
  /// A top-level collection has no usage.
  public static let topCollectionWithoutUsage = HIDLintRule(
    "top-collection-without-usage", .warning, [.linux, .windows, .specification],
    "a top-level collection without usage",
    "No host can tell what the collection is for. HID 1.11, section 6.2.2.6, demands a usage, and "
      + "Windows refuses the descriptor (HIDP_GETCOLDESC_TOP_COLLECTION_USAGE).")
  /// A collection inside another has no usage.
  public static let collectionWithoutUsage = HIDLintRule(
    "collection-without-usage", .note, [.specification], "an inner collection without usage",
    "HID 1.11, section 6.2.2.6, demands a usage for every collection.")
  /// A top-level collection has more than one usage.
  public static let topCollectionWithManyUsages = HIDLintRule(
    "top-collection-with-many-usages", .warning, [.windows, .specification],
    "a top-level collection with more than one usage",
    "Windows refuses the descriptor (HIDP_GETCOLDESC_TOP_COLLECTION_USAGE). Linux uses the first usage."
  )
  /// A collection inside another has more than one usage.
  public static let collectionWithManyUsages = HIDLintRule(
    "collection-with-many-usages", .note, [.linux, .specification],
    "an inner collection with more than one usage",
    "Linux uses the first. Usage is a local item: the collection uses up the usages that were "
      + "meant for a field (HID 1.11, section 6.2.2.8).")
  /// The kind of a collection is a reserved number.
  public static let reservedCollectionKind = HIDLintRule(
    "reserved-collection-kind", .note, [.specification], "a collection of a reserved kind",
    "Kinds 7 to 127 are reserved; 128 to 255 are for vendors (HID 1.11, section 6.2.2.6).")
  /// A field is outside all collections.
  public static let fieldOutsideCollection = HIDLintRule(
    "field-outside-collection", .warning, [.linux, .windows, .specification],
    "a field outside all collections",
    "The field belongs to no application. Linux maps it nevertheless if a collection of the "
      + "device is for input. Windows refuses the descriptor (HIDP_GETCOLDESC_INVALID_MAIN_ITEM). "
      + "Source: HID 1.11, section 6.2.2.6.")
  /// A Report ID item is outside all collections.
  public static let reportIDOutsideCollection = HIDLintRule(
    "report-id-outside-collection", .warning, [.windows], "a Report ID outside all collections",
    "Windows requires the Report ID to be inside a top-level collection "
      + "(HIDP_GETCOLDESC_REPORT_ID).")
  /// Two top-level collections share a report ID.
  public static let reportIDShared = HIDLintRule(
    "report-id-shared", .warning, [.windows, .specification],
    "a report ID in two top-level collections",
    "Windows makes a device of each top-level collection, and the report ID must say to which "
      + "device a report belongs. Windows refuses the descriptor (HIDP_GETCOLDESC_NO_REPORT_ID). "
      + "A report may not span two top-level collections (HID 1.11, section 8.4). Linux makes one "
      + "report of all parts.")
  /// One of several top-level collections has no report ID.
  public static let topCollectionWithoutReportID = HIDLintRule(
    "top-collection-without-report-id", .warning, [.windows],
    "one of several top-level collections without a report ID",
    "Windows refuses a descriptor with several top-level collections unless each has report IDs "
      + "(HIDP_GETCOLDESC_NO_REPORT_ID and HIDP_GETCOLDESC_DEFAULT_ID_ERROR).")
  /// There are reports with and without a report ID.
  public static let unnumberedBesideNumbered = HIDLintRule(
    "unnumbered-beside-numbered", .warning, [.linux, .windows, .specification],
    "an unnumbered report beside numbered ones",
    "If one report has an ID, all have one (HID 1.11, section 6.2.2.7). Linux expects the ID byte "
      + "in all reports of the same type, so no byte can announce the unnumbered one. Windows "
      + "refuses the descriptor (HIDP_GETCOLDESC_DEFAULT_ID_ERROR).")
  /// A Pop changes the report ID of the next field.
  public static let reportIDRestoredByPop = HIDLintRule(
    "report-id-restored-by-pop", .note, [.specification], "a Pop that changes the report ID",
    "Report ID is a global item (HID 1.11, section 6.2.2.7), so a Pop restores the earlier ID. "
      + "Linux does so; other parsers keep the last ID in force.")
  /// A Push has no Pop.
  public static let pushWithoutPop = HIDLintRule(
    "push-without-pop", .note, [.specification], "a Push without a Pop",
    "A Push without a Pop has no effect. Source: HID 1.11, section 6.2.2.7.")
  /// There is a main or local item with a reserved tag, or an item of the reserved type.
  public static let reservedItem = HIDLintRule(
    "reserved-item", .warning, [.windows, .specification], "an item with a reserved tag or type",
    "Linux ignores the item. Windows does not know it either, and refuses the descriptor "
      + "(HIDP_GETCOLDESC_ITEM_UNKNOWN). Usually it is data of an earlier item with a wrong size. "
      + "Source: HID 1.11, section 6.2.2.2.")
  /// The descriptor ends in zero bytes that are not the data of an item.
  public static let trailingZeros = HIDLintRule(
    "trailing-zeros", .note, [.specification], "zero bytes at the end",
    "Each is a reserved main item (HID 1.11, section 6.2.2.4), which Linux ignores. Usually the "
      + "device announces a length that is too large.")
  /// A global item, a designator or a string is inside a delimiter's set.
  public static let itemInDelimiter = HIDLintRule(
    "item-in-delimiter", .warning, [.windows, .specification],
    "another item among alternative usages",
    "Only usages may be between delimiters (HID 1.11, section 6.2.2.8). Windows refuses the "
      + "descriptor (HIDP_GETCOLDESC_NOT_VALID_DELIMITER).")
  /// A delimiter's set is still open at a main item.
  public static let delimiterOpenAtMainItem = HIDLintRule(
    "delimiter-open-at-main-item", .warning, [.windows, .specification],
    "a Delimiter still open at a main item",
    "A set of alternative usages must be closed before the main item that uses it (HID 1.11, "
      + "section 6.2.2.8). Linux ignores that it is open. Windows refuses the descriptor "
      + "(HIDP_GETCOLDESC_NO_CLOSE_DELIMITER).")
  /// An array has alternative usages.
  public static let delimiterInArray = HIDLintRule(
    "delimiter-in-array", .warning, [.windows], "alternative usages for an array",
    "Windows supports alternative usages for variable fields only (HIDP_GETCOLDESC_UNSUPPORTED).")
  /// A variable field has alternative usages.
  public static let alternativeUsages = HIDLintRule(
    "alternative-usages", .warning, [.linux, .macOS], "alternative usages",
    "In HID 1.11, section 6.2.2.8, a delimited set is one element with several usages. Linux "
      + "gives the usages of the first set to the elements one after the other, and drops the "
      + "other sets. macOS does not process delimiters (IOHIDFamily, HIDProcessLocalItem).")

  static let structure: [HIDLintRule] = [
    noApplicationCollection, topCollectionNotApplication, nestedApplicationCollection,
    topCollectionWithoutUsage, collectionWithoutUsage, topCollectionWithManyUsages,
    collectionWithManyUsages, reservedCollectionKind, fieldOutsideCollection,
    reportIDOutsideCollection, reportIDShared, topCollectionWithoutReportID,
    unnumberedBesideNumbered, reportIDRestoredByPop, pushWithoutPop, reservedItem, trailingZeros,
    itemInDelimiter, delimiterOpenAtMainItem, delimiterInArray, alternativeUsages,
  ]
}
