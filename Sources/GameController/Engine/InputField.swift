// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages

/// A field of an input report, and the application collection that it is in.
struct InputField {
  /// An application collection: its index in the report descriptor, and its usage.
  struct Application: Hashable {
    let index: Int
    let usage: HIDUsage
  }

  let report: HIDReportLayout
  let field: HIDReportField
  /// The innermost application collection that has a usage; nil without one.
  ///
  /// For an added field, it is the first application collection that is a gamepad or joystick.
  let application: Application?
  /// True if the report descriptor does not declare the field.
  let isAdded: Bool

  /// Returns the fields with usages of all input reports, without constant fields.
  ///
  /// If a report has added fields, its declared fields are left out. Added fields belong to the
  /// first application collection that is a gamepad or joystick.
  static func all(of descriptor: HIDReportDescriptor) -> [InputField] {
    // In the list, each collection comes after its parent.
    var applications: [Application?] = []
    for collection in descriptor.collections {
      if collection.kind == .application, let usage = collection.usage {
        applications.append(Application(index: collection.index, usage: usage))
      } else {
        applications.append(collection.parent.flatMap { applications[$0] })
      }
    }
    let pad = applications.compactMap(\.self).first {
      [.genericDesktop(.gamepad), .genericDesktop(.joystick)].contains($0.usage)
    }
    let completed = Set(
      descriptor.addedFields.filter { $0.type == .input }.map { $0.reportID?.rawValue ?? 0 })
    return descriptor.reports(of: .input).flatMap { report in
      let isCompleted = completed.contains(report.id?.rawValue ?? 0)
      return report.fields.compactMap { field -> InputField? in
        let isAdded = field.offset >= descriptor.bytes.count
        guard !field.isConstant, !field.isPadding, isAdded == isCompleted else { return nil }
        return InputField(
          report: report, field: field,
          application: isAdded ? pad : field.collection.flatMap { applications[$0] },
          isAdded: isAdded)
      }
    }
  }

  /// Returns whether the field may have a usage on a page.
  func has(page: UInt16) -> Bool {
    field.usages.ranges.contains {
      UInt16(truncatingIfNeeded: $0.first >> 16) == page
    }
  }

  /// True if the field's values are states, not distances.
  var isAbsolute: Bool { field.isArray || !field.isRelative }
}
