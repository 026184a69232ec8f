// SPDX-License-Identifier: Apache-2.0

/// The rules of the kernel's driver for touch surfaces, for reports that it reads contact by
/// contact.
///
/// Source: Linux 6.12, `drivers/hid/hid-multitouch.c`, the classes for devices without a class of
/// their own.
struct EvdevTouch {
  /// The result for a usage.
  enum Rule: Hashable, Sendable {
    /// The general rules apply.
    case general
    /// The driver ignores the usage.
    case ignored
    /// The driver reads the usage, and sends this event; `nil` for a usage that it only uses
    /// internally.
    case contact(EvdevCode?)
    /// A button of the surface.
    case button(EvdevCode)
  }

  /// The properties of an application collection.
  struct Surface {
    var isDirect: Bool
    var isPointer: Bool
    // The count wraps to 0 after 255, as in the driver.
    var buttonCount: UInt8 = 0
    var reportsPalms = false
  }

  let isCertified: Bool
  private var surfaces: [UInt32: Surface] = [:]
  private var contactCount: Int32 = 0
  private var isButtonPad = false

  init(isCertified: Bool) { self.isCertified = isCertified }

  // MARK: Rules

  /// Returns whether the driver reads an input report contact by contact, because of this field.
  func ownsReport(_ field: EvdevField, _ usages: HIDReportField) -> Bool {
    guard field.flags.contains(.variable),
      !isCertified || field.around.logical == EvdevUsage.finger,
      let index = usages.usages.firstIndex(of: HIDUsage(extended: EvdevUsage.contactID))
    else { return false }
    return index < field.count
  }

  /// Returns whether the driver maps a field.
  ///
  /// The driver ignores all other fields. In a report that the driver does not own, a mapped field
  /// follows the general rules.
  func mapsField(_ field: EvdevField) -> Bool {
    isCertified
      || [
        EvdevUsage.touchscreen, EvdevUsage.pen, EvdevUsage.touchpad, EvdevUsage.keyboard,
        EvdevUsage.systemControl, EvdevUsage.consumerControl, EvdevUsage.wirelessRadioControls,
        EvdevUsage.systemMultiAxis,
      ].contains(field.around.application)
  }

  /// Returns the rule for a usage of a report that the driver owns.
  ///
  /// - Parameter previous: The usage of the previous element. An X that follows an X, and a Y that
  ///   follows a Y, are the position of the tool.
  func rule(for usage: UInt32, after previous: UInt32?, in field: EvdevField) -> Rule {
    guard mapsField(field) else { return .ignored }
    let application = field.around.application
    let isSecond = usage == previous
    switch usage {
    case EvdevUsage.x: return .contact(isSecond ? .toolX : .positionX)
    case EvdevUsage.y: return .contact(isSecond ? .toolY : .positionY)
    case 0x000d_0032: return .contact(isCertified ? .contactDistance : nil)  // in range
    case EvdevUsage.confidence:
      return .contact(reportsPalms(field) ? .toolType : nil)
    case 0x000d_0042:  // tip switch
      return .contact(application == EvdevUsage.systemMultiAxis ? nil : .touch)
    case EvdevUsage.contactID: return .contact(.trackingID)
    case 0x000d_0048: return .contact(.touchMajor)  // width
    case EvdevUsage.height: return .contact(.touchMinor)
    case 0x000d_0030: return .contact(.contactPressure)  // pressure
    case 0x000d_0056: return .contact(.timestamp)  // scan time
    case 0x000d_0054: return .contact(nil)  // contact count
    case 0x000d_003f: return .contact(.orientation)  // azimuth
    case EvdevUsage.contactCountMaximum, 0x000d_0033: return .ignored
    default: break
    }
    switch usage >> 16 {
    case 0x09: return button(UInt16(truncatingIfNeeded: usage), application)
    case 0xff00: return .ignored
    default: return .general
    }
  }

  private func button(_ id: UInt16, _ application: UInt32) -> Rule {
    var number = Int(id &- 1) + 0x110
    if application == EvdevUsage.systemMultiAxis {
      number = Int(id &- 1) + 0x100
    } else if isCertified, application == EvdevUsage.touchpad, id > 1 {
      // The usages of the buttons beside the pad start at 2.
      number -= 1
    }
    return number <= EvdevEventType.key.maximumNumber
      ? .button(EvdevCode(.key, UInt16(number))) : .ignored
  }

  // MARK: The device

  /// Reads the surface's properties from a field of a feature report; all values are taken as 0.
  mutating func readFeature(_ field: EvdevField, _ usages: HIDReportField) {
    guard field.count >= 1 else { return }
    if usages.usages.firstIndex(of: HIDUsage(extended: EvdevUsage.contactCountMaximum)) != nil {
      contactCount = field.logicalMaximum <= 250 ? field.logicalMaximum & 0xff : 0
    }
    let buttonType = usages.usages.firstIndex(of: HIDUsage(extended: EvdevUsage.buttonType))
    if let buttonType, buttonType < field.count { isButtonPad = true }
  }

