// SPDX-License-Identifier: Apache-2.0

/// A reason why another implementation reads a descriptor differently than hidsim does.
///
/// The raw values are the keys of `disagreements.tsv`, which has the reasons.
enum OracleRule: String, CaseIterable, Comparable {
  // Descriptors that only the kernel refuses, and other behaviour that only the kernel has.
  case kernelBalance = "kernel.balance"
  case kernelStack = "kernel.stack"
  case kernelDelimiter = "kernel.delimiter"
  case kernelLimit = "kernel.limit"
  case kernelUHIDLimit = "kernel.uhid-limit"
  case kernelReportID = "kernel.report-id"
  case kernelLogicalRange = "kernel.logical-range"
  case kernelLongItem = "kernel.long-item"
  case kernelReservedGlobal = "kernel.reserved-global"
  case kernelTruncated = "kernel.truncated"
  case kernelEmpty = "kernel.empty"
  case kernelArrayFill = "kernel.array-fill"
  case kernelSignedText = "kernel.signed-text"

  // hid-tools 0.12.
  case toolsPushUnit = "hid-tools.push-unit"
  case toolsExponentByte = "hid-tools.exponent-byte"
  case toolsReportID = "hid-tools.report-id"
  case toolsMaximumUnsigned = "hid-tools.maximum-unsigned"
  case toolsRangeAlone = "hid-tools.range-alone"
  case toolsHalfRange = "hid-tools.half-range"
  case toolsRangeReversed = "hid-tools.range-reversed"
  case toolsRangeFromZero = "hid-tools.range-from-zero"
  case toolsRangeEnds = "hid-tools.range-ends"
  case toolsRangeUncut = "hid-tools.range-uncut"
  case toolsPageWide = "hid-tools.page-wide"
  case toolsDelimiter = "hid-tools.delimiter"
  case toolsLocalsSurvive = "hid-tools.locals-survive"
  case toolsCollectionGlobal = "hid-tools.collection-global"
  case toolsCollectionUsage = "hid-tools.collection-usage"
  case toolsPaddingJoined = "hid-tools.padding-joined"
  case toolsRaisesUnknown = "hid-tools.raises-unknown"
  case toolsRaisesCollection = "hid-tools.raises-collection"
  case toolsLate = "hid-tools.late"

  // hid-parser 0.1.0.
  case parserRaisesUnsupported = "hid-parser.raises-unsupported"
  case parserRaisesMissing = "hid-parser.raises-missing"
  case parserRaisesHalfRange = "hid-parser.raises-half-range"
  case parserRaisesLateID = "hid-parser.raises-late-id"
  case parserRaisesPages = "hid-parser.raises-pages"
  case parserUsagePerElement = "hid-parser.usage-per-element"
  case parserArrayPlace = "hid-parser.array-place"
  case parserMaximumSigned = "hid-parser.maximum-signed"
  case parserPageEarly = "hid-parser.page-early"
  case parserUsageWide = "hid-parser.usage-wide"
  case parserPageWide = "hid-parser.page-wide"
  case parserRangeReversed = "hid-parser.range-reversed"
  case parserRangeUncut = "hid-parser.range-uncut"
  case parserLocalsSurvive = "hid-parser.locals-survive"
  case parserLate = "hid-parser.late"

  // Windows; and hidapi, which reconstructs a descriptor from the data that Windows keeps.
  case windowsConstantLeftOut = "windows.constant-left-out"
  case windowsLogicalUnset = "windows.logical-unset"
  case windowsAlias = "windows.alias"

  // The way in which the other oracles were compared with the kernel.
  case comparisonNoBits = "comparison.no-bits"

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
