// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The player that a controller belongs to.
public enum GCControllerPlayerIndex: Int, Sendable {
  /// No player.
  case indexUnset = -1
  /// The first player.
  case index1 = 0
  /// The second player.
  case index2 = 1
  /// The third player.
  case index3 = 2
  /// The fourth player.
  case index4 = 3
}

/// A gamepad or joystick.
open class GCController: NSObject, GCDevice {
  private let extended: GCExtendedGamepad?
  private let micro: GCMicroGamepad
  let queue: EventQueue
  private let name: String?
  private let category: String
  private let player = Slot(GCControllerPlayerIndex.indexUnset)
  private let snapshot: Bool
  private let outputs: (any ControllerOutputs)?
  private static let monitorsBackground = Slot(false)

  /// Makes a snapshot of a small gamepad that belongs to no device, with all controls at rest.
  public override init() {
    extended = nil
    micro = GCMicroGamepad()
    queue = EventQueue(micro, on: nil)
    name = nil
    category = GCProductCategoryHID
    snapshot = true
    outputs = nil
    super.init()
    micro.belong(to: self)
  }

  private init(snapshotOf extended: GCExtendedGamepad?, _ micro: GCMicroGamepad) {
    self.extended = extended
    self.micro = micro
    queue = EventQueue(extended ?? micro, on: nil)
    name = nil
    category = GCProductCategoryHID
    snapshot = true
    outputs = nil
    super.init()
    extended?.belong(to: self)
    micro.belong(to: self)
  }

  init(
    name: String?, category: String, _ gamepad: GCExtendedGamepad,
    _ outputs: (any ControllerOutputs)?, in registry: Registry
  ) {
    extended = gamepad
    micro = GCMicroGamepad(of: gamepad)
    queue = EventQueue(gamepad, on: registry.bus)
    self.name = name
    self.category = category
    snapshot = false
    self.outputs = outputs
    super.init()
    gamepad.bind(to: self)
    micro.bind(to: self)
    gamepad.micro = micro
    outputs?.motion?.belong(to: self)
  }

  // MARK: Controllers

  /// Returns the connected controllers, in the order in which hidsim finished opening them.
  ///
  /// The first use starts the search for devices, which takes some milliseconds: wait for
  /// `GCControllerDidConnect`.
  open class func controllers() -> [GCController] { Registry.current.controllers }

  /// The controller that was used or connected last; nil while none is connected or found yet.
  ///
  /// When it is disconnected, the remaining controller that was connected last becomes the current
  /// one.
  open class var current: GCController? { Registry.current.currentController }

  /// True if a program in the background receives input.
  ///
  /// hidsim stores the value, which has no effect: a program on Linux always receives input.
  open class var shouldMonitorBackgroundEvents: Bool {
    get { monitorsBackground.value }
    set { monitorsBackground.value = newValue }
  }

  /// Starts the search for devices and then calls `completionHandler` on the main queue.
  ///
  /// hidsim pairs no controllers with this machine. The handler does not wait for controllers:
  /// `GCControllerDidConnect` may be posted before or after the call.
  open class func startWirelessControllerDiscovery(
    completionHandler: (() -> Void)? = nil
  ) {
    Registry.current.start()
    guard let completionHandler else { return }
    let handed = Handed(value: completionHandler)
    OperationQueue.main.addOperation { handed.value() }
  }

  /// Has no effect: hidsim pairs no controllers.
  open class func stopWirelessControllerDiscovery() {}

  /// Makes a snapshot of a gamepad at rest, whose state the program sets.
  open class func withExtendedGamepad() -> GCController {
    let gamepad = GCExtendedGamepad()
    return GCController(snapshotOf: gamepad, GCMicroGamepad(of: gamepad))
  }

  /// Makes a snapshot of a small gamepad at rest, whose state the program sets.
  open class func withMicroGamepad() -> GCController {
    GCController(snapshotOf: nil, GCMicroGamepad())
  }

  // MARK: The controller

  /// The controls; nil for a snapshot of a small gamepad.
  open var extendedGamepad: GCExtendedGamepad? { extended }

  /// The direction pad and three buttons of the controller.
  open var microGamepad: GCMicroGamepad? { micro }

  /// The controls.
  open var physicalInputProfile: GCPhysicalInputProfile { extended ?? micro }

  /// The queue on which handlers are called; by default the main queue.
  open var handlerQueue: DispatchQueue {
    get { queue.target }
    set { queue.target = newValue }
  }

  /// The product name, else the manufacturer name; nil for a snapshot, or if there is neither.
  open var vendorName: String? { name }

  /// The kind of controller, such as ``GCProductCategoryDualSense``.
  ///
  /// It is ``GCProductCategoryHID`` for a snapshot, and for a controller without a category of its
  /// own.
  open var productCategory: String { category }

  /// The player to whom the program has assigned the controller; at first `indexUnset`.
  ///
  /// A DualSense and a Switch Pro Controller show an assigned player with their lamps.
  open var playerIndex: GCControllerPlayerIndex {
    get { player.value }
    set {
      player.value = newValue
      outputs?.show(newValue)
    }
  }

  /// True if the controller is built into the machine: always false on Linux.
  open var isAttachedToDevice: Bool { false }

  /// True if the controller is a snapshot, whose state only the program changes.
  open var isSnapshot: Bool { snapshot }

  /// Returns a snapshot with the current state of the controls, which belongs to no device.
  open func capture() -> GCController {
    guard let gamepad = extended?.capture() else {
      return GCController(snapshotOf: nil, micro.capture())
    }
    let small = GCMicroGamepad(of: gamepad)
    small.setStateFromPhysicalInput(gamepad)  // for the time: the elements are shared
    return GCController(snapshotOf: gamepad, small)
  }

  /// The battery; nil if the controller does not report its charge in a way that hidsim knows.
  open var battery: GCDeviceBattery? { outputs?.battery }

  /// The motion; nil if the controller is a snapshot or has no sensors that hidsim reads.
  ///
  /// It is also nil for a Sony controller without a valid calibration. A Switch Pro Controller
  /// without one has the motion by the default calibration of Linux's driver.
  open var motion: GCMotion? { outputs?.motion }

  /// The motors for Core Haptics; nil if the controller has no motors that hidsim can move.
  open var haptics: GCDeviceHaptics? { outputs?.haptics }

  /// The light; nil if the controller has no light that hidsim can set.
  open var light: GCDeviceLight? { outputs?.light }
}
