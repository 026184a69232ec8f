// SPDX-License-Identifier: Apache-2.0

import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

/// The events of all devices for one page, as Server-Sent Events.
///
/// The first message is a snapshot. Each message that follows has one line of the stream, or a
/// change of the lists of devices. The ID of a message says which events came before it: a
/// page that connects again with that ID gets all events after it, once, and no snapshot. If some
/// of them are no longer kept, it gets a new snapshot.
struct EventFeed: Sendable {
  let hub: DeviceHub
  let others: OtherDevices
  let snapshot: @Sendable () -> JSONLine

  /// The position of a page in the events of the log and in the changes of the lists of devices.
  private struct Position: Sendable {
    var event: Int
    var change: Int
    /// The start of the run, by which IDs of an earlier server on the same port are recognised.
    let base: UInt64

    var id: String { "\(base)-\(event)-\(change)" }

    init(_ feed: borrowing EventFeed) {
      event = feed.hub.log.endIndex
      change = feed.others.endIndex
      base = feed.hub.base.nanoseconds
    }

    init?(_ id: String, in feed: borrowing EventFeed) {
      let parts = id.split(separator: "-")
      guard parts.count == 3, let base = UInt64(parts[0]), let event = Int(parts[1]),
        let change = Int(parts[2]), base == feed.hub.base.nanoseconds,
        (0...feed.hub.log.endIndex).contains(event),
        (0...feed.others.endIndex).contains(change)
      else { return nil }
      (self.base, self.event, self.change) = (base, event, change)
    }
  }

  /// The largest number of events of the log that are written at a time.
  private static let batchCount = 256

  /// The time after a message in which events are collected for the next one.
  ///
  /// A page that gets thousands of events a second then has few messages to read. The first event
  /// after a pause is sent at once.
  private static let pause = Duration.milliseconds(50)

  /// The time after which a comment is sent if nothing else was: a client that has vanished is
  /// noticed.
  private static let silence = Duration.seconds(15)

  /// Writes messages until the client disconnects or the task is cancelled.
  ///
  /// - Parameter id: The ID of the last message that the client has; nil for none. An ID of another
  ///   run counts as none.
  func write(to writer: HTTPBodyWriter, after id: String?) async {
    var position: Position
    if let id, let last = Position(id, in: self) {
      position = last
      guard await writer.write(Array(": resumed\n\n".utf8)) else { return }
    } else {
      position = Position(self)
      guard await writer.write(snapshotMessage(position)) else { return }
    }
    while !Task.isCancelled {
      let first = position.event
      let message = next(&position)
      if message.isEmpty {
        if await !news(after: position) {
          guard await writer.write(Array(": still here\n\n".utf8)) else { return }
        }
      } else {
        guard await writer.write(message) else { return }
        if position.event < first + Self.batchCount {
          try? await Timeline.real.sleep(for: Self.pause)
        }
      }
    }
  }

  private func snapshotMessage(_ position: Position) -> [UInt8] {
    snapshot().serverSentEvent(id: position.id)
  }

  /// Returns the messages after a position, and moves the position behind them.
  private func next(_ position: inout Position) -> [UInt8] {
    var bytes: [UInt8] = []
    if let changes = others.changes(from: position.change) {
      for change in changes {
        position.change += 1
        bytes += change.serverSentEvent(id: position.id)
      }
    } else {
      // The snapshot has the devices. The events of the log that follow are not missed.
      position.change = Position(self).change
      bytes += snapshotMessage(position)
    }
    var index = position.event
    let (events, missed) = hub.log.read(from: &index, atMost: Self.batchCount)
    if missed > 0 {
      // Values may have changed by the events that the log has dropped.
      let line = JSONLine { line in
        line.add("event", "missed")
        line.add("count", .integer(missed))
      }
      // The line has no ID: a page that connects again after it needs the snapshot, too.
      position = Position(self)
      return bytes + line.serverSentEvent() + snapshotMessage(position)
    }
    for event in events {
      var line = EventJSON.line(event, base: hub.base)
      line.add("number", .integer(position.event))
      position.event += 1
      bytes += line.serverSentEvent(id: position.id)
    }
    return bytes
  }

  /// Waits for an event or a change after a position; returns false if no event came within
  /// ``silence`` and no change.
  private func news(after position: Position) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await hub.log.wait(for: position.event, until: .now.advanced(by: Self.silence))
      }
      group.addTask {
        await others.wait(for: position.change)
        return true
      }
      let found = await group.next() ?? false
      group.cancelAll()
      return found
    }
  }
}
