// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Dispatch
import HIDBus
import Synchronization

/// A new value of an element, a movement or a motion.
struct InputEvent: BitwiseCopyable {
  /// The index of the element in its profile, ``movement`` or ``motion``.
  var place: Int32
  /// The value of a button, axis or pad's x axis; for a movement, the distance to the right.
  var x: Float
  /// The value of a pad's y axis; for a movement, the distance up; otherwise 0.
  var y: Float

  /// The `place` of a movement of the mouse itself.
  static let movement: Int32 = -1
  /// The `place` of a motion of the controller; handlers read the newest motion.
  static let motion: Int32 = -2
}

/// The events of one device that wait for its handler queue.
///
/// Any thread may append events; most come from the thread that reads the device. One call at a
/// time on the handler queue takes all waiting events. No memory is allocated for an event, except
/// when the arrays of events grow.
final class EventQueue: Sendable {
  /// The maximum number of events that wait for a slow handler.
  ///
  /// If there are more, the handlers get the newest state of each element instead of the events
  /// that have no room. A key therefore cannot stay down.
  static let capacity = 1024

  private struct State {
    var events: [InputEvent] = []
    /// The empty array of the previous call, which is used again for later events.
    var spare: [InputEvent] = []
    /// The movements that had no room: the sum for each `place`.
    var movements: [InputEvent] = []
    var hasOverflowed = false
    var hasMotion = false
    /// True while a call waits on the target, or runs.
    var isScheduled = false
    var isRunning = false
    var target = Handed(value: DispatchQueue.main)
    /// The source that calls ``run(_:)`` on the target; nil before the first event for a target.
    // A source is used because a dispatched block would be allocated for each call.
    var source: Handed<any DispatchSourceUserDataAdd>?
    /// The number of the newest source; a call of an earlier source does nothing.
    var generation: UInt64 = 0
  }

  private let state = Mutex(State())
  private let profile: Handed<GCPhysicalInputProfile>
  private let bus: HIDBus?

  /// - Parameters:
  ///   - profile: The profile that gets the events; the queue keeps a reference to it.
  ///   - bus: The current bus while the handlers run; nil to leave the current bus as it is.
  init(_ profile: GCPhysicalInputProfile, on bus: HIDBus?) {
    self.profile = Handed(value: profile)
    self.bus = bus
    state.withLock { state in
      state.events.reserveCapacity(64)
      state.spare.reserveCapacity(64)
    }
  }

  deinit { state.withLock { $0.source?.value.cancel() } }

  /// The queue on which handlers are called.
  ///
  /// If the queue changes while a call waits, the call is made on the new queue.
  var target: DispatchQueue {
    get { state.withLock { $0.target }.value }
    set {
      let target = Handed(value: newValue)
      let submission = state.withLock { state -> Submission? in
        state.target = target
        state.source?.value.cancel()
        state.source = nil
        // A call that runs schedules the next one by itself.
        guard state.isScheduled, !state.isRunning else { return nil }
        return nextCall(&state)
      }
      submission?.submit()
    }
  }

  /// Adds an event.
  ///
  /// An event that has no room is dropped: the handlers get the newest state later.
  func append(_ event: InputEvent) {
    state.withLock { state in
      guard state.events.count >= Self.capacity else { return state.events.append(event) }
      state.hasOverflowed = true
    }
  }

  /// Adds a distance to the last waiting event if that has the same `place`, else as a new event.
  ///
  /// A new event that has no room is added to a sum for its `place`, which is delivered later.
  ///
  /// - Parameter place: The index of the wheels' element, or ``InputEvent/movement``.
  func appendMovement(_ place: Int32, _ x: Float, _ y: Float) {
    state.withLock { state in
      if let last = state.events.indices.last, state.events[last].place == place {
        state.events[last].x += x
        state.events[last].y += y
      } else if state.events.count < Self.capacity {
        state.events.append(InputEvent(place: place, x: x, y: y))
      } else if let index = state.movements.firstIndex(where: { $0.place == place }) {
        state.movements[index].x += x
        state.movements[index].y += y
      } else {
        state.hasOverflowed = true
        state.movements.append(InputEvent(place: place, x: x, y: y))
      }
    }
  }

