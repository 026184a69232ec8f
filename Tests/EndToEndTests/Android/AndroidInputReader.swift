// SPDX-License-Identifier: Apache-2.0

/// A converter of the events of an evdev node to events of Android.
///
/// Source: frameworks/native/services/inputflinger/reader of AOSP: EventHub, KeyboardInputMapper
/// and JoystickInputMapper.
struct AndroidInputReader {
  /// The range of an axis, as the kernel reports it.
  struct Range {
    var minimum: Int32
    var maximum: Int32
    var fuzz: Int32
    var flat: Int32
  }

  /// The conversion of one axis from the kernel's values to those of apps: -1 to 1 if it has a
  /// centre, else 0 to 1.
  private struct Axis {
    let name: String
    private let isCentred: Bool
    private let scale: Double
    private let offset: Double
    /// The difference above which a change counts.
    ///
    /// A smaller change counts only if the axis comes nearer than this to an end or the centre.
    private let filter: Double
    /// The last value that apps received.
    private(set) var value = 0.0
    var newValue = 0.0

    private static let centred: Set<String> = [
      "X", "Y", "Z", "RX", "RY", "RZ", "HAT_X", "HAT_Y", "RUDDER", "WHEEL",
    ]

    init(_ name: String, _ range: Range, flat: Int32?) {
      self.name = name
      let (minimum, maximum) = (Double(range.minimum), Double(range.maximum))
      isCentred = Self.centred.contains(name)
      scale = (isCentred ? 2 : 1) / (maximum - minimum)
      offset = isCentred ? (minimum + maximum) / 2 * -scale : -minimum * scale
      filter =
        Double(range.fuzz != 0 ? range.fuzz : flat ?? range.flat) * scale
        * (range.fuzz != 0 ? 1 : 0.25)
    }

    mutating func take(_ raw: Int32) { newValue = Double(raw) * scale + offset }

    /// Takes over the new value if the change is large enough.
    ///
    /// - Returns: True if the value has changed.
    mutating func settle() -> Bool {
      guard newValue != value else { return false }
      let isNearer = [isCentred ? -1.0 : 0, 0, 1].contains { end in
        abs(newValue - end) < filter && abs(newValue - end) < abs(value - end)
      }
      guard abs(newValue - value) > filter || isNearer else { return false }
      value = newValue
      return true
    }
  }

  private let layout: AndroidKeyLayout
  private let keySources: Set<String>
  private var axes: [UInt16: Axis] = [:]

  // linux/input-event-codes.h.
  private static let (synchronisation, key, absolute) = (0, 1, 3)
  /// BTN_MISC up to BTN_MOUSE, and BTN_JOYSTICK up to BTN_DIGI: the buttons that make a device a
  /// joystick.
  private static let buttons = [0x100..<0x110, 0x120..<0x140]

  /// Creates the reader of a node.
  ///
  /// - Parameters:
  ///   - layout: The key layout file of the device.
  ///   - keys: The keys that the node has.
  ///   - ranges: The axes that the node has, by their codes.
  init(_ layout: AndroidKeyLayout, keys: Set<Int>, ranges: [UInt16: Range]) {
    self.layout = layout
    let hasButtons = keys.contains { key in Self.buttons.contains { $0.contains(key) } }
    let isGamepad = keys.contains { key in
      layout.keys[UInt16(truncatingIfNeeded: key)]?.hasPrefix("BUTTON_") == true
    }
    keySources = isGamepad ? ["KEYBOARD", "GAMEPAD"] : ["KEYBOARD"]
    // Without such a button, the axes are not those of a joystick.
    guard hasButtons else { return }
    var unnamed = 0
    for (code, range) in ranges.sorted(by: { $0.key < $1.key }) {
      if layout.axes[code] == nil { unnamed += 1 }
      axes[code] = Axis(
        layout.axes[code] ?? "GENERIC_\(unnamed)", range, flat: layout.flats[code])
    }
  }

  /// Converts raw evdev events, each a type, a code and a value.
  mutating func events(of raw: [[Int]]) -> [AndroidEvent] {
    raw.compactMap { event in
      let code = UInt16(truncatingIfNeeded: event[1])
      switch (event[0], event[2]) {
      // 2 is a repetition by the kernel, which Android turns off.
      case (Self.key, 0...1):
        return AndroidEvent(
          kind: .key(
            action: event[2] == 1 ? "DOWN" : "UP", code: layout.keys[code] ?? "UNKNOWN"),
          sources: keySources)
      case (Self.absolute, let value):
        axes[code]?.take(Int32(truncatingIfNeeded: value))
        return nil
      case (Self.synchronisation, _) where code == 0: return settle()
      default: return nil
      }
    }
  }

  /// Ends a packet of the kernel; returns one motion with the values of all axes, or nil if no axis
  /// has changed enough.
  private mutating func settle() -> AndroidEvent? {
    var hasMoved = false
    for code in axes.keys where axes[code]?.settle() == true { hasMoved = true }
    guard hasMoved else { return nil }
    var values: [String: Double] = [:]
    for axis in axes.values {
      values[axis.name] = axis.value
      // Android also reports the two triggers under their old names.
      if axis.name == "LTRIGGER" { values["BRAKE"] = axis.value }
      if axis.name == "RTRIGGER" { values["GAS"] = axis.value }
    }
    return AndroidEvent(kind: .motion(action: "MOVE", axes: values), sources: ["JOYSTICK"])
  }
}
