// SPDX-License-Identifier: Apache-2.0

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
  private let watch = Mutex<Watch?>(nil)

  private struct Watch: Sendable {
    let file: FileWatch
    let handler: @Sendable (Bool) -> Void
  }

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

  deinit { release() }

  /// Checks that no other client has exclusive access now.
  ///
  /// - Throws: `busy` if another client has it.
  package func checkIsFree() throws(HIDBusError) {
    if file.isTakenByAnother { throw takenByAnother }
  }

  /// True while another client has exclusive access.
  package var isTakenByAnother: Bool { file.isTakenByAnother }

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
    let new: FileWatch
    do throws(Errno) {
      new = try FileWatch(file.path, for: [.modified, .written]) { [weak self] _ in
        IOLoop.housekeeping.perform { [weak self] in self?.look(again: [1, 10, 100]) }
      }
    } catch {
      // `EAGAIN`: the thread of the loop could not start.
      let isLimit = error.isFull || error == .resourceTemporarilyUnavailable
      throw HIDBusError(
        isLimit ? .limitReached : .unavailable,
        "watch which client has seized \(device.address): \(error)",
        errorNumber: error.rawValue)
    }
    // The earlier watch ends here, without the lock.
    _ = watch.withLock { current in
      defer { current = Watch(file: new, handler: handler) }
      return current
    }
    if file.isTakenByAnother { tell(handler) }
  }

  /// Calls the handler, and calls it again after pauses while another client has the device.
  ///
  /// - Parameter again: The pauses before further calls, in milliseconds.
  private func look(again: [Int]) {
    guard let handler = watch.withLock({ $0?.handler }), tell(handler), let pause = again.first
    else { return }
    // inotify reports the end of a client just before the kernel releases the client's lock (6.12).
    IOLoop.housekeeping.schedule(at: .now.advanced(by: .milliseconds(pause))) { [weak self] in
      self?.look(again: Array(again.dropFirst()))
    }
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
