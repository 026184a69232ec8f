// SPDX-License-Identifier: Apache-2.0

/// A value of one event that does not change.
open class CHHapticEventParameter: NSObject {
  /// Which value it is.
  open var parameterID: CHHapticEvent.ParameterID { id }
  /// The value.
  open var value: Float

  private let id: CHHapticEvent.ParameterID

  /// Makes a parameter.
  ///
  /// - Parameters:
  ///   - parameterID: Which value it is.
  ///   - value: The value; its range is that of the ID.
  public init(parameterID: CHHapticEvent.ParameterID, value: Float) {
    (id, self.value) = (parameterID, value)
  }
}

/// A value of a whole pattern, which changes while it plays.
open class CHHapticDynamicParameter: NSObject {
  /// The name of a value of a pattern.
  public struct ID: RawRepresentable, Hashable, Sendable {
    /// The name, as patterns in files have it.
    public let rawValue: String

    /// Makes an ID of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The strength, from 0 to 1, which multiplies that of the events; 1 at the beginning.
    public static let hapticIntensityControl = Self(rawValue: "HapticIntensityControl")
    /// The sharpness; without an effect here.
    public static let hapticSharpnessControl = Self(rawValue: "HapticSharpnessControl")
    /// A change of the attack time; without an effect here.
    public static let hapticAttackTimeControl = Self(rawValue: "HapticAttackTimeControl")
    /// A change of the decay time; without an effect here.
    public static let hapticDecayTimeControl = Self(rawValue: "HapticDecayTimeControl")
    /// A change of the release time; without an effect here.
    public static let hapticReleaseTimeControl = Self(rawValue: "HapticReleaseTimeControl")
    /// The volume of audio; without an effect here.
    public static let audioVolumeControl = Self(rawValue: "AudioVolumeControl")
    /// The place of audio; without an effect here.
    public static let audioPanControl = Self(rawValue: "AudioPanControl")
    /// The brightness of audio; without an effect here.
    public static let audioBrightnessControl = Self(rawValue: "AudioBrightnessControl")
    /// The pitch of audio; without an effect here.
    public static let audioPitchControl = Self(rawValue: "AudioPitchControl")
    /// The attack time of audio; without an effect here.
    public static let audioAttackTimeControl = Self(rawValue: "AudioAttackTimeControl")
    /// The decay time of audio; without an effect here.
    public static let audioDecayTimeControl = Self(rawValue: "AudioDecayTimeControl")
    /// The release time of audio; without an effect here.
    public static let audioReleaseTimeControl = Self(rawValue: "AudioReleaseTimeControl")

    static let all: Set<Self> = [
      .hapticIntensityControl, .hapticSharpnessControl, .hapticAttackTimeControl,
      .hapticDecayTimeControl, .hapticReleaseTimeControl, .audioVolumeControl, .audioPanControl,
      .audioBrightnessControl, .audioPitchControl, .audioAttackTimeControl,
      .audioDecayTimeControl, .audioReleaseTimeControl,
    ]
  }

  /// Which value it is.
  open var parameterID: ID { id }
  /// The value.
  open var value: Float
  /// When the value begins to hold, in seconds.
  ///
  /// The time counts from the beginning of the pattern, or from the `atTime` of `sendParameters`.
  open var relativeTime: TimeInterval

  private let id: ID

  /// Makes a parameter.
  ///
  /// - Parameters:
  ///   - parameterID: Which value it is.
  ///   - value: The value; its range is that of the ID.
  ///   - relativeTime: When the value begins to hold, in seconds.
  public init(parameterID: ID, value: Float, relativeTime: TimeInterval) {
    (id, self.value, self.relativeTime) = (parameterID, value, relativeTime)
  }
}

/// A value of a whole pattern that moves from point to point.
///
/// Between two points the value changes evenly. After the last point it stays.
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

  /// Which value the curve changes.
  open var parameterID: CHHapticDynamicParameter.ID { id }
  /// The points.
  open var controlPoints: [ControlPoint] { points }
  /// When the curve begins, in seconds.
  ///
  /// The time counts from the beginning of the pattern. `scheduleParameterCurve` ignores it.
  open var relativeTime: TimeInterval

  private let id: CHHapticDynamicParameter.ID
  private let points: [ControlPoint]

  /// Makes a curve.
  ///
  /// - Parameters:
  ///   - parameterID: Which value the curve changes.
  ///   - controlPoints: The points.
  ///   - relativeTime: When the curve begins, in seconds.
  public init(
    parameterID: CHHapticDynamicParameter.ID, controlPoints: [ControlPoint],
    relativeTime: TimeInterval
  ) {
    (id, points, self.relativeTime) = (parameterID, controlPoints, relativeTime)
  }
}
