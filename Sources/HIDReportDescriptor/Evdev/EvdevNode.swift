// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The range of an absolute axis: absinfo in the kernel.
public struct EvdevAxis: Hashable, Sendable {
  /// The axis.
  public let code: EvdevCode
  /// The lowest value.
  public let minimum: Int32
  /// The highest value.
  public let maximum: Int32
  /// The change below which the kernel treats a value as noise, in units of the axis.
  public let fuzz: Int32
  /// The distance from the centre within which clients should assume the centre, in units of the
  /// axis.
  public let flat: Int32
  /// The number of units of the axis per millimetre, or per radian for an angle.
  ///
  /// It is 0 if the descriptor gives no length or angle in a unit that the kernel converts, and for
  /// axes whose unit the kernel ignores, such as a rudder and the orientation of a contact.
  public let resolution: Int32
}

/// A property of a node, for clients: one of the `INPUT_PROP_` numbers.
public enum EvdevProperty: UInt8, CaseIterable, Sendable {
  /// The node moves a pointer, `INPUT_PROP_POINTER`.
  case pointer = 0
  /// The node is a surface that users point at directly, such as a screen, `INPUT_PROP_DIRECT`.
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

/// An event node of Linux, `/dev/input/event*`: its events, name and properties.
public struct EvdevNode: Hashable, Sendable {
  /// The usage of the application collection of the node's first report.
  ///
  /// The node can also send reports of other applications. `nil` for a report outside all
  /// application collections, and if the collection has no usage.
  public let application: HIDUsage?
  /// The words after the device's name in the node's name: `Mouse`; `nil` if the node has the
  /// device's name.
  public let suffix: String?
  /// The types of its events, sorted.
  public let eventTypes: [EvdevEventType]
  /// The codes of its events, sorted, without those of `EV_SYN` and `EV_REP`.
  public let codes: [EvdevCode]
  /// The ranges of its absolute axes, sorted by code.
  public let axes: [EvdevAxis]
  /// Its properties, sorted.
  public let properties: [EvdevProperty]
  /// True if the suffix is added even to a device name that already ends with it.
  let repeatsSuffix: Bool

  /// Returns the name of the node for a device with this name.
  ///
  /// - Parameter deviceName: The name in the device file, or from the USB strings of the device.
  /// - Returns: The device's name with the suffix. Without a suffix, or if the name already ends
  ///   with it, the device's name alone; the kernel repeats only `UNKNOWN`.
  public func name(ofDevice deviceName: String) -> String {
    guard let suffix, repeatsSuffix || !deviceName.hasSuffix(suffix) else { return deviceName }
    return "\(deviceName) \(suffix)"
  }

  /// Returns whether a code is among ``codes``; O(log codes).
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
