// SPDX-License-Identifier: Apache-2.0

package import IOLoop
import Synchronization

/// The search for a program that has one of some interfaces open and would receive reports now.
///
/// On the kernel's bus inotify reports that a program has opened a node, and `/proc` then shows
/// which program. On the other buses the events of the log are enough.
package final class ReaderSearch: Sendable {
  /// The result of a search.
  package struct Outcome: Sendable {
    /// True if a program has an interface open.
    package let isFound: Bool
    /// The latest known time when no program had an interface open: exact to about 5 ms.
    package let unopened: MonotonicTime
  }

  /// The pauses before the next reads of `/proc` after a change.
  ///
  /// The kernel reports an opening before the open file is visible in `/proc`, and before the
  /// device gets its open event (6.12).
  private static let pauses: [Duration] = [
    .milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100),
  ]
  /// The pause after a change.
  private static let shortestPause = Duration.milliseconds(1)
  /// The pause without a change: a container can have nodes of its own, which are not watched.
  private static let longestPause = Duration.seconds(1)
  /// The pause if a node cannot be watched.
  private static let pollInterval = Duration.milliseconds(5)

  private struct Openings: Sendable {
    var watches: [String: FileWatch] = [:]
    /// The number of openings and closings, and the time of the latest one.
    var count = 0
    var time: MonotonicTime?
  }

  private let interfaces: [SimulatedInterface]
  private let reader: HIDNodeReader
  private let countsOwn: Bool
  private let log: HIDEventLog
  private let openings = ConditionMutex(Openings())

  /// Makes a search.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces, of which one has to be open.
  ///   - reader: The kind of node.
  ///   - countsOwn: True to count this process on the kernel's bus; it always counts on the
  ///     loopback bus.
  ///   - log: The log of the interfaces.
  package init(
    _ interfaces: [SimulatedInterface], reader: HIDNodeReader = .any,
    countingOwn countsOwn: Bool = false, in log: HIDEventLog
  ) {
    self.interfaces = interfaces
    self.reader = reader
    self.countsOwn = countsOwn
    self.log = log
  }

  /// Makes a search for a program, other than this one, that has a device open.
  package convenience init(_ devices: [SimulatedDevice], in log: HIDEventLog) {
    self.init(devices.flatMap(\.interfaces), in: log)
  }

  /// Waits until a program has an interface open, the deadline has passed, or the task is
  /// cancelled.
  ///
  /// The caller's work on a virtual timeline ends meanwhile.
  ///
  /// - Parameters:
  ///   - begin: A time when no program had an interface open; nil for the time of the call.
  ///   - deadline: The time when the wait ends.
  package func wait(
    since begin: MonotonicTime? = nil, until deadline: MonotonicTime
  ) async -> Outcome {
    let timeline = log.timeline
    var pauses = Self.pauses[...]
    var unopened = begin ?? timeline.now
    while true {
      let isWatched = watchNodes()
      let seen = openings.withLock { $0.count }
      let next = log.endIndex
      let now = timeline.now
      for interface in interfaces
      where await interface.hasReader(reader, countingOwn: countsOwn) {
        let opening = openings.withLock { $0.time }?.advanced(by: .zero - Self.pollInterval)
        return Outcome(isFound: true, unopened: max(unopened, min(opening ?? unopened, now)))
      }
      unopened = now
      if now >= deadline || Task.isCancelled { return Outcome(isFound: false, unopened: now) }
      let pause = isWatched ? pauses.popFirst() : Self.pollInterval
      let end = pause ?? (timeline.isVirtual ? nil : Self.longestPause)
      let until = end.map { min(deadline, now.advanced(by: $0)) } ?? deadline
      if await waitForChange(after: seen, next, until: until) {
        pauses = Self.pauses[...]
        // A program may open and close the node again and again.
        if !timeline.isVirtual { try? await timeline.sleep(for: Self.shortestPause) }
      }
    }
  }

  /// Watches the nodes of the interfaces; returns false if one of them cannot be watched.
  private func watchNodes() -> Bool {
    let nodes = interfaces.flatMap { $0.nodes(of: reader) }
    let known = openings.withLock { $0.watches }
    var watches = known.filter { nodes.contains($0.key) }
    for node in nodes where watches[node] == nil {
      watches[node] = try? FileWatch(node, for: [.opened, .closed]) { [weak self] changes in
        self?.note(changes, of: node)
      }
    }
    openings.withLock { $0.watches = watches }
    // The watches of other nodes end here, without the lock.
    withExtendedLifetime(known) {}
    return watches.count == Set(nodes).count
  }

  private func note(_ changes: FileWatch.Changes, of node: String) {
    // A watch that has ended is released without the lock.
    _ = openings.withLock { openings -> FileWatch? in
      openings.count += 1
      openings.time = .now
      return changes.contains(.ended) ? openings.watches.removeValue(forKey: node) : nil
    }
  }

  /// Waits until a program may have opened an interface, or a time; returns whether one may have.
  private func waitForChange(
    after seen: Int, _ next: Int, until end: MonotonicTime
  ) async -> Bool {
    let isMeant: HIDEventLog.Condition = { kind in
      switch kind {
      case .opened, .closed, .plugged, .driverChanged, .unplugged: true
      default: false
      }
    }
    if openings.withLock({ $0.watches.isEmpty }) {
      _ = await log.workWaits(for: next, until: end, where: isMeant)
    } else {
      await withTaskGroup { group in
        group.addTask { [log] in
          _ = await log.workWaits(for: next, until: end, where: isMeant)
        }
        group.addTask { [openings] in
          await openings.waitUnlessCancelled { $0.count != seen }
        }
        await group.next()
        group.cancelAll()
      }
    }
    var index = next
    return openings.withLock { $0.count != seen } || !log.read(from: &index, where: isMeant).isEmpty
  }
}
