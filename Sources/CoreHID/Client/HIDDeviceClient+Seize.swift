// SPDX-License-Identifier: Apache-2.0

import HIDBus
import IOLoop
import Synchronization

extension HIDDeviceClient {
  /// Takes the device for this client alone, until the client is released.
  ///
  /// Meanwhile other clients of this module, in any process of the same user, get no reports of the
  /// device (``Notification/deviceSeized``). Their requests fail with
  /// ``HIDDeviceError/exclusiveAccess``. On the kernel's bus, the device's evdev nodes are grabbed
  /// as well, so that its input reaches no desktop. If another program has grabbed the nodes of a
  /// device that hidsim plugged, they stay as they are. Other programs that read the hidraw node
  /// still get its reports.
  ///
  /// Seize a device before other operations on it: a stream counts as open as long as its consumer
  /// keeps it.
  ///
  /// - Throws: ``HIDDeviceError``: `busy` while this client has open streams or running requests;
  ///   `exclusiveAccess` if another client has the device, or if another program has grabbed the
  ///   evdev nodes of a device that hidsim did not plug; `notReady` if the device is not plugged;
  ///   `notPrivileged` if the nodes may not be opened; `noResources` without descriptors or disk
  ///   space; `unsupported` without a bus directory; `timeout` if the nodes do not open within a
  ///   second.
  public func seizeDevice() throws {
    guard let record = connection.target.knownRecord else { throw HIDDeviceError.notReady }
    if let obstacle = connection.target.catalog.obstacle(toOpening: record) {
      throw connection.note(obstacle)
    }
    guard outstanding.isEmpty else { throw HIDDeviceError.busy }
    do throws(HIDBusError) {
      let attempt = SeizeAttempt(try connection.exclusivity(of: record))
      try attempt.wait(for: .seconds(1), record.address)
    } catch {
      throw connection.note(error)
    }
  }
}

/// An attempt to seize a device on a thread of its own, because opening its nodes can block long.
///
/// If no thread can be started, the attempt runs on the caller's thread.
private final class SeizeAttempt: Sendable {
  private struct State {
    var isAbandoned = false
    var outcome: Result<Void, HIDBusError>?
  }

  private let done = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  init(_ exclusivity: HIDExclusivity) {
    Thread.run(name: "hidsim-seize") { [self] in
      let outcome = Result { () throws(HIDBusError) in try exclusivity.take() }
      let isAbandoned = state.withLock { state in
        state.outcome = outcome
        return state.isAbandoned
      }
      // The caller has already got the error of the timeout, and does not have the device.
      if isAbandoned, case .success = outcome { exclusivity.release() }
      done.signal()
    }
  }

  func wait(for bound: DispatchTimeInterval, _ name: String) throws(HIDBusError) {
    _ = done.wait(timeout: .now() + bound)
    let outcome = state.withLock { state in
      state.isAbandoned = state.outcome == nil
      return state.outcome
    }
    guard let outcome else {
      throw HIDBusError(.timedOut, "the event nodes of \(name) did not open in time")
    }
    try outcome.get()
  }
}
