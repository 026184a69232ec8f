// SPDX-License-Identifier: Apache-2.0

public import CoreHaptics

/// A location of motors in a controller.
public struct GCHapticsLocality: RawRepresentable, Hashable, Sendable {
  /// The name of the location.
  public let rawValue: String

  /// Makes a location with a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The handles, which every controller with motors has.
  public static let `default` = Self(rawValue: "Default")
  /// All motors.
  public static let all = Self(rawValue: "All")
  /// Both handles.
  public static let handles = Self(rawValue: "Handles")
  /// The left handle.
  public static let leftHandle = Self(rawValue: "Left Handle")
  /// The right handle.
  public static let rightHandle = Self(rawValue: "Right Handle")
  /// Both triggers.
  public static let triggers = Self(rawValue: "Triggers")
  /// The left trigger.
  public static let leftTrigger = Self(rawValue: "Left Trigger")
  /// The right trigger.
  public static let rightTrigger = Self(rawValue: "Right Trigger")

  /// The motors at each location; nil for all motors that the controller has.
  fileprivate static let places: [(Self, Motors.Choice?)] = [
    (.all, nil), (.default, [.left, .right]), (.handles, [.left, .right]), (.leftHandle, .left),
    (.rightHandle, .right), (.triggers, [.leftTrigger, .rightTrigger]),
    (.leftTrigger, .leftTrigger), (.rightTrigger, .rightTrigger),
  ]
}

/// The duration of an event that lasts until its player is stopped.
public let GCHapticDurationInfinite = Float.greatestFiniteMagnitude

/// The motors of a controller, for Core Haptics.
open class GCDeviceHaptics: NSObject {
  private let motors: Motors?

  /// Makes an object without motors.
  public override init() { motors = nil }

  init(_ motors: Motors) { self.motors = motors }

  /// The locations that have motors.
  open var supportedLocalities: Set<GCHapticsLocality> {
    Set(GCHapticsLocality.places.map(\.0).filter { choice($0) != nil })
  }

  /// Returns the motors at a location; nil if the controller lacks one of them, or if the location
  /// is not one of the constants.
  private func choice(_ locality: GCHapticsLocality) -> Motors.Choice? {
    guard let available = motors?.available,
      let place = GCHapticsLocality.places.first(where: { $0.0 == locality })
    else { return nil }
    let choice = place.1 ?? available
    return available.isSuperset(of: choice) ? choice : nil
  }

  /// Makes an engine for the motors at a location.
  ///
  /// The program must keep a reference to the engine, which stops when it is released. If engines
  /// share a motor, the motor gets the highest of their strengths.
  ///
  /// - Parameter locality: The location.
  /// - Returns: The engine; nil if the location is not one of ``supportedLocalities``.
  open func createEngine(withLocality locality: GCHapticsLocality) -> CHHapticEngine? {
    choice(locality).flatMap { motors?.makeEngine($0) }
  }
}
