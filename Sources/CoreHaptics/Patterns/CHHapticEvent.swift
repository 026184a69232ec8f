// SPDX-License-Identifier: Apache-2.0

/// One event of a pattern: a tap, or a vibration of some duration.
open class CHHapticEvent: NSObject {
  /// The kind of an event.
  public struct EventType: RawRepresentable, Hashable, Sendable {
    /// The name in pattern files.
    public let rawValue: String

    /// Makes a type with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A tap: the motors turn for 50 ms.
    public static let hapticTransient = Self(rawValue: "HapticTransient")
    /// A vibration of some duration.
    public static let hapticContinuous = Self(rawValue: "HapticContinuous")
    /// A tone; controllers play none.
    public static let audioContinuous = Self(rawValue: "AudioContinuous")
    /// A sound of a file; controllers play none.
    public static let audioCustom = Self(rawValue: "AudioCustom")
  }

  /// The name of a value of an event.
  public struct ParameterID: RawRepresentable, Hashable, Sendable {
    /// The name in pattern files.
    public let rawValue: String

    /// Makes an ID with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The strength, from 0 to 1; 1 if an event has none.
    public static let hapticIntensity = Self(rawValue: "HapticIntensity")
    /// The sharpness, from 0 to 1; it has no effect in hidsim.
    public static let hapticSharpness = Self(rawValue: "HapticSharpness")
    /// The time in which the strength of a continuous event rises: 0 to 1 s, and not longer than
    /// the event's duration.
    public static let attackTime = Self(rawValue: "AttackTime")
    /// The time in which the strength falls after the attack: 0.05 to 1 s; less means 0.05 s.
    ///
    /// It applies only if ``sustained`` is 0, and ends with the event's duration at the latest.
    public static let decayTime = Self(rawValue: "DecayTime")
    /// The time in which the strength falls after the duration: 0 to 1 s.
    ///
    /// It applies unless ``sustained`` is 0.
    public static let releaseTime = Self(rawValue: "ReleaseTime")
    /// The switch that keeps the strength until the end of the duration: on above 0; 1 if an event
    /// has none.
    public static let sustained = Self(rawValue: "Sustained")
    /// The volume of audio; it has no effect in hidsim.
    public static let audioVolume = Self(rawValue: "AudioVolume")
    /// The pitch of audio; it has no effect in hidsim.
    public static let audioPitch = Self(rawValue: "AudioPitch")
    /// The position of audio from left to right; it has no effect in hidsim.
    public static let audioPan = Self(rawValue: "AudioPan")
    /// The brightness of audio; it has no effect in hidsim.
    public static let audioBrightness = Self(rawValue: "AudioBrightness")

    static let all: Set<Self> = [
      .hapticIntensity, .hapticSharpness, .attackTime, .decayTime, .releaseTime, .sustained,
      .audioVolume, .audioPitch, .audioPan, .audioBrightness,
    ]
  }

  /// The kind of the event.
  open var type: EventType { eventType }
  /// The values of the event.
  open var eventParameters: [CHHapticEventParameter] { parameters }
  /// The time at which the event begins, in seconds after the beginning of the pattern.
  open var relativeTime: TimeInterval
  /// The duration of the event, in seconds.
  ///
  /// A tap moves the motors for 50 ms, whatever its duration is. A continuous event with 0 has no
  /// end.
  open var duration: TimeInterval

  private let eventType: EventType
  private let parameters: [CHHapticEventParameter]

  /// Makes an event with the duration 0: a tap, or a continuous event without an end.
  ///
  /// - Parameters:
  ///   - eventType: The kind of the event.
  ///   - parameters: The values of the event.
  ///   - relativeTime: The time at which the event begins, in seconds after the beginning of the
  ///     pattern.
  public convenience init(
    eventType: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval
  ) {
    self.init(
      eventType: eventType, parameters: parameters, relativeTime: relativeTime, duration: 0)
  }

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - eventType: The kind of the event.
  ///   - parameters: The values of the event.
  ///   - relativeTime: The time at which the event begins, in seconds after the beginning of the
  ///     pattern.
  ///   - duration: The duration of the event, in seconds.
  public init(
    eventType: EventType, parameters: [CHHapticEventParameter], relativeTime: TimeInterval,
    duration: TimeInterval
  ) {
    self.eventType = eventType
    self.parameters = parameters
    self.relativeTime = relativeTime
    self.duration = duration
  }
}
