// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import IOLoop
import Synchronization

/// The controls of a device.
///
/// Any thread may read it. Handlers are called on the device's ``GCDevice/handlerQueue``, in the
/// order of the reports. When a handler runs, the properties have the newest state, which may be
/// later than the event of the call.
open class GCPhysicalInputProfile: NSObject {
  private struct WeakDevice {
    weak var device: (any GCDevice)?
  }

  private let tableSlot: Slot<ProfileTable>
  private let owner = Slot(WeakDevice())
  private let changeHandler = Slot<((GCPhysicalInputProfile, GCControllerElement) -> Void)?>(nil)
  private let newestTime = Atomic<UInt64>(0)

  /// The elements of a profile of this class, if it is made without a layout.
  class var standardLayout: [ElementLayout] { [] }

  /// Makes a profile that belongs to no device, with all elements at rest.
  public required override init() {
    tableSlot = Slot(ProfileTable(Self.standardLayout))
    super.init()
  }

  /// Makes a profile with the elements of a layout.
  init(_ layout: [ElementLayout]) {
    tableSlot = Slot(ProfileTable(layout))
    super.init()
  }

  /// Makes a profile that shares its elements with another profile.
  init(sharing table: ProfileTable) {
    tableSlot = Slot(table)
    super.init()
  }

  var table: ProfileTable { tableSlot.value }

  /// The device; nil if the profile belongs to none, or if the device object no longer exists.
  open var device: (any GCDevice)? { owner.value.device }

  /// Sets the device object that the profile belongs to.
  func belong(to device: any GCDevice) { owner.value = WeakDevice(device: device) }

  /// The time of the newest report that changed a control, in seconds of the monotonic clock; 0
  /// before the first such report.
  open var lastEventTimestamp: TimeInterval {
    TimeInterval(newestTime.load(ordering: .relaxed)) / 1e9
  }

  /// Called for each element that changes, after the handlers of the element.
  ///
  /// A ``GCDeviceCursor`` has the distances of its event during the call, and 0 afterwards.
  open var valueDidChangeHandler: ((GCPhysicalInputProfile, GCControllerElement) -> Void)? {
    get { changeHandler.value }
    set { changeHandler.value = newValue }
  }

  // MARK: Elements

  /// The elements by their names, with the axes and halves of direction pads: `Left Thumbstick`,
  /// `Left Thumbstick X Axis`, `Left Thumbstick Up`.
  open var elements: [String: GCControllerElement] { table.elements }
  /// The buttons, keys and triggers by their names, with the halves of direction pads.
  open var buttons: [String: GCControllerButtonInput] { table.buttons }
  /// The axes by their names: those of direction pads.
  open var axes: [String: GCControllerAxisInput] { table.axes }
  /// The direction pads and sticks by their names.
  open var dpads: [String: GCControllerDirectionPad] { table.dpads }
  /// All elements.
  open var allElements: Set<GCControllerElement> { Set(table.elements.values) }
  /// All buttons, keys and triggers, and the halves of direction pads.
  open var allButtons: Set<GCControllerButtonInput> { Set(buttons.values) }
  /// All axes: those of direction pads.
  open var allAxes: Set<GCControllerAxisInput> { Set(axes.values) }
  /// All direction pads and sticks.
  open var allDpads: Set<GCControllerDirectionPad> { Set(dpads.values) }

  /// The element with a name; nil if there is none.
  open subscript(key: String) -> GCControllerElement? {
    table.elements[key]
  }

  /// Returns the button with a name; a new button at rest if the profile has none.
  func button(_ name: String) -> GCControllerButtonInput {
    buttons[name] ?? GCControllerButtonInput()
  }

  /// Returns the direction pad with a name; a new pad at rest if the profile has none.
  func pad(_ name: String) -> GCControllerDirectionPad {
    dpads[name] ?? GCControllerDirectionPad()
  }

