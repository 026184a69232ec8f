// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// The range of an absolute axis: what the kernel calls absinfo.
public struct EvdevAxis: Hashable, Sendable {
  /// The axis.
  public let code: EvdevCode
  /// The lowest value.
  public let minimum: Int32
  /// The highest value.
  public let maximum: Int32
  /// The change below which the kernel takes a value for noise, in units of the axis.
  public let fuzz: Int32
  /// The distance from the centre within which programs should see the centre, in units of the axis.
  public let flat: Int32
  /// Units of the axis in a millimetre, for an angle in a radian; 0 where the descriptor does not say.
  public let resolution: Int32
}

/// What a program should know about a node beyond its events: the `INPUT_PROP_` numbers.
public enum EvdevProperty: UInt8, CaseIterable, Sendable {
  /// It moves a pointer, `INPUT_PROP_POINTER`.
  case pointer = 0
  /// It is a surface to point at directly, such as a screen, `INPUT_PROP_DIRECT`.
  case direct = 1
  /// The whole touchpad is one button, `INPUT_PROP_BUTTONPAD`.
  case buttonPad = 2

  /// The kernel's name: `INPUT_PROP_POINTER`.
  public var name: String {
    switch self {
    case .pointer: "INPUT_PROP_POINTER"
    case .direct: "INPUT_PROP_DIRECT"
    case .buttonPad: "INPUT_PROP_BUTTONPAD"
    }
  }
}

/// An event node of Linux, `/dev/input/event*`: what it can say and how it presents itself.
public struct EvdevNode: Hashable, Sendable {
  /// The usage of the application collection it was made for; `nil` for a report outside all of them.
  public let application: HIDUsage?
  /// What its name has after the device's: `Mouse`; `nil` where it has the device's name.
  public let suffix: String?
  /// The types of its events, sorted.
  public let eventTypes: [EvdevEventType]
  /// The codes of its events, sorted.
  public let codes: [EvdevCode]
  /// The ranges of its absolute axes, sorted by code.
  public let axes: [EvdevAxis]
  /// Its properties, sorted.
  public let properties: [EvdevProperty]
  /// Whether the suffix follows a device name that ends in it already.
  let repeatsSuffix: Bool

  /// The name of the node, of a device with a name.
  ///
  /// - Parameter deviceName: The name in the device's file, or of its USB strings.
  /// - Returns: The device's name, with the suffix if there is one and the name does not end in it.
  public func name(ofDevice deviceName: String) -> String {
    guard let suffix, repeatsSuffix || !deviceName.hasSuffix(suffix) else { return deviceName }
    return "\(deviceName) \(suffix)"
  }

  /// Whether events with the code come from the node; O(log codes).
  ///
  /// - Parameter code: The code to look for.
  public func contains(_ code: EvdevCode) -> Bool {
    var low = 0
    var high = codes.count
    while low < high {
      let middle = (low + high) / 2
      if codes[middle] < code { low = middle + 1 } else { high = middle }
    }
    return low < codes.count && codes[low] == code
  }
}
