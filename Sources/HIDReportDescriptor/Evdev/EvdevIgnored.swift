// SPDX-License-Identifier: Apache-2.0

/// Why Linux makes no event of a control.
enum EvdevIgnored: Error, Hashable {
  /// No collection of the device is one that input comes from.
  case noInput
  /// The field has no usage there.
  case noUsage
  /// The report has more fields than the kernel keeps.
  case tooManyFields
  /// It is in a feature report, of which Linux takes the strength of a battery alone.
  case feature
  /// The field has no elements.
  case noElement
  /// The field is constant.
  case constant
  /// It is in an output report, of which Linux takes lights alone.
  case output
  /// The driver passes over it.
  case driver(EvdevMapping.Driver)
  /// A value that stands for no key.
  case noKey
  /// It is on a page that only the vendor knows.
  case vendor
  /// The kernel's tables have nothing for it.
  case noEvent

  /// The reason for a usage that the kernel's tables have no event for.
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
  /// The reason in words.
  var description: String {
    switch self {
    case .noInput:
      "no application or physical collection around it has a usage that Linux takes for input"
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
