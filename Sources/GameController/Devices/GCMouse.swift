// SPDX-License-Identifier: Apache-2.0

/// A mouse.
open class GCMouse: NSObject, GCDevice {
  let input: GCMouseInput
  let queue: EventQueue
  private let name: String?

  /// Makes a mouse that belongs to no device, with all controls at rest.
  public override init() {
    input = GCMouseInput()
    queue = EventQueue(input, on: nil)
    name = nil
    super.init()
    input.belong(to: self)
  }

  init(name: String?, buttonCount: Int, in registry: Registry) {
    input = GCMouseInput(GCMouseInput.layout(buttonCount: buttonCount))
    queue = EventQueue(input, on: registry.bus)
    self.name = name
    super.init()
    input.bind(to: self)
  }

  /// The mouse that was used or connected last; nil while none is connected or found yet.
  ///
  /// When it is disconnected, the remaining mouse that was connected last becomes the current one.
  open class var current: GCMouse? { Registry.current.currentMouse }

  /// Returns the connected mice, in the order in which hidsim opened them.
  ///
  /// The first use starts the search for devices, which takes some milliseconds: wait for
  /// `GCMouseDidConnect`.
  open class func mice() -> [GCMouse] { Registry.current.mice }

  /// The controls.
  open var mouseInput: GCMouseInput? { input }

  /// The queue on which handlers are called; by default the main queue.
  open var handlerQueue: DispatchQueue {
    get { queue.target }
    set { queue.target = newValue }
  }

  /// The product name, else the manufacturer name; nil if the mouse has neither, or if the object
  /// belongs to no device.
  open var vendorName: String? { name }

  /// ``GCProductCategoryMouse``.
  open var productCategory: String { GCProductCategoryMouse }

  /// The controls.
  open var physicalInputProfile: GCPhysicalInputProfile { input }
}
