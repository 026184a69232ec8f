// SPDX-License-Identifier: Apache-2.0

/// In the place of a time: as soon as possible.
public let CHHapticTimeImmediate: TimeInterval = 0

/// The handler of a pattern that has ended; the error is nil.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void

/// Plays one pattern.
///
/// A pattern that plays goes on when the program lets go of its player. Times are those of
/// ``CHHapticEngine/currentTime``; a time that is past is now. The methods throw ``CHHapticError``
/// if the engine is not started or a time is no number.
public protocol CHHapticPatternPlayer: NSObjectProtocol {
  /// Begins the pattern at a time.
  func start(atTime time: TimeInterval) throws
  /// Ends the pattern at a time.
  func stop(atTime time: TimeInterval) throws
  /// Changes values of the pattern; their times count from a time.
  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
  /// Moves a value of the pattern along a curve, whose times count from a time.
  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval) throws
  /// Ends the pattern, and drops what is planned.
  func cancel() throws
  /// Whether the player plays without moving the motors.
  var isMuted: Bool { get set }
}

/// Plays one pattern, which it can pause, repeat and speed up.
public protocol CHHapticAdvancedPatternPlayer: CHHapticPatternPlayer {
  /// Stops the motors at a time; ``resume(atTime:)`` goes on from there.
  func pause(atTime time: TimeInterval) throws
  /// Goes on from where the player paused.
  func resume(atTime time: TimeInterval) throws
  /// Goes to a place, in seconds after the beginning of the pattern.
  func seek(toOffset offsetTime: TimeInterval) throws
  /// Whether the pattern begins again at its end, until the player is stopped.
  var loopEnabled: Bool { get set }
  /// Where a loop ends, in seconds after the beginning of the pattern; 0 is the pattern's end.
  var loopEnd: TimeInterval { get set }
  /// The speed: 1 is that of the pattern. The lowest one is 0.01.
  var playbackRate: Float { get set }
  /// Called on a queue of the engine when the pattern has ended or was stopped.
  var completionHandler: CHHapticAdvancedPatternPlayerCompletionHandler { get set }
}

/// The players of this module.
final class PatternPlayer: NSObject, CHHapticAdvancedPatternPlayer {
  private let mixer: Mixer
  private let id: Int

  init(_ pattern: CHHapticPattern, _ mixer: Mixer) {
    self.mixer = mixer
    id = mixer.addPlayback(Playback(pattern))
  }

  deinit { mixer.abandon(id) }

  func start(atTime time: TimeInterval) throws { try mixer.plan(id, .start, at: time) }
  func stop(atTime time: TimeInterval) throws { try mixer.plan(id, .stop, at: time) }
  func pause(atTime time: TimeInterval) throws { try mixer.plan(id, .pause, at: time) }
  func resume(atTime time: TimeInterval) throws { try mixer.plan(id, .resume, at: time) }

  func seek(toOffset offsetTime: TimeInterval) throws {
    guard offsetTime.isFinite, offsetTime >= 0 else {
      throw CHHapticError(
        .invalidTime, "a player cannot go to the place \(offsetTime) s; expected 0 or later")
    }
    try mixer.plan(id, .seek(offsetTime), at: CHHapticTimeImmediate)
  }

  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws {
    let start = max(time, Mixer.now)
    try add(parameters.compactMap { try Control.curve(of: $0, from: start) })
  }

  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval
  ) throws {
    guard let curve = try Control.curve(of: parameterCurve, from: max(time, Mixer.now)) else {
      return
    }
    add([curve])
  }

  private func add(_ curves: [ValueCurve]) {
    mixer.change(id) { playback, now in
      for curve in curves { playback.add(curve, now: now) }
    }
  }

  func cancel() throws { mixer.cancel(id) }

  var isMuted: Bool {
    get { mixer.read(id, \.isMuted, or: false) }
    set { mixer.change(id) { playback, _ in playback.isMuted = newValue } }
  }

  var loopEnabled: Bool {
    get { mixer.read(id, \.loops, or: false) }
    set { mixer.change(id) { playback, _ in playback.loops = newValue } }
  }

  var loopEnd: TimeInterval {
    get { mixer.read(id, \.loopEnd, or: 0) }
    set { mixer.change(id) { playback, _ in playback.setLoopEnd(newValue) } }
  }

  var playbackRate: Float {
    get { Float(mixer.read(id, \.rate, or: 1)) }
    set { mixer.change(id) { playback, now in playback.setRate(newValue, now: now) } }
  }

  var completionHandler: CHHapticAdvancedPatternPlayerCompletionHandler {
    get { mixer.completion(id) ?? { _ in } }
    set { mixer.setCompletion(id, newValue) }
  }
}
