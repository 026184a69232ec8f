// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// All keyboards of a bus as one object.
open class GCKeyboard: NSObject, GCDevice {
  let input: GCKeyboardInput
  let queue: EventQueue
  private let registry: Slot<WeakRegistry>

  private struct WeakRegistry {
    weak var registry: Registry?
  }

  /// Makes a keyboard that belongs to no device, with all keys at rest.
  public override init() {
    input = GCKeyboardInput()
    queue = EventQueue(input, on: nil)
    registry = Slot(WeakRegistry())
    super.init()
    input.belong(to: self)
  }

  init(in registry: Registry) {
    input = GCKeyboardInput()
    queue = EventQueue(input, on: registry.bus)
    self.registry = Slot(WeakRegistry(registry: registry))
    super.init()
    input.bind(to: self)
  }

  /// All keyboards of the current bus as one object; nil while none is connected or found yet.
  ///
  /// The first use starts the search for devices, which takes some milliseconds: wait for
  /// `GCKeyboardDidConnect`. The object stays the same until the bus ends.
  open class var coalesced: GCKeyboard? { Registry.current.keyboard }

  /// The keys.
  open var keyboardInput: GCKeyboardInput? { input }

  /// The queue on which handlers are called; by default the main queue.
  open var handlerQueue: DispatchQueue {
    get { queue.target }
    set { queue.target = newValue }
  }

  /// The name of the connected keyboard that was opened first.
  ///
  /// It is nil if that keyboard has no name, if no keyboard is connected, or if the object belongs
  /// to no device.
  open var vendorName: String? { registry.value.registry?.keyboardName }

  /// ``GCProductCategoryKeyboard``.
  open var productCategory: String { GCProductCategoryKeyboard }

  /// The keys.
  open var physicalInputProfile: GCPhysicalInputProfile { input }
}
