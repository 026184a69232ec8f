// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// The type of a motion handler, which receives the motion object with the newest values.
public typealias GCMotionValueChangedHandler = (GCMotion) -> Void

/// An acceleration on three axes, in units of standard gravity.
public struct GCAcceleration: Equatable, Sendable, BitwiseCopyable {
  /// The acceleration on the first axis.
  public var x: Double
  /// The acceleration on the second axis.
  public var y: Double
  /// The acceleration on the third axis.
  public var z: Double

  /// Makes an acceleration.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A speed of rotation about three axes, in radians a second.
public struct GCRotationRate: Equatable, Sendable, BitwiseCopyable {
  /// The speed about the first axis.
  public var x: Double
  /// The speed about the second axis.
  public var y: Double
  /// The speed about the third axis.
  public var z: Double

  /// Makes a speed of rotation.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }
}

/// An orientation as a quaternion.
public struct GCQuaternion: Equatable, Sendable, BitwiseCopyable {
  /// The first imaginary part.
  public var x: Double
  /// The second imaginary part.
  public var y: Double
  /// The third imaginary part.
  public var z: Double
  /// The real part.
  public var w: Double

  /// Makes a quaternion; without arguments, the one for no rotation.
  public init(x: Double = 0, y: Double = 0, z: Double = 0, w: Double = 1) {
    (self.x, self.y, self.z, self.w) = (x, y, z, w)
  }
}

/// The motion of a controller.
///
/// The axes are those of Linux's driver. For Sony's controllers x points to the right, y up, and z
/// towards the player. For a Switch Pro Controller z points up.
open class GCMotion: NSObject {
  private struct State {
    var acceleration = GCAcceleration()
    var rotation = GCRotationRate()
  }

  private struct WeakController {
    weak var controller: GCController?
  }

  private let state = Mutex(State())
  private let active: Atomic<Bool>
  private let needsActivation: Bool
  private let activate: @Sendable (Bool) -> Void
  private let owner = Slot(WeakController())
  private let handler = Slot<GCMotionValueChangedHandler?>(nil)

  /// Makes a motion object that belongs to no controller, with all values 0.
  public override init() {
    needsActivation = false
    activate = { _ in }
    active = Atomic(true)
    super.init()
  }

  /// Makes the motion object of a controller, whose values are read only while ``sensorsActive`` is
  /// true.
  ///
  /// - Parameter activate: Called at each change of ``sensorsActive`` with the new value.
  init(activate: @escaping @Sendable (Bool) -> Void) {
    needsActivation = true
    self.activate = activate
    active = Atomic(false)
    super.init()
  }

  /// The controller; nil if the object belongs to none, or if the controller object no longer
  /// exists.
  open var controller: GCController? { owner.value.controller }

  /// Sets the controller that the object belongs to.
  func belong(to controller: GCController) {
    owner.value = WeakController(controller: controller)
  }

  /// Called on the handler queue of the controller when the values have changed.
  ///
  /// If several reports wait for the handler, it is called once.
  open var valueChangedHandler: GCMotionValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// True if values are read only while ``sensorsActive`` is true.
  open var sensorsRequireManualActivation: Bool { needsActivation }

  /// True while values are read; at first false for the motion of a controller.
  ///
  /// It is always true for an object that belongs to no controller.
  open var sensorsActive: Bool {
    get { active.load(ordering: .relaxed) }
    set {
      guard needsActivation, active.exchange(newValue, ordering: .relaxed) != newValue else {
        return
      }
      activate(newValue)
    }
  }

  /// The acceleration including gravity: 1 upwards for a controller that lies still.
  open var acceleration: GCAcceleration { state.withLock { $0.acceleration } }

  /// True if there is a speed of rotation: always true.
  open var hasRotationRate: Bool { true }

  /// The speed of rotation.
  open var rotationRate: GCRotationRate { state.withLock { $0.rotation } }

  /// True if gravity and the user's acceleration are computed: always false.
  open var hasGravityAndUserAcceleration: Bool { false }

  /// Gravity: always 0, since it is not computed.
  open var gravity: GCAcceleration { GCAcceleration() }

  /// The acceleration by the user: always 0, since it is not computed.
  open var userAcceleration: GCAcceleration { GCAcceleration() }

  /// True if there is an orientation: always false.
  open var hasAttitude: Bool { false }

  /// The orientation: always that of no rotation, since it is not computed.
  open var attitude: GCQuaternion { GCQuaternion() }

  /// Sets the values and returns whether they differ from the previous ones.
  ///
  /// Call it on the thread that reads the device.
  func update(_ acceleration: GCAcceleration, _ rotation: GCRotationRate) -> Bool {
    state.withLock { state in
      guard state.acceleration != acceleration || state.rotation != rotation else { return false }
      state.acceleration = acceleration
      state.rotation = rotation
      return true
    }
  }

  /// Calls the handler.
  ///
  /// Call it on the handler queue.
  func deliver() { handler.value?(self) }
}
