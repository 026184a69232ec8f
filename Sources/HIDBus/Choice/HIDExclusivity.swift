// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// The object that checks, takes, releases and watches the exclusive access of one client to one
/// device.
package final class HIDExclusivity: Sendable {
  private struct State {
    var isOurs = false
    var seizure: (any HIDSeizure)?
  }

  private let file: SeizeFile
  private let device: HIDDeviceRecord
  private let bus: any ClientHostBus
  private let state = Mutex(State())
  private let watch = Mutex<ExclusivityWatch.Key?>(nil)
  /// Locked during ``take()``: of two calls at once, a failure of the second must not release the
  /// file that the first has locked.
  private let taking = Mutex(())
  /// Locked while a handler is called, so that its last call has the newest value.
  private let telling = Mutex(())

  init(_ device: HIDDeviceRecord, on bus: any ClientHostBus) throws(Errno) {
    guard let directory = bus.exclusivityDirectory else { throw .notSupported }
    file = try SeizeFile(of: device.id, on: device.bus, in: directory)
    self.device = device
    self.bus = bus
  }

  deinit {
    if let key = watch.withLock({ $0 }) { ExclusivityWatch.shared.remove(key) }
    release()
  }

  /// Checks that no other client has exclusive access now.
  ///
  /// - Throws: `busy` if another client has it.
  package func checkIsFree() throws(HIDBusError) {
    if file.isTakenByAnother { throw takenByAnother }
  }

  private var takenByAnother: HIDBusError {
    HIDBusError(
      .busy, "\(device.address) is held exclusively by another client; close that client first")
  }

  /// Takes exclusive access to the device, until ``release()`` or the end of this object.
  ///
  /// The call may wait for the device's nodes: call it on a thread of its own. It does nothing if
  /// this object has access already.
  ///
  /// - Throws: `busy` if another client has the device, or if another program has grabbed the evdev
  ///   nodes of a device that hidsim did not plug; `other` if the nodes cannot be grabbed for
  ///   another reason.
  package func take() throws(HIDBusError) {
    try taking.withLock { _ throws(HIDBusError) in try takeUnlessOurs() }
  }

  private func takeUnlessOurs() throws(HIDBusError) {
    guard !state.withLock({ $0.isOurs }) else { return }
    guard file.take() else { throw takenByAnother }
    do throws(Errno) {
      let seizure = try bus.seize(device)
      state.withLock { $0 = State(isOurs: true, seizure: seizure) }
    } catch {
      file.release()
      throw HIDBusError(
        error == .resourceBusy ? .busy : .other,
        "grab the input of \(device.address): \(error)", errorNumber: error.rawValue)
    }
  }

  /// Releases exclusive access, if this client has it.
  ///
  /// Other clients are notified, and can take access, once the device's nodes are free again. That
  /// may be after the return.
  package func release() {
    let before = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard before.isOurs else { return }
    guard let seizure = before.seizure else { return file.release() }
    seizure.release { [file] in file.release() }
  }

  /// Calls a handler whenever another client takes or releases exclusive access.
  ///
  /// A later call replaces the earlier handler.
  ///
  /// - Parameter handler: Called with true if another client has exclusive access, else with false.
  ///   This method calls it once if another client already has access; later calls come on a loop.
  ///   Successive calls can have the same value, for example after a ``take()`` or ``release()`` of
  ///   this client. The handler must not call this method, which would wait for the handler's end.
  /// - Throws: `limitReached` if the process lacks descriptors, watches, memory or threads;
  ///   `unavailable` after any other failure, such as a bus directory that was removed.
  package func watch(_ handler: @escaping @Sendable (Bool) -> Void) throws(HIDBusError) {
    let key: ExclusivityWatch.Key
    do throws(Errno) {
      key = try ExclusivityWatch.shared.add(file.path) { [weak self] in self?.tell(handler) }
    } catch {
      // `EAGAIN`: the thread of the loop could not start.
      let isLimit = error.isFull || error == .resourceTemporarilyUnavailable
      throw HIDBusError(
        isLimit ? .limitReached : .unavailable,
        "watch which client has seized \(device.address): \(error)",
        errorNumber: error.rawValue)
    }
    let earlier = watch.withLock { current in
      defer { current = key }
      return current
    }
    if let earlier { ExclusivityWatch.shared.remove(earlier) }
    if file.isTakenByAnother { tell(handler) }
  }

  @discardableResult
  private func tell(_ handler: @Sendable (Bool) -> Void) -> Bool {
    telling.withLock { _ in
      let isTaken = file.isTakenByAnother
      handler(isTaken)
      return isTaken
    }
  }
}

