// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization
import SystemPackage

/// The devices on the loopback bus, for one watcher: the bus directory, watched by inotify.
///
/// An owner may end without removing its files. To notice that, the watcher connects to every
/// device, without opening it: the kernel closes the connection when the owner ends.
actor LoopbackDiscovery {
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    LoopbackClient.loop.asUnownedSerialExecutor()
  }

  private struct Known: Sendable {
    let record: HIDDeviceRecord
    /// The connection to the device; `nil` while the device accepts none.
    ///
    /// Without a connection, the directory is read repeatedly, to find the end of the device.
    let connection: Watched?
  }

  /// A descriptor that the loop watches until the last reference is released.
  private final class Watched: Sendable {
    let socket: SocketDescriptor
    private let watch: IOLoop.WatchID

    init(
      _ socket: consuming SocketDescriptor, _ handler: @escaping @Sendable () -> Void
    ) throws(Errno) {
      watch = try LoopbackClient.loop.watch(socket.descriptor, for: .read) { _ in handler() }
      self.socket = socket
    }

    deinit { LoopbackClient.loop.stopWatching(watch, socket.descriptor) }
  }

  private let directory: BusDirectory
  private let watcher: AsyncThrowingStream<HIDArrival, any Error>.Continuation
  private var changes: FileWatch?
  /// True from a change of the folder until the devices are updated.
  private let hasChanged = Atomic(false)
  private var known: [HIDDeviceID: Known] = [:]
  private var retry: DeadlineID?
  private var isSettled = false
  /// The time until which no failed or incomplete update ends the stream, before `settled`.
  private var patienceEnd = MonotonicTime.now

  init(
    _ directory: BusDirectory, _ watcher: AsyncThrowingStream<HIDArrival, any Error>.Continuation
  ) {
    self.directory = directory
    self.watcher = watcher
  }

  /// Begins to watch, and reports the devices that are there.
  ///
  /// `settled` follows the first update that found every device. If no update does within a second,
  /// the stream ends with an error: `limitReached` if descriptors, memory or watches are lacking,
  /// else `unavailable`. It ends so at once if the folder cannot be watched.
  func start() {
    do throws(Errno) {
      changes = try FileWatch(directory.procPath("."), for: [.movedIn, .deleted]) {
        [weak self] _ in self?.noteChange()
      }
    } catch {
      return watcher.finish(
        throwing: BusDirectory.error(
          error.isLackOfResources || error == .noSpace ? .limitReached : .unavailable,
          "watch the bus directory", directory.path, error))
    }
    patienceEnd = .now.advanced(by: .seconds(1))
    update()
  }

  func stop() {
    if let retry { LoopbackClient.loop.cancel(retry) }
    retry = nil
    changes = nil
    known = [:]
  }

  /// Updates the devices soon: once for all changes until then.
  private nonisolated func noteChange() {
    guard !hasChanged.exchange(true, ordering: .relaxed) else { return }
    LoopbackClient.loop.perform { [weak self] in
      self?.assumeIsolated { discovery in
        discovery.hasChanged.store(false, ordering: .relaxed)
        if discovery.changes != nil { discovery.update() }
      }
    }
  }

  private func update() {
    let present: [HIDDeviceID: HIDDeviceRecord]
    do throws(Errno) {
      present = try DeviceEntry.readAll(in: directory)
    } catch {
      // The devices are unknown now, which does not mean that they are gone.
      lookAgain()
      return endUnlessSettled(error)
    }
    var lack: Errno?
    for (id, device) in known where present[id] != device.record {
      known[id] = nil
      watcher.yield(.removed(device.record))
    }
    for (id, record) in present.sorted(by: { $0.key < $1.key })
    where known[id]?.connection == nil {
      let isNew = known[id] == nil
      do throws(Errno) {
        known[id] = Known(record: record, connection: try connect(id))
      } catch {
        lookAgain()
        // `ENOSPC`: the user has too many watches of epoll.
        if error.isLackOfResources || error == .noSpace { lack = error }
        // The device is there, though its backlog is full: its process may be stopped. Other errors
        // mean that its owner is ending and unlocks its file soon, or that descriptors are lacking.
        guard error == .wouldBlock else { continue }
        known[id] = Known(record: record, connection: nil)
      }
      if isNew { watcher.yield(.added(record)) }
    }
    if let lack { return endUnlessSettled(lack) }
    guard !isSettled else { return }
    isSettled = true
    watcher.yield(.settled)
  }

  /// Ends the stream after a failed or incomplete update, if no update was complete within a
  /// second.
  ///
  /// A stream that has had `settled` goes on: its reader may wait for other devices.
  private func endUnlessSettled(_ error: Errno) {
    guard !isSettled, patienceEnd <= .now else { return }
    watcher.finish(
      throwing: BusDirectory.error(
        error == .noSpace ? .limitReached : .unavailable, "look for devices in", directory.path,
        error))
  }

  /// Schedules another update in 50 ms, because no event will announce the change.
  private func lookAgain() {
    guard retry == nil, changes != nil else { return }
    retry = LoopbackClient.loop.schedule(at: .now.advanced(by: .milliseconds(50))) { [weak self] in
      self?.assumeIsolated { discovery in
        discovery.retry = nil
        discovery.update()
      }
    }
  }

  /// Connects to a device, to notice that its owner has ended.
  ///
  /// - Throws: The `Errno` of the call: `EAGAIN` if the device accepts no more connections.
  private func connect(_ id: HIDDeviceID) throws(Errno) -> Watched {
    let socket = try SocketDescriptor.connected(
      to: DeviceEntry.socketName(of: id, on: .loopback), in: directory)
    return try Watched(socket) { [weak self] in
      self?.assumeIsolated { discovery in
        // The owner has ended, so its file can be locked: `update` removes it.
        if let device = discovery.known.removeValue(forKey: id) {
          discovery.watcher.yield(.removed(device.record))
        }
        discovery.update()
      }
    }
  }
}
