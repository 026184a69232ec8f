// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// What a stream of notifications is asked for.
struct ReportFilter: Sendable {
  /// By report ID, 0 for reports without: whether the report itself is wanted.
  private var wanted: [Bool]
  /// By report ID, 0 for reports without: the elements that are wanted of it.
  private var elementsByReport: [[HIDElement]]
  private let hasElements: Bool

  /// Makes the filter of a stream.
  ///
  /// Reports without an ID are wanted when any ID is, and when nothing at all is asked for.
  init(_ ranges: [ClosedRange<HIDReportID>], _ elements: [HIDElement]) {
    hasElements = !elements.isEmpty
    wanted = Array(repeating: false, count: 256)
    elementsByReport = Array(repeating: [], count: 256)
    wanted[0] = !ranges.isEmpty || elements.isEmpty
    for range in ranges {
      for id in Int(range.lowerBound.rawValue)...Int(range.upperBound.rawValue) {
        wanted[id] = true
      }
    }
    for element in elements where element.type == .input {
      elementsByReport[Self.index(element.reportID)].append(element)
    }
  }

  private static func index(_ id: HIDReportID?) -> Int { Int(id?.rawValue ?? 0) }

  func wantsReport(_ id: HIDReportID?) -> Bool { wanted[Self.index(id)] }

  /// The elements that are wanted of a report; `nil` if none are.
  func elements(ofReport id: HIDReportID?) -> [HIDElement]? {
    guard hasElements else { return nil }
    let elements = elementsByReport[Self.index(id)]
    return elements.isEmpty ? nil : elements
  }
}
