// SPDX-License-Identifier: Apache-2.0

/// The state of one player: its pattern, its position, and its planned commands.
///
/// Times are those of the engine, in seconds. A `place` is a position in the pattern, in seconds
/// after its beginning.
struct Playback: Sendable {
  enum Command: Sendable {
    case start, stop, pause, resume
    case seek(Double)
  }

  private enum State {
    /// The player does not play; its next start begins at this position.
    case idle(place: Double)
    case playing(since: Double, from: Double)
    case paused(place: Double)
  }

  private let strength: PatternStrength
  private var state = State.idle(place: 0)
  /// The planned commands, in the order of their times.
  private var commands: [(time: Double, command: Command)] = []
  private var control = Control()
  private(set) var rate = 1.0
  private(set) var loopEnd: Double
  private(set) var loops = false
  var isMuted = false
  /// True if the program has released the player.
  var isAbandoned = false

  /// The interval at which a linearly changing strength is sent, in seconds.
  private static let step = 0.01

  init(_ pattern: CHHapticPattern) {
    strength = pattern.strength
    loopEnd = pattern.strength.duration
  }

  /// True while the player plays, has planned commands, or is paused and not released.
  var isActive: Bool {
    switch state {
    case .idle: !commands.isEmpty
    case .playing: true
    // A released player gets no further commands, so it stays paused.
    case .paused: !commands.isEmpty || !isAbandoned
    }
  }

  // MARK: Commands

  mutating func plan(_ command: Command, at time: Double) {
    let place = commands.firstIndex { $0.time > time } ?? commands.endIndex
    commands.insert((time, command), at: place)
  }

  mutating func add(_ curve: ValueCurve, now: Double) {
    control.forget(before: now)
    control.add(curve)
  }

  mutating func setRate(_ newRate: Float, now: Double) {
    guard newRate.isFinite, newRate > 0 else { return }
    fix(now)
    rate = Double(newRate)
  }

  mutating func setLoops(_ newLoops: Bool, now: Double) {
    fix(now)
    loops = newLoops
  }

  mutating func setLoopEnd(_ end: Double, now: Double) {
    fix(now)
    // 0 is the end of the pattern, as Apple documents it.
    loopEnd = end.isFinite && end > 0 ? end : strength.duration
  }

  /// Makes `now` and the position at `now` the base from which later positions are calculated.
  ///
  /// Call this method before the rate, the loop or its end changes.
  private mutating func fix(_ now: Double) {
    if case .playing = state { state = .playing(since: now, from: place(at: now)) }
  }

  /// Ends the pattern, removes the planned commands and the curves that begin later, and returns
  /// whether the pattern was playing or paused.
  mutating func reset(_ now: Double) -> Bool {
    defer { (state, commands) = (.idle(place: 0), []) }
    control.forget(after: now)
    if case .idle = state { return false } else { return true }
  }

  /// Runs the commands that are due at a time, and returns the number of times that the pattern has
  /// ended.
  mutating func advance(to now: Double) -> Int {
    var ends = 0
    while let first = commands.first, first.time <= now {
      commands.removeFirst()
      ends += end(at: first.time)
      ends += apply(first.command, at: first.time)
    }
    return ends + end(at: now)
  }

  private mutating func end(at time: Double) -> Int {
    guard case .playing = state, !isLooping, place(at: time) >= strength.end else { return 0 }
    state = .idle(place: 0)
    return 1
  }

  private mutating func apply(_ command: Command, at time: Double) -> Int {
    switch (command, state) {
    case (.start, .idle(let place)), (.resume, .paused(let place)):
      state = .playing(since: time, from: place)
    case (.start, .playing), (.start, .paused): state = .playing(since: time, from: 0)
    case (.stop, .idle): break
    case (.stop, _):
      state = .idle(place: 0)
      return 1
    case (.pause, .playing): state = .paused(place: place(at: time))
    case (.seek(let place), .idle): state = .idle(place: place)
    case (.seek(let place), .playing): state = .playing(since: time, from: place)
    case (.seek(let place), .paused): state = .paused(place: place)
    case (.pause, _), (.resume, _): break
    }
    return 0
  }

  // MARK: Strength

  private var isLooping: Bool { loops && loopEnd > 0 }

  private func place(at time: Double) -> Double {
    guard case .playing(let since, let from) = state else { return 0 }
    let place = from + (time - since) * rate
    return isLooping ? place.truncatingRemainder(dividingBy: loopEnd) : place
  }

  /// Returns the strength at a time, from 0 to 1.
  func value(at time: Double) -> Float {
    guard case .playing = state, !isMuted else { return 0 }
    return strength.value(at: place(at: time)) * control.value(at: time)
  }

  /// Returns the time of the next command, end, or reading of the strength; infinity if there is
  /// none.
  func nextChange(after time: Double) -> Double {
    let planned = commands.first?.time ?? .infinity
    guard case .playing = state else { return planned }
    let place = place(at: time)
    let end = isLooping ? loopEnd : strength.end
    let next = min(strength.nextChange(after: place, step: Self.step * rate), end)
    return min(
      planned, time + max(next - place, 0) / rate, control.nextChange(after: time, step: Self.step))
  }
}
