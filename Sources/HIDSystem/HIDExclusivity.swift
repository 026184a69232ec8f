// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDBusDirectory
package import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// Whether one client has a device for itself: asked, taken and watched for one client.
package final class HIDExclusivity: Sendable {
  private struct State {
    var isOurs = false
    var keeper: (any HIDKeeper)?
  }

  private let file: SeizeFile
  private let device: HIDDeviceRecord
  private let bus: any ClientHostBus
  private let state = Mutex(State())
  private let watch = Mutex<ExclusivityWatch.Key?>(nil)
  /// Held while somebody is told, so that the last word is the newest.
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

  /// Throws `busy` if another client has the device for itself now.
  package func checkIsFree() throws(HIDWireError) {
    if file.isTakenByAnother { throw takenByAnother }
  }

  private var takenByAnother: HIDWireError {
    HIDWireError(
      .busy, "\(device.address) is held exclusively by another client; close that client first")
  }

  /// Takes the device for this client alone, until that is gone.
  ///
  /// It may wait for the device's nodes: for a thread of its own.
  ///
  /// - Throws: `busy` if another client has it; the error of keeping others from its input.
  package func take() throws(HIDWireError) {
    guard !state.withLock({ $0.isOurs }) else { return }
    guard file.take() else { throw takenByAnother }
    do throws(Errno) {
      let keeper = try bus.keepToOneself(device)
      state.withLock { $0 = State(isOurs: true, keeper: keeper) }
    } catch {
      file.release()
      throw HIDWireError(
        error == .resourceBusy ? .busy : .other,
        "grab the input of \(device.address): \(error)", errorNumber: error.rawValue)
    }
  }

  /// Lets go of the device, if this client has it: once its nodes are free again, others are told.
  package func release() {
    let before = state.withLock { state in
      defer { state = State() }
      return state
    }
    guard before.isOurs else { return }
    guard let keeper = before.keeper else { return file.release() }
    keeper.letGo { [file] in file.release() }
  }

  /// Calls a handler whenever another client takes the device for itself or lets go of it.
  ///
  /// - Parameter handler: Is told whether one has it; once at first, if one has it already.
  /// - Throws: `limitReached` where nothing more can be watched.
  package func watch(_ handler: @escaping @Sendable (Bool) -> Void) throws(HIDWireError) {
    let key: ExclusivityWatch.Key
    do throws(Errno) {
      key = try ExclusivityWatch.shared.add(file.path) { [weak self] in self?.tell(handler) }
    } catch {
      throw HIDWireError(
        .limitReached, "watch which client has seized \(device.address): \(error)",
        errorNumber: error.rawValue)
    }
    watch.withLock { $0 = key }
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

extension HIDHosts {
  /// What says whether a client has a device for itself.
  ///
  /// - Throws: `unavailable` where there is no folder to agree in; `limitReached` without descriptors.
  package func exclusivity(of device: HIDDeviceRecord) throws(HIDWireError) -> HIDExclusivity {
    do throws(Errno) {
      guard let bus = try? bus(of: device) as? any ClientHostBus else { throw .notSupported }
      return try HIDExclusivity(device, on: bus)
    } catch {
      let isFull = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noSpace].contains(error)
      throw HIDWireError(
        isFull ? .limitReached : .unavailable,
        "lock \(device.address): \(error)", errorNumber: error.rawValue)
    }
  }
}

/// Hears for all clients of this process when somebody takes a device for itself.
///
/// One inotify instance serves all: a user has 128 of them.
private final class ExclusivityWatch: Sendable {
  struct Key: Hashable, Sendable {
    let watch: Int32
    let number: UInt64
  }

  /// Says whether the device is taken now; `nil` when nobody asks any more.
  typealias Look = @Sendable () -> Bool?

  private struct State {
    var inotify: Int32 = -1
    var lastNumber: UInt64 = 0
    var looks: [Int32: [UInt64: Look]] = [:]
  }

  static let shared = ExclusivityWatch()
  private let loop = IOLoop(name: "hidsim-seize")
  private let state = Mutex(State())

  func add(_ path: String, _ look: @escaping Look) throws(Errno) -> Key {
    try state.withLock { state throws(Errno) in
      if state.inotify < 0 {
        let inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else { throw Errno(rawValue: errno) }
        do throws(Errno) {
          try loop.watch(FileDescriptor(rawValue: inotify), for: .read) { [weak self] _ in
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

  /// Asks everybody who watches a file to look at it.
  ///
  /// - Parameter again: When to look again, in milliseconds, at one that is still taken: inotify tells of a death just
  ///   before the kernel lets go of the lock (6.12).
  private func look(at watch: Int32, again: [Int]) {
    let looks = state.withLock { Array($0.looks[watch, default: [:]].values) }
    let isTaken = looks.reduce(false) { $1() ?? false || $0 }
    guard isTaken, let pause = again.first else { return }
    loop.schedule(at: .now.advanced(by: .milliseconds(pause))) { [weak self] in
      self?.look(at: watch, again: Array(again.dropFirst()))
    }
  }
}
