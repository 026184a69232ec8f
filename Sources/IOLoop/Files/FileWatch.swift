// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization
package import SystemPackage

/// A watch on a file or folder for one handler, by inotify; it ends with its last reference.
///
/// All watches of a process share one inotify instance: a user has only 128 of them by default.
package final class FileWatch: Sendable {
  /// Changes of a file, or of the entries of a folder.
  package struct Changes: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A program has opened the file (`IN_OPEN`).
    package static let opened = Changes(IN_OPEN)
    /// A program has closed the file (`IN_CLOSE`).
    package static let closed = Changes(IN_CLOSE)
    /// A program has closed the file, which it had open for writing (`IN_CLOSE_WRITE`).
    package static let written = Changes(IN_CLOSE_WRITE)
    /// A program has changed the bytes of the file (`IN_MODIFY`).
    package static let modified = Changes(IN_MODIFY)
    /// The permissions or the owner of the file or of an entry have changed (`IN_ATTRIB`).
    package static let attributes = Changes(IN_ATTRIB)
    /// The folder has a new entry (`IN_CREATE`).
    package static let created = Changes(IN_CREATE)
    /// An entry was moved into the folder (`IN_MOVED_TO`).
    package static let movedIn = Changes(IN_MOVED_TO)
    /// An entry of the folder was removed (`IN_DELETE`).
    package static let deleted = Changes(IN_DELETE)
    /// The kernel has lost changes (`IN_Q_OVERFLOW`); each handler gets it.
    package static let lost = Changes(IN_Q_OVERFLOW)
    /// The file is gone, and the watch has ended (`IN_IGNORED`); each handler of the file gets it.
    package static let ended = Changes(IN_IGNORED)

    private init<Bits: BinaryInteger>(_ bits: Bits) { rawValue = UInt32(truncatingIfNeeded: bits) }
  }

  package typealias Handler = @Sendable (Changes) -> Void

  private let descriptor: Int32
  private let number: UInt64

  /// Starts to watch a file or folder.
  ///
  /// - Parameters:
  ///   - path: The path of the file or folder.
  ///   - changes: The changes for which the handler is called.
  ///   - handler: Called with each change, in order, on ``IOLoop/housekeeping`` or on a thread that
  ///     calls ``deliverChanges()``. It must not block, or call that method. inotify merges equal
  ///     changes of one file.
  /// - Throws: The `Errno` of inotify: `ENOSPC` if the user has too many watches, `EMFILE` with too
  ///   many instances, `ENOENT` if there is no such file.
  package init(
    _ path: String, for changes: Changes, _ handler: @escaping Handler
  ) throws(Errno) {
    (descriptor, number) = try Watches.shared.add(path, changes, handler)
  }

  deinit { Watches.shared.remove(descriptor, number) }

  /// Returns whether another watch is on the same file, under this path or another one.
  package func isOnSameFile(as other: FileWatch) -> Bool { descriptor == other.descriptor }

  /// Calls the handlers of all watches with the changes that have occurred by now.
  ///
  /// The caller must hold no lock that a handler takes.
  package static func deliverChanges() { Watches.shared.deliver() }
}

/// The inotify instance of this process, with its watches.
private final class Watches: Sendable {
  private struct Entry: Sendable {
    let changes: FileWatch.Changes
    let handler: FileWatch.Handler
  }

  private struct State: ~Copyable, Sendable {
    var inotify: OwnedDescriptor?
    var lastNumber: UInt64 = 0
    /// The handlers by the descriptor of their watch: a file has one watch, however many handlers.
    var entries: [Int32: [UInt64: Entry]] = [:]
  }

  static let shared = Watches()

  private let state = Mutex(State())
  /// Held while changes are read and delivered, so that handlers get them in order.
  ///
  /// Handlers run without `state` locked: they may start and end watches.
  private let delivery = Mutex(())

  func add(
    _ path: String, _ changes: FileWatch.Changes, _ handler: @escaping FileWatch.Handler
  ) throws(Errno) -> (Int32, UInt64) {
    try state.withLock { state throws(Errno) in
      if state.inotify == nil { state.inotify = try open() }
      guard let inotify = state.inotify?.descriptor else { throw .badFileDescriptor }
      // The file may have a watch for another handler, which must keep its changes.
      let mask = changes.rawValue | UInt32(truncatingIfNeeded: IN_MASK_ADD)
      let watch = inotify_add_watch(inotify.rawValue, path, mask)
      guard watch >= 0 else { throw Errno(rawValue: errno) }
      state.lastNumber += 1
      state.entries[watch, default: [:]][state.lastNumber] = Entry(
        changes: changes, handler: handler)
      return (watch, state.lastNumber)
    }
  }

  private func open() throws(Errno) -> OwnedDescriptor {
    let inotify = try OwnedDescriptor(
      opened: inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)))
    _ = try IOLoop.housekeeping.watch(inotify.descriptor, for: .read) { _ in
      Watches.shared.deliver()
    }
    return inotify
  }

  func remove(_ watch: Int32, _ number: UInt64) {
    state.withLock { state in
      // The number tells a watch that has ended from a later one with the same descriptor.
      guard state.entries[watch]?.removeValue(forKey: number) != nil,
        state.entries[watch]?.isEmpty == true, let inotify = state.inotify?.descriptor
      else { return }
      state.entries[watch] = nil
      _ = inotify_rm_watch(inotify.rawValue, watch)
    }
  }

  func deliver() {
    guard let inotify = state.withLock({ $0.inotify?.descriptor }) else { return }
    delivery.withLock { _ in
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while true {
          let count = try? retryingOnInterrupt {
            read(inotify.rawValue, buffer.baseAddress, buffer.count)
          }
          guard let count, count > 0 else { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            deliver(FileWatch.Changes(rawValue: event.mask), of: event.wd)
            offset += MemoryLayout<inotify_event>.size + Int(event.len)
          }
        }
      }
    }
  }

  private func deliver(_ changes: FileWatch.Changes, of watch: Int32) {
    let entries = state.withLock { state -> [Entry] in
      if changes.contains(.lost) { return state.entries.values.flatMap(\.values) }
      let entries = state.entries[watch, default: [:]]
      if changes.contains(.ended) { state.entries[watch] = nil }
      return entries.sorted { $0.key < $1.key }.map(\.value)
    }
    for entry in entries {
      var meant = changes.intersection(entry.changes.union([.lost, .ended]))
      // An event has one of the two bits.
      if entry.changes.contains(.closed), !meant.isDisjoint(with: .closed) {
        meant.formUnion(.closed)
      }
      if !meant.isEmpty { entry.handler(meant) }
    }
  }
}