  /// Adds the result of a rule for consecutive usages to the node.
  ///
  /// - Parameter application: The application of the report.
  mutating func apply(
    _ rule: Rule, to usage: UInt32, count: Int, in field: EvdevField, of application: UInt32,
    _ node: inout EvdevNodeDraft
  ) {
    if usage >> 16 == 0x09, mapsField(field) { countButtons(count, in: field, of: application) }
    if usage == EvdevUsage.confidence {
      var surface = surface(of: application)
      if reportsPalms(field) { surface.reportsPalms = true }
      surfaces[application] = surface
      // If a field of the application reports palms, all later fields do.
      if rule == .contact(nil), surface.reportsPalms {
        applyContact(.toolType, usage, field, &node)
      }
    }
    switch rule {
    case .button(let code): node.insertCapability(code)
    case .contact(let code?): applyContact(code, usage, field, &node)
    case .contact(nil), .general, .ignored: break
    }
  }

  private func reportsPalms(_ field: EvdevField) -> Bool {
    isCertified
      && [EvdevUsage.touchpad, EvdevUsage.touchscreen].contains(field.around.application)
  }

  private mutating func countButtons(_ count: Int, in field: EvdevField, of application: UInt32) {
    var surface = surface(of: application)
    // The driver treats a touchscreen with buttons as a touchpad.
    if field.around.application == EvdevUsage.touchscreen { surface.isPointer = true }
    surface.buttonCount &+= UInt8(truncatingIfNeeded: count)
    surfaces[application] = surface
  }

  private func surface(of application: UInt32) -> Surface {
    surfaces[application]
      ?? Surface(
        isDirect: application == EvdevUsage.touchscreen,
        isPointer: application == EvdevUsage.touchpad)
  }

  private func applyContact(
    _ code: EvdevCode, _ usage: UInt32, _ field: EvdevField, _ node: inout EvdevNodeDraft
  ) {
    switch code {
    case .touch, .timestamp: node.insertCapability(code)
    case .toolType: node.setAxis(code, 0, 2)  // finger to palm
    case .contactDistance: node.setAxis(code, 0, 1)
    // All nodes of touch surfaces have this code.
    case .trackingID: break
    case .orientation:
      node.setAxis(code, (0 &- field.logicalMaximum) / 4, field.logicalMaximum / 4)
    default:
      node.setAxis(
        code, field.logicalMinimum, field.logicalMaximum,
        resolution: field.resolution(of: code))
    }
    if usage == EvdevUsage.height, !node.contains(.orientation) {
      node.setAxis(.orientation, 0, 1)
    }
    if usage == EvdevUsage.x, field.around.application == EvdevUsage.systemMultiAxis {
      node.insert(.direct)
      // The tool type of a dial.
      node.setAxis(.toolType, 0x0a, 0x0a)
    }
  }

  // MARK: Nodes

  /// Finishes a node of a report that the driver owns.
  mutating func finishSurface(of application: UInt32, _ node: inout EvdevNodeDraft) {
    let surface = surface(of: application)
    // These properties apply once: further reports of the application do not add them again.
    surfaces[application] = Surface(
      isDirect: false, isPointer: false, buttonCount: surface.buttonCount,
      reportsPalms: surface.reportsPalms)
    if surface.isPointer, surface.buttonCount == 1 { isButtonPad = true }
    if isButtonPad { node.insert(.buttonPad) }
    guard !node.hasSlots else { return }
    node.hasSlots = true
    let slotCount = contactCount == 0 ? 10 : contactCount
    node.setAxis(.slot, 0, slotCount - 1)
    node.setAxis(.trackingID, 0, 0xffff)
    if surface.isDirect || surface.isPointer {
      node.insertCapability(.touch)
      node.copyAxis(.positionX, to: .x)
      node.copyAxis(.positionY, to: .y)
      node.copyAxis(.contactPressure, to: .pressure)
    }
    if surface.isPointer {
      node.insert(EvdevCode.toolFinger)
      // The tools of two to five fingers, as many as there are slots for; two fingers always.
      let tools: [EvdevCode] = [.toolDoubleTap, .toolTripleTap, .toolQuadTap, .toolQuintTap]
      for tool in tools.prefix(max(1, Int(slotCount) - 1)) { node.insert(tool) }
      node.insert(.pointer)
    }
    if surface.isDirect { node.insert(.direct) }
  }

  /// Removes the suffix from the name of a touchscreen's node, and adds the stylus key to a
  /// stylus's node.
  ///
  /// Nodes of unknown applications get the suffix `UNKNOWN`.
  func finish(_ node: inout EvdevNodeDraft) {
    switch node.application {
    case EvdevUsage.keyboard, EvdevUsage.keypad, EvdevUsage.mouse, EvdevUsage.touchpad,
      EvdevUsage.systemControl, EvdevUsage.consumerControl, EvdevUsage.wirelessRadioControls,
      EvdevUsage.systemMultiAxis, EvdevUsage.pen:
      break
    case EvdevUsage.touchscreen: node.suffix = nil
    case EvdevUsage.stylus: node.insert(EvdevCode.stylus)
    default:
      node.suffix = "UNKNOWN"
      node.repeatsSuffix = true
    }
  }
}
