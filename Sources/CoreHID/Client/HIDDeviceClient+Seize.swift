// SPDX-License-Identifier: Apache-2.0

import HIDBus
import IOLoop

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
      try Self.take(try connection.exclusivity(of: record), record.address)
    } catch {
      throw connection.note(error)
    }
  }

  /// The time for which the caller waits for the event nodes of a device to open.
  private static let seizeBound = Duration.seconds(1)

  /// Seizes a device on a thread of its own, because opening its nodes can block long.
  ///
  /// If no thread can be started, the attempt runs on the caller's thread.
  private static func take(_ exclusivity: HIDExclusivity, _ name: String) throws(HIDBusError) {
    let outcome = Promise<Result<Void, HIDBusError>>()
    Thread.run(name: "hidsim-seize") {
      let result = Result { () throws(HIDBusError) in try exclusivity.take() }
      // The caller may have got the error of the timeout, and does not have the device then.
      if !outcome.fulfill(result), case .success = result { exclusivity.release() }
    }
    _ = outcome.getBlocking(atMost: seizeBound)
    outcome.fulfill(
      .failure(HIDBusError(.timedOut, "the event nodes of \(name) did not open in time")))
    try outcome.value?.get()
  }
}
