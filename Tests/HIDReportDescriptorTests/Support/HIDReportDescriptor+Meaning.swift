// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDReportDescriptor {
  /// The reports and collections, without the offsets of items.
  var meaning: [String] {
    collections.map { "\($0.kind) \($0.usages.map(\.name)) \($0.parent ?? -1)" }
      + reports.flatMap { report in
        report.fields.map { field in
          """
          \(report.type) \(report.id?.rawValue ?? 0) \(field.bitOffset) \(field.bitSize) \
          \(field.count) \(field.logicalMinimum) \(field.logicalMaximum) \(field.physicalMinimum) \
          \(field.physicalMaximum) \(field.unit) \(field.unitExponent) \(field.flags.rawValue) \
          \(field.usages.ranges.map { "\($0.first)+\($0.count)" }) \(field.collection ?? -1)
          """
        }
      }
  }
}
