// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// The device nodes that this process watches for programs that open them.
///
/// The kernel does not say which program has sent a report to a device of `/dev/uhid`. If no
/// program has the hidraw node open, a driver of the kernel has sent it.
package final class NodeOpenings: Sendable {
  package static let shared = NodeOpenings()

  /// The time after an opening or closing in which a report may still be that of the program.
  ///
  /// The kernel's message about the report and the one about the node can be read in any order.
  private static let margin = Duration.milliseconds(250)

  private struct Node {
    /// The time of the latest opening or closing; nil before the first.
    ///
    /// inotify merges equal messages, so openings cannot be counted.
    var lastChange: MonotonicTime?
    /// True if no program had the node open after that; nil if that was not looked up.
    var isUnused: Bool?
  }

  private struct State {
    var inotify: Int32 = -1
    var watches: [String: Int32] = [:]
    var nodes: [Int32: Node] = [:]
  }

  private let state = Mutex(State())

  private init() {}

  /// Watches a node from now on, until it is deleted.
  ///
  /// Without descriptors or watches of inotify the node is not watched.
  package func watch(_ path: String) {
    state.withLock { state in
      if state.inotify < 0 {
        let inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else { return }
        let watch = try? IOLoop.housekeeping.watch(FileDescriptor(rawValue: inotify), for: .read) {
          [weak self] _ in
          self?.state.withLock { Self.drain(&$0) }
        }
        guard watch != nil else {
          _ = close(inotify)
          return
        }
        state.inotify = inotify
      }
      Self.drain(&state)
      let watch = inotify_add_watch(state.inotify, path, UInt32(IN_OPEN) | UInt32(IN_CLOSE))
      guard watch >= 0 else { return }
      if let old = state.watches.updateValue(watch, forKey: path), old != watch {
        state.nodes[old] = nil
      }
      if state.nodes[watch] == nil { state.nodes[watch] = Node() }
    }
  }

  /// Returns whether no program has a node open, or had it open in the last 250 ms; `false` if the
  /// node is not watched.
  ///
  /// - Parameter look: Looks up whether no program has the node open. It is called once after each
  ///   opening or closing.
  package func areNone(of path: String, at now: MonotonicTime, look: () -> Bool) -> Bool {
    let known = state.withLock { state -> Bool? in
      guard let watch = state.watches[path] else { return false }
      Self.drain(&state)
      guard let node = state.nodes[watch] else { return false }
      if let change = node.lastChange, now.duration(since: change) <= Self.margin { return false }
      return node.isUnused
    }
    if let known { return known }
    let isUnused = look()
    state.withLock { state in
      Self.drain(&state)
      guard let watch = state.watches[path], let node = state.nodes[watch] else { return }
      // A program may have opened the node while it was looked up.
      if let change = node.lastChange, now.duration(since: change) <= Self.margin { return }
      state.nodes[watch]?.isUnused = isUnused
    }
    return isUnused
  }

  /// Reads the messages of inotify.
  private static func drain(_ state: inout State) {
    let now = MonotonicTime.now
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(state.inotify, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          note(event, at: now, &state)
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }

  private static func note(_ event: inotify_event, at now: MonotonicTime, _ state: inout State) {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
      // Openings may be lost: no node is known to be closed any more.
      state.watches = [:]
      state.nodes = [:]
    } else if event.mask & UInt32(IN_IGNORED) != 0 {
      state.nodes[event.wd] = nil
      state.watches = state.watches.filter { $0.value != event.wd }
    } else if state.nodes[event.wd] != nil {
      state.nodes[event.wd] = Node(lastChange: now)
    }
  }
}
