// SPDX-License-Identifier: Apache-2.0

// One rule for each case of `HIDReportDescriptorError`, all refused by Linux, and one for uhid's
// own limit. Sources for Windows are the comments of Microsoft's public header hidpddi.h (the
// values of HIDP_GETCOLDESC_…). The source for macOS is the HIDParser of Apple's published
// IOHIDFamily.

extension HIDLintRule {
  /// The descriptor has no bytes.
  public static let emptyDescriptor = HIDLintRule(
    "empty-descriptor", .error, [.linux, .windows], "no bytes at all",
    "A device without items has no reports. uhid answers EINVAL; Windows finds no top-level "
      + "collection (hidpddi.h, HIDP_GETCOLDESC_NO_DATA).")
  /// The descriptor has more than 4,096 bytes.
  public static let descriptorTooLong = HIDLintRule(
    "descriptor-too-long", .error, [.linux, .windows], "more than 4,096 bytes",
    "HID_MAX_DESCRIPTOR_SIZE of Linux is 4,096, and Microsoft's \"Troubleshooting common errors\" "
      + "gives 4 KB as the most for HID over I2C.")
  /// The descriptor ends inside an item.
  public static let truncatedItem = HIDLintRule(
    "truncated-item", .error, [.linux, .windows, .specification], "an item that the end cuts off",
    "The two low bits of an item's first byte say how many bytes follow: 0, 1, 2 or 4 (HID 1.11, "
      + "section 6.2.2.2). Often an earlier item has the wrong size, or the device announces a "
      + "wrong length. Windows: HIDP_GETCOLDESC_ONE_BYTE, _TWO_BYTE and _FOUR_BYTE.")
  /// There is a long item.
  public static let longItem = HIDLintRule(
    "long-item", .error, [.linux], "a long item",
    "HID 1.11 defines the form of long items (section 6.2.2.3) but no use of them. Linux refuses "
      + "every item whose first byte is f0 or above. Usually that byte is data of an earlier item "
      + "with a wrong size.")
  /// There is a global item with a reserved tag.
  public static let reservedGlobalItem = HIDLintRule(
    "reserved-global-item", .error, [.linux, .windows, .specification],
    "a global item with a reserved tag",
    "Tags 12 to 15 of global items are reserved (HID 1.11, section 6.2.2.7). Windows: "
      + "HIDP_GETCOLDESC_ITEM_UNKNOWN.")
  /// A report ID is 0 or above 255.
  public static let invalidReportID = HIDLintRule(
    "invalid-report-id", .error, [.linux, .windows, .specification],
    "a report ID that is not 1 to 255",
    "0 is reserved, and the ID is one byte (HID 1.11, section 6.2.2.7). A device with one report "
      + "needs no Report ID item. Windows: HIDP_GETCOLDESC_BAD_REPORT_ID.")
  /// A report size is above 256 bits.
  public static let reportSizeTooLarge = HIDLintRule(
    "report-size-too-large", .error, [.linux], "elements of more than 256 bits",
    "Linux takes elements of up to 256 bits. HID 1.11, section 8.4, allows 32.")
  /// A report count is above 12,288.
  public static let reportCountTooLarge = HIDLintRule(
    "report-count-too-large", .error, [.linux], "more than 12,288 elements in a field",
    "HID_MAX_USAGES of Linux is 12,288, and each element needs a place for its usage.")
  /// A main item has more than 12,288 usages, and Linux does not cut them.
  public static let tooManyUsages = HIDLintRule(
    "too-many-usages", .error, [.linux], "more than 12,288 usages for a main item",
    "HID_MAX_USAGES of Linux is 12,288. Linux cuts a single longer range at that number; usages "
      + "after it find no room.")
  /// There is a fifth Push without a Pop.
  public static let pushTooDeep = HIDLintRule(
    "push-too-deep", .error, [.linux], "more than four Push items without a Pop",
    "HID_GLOBAL_STACK_SIZE of Linux is 4. Windows has a limit, too (hidpddi.h, "
      + "HIDP_GETCOLDESC_PUSH_RESOURCES), but does not publish it.")
  /// There is a Pop without a Push.
  public static let popWithoutPush = HIDLintRule(
    "pop-without-push", .error, [.linux, .specification], "a Pop without a Push",
    "Pop restores the global items that a Push saved (HID 1.11, section 6.2.2.7).")
  /// There is an End Collection without a Collection.
  public static let endCollectionWithoutCollection = HIDLintRule(
    "end-collection-without-collection", .error, [.linux, .windows, .specification],
    "an End Collection without a Collection",
    "Each End Collection closes a Collection (HID 1.11, section 6.2.2.4). Windows: \"Extra end "
      + "collection found or end collection not found\" (HIDP_GETCOLDESC_UNEXP_END_COL).")
  /// A Collection has no End Collection.
  public static let unclosedCollection = HIDLintRule(
    "unclosed-collection", .error, [.linux, .windows, .specification],
    "a Collection without an End Collection",
    "Each Collection needs its End Collection (HID 1.11, section 6.2.2.4). Windows: \"Extra end "
      + "collection found or end collection not found\" (HIDP_GETCOLDESC_UNEXP_END_COL).")
  /// A delimiter opens a set of usages inside a set.
  public static let nestedDelimiter = HIDLintRule(
    "nested-delimiter", .error, [.linux, .windows, .specification],
    "a Delimiter (open) inside another",
    "Sets of alternative usages do not nest (HID 1.11, section 6.2.2.8). Windows: "
      + "HIDP_GETCOLDESC_MISMATCH_OC_DELIMITER.")
  /// A delimiter closes a set where none is open.
  public static let closeDelimiterWithoutOpen = HIDLintRule(
    "close-delimiter-without-open", .error, [.linux, .windows, .specification],
    "a Delimiter (close) without a Delimiter (open)",
    "A Delimiter (open) begins a set of alternative usages before a Delimiter (close) ends it "
      + "(HID 1.11, section 6.2.2.8). Windows: HIDP_GETCOLDESC_MISMATCH_OC_DELIMITER.")
  /// A delimiter after the last main item is still open at the end of the descriptor.
  public static let unclosedDelimiter = HIDLintRule(
    "unclosed-delimiter", .error, [.linux, .windows, .specification],
    "a Delimiter still open at the end",
    "A set of alternative usages must be closed before the main item that uses it (HID 1.11, "
      + "section 6.2.2.8). Windows: HIDP_GETCOLDESC_NO_CLOSE_DELIMITER.")
  /// The logical minimum of a field is above its logical maximum.
  public static let logicalRangeReversed = HIDLintRule(
    "logical-range-reversed", .error, [.linux, .windows, .macOS, .specification],
    "Logical Minimum above Logical Maximum",
    "Linux refuses the device, even if the field is padding. Windows scales no value "
      + "(HIDP_STATUS_BAD_LOG_PHY_VALUES). macOS swaps the two numbers. Often the maximum is a "
      + "byte or two short, and therefore negative. Source: HID 1.11, section 6.2.2.7.")
  /// A report has more than 16,384 bytes, counted with one for the report ID.
  public static let reportTooLong = HIDLintRule(
    "report-too-long", .error, [.linux], "a report of more than 16,384 bytes",
    "HID_MAX_BUFFER_SIZE of Linux is 16,384 bytes. One of them is for the report ID, even if the "
      + "report is unnumbered.")
  /// A report has more than 4,096 bytes, counted with one for the report ID; only uhid refuses it.
  public static let reportOverUHID = HIDLintRule(
    "report-over-uhid", .error, [.linux], "a report of more than 4,096 bytes",
    "UHID_DATA_MAX is 4,096 bytes. One of them is for the report ID, even if the report is "
      + "unnumbered. On USB and I2C, Linux accepts reports of up to 16,384 bytes, and real "
      + "touchscreens have reports of more than 4,096.")

