// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import Dispatch
import HIDSystem
import IOLoop
import Synchronization

/// A new value of an element.
struct InputEvent: BitwiseCopyable {
  /// The place of the element in its profile; ``movement`` for a movement of no element.
  var place: Int32
  /// The value of a button or axis; of a pad its x axis.
  var x: Float
  /// The y axis of a pad.
  var y: Float

  /// In the place of an element: a movement of the mouse itself.
  static let movement: Int32 = -1
  /// In the place of an element: the motion of the controller, of which the newest counts.
  static let motion: Int32 = -2
}

/// The events of one device on their way to its handler queue.
///
/// Events are appended on the thread that reads the device. One call at a time on the handler queue
/// takes all that there are. Nothing is allocated for an event.
final class EventQueue: Sendable {
  /// How many events wait for a slow handler.
  ///
  /// When there are more, the handlers get the newest state of each element in place of the events
  /// that have no room: a key cannot stay down.
  static let capacity = 1024

  private struct State {
    var events: [InputEvent] = []
    /// The array that the last call has emptied, for the next events.
    var spare: [InputEvent] = []
    /// Movements that had no room: the sum for each place.
    var movements: [InputEvent] = []
    var hasOverflowed = false
    var hasMotion = false
    /// Whether a call waits on the target, or runs.
    var isScheduled = false
    var isRunning = false
    var target = Handed(value: DispatchQueue.main)
    /// Calls ``run(_:)`` on the target when data is added; nil before the first event of a target.
    // A block would be allocated for each call.
    var source: Handed<any DispatchSourceUserDataAdd>?
    /// The number of ``source``; a call of an earlier one does nothing.
    var generation: UInt64 = 0
  }

  private let state = Mutex(State())
  private let profile: Handed<GCPhysicalInputProfile>
  private let bus: HIDBus?

  /// - Parameters:
  ///   - profile: The profile that gets the events; the queue keeps it.
  ///   - bus: The bus that the handlers find as the current one.
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
  /// A call that waits on the queue before is made on the new one.
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
  func append(_ event: InputEvent) {
    state.withLock { state in
      guard state.events.count >= Self.capacity else { return state.events.append(event) }
      state.hasOverflowed = true
    }
  }

  /// Adds a distance to the movement that waits at the end of the queue, or as a new event.
  ///
  /// - Parameter place: The place of the wheels, or ``InputEvent/movement``.
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

  /// Adds that there is another motion, unless that waits already.
  ///
  /// One that has no room is left out: the next report has another.
  func appendMotion() {
    state.withLock { state in
      guard state.events.count < Self.capacity, !state.hasMotion else { return }
      state.hasMotion = true
      state.events.append(InputEvent(place: InputEvent.motion, x: 0, y: 0))
    }
  }

  /// Has the events delivered on the handler queue.
  func flush() {
    let submission = state.withLock { state -> Submission? in
      guard !state.isScheduled, !state.events.isEmpty else { return nil }
      state.isScheduled = true
      return nextCall(&state)
    }
    submission?.submit()
  }

  // MARK: Calls

  /// A call that is to wait on the target.
  private struct Submission {
    let source: Handed<any DispatchSourceUserDataAdd>

    /// Puts the call on the queue, outside the lock: a queue may be one that calls at once.
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

  /// The events that wait; nil in a call that another one has replaced.
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

  /// Calls the handlers for events, and gives the memory of the array back.
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
  /// - Returns: The movements that had no room; nil if everything had room, or more events wait:
  ///   what had no room comes after all that had.
  private func giveBack(_ emptied: inout [InputEvent]) -> [InputEvent]? {
    state.withLock { state in
      swap(&state.spare, &emptied)
      guard state.events.isEmpty, state.hasOverflowed else { return nil }
      state.hasOverflowed = false
      defer { state.movements = [] }
      return state.movements
    }
  }

  /// Ends a call: what has come meanwhile waits for the next one, behind what else is on the queue.
  private func finish() {
    let submission = state.withLock { state -> Submission? in
      state.isRunning = false
      state.isScheduled = !state.events.isEmpty || state.hasOverflowed
      return state.isScheduled ? nextCall(&state) : nil
    }
    submission?.submit()
  }
}
