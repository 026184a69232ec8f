// SPDX-License-Identifier: Apache-2.0

import HIDSystem
package import HIDWire

extension HIDDeviceManager {
  /// What hidsim offers beyond Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDDeviceManager> { HIDSimExtensions(base: self) }
}

extension HIDSimExtensions<HIDDeviceManager> {
  /// The devices that are there now: the kernel's first, each bus' in the order in which they were plugged.
  ///
  /// - Throws: ``HIDDeviceError`` if devices cannot be looked for.
  public func devices() async throws -> [HIDDeviceClient.DeviceReference] {
    do {
      return try await foundDevices()
    } catch {
      throw (error as? HIDWireError).map(HIDDeviceError.init) ?? error
    }
  }

  /// Returns the devices that are plugged now, as ``devices()`` does.
  ///
  /// - Throws: The `HIDWireError` of the bus if devices cannot be enumerated.
  package func foundDevices() async throws -> [HIDDeviceClient.DeviceReference] {
    let hosts = try await base.hosts()
    return try await hosts.devices().map {
      HIDDeviceClient.DeviceReference(DeviceTarget($0, on: hosts))
    }
  }
}

extension HIDDeviceClient.DeviceReference {
  /// The device as its bus has it, while it is there.
  package var record: HIDDeviceRecord? { target.knownRecord }
}

extension HIDDeviceClient {
  /// Makes a client of a device, or says why there can be none.
  package static func open(
    _ reference: DeviceReference
  ) throws(HIDWireError) -> HIDDeviceClient {
    if let obstacle = reference.target.obstacle { throw obstacle }
    guard let client = HIDDeviceClient(deviceReference: reference) else {
      throw HIDWireError(.gone, "the device is gone")
    }
    return client
  }

  /// What failed last, in the bus' words.
  package nonisolated var lastFailure: HIDWireError? { connection.lastFailure }
}

extension HIDDeviceClient {
  /// How often opening is tried again while this user may not: udev sets permissions a little after
  /// the node is there.
  private static let permissionAttempts = 20
  private static let permissionPause = Duration.milliseconds(50)

  /// Makes a client of a device that has just been found, once this user may open it.
  ///
  /// - Returns: The client; nil if the device has gone.
  /// - Throws: Why there can be none, after a second without the permission; `CancellationError`.
  package static func openNew(
    _ reference: DeviceReference, unless isClosed: () -> Bool = { false }
  ) async throws -> HIDDeviceClient? {
    var attempt = 0
    while true {
      do throws(HIDWireError) {
        return try open(reference)
      } catch {
        if error.kind == .gone || isClosed() { return nil }
        attempt += 1
        guard error.kind == .permissionDenied, attempt < permissionAttempts else { throw error }
      }
      try await Task.sleep(for: permissionPause)
    }
  }
}
