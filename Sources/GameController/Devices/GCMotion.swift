// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Synchronization

/// The handler of motion: the profile, whose properties have the newest values.
public typealias GCMotionValueChangedHandler = (GCMotion) -> Void

/// An acceleration on three axes, in units of standard gravity.
public struct GCAcceleration: Equatable, Sendable, BitwiseCopyable {
  /// On the first axis.
  public var x: Double
  /// On the second axis.
  public var y: Double
  /// On the third axis.
  public var z: Double

  /// Makes an acceleration.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A speed of rotation about three axes, in radians a second.
public struct GCRotationRate: Equatable, Sendable, BitwiseCopyable {
  /// About the first axis.
  public var x: Double
  /// About the second axis.
  public var y: Double
  /// About the third axis.
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

  /// Makes a quaternion; without arguments that of no rotation.
  public init(x: Double = 0, y: Double = 0, z: Double = 0, w: Double = 1) {
    (self.x, self.y, self.z, self.w) = (x, y, z, w)
  }
}

/// The motion of a controller.
///
/// The axes are those of the device, as Linux's driver has them: of Sony's controllers x to the
/// right, y up and z towards the player; of a Switch Pro z is up.
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

  /// Makes the motion of no controller, at rest.
  public override init() {
    needsActivation = false
    activate = { _ in }
    active = Atomic(true)
    super.init()
  }

  /// Makes the motion of a controller, whose values are read from its activation on.
  ///
  /// - Parameter activate: Called with whether the program wants values, at each change.
  init(activate: @escaping @Sendable (Bool) -> Void) {
    needsActivation = true
    self.activate = activate
    active = Atomic(false)
    super.init()
  }

  /// The controller; nil when the controller object is gone.
  open var controller: GCController? { owner.value.controller }

  /// Makes it the motion of a controller.
  func belong(to controller: GCController) {
    owner.value = WeakController(controller: controller)
  }

  /// Called when values have come, on the handler queue of the controller.
  ///
  /// Reports that wait for the handler are one call.
  open var valueChangedHandler: GCMotionValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// Whether there are values only after ``sensorsActive`` was set.
  open var sensorsRequireManualActivation: Bool { needsActivation }

  /// Whether values are read.
  open var sensorsActive: Bool {
    get { active.load(ordering: .relaxed) }
    set {
      guard needsActivation, active.exchange(newValue, ordering: .relaxed) != newValue else {
        return
      }
      activate(newValue)
    }
  }

  /// The whole acceleration, gravity included: 1 upwards of a controller that lies still.
  open var acceleration: GCAcceleration { state.withLock { $0.acceleration } }

  /// Whether there is a speed of rotation.
  open var hasRotationRate: Bool { true }

  /// The speed of rotation.
  open var rotationRate: GCRotationRate { state.withLock { $0.rotation } }

  /// Whether gravity and the user's acceleration are worked out: no.
  open var hasGravityAndUserAcceleration: Bool { false }

  /// Gravity: 0, since it is not worked out.
  open var gravity: GCAcceleration { GCAcceleration() }

  /// The acceleration by the user: 0, since it is not worked out.
  open var userAcceleration: GCAcceleration { GCAcceleration() }

  /// Whether there is an orientation: no.
  open var hasAttitude: Bool { false }

  /// The orientation: none.
  open var attitude: GCQuaternion { GCQuaternion() }

  /// Takes new values, and says whether they are others.
  ///
  /// On the thread that reads the device.
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
  /// On the handler queue.
  func deliver() { handler.value?(self) }
}
