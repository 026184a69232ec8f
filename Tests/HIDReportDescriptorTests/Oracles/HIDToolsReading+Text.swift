// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDToolsReading {
  /// The greatest number of fields of a report in the oracle's file.
  static let maximumFieldCount = 4096

  /// Returns the line of the oracle's file, so that megabytes can be compared without decoding.
  func text(file: String) -> String {
    var text = "{\"file\":\"\(file)\",\"view\":{\"win8\":\(isWindows8),\"reports\":["
    var isFirst = true
    for type in HIDReportType.allCases {
      for report in reports where report.type == type {
        if !isFirst { text += "," }
        isFirst = false
        report.write(to: &text)
      }
    }
    text += "]}}"
    return text
  }
}

extension HIDToolsReading.Report {
  fileprivate func write(to text: inout String) {
    text += "{\"type\":\"\(type)\",\"id\":\(json(id)),\"bits\":\(bitCount)"
    text += ",\"application\":\(json(application)),\"fields_total\":\(fieldCount),\"fields\":["
    var left = HIDToolsReading.maximumFieldCount
    for field in fields where left > 0 {
      if left != HIDToolsReading.maximumFieldCount { text += "," }
      let middle = field.middle
      let end = field.end
      for copy in 0..<min(field.copies, left) {
        if copy > 0 { text += "," }
        text += "{\"bit\":"
        text += (field.bitOffset + copy * field.bitSize).description
        text += middle
        text += field.usage[copy].description
        text += end
      }
      left -= min(field.copies, left)
    }
    text += "]}"
  }
}

extension HIDToolsReading.Field {
  /// The names of the flags that are set, as the oracle spells them.
  var flagNames: [String] {
    let names: [(HIDFieldFlags, String)] = [
      (.constant, "constant"), (.variable, "variable"), (.relative, "relative"), (.wrap, "wrap"),
      (.nonLinear, "nonlinear"), (.noPreferredState, "nopreferred"), (.nullState, "nullstate"),
      (.volatile, "volatile"), (.bufferedBytes, "buffered"),
    ]
    return names.filter { flags.contains($0.0) }.map(\.1)
  }

  fileprivate var middle: String {
    ",\"size\":\(bitSize),\"count\":\(count),\"lmin\":\(logicalMinimum),\"lmax\":\(logicalMaximum)"
      + ",\"pmin\":\(physicalMinimum),\"pmax\":\(physicalMaximum),\"unit\":\(unit)"
      + ",\"unit_exp\":\(unitExponent),\"flags\":["
      + flagNames.map { "\"\($0)\"" }.joined(separator: ",") + "],\"usage\":"
  }

  fileprivate var end: String {
    var text = ",\"application\":\(json(application)),\"physical\":\(json(physical))"
    text += ",\"logical\":\(json(logical))"
    if let usages {
      let isRange = usages.count > 8
      let listed =
        isRange
        ? [usages[0], usages[usages.count - 1]] : (0..<usages.count).map { usages[$0] }
      text += ",\"usages\":[" + listed.map(\.description).joined(separator: ",")
      text += "],\"usages_are\":\"" + (isRange ? "range" : "list") + "\""
    }
    return text + "}"
  }
}

/// Returns the JSON of a number, or null.
func json(_ value: Int64?) -> String { value?.description ?? "null" }
