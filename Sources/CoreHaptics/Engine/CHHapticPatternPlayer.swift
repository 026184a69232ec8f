// SPDX-License-Identifier: Apache-2.0

/// The time that means as soon as possible.
public let CHHapticTimeImmediate: TimeInterval = 0

/// The type of a handler for the end of a pattern; the error is always nil.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void

/// A player of one pattern.
///
/// A pattern that is playing continues after its player is released. Times are those of
/// ``CHHapticEngine/currentTime``; a past time means now. The methods except ``cancel()`` throw
/// ``CHHapticError`` if the engine is not started or an argument is invalid.
public protocol CHHapticPatternPlayer: NSObjectProtocol {
  /// Starts the pattern at a time; a pattern that is playing or paused begins again.
  func start(atTime time: TimeInterval) throws
  /// Ends the pattern at a time.
  func stop(atTime time: TimeInterval) throws
  /// Sets values of the player, also for later starts.
  ///
  /// They multiply the values of the pattern's own parameters and curves. The time of each value is
  /// `time` plus its own `relativeTime`.
  func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
  /// Changes a value of the player along a curve that begins at a time, also for later starts.
  ///
  /// The curve multiplies the values of the pattern's own parameters and curves. Its last value
  /// stays until another parameter or curve of the player with the same ID begins. The curve's own
  /// `relativeTime` must be valid, but has no effect.
  func scheduleParameterCurve(
    _ parameterCurve: CHHapticParameterCurve, atTime time: TimeInterval) throws
  /// Ends the pattern and removes its planned actions.
  func cancel() throws
  /// True if the player plays without moving the motors.
  var isMuted: Bool { get set }
}

/// A player of one pattern that can pause, repeat and change its speed.
public protocol CHHapticAdvancedPatternPlayer: CHHapticPatternPlayer {
  /// Pauses the pattern at a time; ``resume(atTime:)`` continues it.
  func pause(atTime time: TimeInterval) throws
  /// Continues a paused pattern at a time.
  func resume(atTime time: TimeInterval) throws
  /// Moves to a position now, in seconds after the beginning of the pattern.
  ///
  /// The next start of a player that is not playing or paused begins at this position.
  func seek(toOffset offsetTime: TimeInterval) throws
  /// True if the pattern begins again at ``loopEnd``, until the player stops.
  ///
  /// It has no effect if ``loopEnd`` is 0.
  var loopEnabled: Bool { get set }
  /// The end of a loop, in seconds after the beginning of the pattern; at first the pattern's
  /// ``CHHapticPattern/duration``.
  ///
  /// A value that is not a finite number above 0 sets the pattern's ``CHHapticPattern/duration``.
  var loopEnd: TimeInterval { get set }
  /// The speed as a factor of the pattern's own speed; at first 1.
  ///
  /// Only finite numbers above 0 are accepted. Other values are ignored.
  var playbackRate: Float { get set }
  /// Called on the engine's handler queue when the pattern has ended.
  ///
  /// It is also called if the player is stopped or cancelled, or if the engine stops, while the
  /// pattern is playing or paused. It is not called if the pattern begins again.
  var completionHandler: CHHapticAdvancedPatternPlayerCompletionHandler { get set }
}

/// The player that engines of this module make.
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
    // `time` replaces the curve's own time.
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
