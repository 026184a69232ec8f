// SPDX-License-Identifier: Apache-2.0

public import CoreHID

/// The key, media key or mouse button that is down while a pedal is down.
public struct PedalOutput: Hashable, Sendable {
  /// The usage of the key or button.
  public var usage: HIDUsage
  /// The modifier keys that are down with the key or button.
  public var modifiers: [HIDUsage]

  /// Makes an output.
  public init(_ usage: HIDUsage, modifiers: [HIDUsage] = []) {
    self.usage = usage
    self.modifiers = modifiers
  }
}

/// The outputs of the ports of a device in one of its modes.
///
/// A port is a numbered input of a device: the input of one pedal, switch or button. Ports are
/// numbered from 1, as on the devices. If there are two pedals, the left one (back) is port 1, and
/// the right one (next) is port 3.
public struct PedalMode: Hashable, Sendable {
  /// The name of the mode: `2` to `6` for modes of the devices, any name for modes of a program.
  public var name: String
  /// The outputs, by the number of their port.
  public var outputs: [Int: PedalOutput]

  /// Makes a mode.
  public init(name: String, outputs: [Int: PedalOutput]) {
    self.name = name
    self.outputs = outputs
  }

  /// Returns the lowest port whose output has this usage; nil if there is none.
  ///
  /// Modifiers do not count: a port for Ctrl+C is found for C, and not for Ctrl.
  public func port(sending usage: HIDUsage) -> Int? {
    outputs.filter { $0.value.usage == usage }.keys.min()
  }

  private init(_ number: Int, _ outputs: PedalOutput...) {
    name = String(number)
    self.outputs = Dictionary(
      uniqueKeysWithValues: outputs.enumerated().map { ($0 + 1, $1) })
    // Port 6 is the keyboard button in all modes of the devices.
    self.outputs[6] = PedalOutput(.consumer(.alKeyboardLayout))
  }

  private static func key(_ usage: HIDUsage.KeyboardOrKeypadUsage) -> PedalOutput {
    PedalOutput(.keyboardOrKeypad(usage))
  }

  private static func media(_ usage: HIDUsage.ConsumerUsage) -> PedalOutput {
    PedalOutput(.consumer(usage))
  }

  // Source of the modes: the manual of the DUO 500.

  /// Arrow keys and Enter: the mode of new devices.
  public static let mode2 = Self(
    2, key(.keyboardUpArrow), key(.keyboardLeftArrow), key(.keyboardDownArrow),
    key(.keyboardRightArrow), key(.keyboardReturnEnter))
  /// Page keys, arrow keys and Enter.
  public static let mode3 = Self(
    3, key(.keyboardPageUp), key(.keyboardLeftArrow), key(.keyboardPageDown),
    key(.keyboardRightArrow), key(.keyboardReturnEnter))
  /// Media keys.
  public static let mode4 = Self(
    4, media(.volumeIncrement), media(.scanPreviousTrack), media(.volumeDecrement),
    media(.scanNextTrack), media(.playOrPause))
  /// Space, Enter, Home and the buttons of a mouse.
  public static let mode5 = Self(
    5, key(.keyboardSpacebar), PedalOutput(HIDUsage(page: 0x09, usage: 1)),
    key(.keyboardReturnEnter),
    PedalOutput(HIDUsage(page: 0x09, usage: 2)), key(.keyboardHome))
  /// Keys of music programs.
  public static let mode6 = Self(
    6, key(.keyboard3AndHash), key(.keyboardP), key(.keyboardM),
    PedalOutput(
      .keyboardOrKeypad(.keyboardR), modifiers: [.keyboardOrKeypad(.keyboardLeftShift)]),
    key(.keyboardSpacebar))

  /// All modes that send HID reports, in their order.
  public static let all = [mode2, mode3, mode4, mode5, mode6]

  /// The usages that ports of any mode send, without modifiers.
  static let usages = Set(all.flatMap { $0.outputs.values.map(\.usage) })
}

/// The labels of the ports on a kind of device.
///
/// The order of the pedals on a device is not that of the port numbers.
public enum PedalLabels: String, CaseIterable, Sendable {
  /// Two pedals: Left is port 1, Right is port 3; Keyboard is port 6.
  case pair
  /// A row of pedals or switches: the second is port 3, the third is port 2.
  case row
  /// A pad: ports 1 to 6 are Up, Left, Down, Right, Enter and Keyboard.
  case pad
  /// The numbers of the ports.
  case ports

  /// Returns the label of a port; its number if it has none.
  public func label(ofPort port: Int) -> String {
    switch (self, port) {
    case (.pair, 1): "Left"
    case (.pair, 3): "Right"
    case (.pair, 6), (.pad, 6): "Keyboard"
    case (.row, 2): "3"
    case (.row, 3): "2"
    case (.pad, 1): "Up"
    case (.pad, 2): "Left"
    case (.pad, 3): "Down"
    case (.pad, 4): "Right"
    case (.pad, 5): "Enter"
    default: String(port)
    }
  }
}