  /// True if elements are mapped to others: always false, since Linux has no such setting.
  open var hasRemappedElements: Bool { false }

  /// Returns the name of the element that a control of the device drives: always the same name.
  open func mappedElementAlias(forPhysicalInputName inputName: String) -> String { inputName }

  /// Returns the names of the controls that drive an element: always the same name.
  open func mappedPhysicalInputNames(forElementAlias elementAlias: String) -> Set<String> {
    [elementAlias]
  }

  // MARK: Snapshots

  /// Returns a copy with the current state, which belongs to no device.
  open func capture() -> Self {
    let copy = Self()
    let layout = table.layout
    copy.tableSlot.value = ProfileTable(layout)
    copy.setStateFromPhysicalInput(self)
    return copy
  }

  /// Copies the state of another profile, for the elements that both have, and its
  /// ``lastEventTimestamp``.
  ///
  /// The call changes only a snapshot; it has no effect on the profile of a device.
  ///
  /// - Parameter physicalInput: The other profile.
  open func setStateFromPhysicalInput(_ physicalInput: GCPhysicalInputProfile) {
    let (table, other) = (table, physicalInput.table)
    for (place, element) in table.order.enumerated() where !element.isOfDevice {
      guard let otherPlace = other.place(table.layout[place].name) else { continue }
      element.copyValue(of: other.order[otherPlace])
    }
    guard !table.order.contains(where: { $0.isOfDevice }) else { return }
    newestTime.store(physicalInput.newestTime.load(ordering: .relaxed), ordering: .relaxed)
  }

  // MARK: The device's side

  /// Binds the profile to a device: from now on, only the device changes the elements.
  func bind(to device: any GCDevice) {
    belong(to: device)
    for element in table.order { element.isOfDevice = true }
  }

  func note(_ time: MonotonicTime) { newestTime.store(time.nanoseconds, ordering: .relaxed) }

  /// Calls the handlers for an event, unless its value is the one that was delivered last; always
  /// calls them for a cursor.
  ///
  /// Call it on the handler queue.
  final func deliver(_ event: InputEvent) {
    let table = table
    guard table.order.indices.contains(Int(event.place)) else { return }
    let element = table.order[Int(event.place)]
    let isNews: Bool
    switch element {
    case let button as GCControllerButtonInput: isNews = button.deliver(event.x)
    case let axis as GCControllerAxisInput: isNews = axis.deliver(event.x)
    case let cursor as GCDeviceCursor:
      return cursor.deliverMovement(event.x, event.y) {
        delivered(element, at: Int(event.place), event)
      }
    case let pad as GCControllerDirectionPad: isNews = pad.deliver(event.x, event.y)
    default: isNews = false
    }
    if isNews { delivered(element, at: Int(event.place), event) }
  }

  /// Calls the handlers of the profile, after the handlers of an element.
  ///
  /// Call it on the handler queue.
  func delivered(_ element: GCControllerElement, at place: Int, _ event: InputEvent) {
    changeHandler.value?(self, element)
  }

  /// Calls the handlers with a movement that belongs to no element.
  ///
  /// Call it on the handler queue.
  func deliverMovement(_ x: Float, _ y: Float) {}

  /// Calls the handler of the controller's motion.
  ///
  /// Call it on the handler queue.
  func deliverMotion() {}

  /// Calls the handlers of all elements whose newest value was not delivered.
  ///
  /// Call it on the handler queue.
  final func deliverNewest() {
    for (place, element) in table.order.enumerated() where !element.isDelivered {
      var event = InputEvent(place: Int32(place), x: 0, y: 0)
      switch element {
      case let button as GCControllerButtonInput: event.x = button.value
      case let axis as GCControllerAxisInput: event.x = axis.value
      case let pad as GCControllerDirectionPad:
        (event.x, event.y) = (pad.xAxis.value, pad.yAxis.value)
      default: break
      }
      deliver(event)
    }
  }
}
