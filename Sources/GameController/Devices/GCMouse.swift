// SPDX-License-Identifier: Apache-2.0

/// A mouse.
open class GCMouse: NSObject, GCDevice {
  let input: GCMouseInput
  let queue: EventQueue
  private let name: String?

  /// Makes a mouse of no device: it never moves.
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

  /// The mouse that was used last, or connected last if none was used since; nil without a mouse.
  open class var current: GCMouse? { Registry.current.currentMouse }

  /// The mice that are connected, in the order in which hidsim has opened them.
  ///
  /// The first use begins the search for devices, which takes some milliseconds: wait for
  /// `GCMouseDidConnect`.
  open class func mice() -> [GCMouse] { Registry.current.mice }

  /// The controls.
  open var mouseInput: GCMouseInput? { input }

  /// The queue on which handlers are called; by default the main queue.
  open var handlerQueue: DispatchQueue {
    get { queue.target }
    set { queue.target = newValue }
  }

  /// The name of the product, else of its manufacturer; nil if it has neither.
  open var vendorName: String? { name }

  /// ``GCProductCategoryMouse``.
  open var productCategory: String { GCProductCategoryMouse }

  /// The controls.
  open var physicalInputProfile: GCPhysicalInputProfile { input }
}
