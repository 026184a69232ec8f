// SPDX-License-Identifier: Apache-2.0

/// The reason why Linux makes no event of a control.
enum EvdevIgnored: Error, Hashable {
  /// No application or physical collection of the device has a usage that Linux takes for input.
  case noInput
  /// The field has no usage at this index, or there is no such report or field.
  case noUsage
  /// The field follows the 256 fields with usages that the kernel keeps of a report.
  case tooManyFields
  /// The control is in a feature report, of which Linux maps only the strength of a battery.
  case feature
  /// The field has no elements.
  case noElement
  /// The field is constant.
  case constant
  /// The control is in an output report, of which Linux maps only lights.
  case output
  /// The driver skips the control.
  case driver(EvdevMapping.Driver)
  /// The usage means that no key is pressed, or is an error code of a keyboard.
  case noKey
  /// The usage is on a page that the vendor defines.
  case vendor
  /// The kernel's tables have no event for the usage.
  case noEvent

  /// Creates the reason for a usage for which the kernel's tables have no event.
  init(_ usage: UInt32) {
    self =
      switch (usage >> 16, usage & 0xffff) {
      case (0x07, 0...3), (0x0c, 0): .noKey
      case (0xff00..., _): .vendor
      default: .noEvent
      }
  }
}

extension EvdevIgnored: CustomStringConvertible {
  /// The reason as a phrase, such as `constant`, for ``EvdevMapping/text``.
  var description: String {
    switch self {
    case .noInput:
      "no application or physical collection of the device has a usage that Linux takes for input"
    case .noUsage: "no usage"
    case .tooManyFields:
      "beyond the \(HIDReportDescriptor.maximumFieldCount) fields of a report that Linux keeps"
    case .feature: "Linux makes no events of features"
    case .noElement: "the field has no elements"
    case .constant: "constant"
    case .output: "an output, but not an LED"
    case .driver(let driver): "\(driver.name) skips it"
    case .noKey: "stands for no key"
    case .vendor: "a vendor's page"
    case .noEvent: "Linux has no event for it"
    }
  }
}
