// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The mixer of an engine's players, which sends their strength to the motors.
final class Mixer: Sendable {
  private struct State {
    var isRunning = false
    /// True after the motors were disconnected.
    var isGone = false
    var isMuted = false
    /// The strength that was sent last.
    var sent: Float = 0
    var playbacks: [Int: Playback] = [:]
    var completions: [Int: Handed<CHHapticAdvancedPatternPlayerCompletionHandler>] = [:]
    var nextID = 0
    var finishedHandlers: [Handed<CHHapticEngine.FinishedHandler>] = []
  }

  private let state = Mutex(State())
  private let send: @Sendable (Float) -> Void
  private let queue = DispatchQueue(label: "CoreHaptics")
  /// The queue of the program's handlers, so that a slow handler does not delay the motors.
  private let handlerQueue = DispatchQueue(label: "CoreHaptics handlers")
  private let timer: Handed<any DispatchSourceTimer>
  let stoppedHandler = Slot<CHHapticEngine.StoppedHandler>({ _ in })

  /// - Parameter send: Called with each new strength, from 0 to 1, on a queue of the mixer.
  init(_ send: @escaping @Sendable (Float) -> Void) {
    self.send = send
    timer = Handed(value: DispatchSource.makeTimerSource(queue: queue))
    timer.value.setEventHandler { [weak self] in self?.step() }
    timer.value.activate()
  }

  deinit { timer.value.cancel() }

  /// The shortest time until the next step by the timer, in seconds.
  private static let shortestStep = 0.001

  /// The current time of `CLOCK_MONOTONIC`, which engines use, in seconds.
  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  // MARK: The engine

  var isMuted: Bool {
    get { state.withLock(\.isMuted) }
    set {
      state.withLock { $0.isMuted = newValue }
      update()
    }
  }

  func start() throws {
    try state.withLock { state in
      guard !state.isGone else {
        throw CHHapticError(
          .resourceNotAvailable, "cannot start the haptic engine: its controller has gone")
      }
      state.isRunning = true
    }
  }

  /// Stops the engine and its players, sends the strength 0, and then calls the completion handlers
  /// of the players that were playing or paused, and `completion`, on the handler queue.
  func stop(_ completion: (@Sendable () -> Void)? = nil) {
    let completions = state.withLock { state in
      state.isRunning = false
      return Self.reset(&state)
    }
    stepAndCall {
      for completion in completions { completion.value(nil) }
      completion?()
    }
  }

  /// Stops a started engine, and then calls the stopped handler.
  ///
  /// - Parameter isGone: True if the motors were disconnected: the engine cannot start again.
  func stop(_ reason: CHHapticEngine.StoppedReason, isGone: Bool) {
    let wasRunning = state.withLock { state in
      if isGone { state.isGone = true }
      return state.isRunning
    }
    guard wasRunning else { return }
    stop { self.stoppedHandler.value(reason) }
  }

  private static func reset(
    _ state: inout State
  ) -> [Handed<CHHapticAdvancedPatternPlayerCompletionHandler>] {
    let now = now
    var completions: [Handed<CHHapticAdvancedPatternPlayerCompletionHandler>] = []
    for id in state.playbacks.keys where state.playbacks[id]?.reset(now) == true {
      if let completion = state.completions[id] { completions.append(completion) }
    }
    return completions
  }

  func notifyWhenFinished(_ handler: @escaping CHHapticEngine.FinishedHandler) {
    let handed = Handed(value: handler)
    state.withLock { $0.finishedHandlers.append(handed) }
    update()
  }

  /// Calls a closure on the handler queue.
  func call(_ body: @escaping @Sendable () -> Void) { handlerQueue.async(execute: body) }

  // MARK: Players

  func addPlayback(_ playback: Playback) -> Int {
    state.withLock { state in
      defer { state.nextID += 1 }
      state.playbacks[state.nextID] = playback
      return state.nextID
    }
  }

  /// Removes a player as soon as it is not playing and has no planned command.
  func abandon(_ id: Int) {
    state.withLock { $0.playbacks[id]?.isAbandoned = true }
    update()
  }

  func read<Value: Sendable>(_ id: Int, _ key: (Playback) -> Value, or other: Value) -> Value {
    state.withLock { $0.playbacks[id].map(key) } ?? other
  }

  /// Changes a player; the closure receives the player and the current time.
  func change(_ id: Int, _ body: @Sendable (inout Playback, Double) -> Void) {
    state.withLock { state in Self.change(id, in: &state, body) }
    update()
  }

