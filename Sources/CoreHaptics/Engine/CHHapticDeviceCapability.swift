// SPDX-License-Identifier: Apache-2.0

/// The range of a value.
public protocol CHHapticParameterAttributes: NSObjectProtocol {
  /// The lowest value.
  var minValue: Float { get }
  /// The highest value.
  var maxValue: Float { get }
  /// The value that applies if an event or pattern sets none.
  var defaultValue: Float { get }
}

/// The abilities of this machine's own motors.
public protocol CHHapticDeviceCapability: NSObjectProtocol {
  /// True if the machine has motors.
  var supportsHaptics: Bool { get }
  /// True if audio events are played.
  var supportsAudio: Bool { get }
  /// Returns the range of a value of events; it is the same for each type of event.
  ///
  /// - Throws: ``CHHapticError/Code/notSupported`` for audio and unknown parameters.
  func attributes(
    forEventParameter parameter: CHHapticEvent.ParameterID, eventType type: CHHapticEvent.EventType
  ) throws -> any CHHapticParameterAttributes
  /// Returns the range of a value of patterns.
  ///
  /// - Throws: ``CHHapticError/Code/notSupported`` for all but the haptic intensity.
  func attributes(
    forDynamicParameter parameter: CHHapticDynamicParameter.ID
  ) throws -> any CHHapticParameterAttributes
}

/// The abilities of a machine without motors; the ranges are those that engines of controllers
/// accept.
final class NoHapticHardware: NSObject, CHHapticDeviceCapability {
  private final class Attributes: NSObject, CHHapticParameterAttributes {
    let minValue: Float = 0
    let maxValue: Float = 1
    let defaultValue: Float

    init(defaultValue: Float) { self.defaultValue = defaultValue }
  }

  let supportsHaptics = false
  let supportsAudio = false

  func attributes(
    forEventParameter parameter: CHHapticEvent.ParameterID, eventType type: CHHapticEvent.EventType
  ) throws -> any CHHapticParameterAttributes {
    switch parameter {
    case .hapticIntensity, .sustained: Attributes(defaultValue: 1)
    case .hapticSharpness, .attackTime, .decayTime, .releaseTime: Attributes(defaultValue: 0)
    default: throw CHHapticError(.notSupported, "\(parameter.rawValue) has no effect here")
    }
  }

  func attributes(
    forDynamicParameter parameter: CHHapticDynamicParameter.ID
  ) throws -> any CHHapticParameterAttributes {
    guard parameter == .hapticIntensityControl else {
      throw CHHapticError(.notSupported, "\(parameter.rawValue) has no effect here")
    }
    return Attributes(defaultValue: 1)
  }
}
