// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
import HIDUsages

/// The reports that a keyboard or a mouse sends while its host uses the boot protocol, made from
/// its usual input reports.
///
/// Source: HID 1.11, appendix B.
package struct USBBootReports: Sendable {
  private enum Usage {
    static let keyboardPage: UInt16 = 0x07
    static let firstKey: UInt16 = 0x04
    static let modifiers: ClosedRange<UInt16> = 0xE0...0xE7
    static let rollOver: UInt8 = 0x01
  }

  /// The number of keys in a boot report of a keyboard.
  private static let keyCount = 6

  private let descriptor: HIDReportDescriptor
  private let isMouse: Bool
  /// The keys that are down in the latest report with each ID, in the order in which they went
  /// down, and whether the report says that too many keys are down.
  private var keyboards: [HIDReportID?: (keys: [UInt8], isRollOver: Bool)] = [:]

  /// Returns whether an input report has something that a boot report has.
  package static func canBeMade(
    of descriptor: HIDReportDescriptor, _ boot: USBInterfaceDescription.Boot
  ) -> Bool {
    descriptor.reports(of: .input).contains { layout in
      switch boot {
      case .none: false
      case .keyboard: layout.fields.contains(where: hasKeys)
      case .mouse: mouseUsages.contains { control($0, layout) != nil }
      }
    }
  }

  private static let mouseUsages = [
    HIDUsage(page: 0x09, usage: 1), HIDUsage(page: 0x09, usage: 2), HIDUsage(page: 0x09, usage: 3),
    HIDUsage(page: 0x01, usage: 0x30), HIDUsage(page: 0x01, usage: 0x31),
  ]

  /// Returns the control of a boot report; a position is no movement.
  private static func control(_ usage: HIDUsage, _ layout: HIDReportLayout) -> HIDReportElement? {
    guard let control = layout.control(usage) else { return nil }
    let isMovement = usage.page == 0x01
    return !isMovement || layout.fields[control.fieldIndex].isRelative ? control : nil
  }

  private static func hasKeys(_ field: HIDReportField) -> Bool {
    !field.isPadding
      && field.usages.ranges.contains { $0.first >> 16 == UInt32(Usage.keyboardPage) }
  }

  /// Makes the boot reports of an interface; nil if its host cannot choose the boot protocol.
  init?(_ descriptor: HIDReportDescriptor, _ boot: USBInterfaceDescription.Boot) {
    guard boot != .none else { return nil }
    self.descriptor = descriptor
    isMouse = boot == .mouse
  }

  /// Returns the boot report after an input report; nil if the input report has nothing that a boot
  /// report has.
  ///
  /// - Parameter report: The input report, its ID first if it is numbered.
  mutating func report(after report: [UInt8]) -> [UInt8]? {
    let isNumbered = descriptor.numbersReports(.input)
    let id = isNumbered ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let layout = descriptor.report(.input, id: id) else { return nil }
    return isMouse ? Self.mouse(report, layout) : keyboard(report, layout)
  }

  /// Returns three buttons, and the movement to the right and down, from -127 to 127 each.
  private static func mouse(_ report: [UInt8], _ layout: HIDReportLayout) -> [UInt8]? {
    let controls = mouseUsages.map { control($0, layout) }
    guard controls.contains(where: { $0 != nil }) else { return nil }
    let values = controls.map { $0.flatMap { layout.value(of: $0, in: report) } ?? 0 }
    let bits = (0..<3).reduce(UInt8(0)) { values[$1] != 0 ? $0 | 1 << UInt8($1) : $0 }
    return [bits] + values[3...].map { UInt8(bitPattern: Int8(min(max($0, -127), 127))) }
  }

  /// Returns the modifiers, a zero, and six keys; ErrorRollOver if more keys are down.
  private mutating func keyboard(_ report: [UInt8], _ layout: HIDReportLayout) -> [UInt8]? {
    var isKeyboard = false
    var down: [UInt8] = []
    for field in layout.fields where !field.isPadding {
      let controls =
        field.isArray
        ? layout.selectedControls(of: field, in: report.span)
        : layout.controls(of: field).filter { layout.value(of: $0, in: report) ?? 0 != 0 }
      isKeyboard = isKeyboard || Self.hasKeys(field)
      for control in controls where control.usage.page == Usage.keyboardPage {
        guard let key = control.usage.usage, key >= Usage.firstKey,
          key <= Usage.modifiers.upperBound
        else { continue }
        down.append(UInt8(key))
      }
    }
    guard isKeyboard else { return nil }
    var keys = keyboards[layout.id]?.keys.filter(down.contains) ?? []
    keys += down.filter { !keys.contains($0) }
    keyboards[layout.id] = (keys, layout.isRollOver(report))
    return boot
  }

  /// The boot report with the keys of all input reports.
  private var boot: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 2 + Self.keyCount)
    var keys: [UInt8] = []
    for (_, keyboard) in keyboards.sorted(by: { $0.key?.rawValue ?? 0 < $1.key?.rawValue ?? 0 }) {
      for key in keyboard.keys where !keys.contains(key) {
        if Usage.modifiers.contains(UInt16(key)) {
          bytes[0] |= 1 << (key & 7)
        } else {
          keys.append(key)
        }
      }
    }
    if keys.count > Self.keyCount || keyboards.values.contains(where: \.isRollOver) {
      keys = Array(repeating: Usage.rollOver, count: Self.keyCount)
    }
    bytes.replaceSubrange(2..<2 + keys.count, with: keys)
    return bytes
  }
}
