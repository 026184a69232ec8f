// SPDX-License-Identifier: Apache-2.0

package import HIDBus

extension HIDDeviceManager {
  /// The functions that hidsim adds to Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDDeviceManager> { HIDSimExtensions(base: self) }
}

extension HIDSimExtensions<HIDDeviceManager> {
  /// Returns the devices that are plugged now.
  ///
  /// The devices of the kernel's bus come first. The devices of a bus are sorted by their ID.
  ///
  /// - Throws: ``HIDDeviceError`` if the devices of a bus cannot be enumerated, or if `HIDSIM_BUS`
  ///   is not valid; `CancellationError` in a cancelled task.
  public func devices() async throws -> [HIDDeviceClient.DeviceReference] {
    do {
      let catalog = try await base.catalog()
      return try await catalog.devices().map {
        HIDDeviceClient.DeviceReference(DeviceTarget($0, on: catalog))
      }
    } catch {
      throw (error as? HIDBusError).map(HIDDeviceError.init) ?? error
    }
  }
}

extension HIDDeviceClient.DeviceReference {
  /// The device as its bus described it when it was found or plugged.
  ///
  /// For the reference of a ``HIDVirtualDevice`` it is `nil` before the device is plugged, if
  /// plugging failed, and after the device was released.
  package var record: HIDDeviceRecord? { target.knownRecord }
}

extension HIDDeviceClient {
  /// Makes a client of a device.
  ///
  /// - Throws: The reason why no client can be made.
  private static func open(
    _ reference: DeviceReference
  ) throws(HIDBusError) -> HIDDeviceClient {
    if let obstacle = reference.target.obstacle { throw obstacle }
    guard let client = HIDDeviceClient(deviceReference: reference) else {
      throw HIDBusError(.gone, "the device is gone")
    }
    return client
  }
}

extension HIDDeviceClient {
  /// The number of attempts to open a new device without permission.
  ///
  /// udev sets the permissions of a node shortly after the node appears.
  private static let permissionAttempts = 20
  private static let permissionPause = Duration.milliseconds(50)

  /// Makes a client of a device that has just been found, as soon as this user may open the device.
  ///
  /// - Returns: The client; `nil` if the device is gone, or if `isClosed` returns true after a
  ///   failed attempt.
  /// - Throws: The reason why no client can be made; `permissionDenied` after about one second
  ///   without the permission; `CancellationError`.
  package static func openNew(
    _ reference: DeviceReference, unless isClosed: () -> Bool = { false }
  ) async throws -> HIDDeviceClient? {
    var attempt = 0
    while true {
      do throws(HIDBusError) {
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
