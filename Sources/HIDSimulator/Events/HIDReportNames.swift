// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The names of the controls of an interface: those of usages, or those that the device file gives
/// to the controls that it adds.
final class HIDReportNames: Sendable {
  private let descriptor: HIDReportDescriptor
  /// The device file's names of the controls that it adds, by their names in the report descriptor.
  private let ownNames: [String: String]

  init(_ definition: HIDInterfaceDefinition) {
    descriptor = definition.descriptor
    ownNames = Dictionary(
      definition.addedControls.compactMap { own in definition.controls[own].map { ($0, own) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the changes from the report before to a report.
  func changes(
    _ type: HIDReportType, from previous: [UInt8]?, to report: [UInt8]
  ) -> [HIDNamedValue] {
    let changes = descriptor.namedChanges(type, from: previous, to: report)
    guard !ownNames.isEmpty else { return changes }
    return changes.map { change in
      guard let name = ownNames[change.name] else { return change }
      return HIDNamedValue(name: name, value: change.value, isSwitch: change.isSwitch)
    }
  }
}
