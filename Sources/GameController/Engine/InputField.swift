// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages

/// A field of an input report, and the application collection that it is in.
struct InputField {
  /// An application collection: its place in the descriptor, and its usage.
  struct Application: Hashable {
    let index: Int
    let usage: HIDUsage
  }

  let report: HIDReportLayout
  let field: HIDReportField
  /// The innermost application collection, as in the kernel's HID core; nil without one.
  let application: Application?

  /// The fields with usages of all input reports.
  static func all(of descriptor: HIDReportDescriptor) -> [InputField] {
    // A collection comes after the one that it is in.
    var applications: [Application?] = []
    for collection in descriptor.collections {
      if collection.kind == .application, let usage = collection.usage {
        applications.append(Application(index: collection.index, usage: usage))
      } else {
        applications.append(collection.parent.flatMap { applications[$0] })
      }
    }
    return descriptor.reports(of: .input).flatMap { report in
      report.fields.compactMap { field in
        guard !field.isConstant, !field.isPadding else { return nil }
        return InputField(
          report: report, field: field,
          application: field.collection.flatMap { applications[$0] })
      }
    }
  }

  /// Whether a usage of a page may be among the field's usages.
  func has(page: UInt16) -> Bool {
    field.usages.ranges.contains {
      UInt16(truncatingIfNeeded: $0.first >> 16) == page
    }
  }

  /// Whether the field's values are states: not distances.
  var isAbsolute: Bool { field.isArray || !field.isRelative }
}