  /// Adds a motion event, unless one is waiting already.
  ///
  /// An event that has no room is dropped: the next report with a motion adds a new event.
  func appendMotion() {
    state.withLock { state in
      guard state.events.count < Self.capacity, !state.hasMotion else { return }
      state.hasMotion = true
      state.events.append(InputEvent(place: InputEvent.motion, x: 0, y: 0))
    }
  }

  /// Schedules the delivery of the events on the handler queue.
  func flush() {
    let submission = state.withLock { state -> Submission? in
      guard !state.isScheduled, !state.events.isEmpty else { return nil }
      state.isScheduled = true
      return nextCall(&state)
    }
    submission?.submit()
  }

  // MARK: Calls

  /// A call that has not been put on the target queue yet.
  private struct Submission {
    let source: Handed<any DispatchSourceUserDataAdd>

    /// Puts the call on the queue; use it outside the lock.
    // The queue may be one that makes the call at once.
    func submit() { source.value.add(data: 1) }
  }

  private func nextCall(_ state: inout State) -> Submission {
    if let source = state.source { return Submission(source: source) }
    state.generation += 1
    let generation = state.generation
    let source = DispatchSource.makeUserDataAddSource(queue: state.target.value)
    source.setEventHandler { [weak self] in self?.run(generation) }
    source.activate()
    state.source = Handed(value: source)
    return Submission(source: Handed(value: source))
  }

  private func run(_ generation: UInt64) {
    guard var events = take(generation) else { return }
    if let bus {
      HIDBus.$current.withValue(bus) { deliver(&events) }
    } else {
      deliver(&events)
    }
    finish()
  }

  /// Takes the waiting events; nil if a newer source has replaced the source of the call, if no
  /// call is scheduled, or if another call runs.
  private func take(_ generation: UInt64) -> [InputEvent]? {
    state.withLock { state in
      guard state.generation == generation, state.isScheduled, !state.isRunning else { return nil }
      state.isRunning = true
      state.hasMotion = false
      var events: [InputEvent] = []
      swap(&events, &state.spare)
      swap(&events, &state.events)
      return events
    }
  }

  /// Calls the handlers for the events, and keeps the memory of the array for the next events.
  private func deliver(_ events: inout [InputEvent]) {
    let profile = profile.value
    for event in events {
      switch event.place {
      case InputEvent.movement: profile.deliverMovement(event.x, event.y)
      case InputEvent.motion: profile.deliverMotion()
      default: profile.deliver(event)
      }
    }
    events.removeAll(keepingCapacity: true)
    guard let movements = giveBack(&events) else { return }
    profile.deliverNewest()
    for movement in movements {
      if movement.place == InputEvent.movement {
        profile.deliverMovement(movement.x, movement.y)
      } else {
        profile.deliver(movement)
      }
    }
  }

  /// Keeps an empty array for the next events.
  ///
  /// - Returns: The movements that had no room; nil if everything had room, or if more events wait.
  ///   In the second case the movements are delivered after those events.
  private func giveBack(_ emptied: inout [InputEvent]) -> [InputEvent]? {
    state.withLock { state in
      swap(&state.spare, &emptied)
      guard state.events.isEmpty, state.hasOverflowed else { return nil }
      state.hasOverflowed = false
      defer { state.movements = [] }
      return state.movements
    }
  }

  /// Ends a call and schedules the next one if events have come in the meantime.
  ///
  /// The next call waits behind the other work on the queue.
  private func finish() {
    let submission = state.withLock { state -> Submission? in
      state.isRunning = false
      state.isScheduled = !state.events.isEmpty || state.hasOverflowed
      return state.isScheduled ? nextCall(&state) : nil
    }
    submission?.submit()
  }
}
