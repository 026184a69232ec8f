// SPDX-License-Identifier: Apache-2.0

package import IOLoop
import Synchronization

/// The device nodes that this process watches for programs that open them.
///
/// The kernel does not say which program has sent a report to a device of `/dev/uhid`. If no
/// program has the hidraw node open, a driver of the kernel has sent it.
package final class NodeOpenings: Sendable {
  package static let shared = NodeOpenings()

  /// The time after an opening or closing in which a report may still be that of the program.
  ///
  /// The kernel's message about the report and the one about the node can be read in any order.
  fileprivate static let margin = Duration.milliseconds(250)

  fileprivate struct Node: Sendable {
    let watch: FileWatch
    /// The number of the watch, among all that this process has started.
    let number: Int
    /// The time of the latest opening or closing; nil before the first.
    ///
    /// inotify merges equal changes, so openings cannot be counted.
    var lastChange: MonotonicTime?
    /// True if no program had the node open after that; nil if that was not looked up.
    var isUnused: Bool?
  }

  private struct State: Sendable {
    var nodes: [String: Node] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  private init() {}

  /// Watches a node from now on, until it is deleted.
  ///
  /// Without descriptors or watches of inotify the node is not watched.
  package func watch(_ path: String) {
    FileWatch.deliverChanges()
    // The watch starts with the lock held, so that its first change finds the node. An earlier
    // watch ends without the lock.
    _ = state.withLock { state -> Node? in
      state.lastNumber += 1
      let number = state.lastNumber
      let watch = try? FileWatch(path, for: [.opened, .closed]) { [weak self] changes in
        self?.note(changes, of: path, number)
      }
      guard let watch else { return nil }
      if let known = state.nodes[path], known.watch.isOnSameFile(as: watch) { return nil }
      return state.nodes.updateValue(Node(watch: watch, number: number), forKey: path)
    }
  }

  /// Returns whether no program has a node open, or had it open in the last 250 ms; `false` if the
  /// node is not watched.
  ///
  /// - Parameter look: Looks up whether no program has the node open. It is called once after each
  ///   opening or closing.
  package func areNone(of path: String, at now: MonotonicTime, look: () -> Bool) -> Bool {
    FileWatch.deliverChanges()
    let known = state.withLock { state -> Bool? in
      guard let node = state.nodes[path], !node.hasChanged(before: now) else { return false }
      return node.isUnused
    }
    if let known { return known }
    let isUnused = look()
    FileWatch.deliverChanges()
    state.withLock { state in
      // A program may have opened the node while it was looked up.
      guard let node = state.nodes[path], !node.hasChanged(before: now) else { return }
      state.nodes[path]?.isUnused = isUnused
    }
    return isUnused
  }

  private func note(_ changes: FileWatch.Changes, of path: String, _ number: Int) {
    // After lost changes, no node is known to be closed any more. An ended watch is released
    // without the lock.
    _ = state.withLock { state -> Node? in
      guard state.nodes[path]?.number == number else { return nil }
      if !changes.isDisjoint(with: [.lost, .ended]) {
        return state.nodes.removeValue(forKey: path)
      }
      state.nodes[path]?.lastChange = .now
      state.nodes[path]?.isUnused = nil
      return nil
    }
  }
}

extension NodeOpenings.Node {
  /// Returns whether a program opened or closed the node in the last 250 ms before a time.
  fileprivate func hasChanged(before now: MonotonicTime) -> Bool {
    lastChange.map { now.duration(since: $0) <= NodeOpenings.margin } ?? false
  }
}
