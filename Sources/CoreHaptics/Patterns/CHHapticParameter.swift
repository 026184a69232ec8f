// SPDX-License-Identifier: Apache-2.0

/// A constant value of one event.
open class CHHapticEventParameter: NSObject {
  /// The ID of the value.
  open var parameterID: CHHapticEvent.ParameterID { id }
  /// The value.
  open var value: Float

  private let id: CHHapticEvent.ParameterID

  /// Makes a parameter.
  ///
  /// - Parameters:
  ///   - parameterID: The ID of the value.
  ///   - value: The value, in the range of the ID.
  public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
    (id, self.value) = (parameterID, value)
  }
}

/// A value of a whole pattern, which can change while the pattern plays.
open class CHHapticDynamicParameter: NSObject {
  /// The name of a value of a pattern.
  public struct ID: RawRepresentable, Hashable, Sendable {
    /// The name in pattern files.
    public let rawValue: String

    /// Makes an ID with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The factor of the strength of all events, from 0 to 1; 1 at the beginning.
    public static let hapticIntensityControl = Self(rawValue: "HapticIntensityControl")
    /// The sharpness; it has no effect in hidsim.
    public static let hapticSharpnessControl = Self(rawValue: "HapticSharpnessControl")
    /// A change of the attack time; it has no effect in hidsim.
    public static let hapticAttackTimeControl = Self(rawValue: "HapticAttackTimeControl")
    /// A change of the decay time; it has no effect in hidsim.
    public static let hapticDecayTimeControl = Self(rawValue: "HapticDecayTimeControl")
    /// A change of the release time; it has no effect in hidsim.
    public static let hapticReleaseTimeControl = Self(rawValue: "HapticReleaseTimeControl")
    /// The volume of audio; it has no effect in hidsim.
    public static let audioVolumeControl = Self(rawValue: "AudioVolumeControl")
    /// The position of audio from left to right; it has no effect in hidsim.
    public static let audioPanControl = Self(rawValue: "AudioPanControl")
    /// The brightness of audio; it has no effect in hidsim.
    public static let audioBrightnessControl = Self(rawValue: "AudioBrightnessControl")
    /// The pitch of audio; it has no effect in hidsim.
    public static let audioPitchControl = Self(rawValue: "AudioPitchControl")
    /// The attack time of audio; it has no effect in hidsim.
    public static let audioAttackTimeControl = Self(rawValue: "AudioAttackTimeControl")
    /// The decay time of audio; it has no effect in hidsim.
    public static let audioDecayTimeControl = Self(rawValue: "AudioDecayTimeControl")
    /// The release time of audio; it has no effect in hidsim.
    public static let audioReleaseTimeControl = Self(rawValue: "AudioReleaseTimeControl")

    static let all: Set<Self> = [
      .hapticIntensityControl, .hapticSharpnessControl, .hapticAttackTimeControl,
      .hapticDecayTimeControl, .hapticReleaseTimeControl, .audioVolumeControl, .audioPanControl,
      .audioBrightnessControl, .audioPitchControl, .audioAttackTimeControl,
      .audioDecayTimeControl, .audioReleaseTimeControl,
    ]
  }

  /// The ID of the value.
  open var parameterID: ID { id }
  /// The value.
  open var value: Float
  /// The time from which the value applies, in seconds.
  ///
  /// The time counts from the beginning of the pattern, or from the `atTime` of `sendParameters`.
  open var relativeTime: TimeInterval

  private let id: ID

  /// Makes a parameter.
  ///
  /// - Parameters:
  ///   - parameterID: The ID of the value.
  ///   - value: The value, in the range of the ID.
  ///   - relativeTime: The time from which the value applies, in seconds.
  public init(parameterID: ID, value: Float, relativeTime: TimeInterval) {
    (id, self.value, self.relativeTime) = (parameterID, value, relativeTime)
  }
}

/// A value of a whole pattern that follows a curve from point to point.
///
/// Between two points the value changes linearly. After the last point it stays the same. The curve
/// ends when another parameter or curve of the same ID begins.
open class CHHapticParameterCurve: NSObject {
  /// A point of a curve.
  open class ControlPoint: NSObject {
    /// The time after the beginning of the curve, in seconds.
    open var relativeTime: TimeInterval
    /// The value at that time.
    open var value: Float

    /// Makes a point.
    ///
    /// - Parameters:
    ///   - relativeTime: The time after the beginning of the curve, in seconds.
    ///   - value: The value at that time.
    public init(relativeTime: TimeInterval, value: Float) {
      (self.relativeTime, self.value) = (relativeTime, value)
    }
  }

  /// The ID of the value that the curve changes.
  open var parameterID: CHHapticDynamicParameter.ID { id }
  /// The points.
  open var controlPoints: [ControlPoint] { points }
  /// The time at which the curve begins, in seconds.
  ///
  /// The time counts from the beginning of the pattern. `scheduleParameterCurve` does not use it.
  open var relativeTime: TimeInterval

  private let id: CHHapticDynamicParameter.ID
  private let points: [ControlPoint]

  /// Makes a curve.
  ///
  /// - Parameters:
  ///   - parameterID: The ID of the value that the curve changes.
  ///   - controlPoints: The points.
  ///   - relativeTime: The time at which the curve begins, in seconds.
  public init(
    parameterID: CHHapticDynamicParameter.ID, controlPoints: [ControlPoint],
    relativeTime: TimeInterval
  ) {
    (id, points, self.relativeTime) = (parameterID, controlPoints, relativeTime)
  }
}