  private static func change(
    _ id: Int, in state: inout State, _ body: (inout Playback, Double) -> Void
  ) {
    guard var playback = state.playbacks[id] else { return }
    body(&playback, now)
    state.playbacks[id] = playback
  }

  /// Changes a player now, if the engine is started; the change may plan a command for a time.
  ///
  /// - Parameters:
  ///   - time: The time of the command, in seconds; a past time means now.
  ///   - body: Receives the player, the time of the command, and the current time.
  /// - Throws: ``CHHapticError/Code/engineNotRunning`` and ``CHHapticError/Code/invalidTime``.
  func act(
    _ id: Int, at time: Double, _ body: @Sendable (inout Playback, Double, Double) -> Void
  ) throws {
    guard time.isFinite else {
      throw CHHapticError(.invalidTime, "a player cannot act at the time \(time)")
    }
    try state.withLock { state in
      guard state.isRunning else {
        throw CHHapticError(
          .engineNotRunning, "a player cannot act: its haptic engine is not started")
      }
      Self.change(id, in: &state) { playback, now in body(&playback, max(time, now), now) }
    }
    update()
  }

  /// Ends a player, removes its planned commands, and calls its completion handler if it was
  /// playing or paused.
  func cancel(_ id: Int) {
    let completion = state.withLock { state in
      state.playbacks[id]?.reset(Self.now) == true ? state.completions[id] : nil
    }
    stepAndCall { completion?.value(nil) }
  }

  func setCompletion(
    _ id: Int, _ handler: @escaping CHHapticAdvancedPatternPlayerCompletionHandler
  ) {
    let handed = Handed(value: handler)
    let old = state.withLock { state in
      defer { state.completions[id] = handed }
      return state.completions[id]
    }
    withExtendedLifetime(old) {}
  }

  func completion(_ id: Int) -> CHHapticAdvancedPatternPlayerCompletionHandler? {
    state.withLock { $0.completions[id] }?.value
  }

  // MARK: Strength

  private func update() { queue.async { [weak self] in self?.step() } }

  /// Sends the current strength, and then calls a closure on the handler queue.
  private func stepAndCall(_ body: @escaping @Sendable () -> Void) {
    queue.async {
      self.step()
      self.call(body)
    }
  }

  /// The work of a step that must be done outside the lock.
  private struct Step {
    var strength: Float?
    var completions: [Handed<CHHapticAdvancedPatternPlayerCompletionHandler>] = []
    var finishedHandlers: [Handed<CHHapticEngine.FinishedHandler>] = []
    /// The handlers of removed players, which are released outside the lock.
    var dropped: [Handed<CHHapticAdvancedPatternPlayerCompletionHandler>] = []
    var next = Double.infinity
  }

  /// Sends a new strength, schedules the handlers that are due, and sets the timer.
  ///
  /// Call it on the queue of the mixer.
  private func step() {
    let now = Self.now
    let step = state.withLock { state in Self.step(&state, now) }
    if let strength = step.strength { send(strength) }
    if !step.completions.isEmpty || !step.finishedHandlers.isEmpty || !step.dropped.isEmpty {
      call {
        for completion in step.completions { completion.value(nil) }
        let actions = step.finishedHandlers.map { $0.value(nil) }
        if actions.contains(.stopEngine) { self.stop(.notifyWhenFinished, isGone: false) }
      }
    }
    if step.next < .infinity {
      // The shortest step limits the processor time of a very short loop or a very high speed.
      let next = min(max(step.next, now + Self.shortestStep), 1e9)
      timer.value.schedule(
        deadline: DispatchTime(uptimeNanoseconds: UInt64(next * 1e9)), leeway: .nanoseconds(0))
    }
  }

  private static func step(_ state: inout State, _ now: Double) -> Step {
    var step = Step()
    var strength: Float = 0
    for id in Array(state.playbacks.keys) {
      guard var playback = state.playbacks[id] else { continue }
      let ends = playback.advance(to: now)
      if let completion = state.completions[id] {
        step.completions += repeatElement(completion, count: ends)
      }
      strength = max(strength, playback.value(at: now))
      step.next = min(step.next, playback.nextChange(after: now))
      let isOver = playback.isAbandoned && !playback.isActive
      state.playbacks[id] = isOver ? nil : playback
      if isOver, let completion = state.completions.removeValue(forKey: id) {
        step.dropped.append(completion)
      }
    }
    if state.isMuted { strength = 0 }
    if strength != state.sent {
      state.sent = strength
      step.strength = strength
    }
    if !state.finishedHandlers.isEmpty, !state.playbacks.values.contains(where: \.isActive) {
      swap(&step.finishedHandlers, &state.finishedHandlers)
    }
    return step
  }
}
