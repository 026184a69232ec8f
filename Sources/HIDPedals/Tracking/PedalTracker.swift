// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// The tracker that turns the keys of one device into strokes of its ports.
struct PedalTracker {
  typealias Instant = SuspendingClock.Instant
  typealias Change = (port: Int, kind: PedalEvent.Kind, time: Instant)

  /// A port that is down.
  private struct Stroke {
    var repeats = 0
    /// The time of the next repeat by the monitor; nil if the monitor does not repeat.
    var nextRepeat: Instant?
    /// The time at which the stroke ends, unless the device presses the key again before; nil while
    /// a key of the port is down.
    var end: Instant?
  }

  private let mode: PedalMode?
  private let repeats: PedalRepeat
  /// The mode that was detected last; mode 2 before.
  private var foundMode = PedalMode.mode2
  /// The ports of the keys that are down.
  private var keys: [HIDUsage: Int] = [:]
  private var strokes: [Int: Stroke] = [:]

  /// Makes a tracker in which no port is down.
  ///
  /// - Parameters:
  ///   - mode: The mode of the device; nil to detect it from its keys.
  ///   - repeats: The way in which a pedal that stays down repeats.
  init(mode: PedalMode?, repeats: PedalRepeat) {
    self.mode = mode
    self.repeats = repeats
  }

  /// The ports that are down, in ascending order.
  var downPorts: [Int] { strokes.keys.sorted() }

  /// The time at which ``advance(to:)`` has its next work; nil for never.
  var deadline: Instant? { strokes.values.compactMap { $0.end ?? $0.nextRepeat }.min() }

  /// Records that a key is down or up.
  ///
  /// - Returns: The changes of ports, including those that were due before.
  mutating func take(_ usage: HIDUsage, isDown: Bool, at time: Instant) -> [Change] {
    var changes = advance(to: time)
    if isDown {
      guard keys[usage] == nil, let port = port(sending: usage) else { return changes }
      let isFirst = !keys.values.contains(port)
      keys[usage] = port
      if isFirst { changes += begin(port, at: time) }
    } else if let port = keys.removeValue(forKey: usage), !keys.values.contains(port) {
      changes += release(port, at: time)
    }
    return changes
  }

  private mutating func port(sending usage: HIDUsage) -> Int? {
    if let mode { return mode.port(sending: usage) }
    if let port = foundMode.port(sending: usage) { return port }
    guard let mode = PedalMode.all.first(where: { $0.port(sending: usage) != nil }) else {
      return nil
    }
    foundMode = mode
    return mode.port(sending: usage)
  }

  private mutating func begin(_ port: Int, at time: Instant) -> [Change] {
    if var stroke = strokes[port] {
      // The device repeats.
      stroke.end = nil
      stroke.repeats += 1
      strokes[port] = stroke
      return [(port, .press(repeat: stroke.repeats), time)]
    }
    var stroke = Stroke()
    if case .monitor(let delay, _) = repeats {
      stroke.nextRepeat = time.advanced(by: max(delay, PedalRepeat.shortest))
    }
    strokes[port] = stroke
    return [(port, .down, time), (port, .press(repeat: 0), time)]
  }

  private mutating func release(_ port: Int, at time: Instant) -> [Change] {
    if case .device(let window) = repeats {
      strokes[port]?.end = time.advanced(by: window)
      return []
    }
    guard let stroke = strokes.removeValue(forKey: port) else { return [] }
    return [(port, .up(repeats: stroke.repeats), time)]
  }

  /// Repeats and ends the strokes that are due, and returns the changes.
  mutating func advance(to now: Instant) -> [Change] {
    var changes: [Change] = []
    while let deadline, deadline <= now {
      for (port, stroke) in strokes.sorted(by: { $0.key < $1.key })
      where stroke.end ?? stroke.nextRepeat == deadline {
        if stroke.end != nil {
          strokes[port] = nil
          changes.append((port, .up(repeats: stroke.repeats), deadline))
        } else if case .monitor(_, let interval) = repeats {
          let interval = max(interval, PedalRepeat.shortest)
          // A monitor that did not run for over a second repeats once, not for all the missed time.
          let isLate = deadline.duration(to: now) > .seconds(1)
          strokes[port]?.nextRepeat = (isLate ? now : deadline).advanced(by: interval)
          strokes[port]?.repeats += 1
          changes.append((port, .press(repeat: stroke.repeats + 1), deadline))
        }
      }
    }
    return changes
  }

  /// Cancels all strokes and returns the changes.
  mutating func cancel(at time: Instant) -> [Change] {
    defer {
      keys = [:]
      strokes = [:]
    }
    return downPorts.map { ($0, .cancelled, time) }
  }
}
