// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDUsages

/// A kind of controller, which determines its profile, the numbers of its controls and its outputs.
enum ControllerKind: Sendable {
  /// The numbering that Linux uses for an unknown gamepad.
  ///
  /// Source: `linux/input-event-codes.h`, from BTN_GAMEPAD on.
  case generic
  case dualShock4
  case dualShock4Bluetooth
  case dualSense
  case dualSenseBluetooth
  case switchPro
  case xbox

  /// The product ID of a DualSense Edge.
  static let edge: UInt32 = 0x0df2

  /// Makes the kind of a controller; nil for Nintendo's controllers except the Switch Pro on USB.
  ///
  /// The reports of the excluded controllers do not match their report descriptors, and hidsim does
  /// not read them.
  init?(vendor: UInt32, product: UInt32, isUSB: Bool) {
    switch (vendor, product) {
    case (0x054c, 0x0ce6), (0x054c, Self.edge): self = isUSB ? .dualSense : .dualSenseBluetooth
    case (0x054c, 0x05c4), (0x054c, 0x09cc): self = isUSB ? .dualShock4 : .dualShock4Bluetooth
    // This product is Sony's wireless adapter for USB.
    case (0x054c, 0x0ba0): self = .dualShock4
    case (0x045e, _): self = .xbox
    case (0x057e, 0x2009): self = .switchPro
    case (0x057e, _): return nil
    default: self = .generic
    }
    if !isUSB, self == .switchPro { return nil }
  }

  var category: String {
    switch self {
    case .generic, .switchPro: GCProductCategoryHID
    case .dualShock4, .dualShock4Bluetooth: GCProductCategoryDualShock4
    case .dualSense, .dualSenseBluetooth: GCProductCategoryDualSense
    case .xbox: GCProductCategoryXboxOne
    }
  }

  func makeGamepad(_ layout: [ElementLayout]) -> GCExtendedGamepad {
    switch self {
    case .generic, .switchPro: GCExtendedGamepad(layout)
    case .dualShock4, .dualShock4Bluetooth: GCDualShockGamepad(layout)
    case .dualSense, .dualSenseBluetooth: GCDualSenseGamepad(layout)
    case .xbox: GCXboxGamepad(layout)
    }
  }

  /// True for a DualShock 4 or DualSense, which have their triggers at rx and ry, and a touchpad.
  var isSony: Bool {
    switch self {
    case .dualShock4, .dualShock4Bluetooth, .dualSense, .dualSenseBluetooth: true
    case .generic, .switchPro, .xbox: false
    }
  }

  /// The name of each button's element, by the button's number on HID's button page.
  var buttons: [Int: String] {
    let sticks = GCInputLeftThumbstickButton
    switch self {
    case .generic, .xbox:
      // In general button 4 is the upper one (BTN_NORTH), and button 5 the left one (BTN_WEST). On
      // Xbox controllers it is the other way round.
      let (fourth, fifth) =
        self == .xbox ? (GCInputButtonX, GCInputButtonY) : (GCInputButtonY, GCInputButtonX)
      return [
        1: GCInputButtonA, 2: GCInputButtonB, 4: fourth, 5: fifth, 7: GCInputLeftShoulder,
        8: GCInputRightShoulder, 9: GCInputLeftTrigger, 10: GCInputRightTrigger,
        11: GCInputButtonOptions, 12: GCInputButtonMenu, 13: GCInputButtonHome, 14: sticks,
        15: GCInputRightThumbstickButton,
      ]
    case .switchPro:
      return [
        1: GCInputButtonX, 2: GCInputButtonY, 3: GCInputButtonA, 4: GCInputButtonB,
        7: GCInputRightShoulder, 8: GCInputRightTrigger, 9: GCInputButtonOptions,
        10: GCInputButtonMenu, 11: GCInputRightThumbstickButton, 12: sticks,
        13: GCInputButtonHome, 14: GCInputButtonShare, 23: GCInputLeftShoulder,
        24: GCInputLeftTrigger,
      ]
    case .dualShock4, .dualShock4Bluetooth, .dualSense, .dualSenseBluetooth:
      // The triggers are also buttons 7 and 8. hidsim reads their axes instead.
      return [
        1: GCInputButtonX, 2: GCInputButtonA, 3: GCInputButtonB, 4: GCInputButtonY,
        5: GCInputLeftShoulder, 6: GCInputRightShoulder, 9: GCInputButtonOptions,
        10: GCInputButtonMenu, 11: sticks, 12: GCInputRightThumbstickButton,
        13: GCInputButtonHome, 14: GCInputDualShockTouchpadButton,
      ]
    }
  }
}

extension ControllerKind {
  /// The name of the element of each button that is not on HID's button page, by its usage: the
  /// page in the upper 16 bits, the ID in the lower ones.
  var otherButtons: [UInt32: String] {
    guard self == .xbox else { return [:] }
    // The usages are System Main Menu, and AC Back and Record of the consumer page.
    return [
      0x1_0085: GCInputButtonHome, 0xC_0224: GCInputButtonOptions, 0xC_00B2: GCInputButtonShare,
    ]
  }
}

