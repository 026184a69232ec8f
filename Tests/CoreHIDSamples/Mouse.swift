// SPDX-License-Identifier: Apache-2.0

// The shape of games that read raw movement with one task a device, and of bridges that make
// devices from the input of other devices.

import CoreHID

/// Adds up the movement of every mouse that is connected before one is removed.
package actor MouseReader {
  private var tasks: [HIDDeviceClient.DeviceReference: Task<Void, Never>] = [:]
  package private(set) var x: Int64 = 0
  package private(set) var y: Int64 = 0
  private var isReading = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  package init() {}

  package func waitUntilReading() async {
    if !isReading { await withCheckedContinuation { waiters.append($0) } }
  }

  package func run() async {
    let manager = HIDDeviceManager()
    let criteria = HIDDeviceManager.DeviceMatchingCriteria(primaryUsage: .genericDesktop(.mouse))
    do {
      for try await notification in await manager.monitorNotifications(matchingCriteria: [criteria])
      {
        switch notification {
        case .deviceMatched(let reference): tasks[reference] = Task { await self.read(reference) }
        case .deviceRemoved(let reference):
          await tasks.removeValue(forKey: reference)?.value
          return
        @unknown default: break
        }
      }
    } catch {
      print("\(error.localizedDescription)")
    }
  }

  private func read(_ reference: HIDDeviceClient.DeviceReference) async {
    guard let client = HIDDeviceClient(deviceReference: reference) else { return }
    let axes = await client.elements.filter {
      if case .genericDesktop(.x) = $0.usage { return true }
      if case .genericDesktop(.y) = $0.usage { return true }
      return false
    }
    do {
      let notifications = await client.monitorNotifications(
        reportIDsToMonitor: [], elementsToMonitor: axes)
      isReading = true
      for waiter in waiters { waiter.resume() }
      for try await notification in notifications {
        guard case .elementUpdates(let values) = notification else { continue }
        for value in values {
          let delta =
            value.logicalValue(asTypeTruncatingIfNeeded: Int64.self)
            ?? value.integerValue(asTypeTruncatingIfNeeded: Int64.self)
          switch value.element.usage {
          case .genericDesktop(.x): x += delta
          case .genericDesktop(.y): y += delta
          default: break
          }
        }
      }
    } catch {
      print("\(error)")
    }
  }
}

/// A device that passes its output reports to a closure, and sends the replies from another task.
package final class BridgedDevice: Sendable {
  private final class Delegate: HIDVirtualDeviceDelegate {
    let onOutput: @Sendable (Data) async -> Data?
    init(_ onOutput: @escaping @Sendable (Data) async -> Data?) { self.onOutput = onOutput }

    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, data: Data
    ) async throws {
      guard type == .output, let reply = await onOutput(data) else { return }
      Task { try? await device.dispatchInputReport(data: reply, timestamp: .now) }
    }

    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, maxSize: Int
    ) async throws -> Data {
      guard id?.rawValue != 0 else { throw HIDDeviceError.unsupported }
      return Data(count: maxSize)
    }
  }

  package let device: HIDVirtualDevice

  package init?(descriptor: Data, onOutput: @escaping @Sendable (Data) async -> Data?) async {
    let properties = HIDVirtualDevice.Properties(
      descriptor: descriptor, vendorID: 0x1209, productID: 0x0002, transport: .usb,
      product: "bridged", manufacturer: "hidsim", versionNumber: 0x0100, serialNumber: "B-1")
    guard let device = HIDVirtualDevice(properties: properties) else { return nil }
    self.device = device
    await device.activate(delegate: Delegate(onOutput))
  }
}