extension HIDDeviceCatalog {
  /// Returns a new object that manages one client's exclusive access to a device.
  ///
  /// - Throws: `limitReached` if the process lacks descriptors or memory, or the disk is full;
  ///   `unavailable` after any other failure, such as a bus or a bus directory that cannot be used.
  package func exclusivity(of device: HIDDeviceRecord) throws(HIDBusError) -> HIDExclusivity {
    do throws(Errno) {
      guard let bus = try? bus(of: device) as? any ClientHostBus else { throw .notSupported }
      return try HIDExclusivity(device, on: bus)
    } catch {
      throw HIDBusError(
        error.isFull ? .limitReached : .unavailable,
        "lock \(device.address): \(error)", errorNumber: error.rawValue)
    }
  }
}

extension Errno {
  /// True if descriptors, memory, watches or space on the disk were lacking.
  fileprivate var isFull: Bool { isLackOfResources || self == .noSpace }
}

/// The watch on exclusive access for all clients of this process.
///
/// All clients share one inotify instance, since a user has only 128 of them by default.
private final class ExclusivityWatch: Sendable {
  struct Key: Hashable, Sendable {
    let watch: Int32
    let number: UInt64
  }

  /// A closure that calls a client's handler, and returns whether another client has the device
  /// now; `nil` if the object that watches the device is gone.
  typealias Look = @Sendable () -> Bool?

  private struct State {
    var inotify: Int32 = -1
    var lastNumber: UInt64 = 0
    var looks: [Int32: [UInt64: Look]] = [:]
  }

  static let shared = ExclusivityWatch()
  private let state = Mutex(State())

  func add(_ path: String, _ look: @escaping Look) throws(Errno) -> Key {
    try state.withLock { state throws(Errno) in
      if state.inotify < 0 {
        let inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
          try IOLoop.housekeeping.watch(FileDescriptor(rawValue: inotify), for: .read) {
            [weak self] _ in
            self?.drain()
          }
        } catch {
          _ = close(inotify)
          throw error
        }
        state.inotify = inotify
      }
      let watch = inotify_add_watch(
        state.inotify, path, UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE))
      guard watch >= 0 else { throw Errno(rawValue: errno) }
      state.lastNumber += 1
      state.looks[watch, default: [:]][state.lastNumber] = look
      return Key(watch: watch, number: state.lastNumber)
    }
  }

  func remove(_ key: Key) {
    state.withLock { state in
      state.looks[key.watch]?.removeValue(forKey: key.number)
      guard state.looks[key.watch]?.isEmpty == true else { return }
      state.looks.removeValue(forKey: key.watch)
      _ = inotify_rm_watch(state.inotify, key.watch)
    }
  }

  private func drain() {
    let inotify = state.withLock { $0.inotify }
    var changed: Set<Int32> = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = read(inotify, buffer.baseAddress, buffer.count)
        guard count > 0 else { break }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          changed.insert(event.wd)
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    for watch in changed { look(at: watch, again: [1, 10, 100]) }
  }

  /// Checks a file, and calls the handler of every client of this process that watches it.
  ///
  /// - Parameter again: The pauses in milliseconds before further checks, which follow while
  ///   another client has the device.
  private func look(at watch: Int32, again: [Int]) {
    let looks = state.withLock { Array($0.looks[watch, default: [:]].values) }
    let isTaken = looks.reduce(false) { $1() ?? false || $0 }
    guard isTaken, let pause = again.first else { return }
    // inotify reports the end of a client just before the kernel releases the client's lock (6.12).
    IOLoop.housekeeping.schedule(at: .now.advanced(by: .milliseconds(pause))) { [weak self] in
      self?.look(at: watch, again: Array(again.dropFirst()))
    }
  }
}