/// The controls of a device that drive the elements of one controller.
struct ControllerMap: Sendable {
  /// The element, or the part of an element, that a control drives.
  enum Target: Sendable {
    case button(String)
    case trigger(String)
    /// The horizontal axis of a stick.
    case x(String)
    /// The vertical axis of a stick, whose values grow downwards as in HID.
    case y(String)
    /// The vertical axis of a stick, whose values grow upwards.
    case upwardsY(String)
    case hat
    /// A direction of the direction pad.
    case direction(Direction)
  }

  /// A button of a direction pad.
  enum Direction: Int, Sendable {
    case up, down, right, left
  }

  /// The fields of the controller: the absolute input fields of one application collection.
  let fields: [InputField]
  private let application: InputField.Application
  /// The targets by usage, as page and ID in 32 bits.
  private(set) var targets: [UInt32: Target] = [:]
  /// True if several reports of the device have the same controls.
  let repeatsControls: Bool
  /// The elements of the controller's profile.
  private(set) var layout: [ElementLayout] = []

  /// The maximum number of gamepad and joystick collections of one device that are examined.
  private static let maximumCount = 16

  /// Returns the maps of a device: one for each suitable application collection.
  ///
  /// A suitable collection is a gamepad or joystick with an x axis, a y axis, and buttons 1 and 2.
  /// Only the first 16 gamepads and joysticks count.
  static func all(of fields: [InputField], _ kind: ControllerKind) -> [ControllerMap] {
    var fieldsByApplication: [InputField.Application: [InputField]] = [:]
    var order: [InputField.Application] = []
    // Relative controls are not controls of a gamepad.
    for field in fields where field.isAbsolute {
      guard let application = field.application,
        [.genericDesktop(.gamepad), .genericDesktop(.joystick)].contains(application.usage)
      else { continue }
      if fieldsByApplication[application] == nil {
        guard order.count < maximumCount else { continue }
        order.append(application)
      }
      fieldsByApplication[application, default: []].append(field)
    }
    return order.compactMap { ControllerMap($0, fieldsByApplication[$0] ?? [], kind) }
  }

  /// Returns whether a field is one of ``fields``.
  func has(_ field: InputField) -> Bool {
    field.isAbsolute && field.application == application
  }

  private init?(
    _ application: InputField.Application, _ fields: [InputField], _ kind: ControllerKind
  ) {
    self.application = application
    self.fields = fields
    repeatsControls = kind == .dualSenseBluetooth || kind == .dualShock4Bluetooth
    var found: Set<UInt32> = []
    for field in fields {
      for control in field.report.controls(of: field.field) {
        // Keep only axes, simulation controls, buttons and consumer controls, at most 4,096 usages.
        // A vendor's bytes are left out.
        if [0x01, 0x02, 0x09, 0x0C].contains(control.usage.page), found.count < 4096 {
          found.insert(control.usage.extended)
        }
      }
    }
    func has(_ usage: UInt32) -> Bool { found.contains(usage) }
    let (x, y, z, rx, ry, rz): (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
      0x1_0030, 0x1_0031, 0x1_0032, 0x1_0033, 0x1_0034, 0x1_0035
    )
    let (accelerator, brake): (UInt32, UInt32) = (0x2_00c4, 0x2_00c5)
    guard has(x), has(y), has(0x9_0001), has(0x9_0002) else { return nil }

    func vertical(_ stick: String) -> Target {
      kind == .switchPro ? .upwardsY(stick) : .y(stick)
    }
    targets[x] = .x(GCInputLeftThumbstick)
    targets[y] = vertical(GCInputLeftThumbstick)
    let hasFour = has(z) && has(rz) && has(rx) && has(ry)
    var triggers: (left: UInt32, right: UInt32)?
    if has(brake), has(accelerator) {
      triggers = (brake, accelerator)
    } else if hasFour {
      triggers = kind.isSony ? (rx, ry) : (z, rz)
    }
    // The pair of axes that is not used for the triggers is the right stick.
    let right = has(z) && has(rz) && triggers?.left != z ? (x: z, y: rz) : (x: rx, y: ry)
    targets[right.x] = .x(GCInputRightThumbstick)
    targets[right.y] = vertical(GCInputRightThumbstick)
    if let triggers {
      targets[triggers.left] = .trigger(GCInputLeftTrigger)
      targets[triggers.right] = .trigger(GCInputRightTrigger)
    }
    if has(0x1_0039) { targets[0x1_0039] = .hat }
    for (usage, direction) in [
      (0x1_0090, .up), (0x1_0091, .down), (0x1_0092, .right), (0x1_0093, .left),
    ] as [(UInt32, Direction)] where has(usage) {
      targets[usage] = .direction(direction)
    }
    var names: Set<String> = []
    for (number, name) in kind.buttons where has(0x9_0000 | UInt32(number)) {
      let isTrigger = name == GCInputLeftTrigger || name == GCInputRightTrigger
      if isTrigger, triggers != nil { continue }
      targets[0x9_0000 | UInt32(number)] = .button(name)
      names.insert(name)
    }
    for (usage, name) in kind.otherButtons where has(usage) {
      targets[usage] = .button(name)
      names.insert(name)
    }
    layout =
      GCExtendedGamepad.requiredLayout
      + GCExtendedGamepad.optionalLayout.filter { names.contains($0.name) }
      + (kind.isSony ? GCExtendedGamepad.touchLayout : [])
  }
}
