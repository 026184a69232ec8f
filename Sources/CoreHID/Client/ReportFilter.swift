// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reports and elements that a stream of notifications was asked for.
struct ReportFilter: Sendable {
  /// A Boolean for each report ID: true if its reports are wanted.
  ///
  /// Index 0 is for unnumbered reports.
  private var wanted: [Bool]
  /// The wanted elements of input reports, by report ID; index 0 is for unnumbered reports.
  private var elementsByReport: [[HIDElement]]
  private let hasElements: Bool

  /// Makes the filter of a stream.
  ///
  /// Unnumbered reports are wanted if `ranges` is not empty, or if both lists are empty. Elements
  /// of other clients than `client` are ignored, but a list with such elements is not empty.
  init(
    _ ranges: [ClosedRange<HIDReportID>], _ elements: [HIDElement], of client: HIDDeviceClient
  ) {
    hasElements = !elements.isEmpty
    wanted = Array(repeating: false, count: 256)
    elementsByReport = Array(repeating: [], count: 256)
    wanted[0] = !ranges.isEmpty || elements.isEmpty
    for range in ranges {
      for id in Int(range.lowerBound.rawValue)...Int(range.upperBound.rawValue) {
        wanted[id] = true
      }
    }
    for element in elements where element.type == .input && element.client === client {
      elementsByReport[Self.index(element.reportID)].append(element)
    }
  }

  private static func index(_ id: HIDReportID?) -> Int { Int(id?.rawValue ?? 0) }

  func wantsReport(_ id: HIDReportID?) -> Bool { wanted[Self.index(id)] }

  /// Returns the wanted elements of a report; `nil` if there are none.
  func elements(ofReport id: HIDReportID?) -> [HIDElement]? {
    guard hasElements else { return nil }
    let elements = elementsByReport[Self.index(id)]
    return elements.isEmpty ? nil : elements
  }
}
