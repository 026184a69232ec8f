// SPDX-License-Identifier: Apache-2.0

/// In the place of a time: as soon as possible.
public let CHHapticTimeImmediate: TimeInterval = 0

/// The handler of a pattern that has ended; the error is nil.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void

/// Plays one pattern.
///
/// A pattern that plays goes on after the release of its player. Times are those of
/// ``CHHapticEngine/currentTime``; a past time means now. The methods except ``cancel()`` throw
/// ``CHHapticError`` if the engine is not started or an argument is invalid.
public protocol CHHapticPatternPlayer: NSObjectProtocol {
  /// Begins the pattern at a time.
  func start(atTime time: TimeInterval) throws
  /// Ends the pattern at a time.
  func stop(atTime time: TimeInterval) throws
  /// Sets values of the pattern, for later starts, too; their times add to `time`.
  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
  /// Moves a value of the pattern along a curve that begins at a time.
  ///
  /// The curve's own `relativeTime` does not count.
  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval) throws
  /// Ends the pattern, and drops what is planned.
  func cancel() throws
  /// Whether the player plays without moving the motors.
  var isMuted: Bool { get set }
}

/// Plays one pattern, which it can pause, repeat and speed up.
public protocol CHHapticAdvancedPatternPlayer: CHHapticPatternPlayer {
  /// Pauses the pattern at a time; ``resume(atTime:)`` continues it.
  func pause(atTime time: TimeInterval) throws
  /// Goes on from where the player paused.
  func resume(atTime time: TimeInterval) throws
  /// Goes to a place, in seconds after the beginning of the pattern.
  func seek(toOffset offsetTime: TimeInterval) throws
  /// Whether the pattern begins again at ``loopEnd``, until the player stops.
  var loopEnabled: Bool { get set }
  /// Where a loop ends, in seconds after the beginning of the pattern; 0 is the pattern's end.
  var loopEnd: TimeInterval { get set }
  /// The speed: 1 is that of the pattern. Other values than numbers above 0 are ignored.
  var playbackRate: Float { get set }
  /// Called on the queue of the engine's handlers when the pattern has ended or was stopped.
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

  func start(atTime time: TimeInterval) throws { try plan(.start, time) }
  func stop(atTime time: TimeInterval) throws { try plan(.stop, time) }
  func pause(atTime time: TimeInterval) throws { try plan(.pause, time) }
  func resume(atTime time: TimeInterval) throws { try plan(.resume, time) }

  func seek(toOffset offsetTime: TimeInterval) throws {
    guard offsetTime.isFinite, offsetTime >= 0 else {
      throw CHHapticError(
        .invalidTime, "a player cannot go to the place \(offsetTime) s; expected 0 or later")
    }
    try plan(.seek(offsetTime), CHHapticTimeImmediate)
  }

  private func plan(_ command: Playback.Command, _ time: TimeInterval) throws {
    try mixer.act(id, at: time) { playback, time, _ in playback.plan(command, at: time) }
  }

  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws {
    // The program's objects are read before the lock is taken.
    let curves = try parameters.compactMap { try Control.curve(of: $0) }
    try add(curves, time)
  }

  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval
  ) throws {
    // The time counts in the place of the curve's own one.
    try add([Control.curve(of: parameterCurve, isPlaced: false)].compactMap { $0 }, time)
  }

  private func add(_ curves: [ValueCurve], _ time: TimeInterval) throws {
    try mixer.act(id, at: time) { playback, time, now in
      for curve in curves { playback.add(curve.moved(by: time), now: now) }
    }
  }

  func cancel() throws { mixer.cancel(id) }

  var isMuted: Bool {
    get { mixer.read(id, \.isMuted, or: false) }
    set { mixer.change(id) { playback, _ in playback.isMuted = newValue } }
  }

  var loopEnabled: Bool {
    get { mixer.read(id, \.loops, or: false) }
    set { mixer.change(id) { playback, now in playback.setLoops(newValue, now: now) } }
  }

  var loopEnd: TimeInterval {
    get { mixer.read(id, \.loopEnd, or: 0) }
    set { mixer.change(id) { playback, now in playback.setLoopEnd(newValue, now: now) } }
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