  static let refusals: [HIDLintRule] = [
    emptyDescriptor, descriptorTooLong, truncatedItem, longItem, reservedGlobalItem,
    invalidReportID, reportSizeTooLarge, reportCountTooLarge, tooManyUsages, pushTooDeep,
    popWithoutPush, endCollectionWithoutCollection, unclosedCollection, nestedDelimiter,
    closeDelimiterWithoutOpen, unclosedDelimiter, logicalRangeReversed, reportTooLong,
    reportOverUHID,
  ]

  /// Creates the rule for a fault that the parser found.
  init(_ error: HIDReportDescriptorError) {
    self =
      switch error {
      case .empty: .emptyDescriptor
      case .descriptorTooLong: .descriptorTooLong
      case .truncatedItem: .truncatedItem
      case .longItem: .longItem
      case .reservedGlobalItem: .reservedGlobalItem
      case .invalidReportID: .invalidReportID
      case .reportSizeTooLarge: .reportSizeTooLarge
      case .reportCountTooLarge: .reportCountTooLarge
      case .tooManyUsages: .tooManyUsages
      case .pushTooDeep: .pushTooDeep
      case .popWithoutPush: .popWithoutPush
      case .endCollectionWithoutCollection: .endCollectionWithoutCollection
      case .unclosedCollection: .unclosedCollection
      case .nestedDelimiter: .nestedDelimiter
      case .closeDelimiterWithoutOpen: .closeDelimiterWithoutOpen
      case .unclosedDelimiter: .unclosedDelimiter
      case .logicalRangeReversed: .logicalRangeReversed
      case .reportTooLong(_, _, _, _, let maximum):
        maximum > HIDReportDescriptor.uhidMaximumReportByteCount ? .reportTooLong : .reportOverUHID
      }
  }
}
