// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import HIDReportDescriptor
import HIDUsages

/// The type of a keyboard handler, which receives the profile, the key, its code, and true if it is
/// pressed.
public typealias GCKeyboardValueChangedHandler = (
  GCKeyboardInput, GCControllerButtonInput, GCKeyCode, Bool
) -> Void

/// The keys of all keyboards.
open class GCKeyboardInput: GCPhysicalInputProfile {
  private let handler = Slot<GCKeyboardValueChangedHandler?>(nil)

  override class var standardLayout: [ElementLayout] { keys.layout }

  /// Called once for each key that is pressed or released, even if several change in one report.
  ///
  /// It is called after the handlers of the key. A key that is held down does not repeat.
  open var keyChangedHandler: GCKeyboardValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// True if any key is pressed.
  open var isAnyKeyPressed: Bool { table.buttons.values.contains { $0.isPressed } }

  /// Returns the key with a code; nil if HID does not name a key with that code.
  ///
  /// - Parameter code: The code.
  open func button(forKeyCode code: GCKeyCode) -> GCControllerButtonInput? {
    let table = table
    guard let place = Self.place(of: code.rawValue), table.order.indices.contains(place) else {
      return nil
    }
    return table.order[place] as? GCControllerButtonInput
  }

  override func delivered(_ element: GCControllerElement, at place: Int, _ event: InputEvent) {
    if let button = element as? GCControllerButtonInput, let usage = Self.usage(at: place) {
      handler.value?(self, button, GCKeyCode(rawValue: usage), event.x > 0)
    }
    super.delivered(element, at: place, event)
  }

  // MARK: Keys

  private struct Keys {
    var layout: [ElementLayout] = []
    var usages: [Int] = []
    /// The index of each usage; -1 for none.
    var places = [Int](repeating: -1, count: 256)
  }

  /// The keys that HID names on usage page 7, from usage 4 to the last modifier.
  ///
  /// The usages below 4 are not keys: 0 is no key, and 1 to 3 are errors.
  ///
  /// Source: HID Usage Tables 1.4, chapter 10.
  private static let keys: Keys = {
    let names = [Int: String](
      GCKeyCode.named.map { ($0.code.rawValue, $0.name) }, uniquingKeysWith: { first, _ in first })
    var keys = Keys()
    for usage in 0x04...0xE7 {
      let title = HIDUsage(page: 7, usage: UInt16(usage)).title
      guard let name = names[usage] ?? title else { continue }
      keys.places[usage] = keys.layout.count
      keys.usages.append(usage)
      keys.layout.append(ElementLayout(name, .button, title ?? name))
    }
    return keys
  }()

  /// Returns the index of the key with a usage of page 7; nil if there is none.
  static func place(of usage: Int) -> Int? {
    guard keys.places.indices.contains(usage), keys.places[usage] >= 0 else { return nil }
    return keys.places[usage]
  }

  private static func usage(at place: Int) -> Int? {
    keys.usages.indices.contains(place) ? keys.usages[place] : nil
  }
}
