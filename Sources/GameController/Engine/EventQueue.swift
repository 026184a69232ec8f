// SPDX-License-Identifier: Apache-2.0

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
    /// Movements that had no room: their sum.
    var movement = InputEvent(place: InputEvent.movement, x: 0, y: 0)
    var hasOverflowed = false
    var lost = 0
    var isScheduled = false
    var target = Handed(value: DispatchQueue.main)
    var call: Handed<DispatchWorkItem>?
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
    let call = DispatchWorkItem { [weak self] in self?.run() }
    let handed = Handed(value: call)
    state.withLock { state in
      state.events.reserveCapacity(64)
      state.spare.reserveCapacity(64)
      state.call = handed
    }
  }

  /// The queue on which handlers are called.
  var target: DispatchQueue {
    get { state.withLock { $0.target }.value }
    set {
      let target = Handed(value: newValue)
      state.withLock { $0.target = target }
    }
  }

  /// How many events were replaced by later ones of the same element, because handlers were slow.
  var lost: Int { state.withLock { $0.lost } }

  /// Adds an event.
  func append(_ event: InputEvent) {
    state.withLock { state in
      guard state.events.count >= Self.capacity else { return state.events.append(event) }
      state.hasOverflowed = true
      state.lost += 1
    }
  }

  /// Adds a distance to the movement that waits at the end of the queue, or as a new event.
  func appendMovement(_ place: Int32, _ x: Float, _ y: Float) {
    state.withLock { state in
      if let last = state.events.indices.last, state.events[last].place == place {
        state.events[last].x += x
        state.events[last].y += y
      } else if state.events.count < Self.capacity {
        state.events.append(InputEvent(place: place, x: x, y: y))
      } else {
        state.hasOverflowed = true
        // Of a wheel its movement is lost, and counted; the mouse's own is kept.
        guard place == InputEvent.movement else {
          state.lost += 1
          return
        }
        state.movement.x += x
        state.movement.y += y
      }
    }
  }

  /// Adds that there is another motion, unless that waits already.
  ///
  /// One that has no room is left out: the next report has another.
  func appendMotion() {
    state.withLock { state in
      guard state.events.count < Self.capacity,
        !state.events.contains(where: { $0.place == InputEvent.motion })
      else { return }
      state.events.append(InputEvent(place: InputEvent.motion, x: 0, y: 0))
    }
  }

  /// Has the events delivered on the handler queue.
  func flush() {
    let (target, call) = state.withLock {
      state -> (Handed<DispatchQueue>?, Handed<DispatchWorkItem>?) in
      guard !state.isScheduled, !state.events.isEmpty else { return (nil, nil) }
      state.isScheduled = true
      return (state.target, state.call)
    }
    if let target, let call { target.value.async(execute: call.value) }
  }

  private func run() {
    guard let bus else { return deliver() }
    HIDBus.$current.withValue(bus) { deliver() }
  }

  /// Calls the handlers for everything that waits.
  private func deliver() {
    let profile = profile.value
    while let taken = take() {
      var events = taken
      for event in events {
        switch event.place {
        case InputEvent.movement: profile.deliverMovement(event.x, event.y)
        case InputEvent.motion: profile.deliverMotion()
        default: profile.deliver(event)
        }
      }
      events.removeAll(keepingCapacity: true)
      let (hasOverflowed, movement) = giveBack(events)
      if hasOverflowed { profile.deliverNewest() }
      if movement.x != 0 || movement.y != 0 { profile.deliverMovement(movement.x, movement.y) }
    }
  }

  /// The events that wait; nil if there is nothing to do: the next event schedules another call.
  private func take() -> [InputEvent]? {
    state.withLock { state in
      if state.events.isEmpty, !state.hasOverflowed {
        state.isScheduled = false
        return nil
      }
      var events: [InputEvent] = []
      swap(&events, &state.spare)
      swap(&events, &state.events)
      return events
    }
  }

  /// Keeps an empty array for the next events, and returns what had no room before.
  private func giveBack(_ emptied: [InputEvent]) -> (hasOverflowed: Bool, movement: InputEvent) {
    state.withLock { state in
      state.spare = emptied
      // The state of the elements comes after all events that had room.
      guard state.events.isEmpty, state.hasOverflowed else {
        return (false, InputEvent(place: InputEvent.movement, x: 0, y: 0))
      }
      let movement = state.movement
      state.hasOverflowed = false
      state.movement = InputEvent(place: InputEvent.movement, x: 0, y: 0)
      return (true, movement)
    }
  }
}
