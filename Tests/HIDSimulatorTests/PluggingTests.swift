// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import Synchronization
import Testing

@testable import HIDSimulator

@Suite struct PluggingTests {
  /// Runs a body with a device of eight interfaces, on a new bus.
  private func withComposite(
    _ body: (SimulatedDevice, HIDBus, HIDEventLog) async throws -> Void
  ) async throws {
    let log = HIDEventLog()
    let interface = try interface(RuntimeDescriptor.plain)
    let definition = HIDDeviceDefinition(
      name: "d", vendorID: 1, productID: 2, interfaces: Array(repeating: interface, count: 8))
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let device = SimulatedDevice.make([definition], log: log)[0]
    try await body(device, HIDBus(loopbackIn: directory), log)
  }

  @Test("a device that is unplugged while it is being plugged has no interface left plugged")
  func unpluggedMeanwhile() async throws {
    try await withComposite { device, bus, log in
      var abandoned = 0
      for _ in 0..<50 {
        var next = log.endIndex
        let plugging = Task { try await device.plug(into: bus) }
        // Wait until the first interface is plugged.
        while !log.read(from: &next).events.contains(where: { $0.kind.isPlugged }) {
          guard await log.wait(for: next) else { break }
        }
        await device.unplug()
        #expect(device.interfaces.filter(\.isPlugged).isEmpty)
        do { try await plugging.value } catch let error as HIDBusError {
          #expect(error.kind == .gone)
          abandoned += 1
        }
        #expect(device.records.isEmpty)
        #expect(device.interfaces.filter(\.isPlugged).isEmpty)
      }
      #expect(abandoned > 0, "none was still being plugged")
    }
  }

  @Test("each of two calls that unplug a device at once returns when the device is unplugged")
  func unpluggedTwice() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    for round in 1...50 {
      try await stage.device.plug(into: stage.bus)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            await stage.device.unplug()
            let count = stage.kinds.count { if case .unplugged = $0 { true } else { false } }
            #expect(count == round)
          }
        }
      }
    }
  }

  @Test("a served device can be used after its host has detached it")
  func servedStop() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.plain))
    try await stage.plugged {
      let interface = stage.device.interfaces[0]
      let record = try #require(interface.record)
      let port = try #require(interface.port)
      let served = HIDDeviceRecord(
        id: record.id, bus: .usb, address: "usbip:1-1", identity: record.identity,
        physicalPath: record.physicalPath, descriptorBytes: record.descriptorBytes)
      #expect(interface.state.withLock { $0.attachment.setRecord(served, of: port) })
      interface.handleDriverEvent(.start([]), port)
      interface.handleDriverEvent(.stop, port)
      #expect(interface.state.withLock { $0.driver.usability.isUsable })
    }
  }

  @Test("a plugged device refuses a second plug, and stays as it was")
  func twice() async throws {
    try await withComposite { device, bus, _ in
      try await device.plug(into: bus)
      let records = device.records
      await #expect(throws: HIDBusError.self) { try await device.plug(into: bus) }
      #expect(device.records == records, "and stays as it was")
      await device.unplug()
      #expect(device.records.isEmpty)
    }
  }
}

extension HIDDeviceEvent.Kind {
  fileprivate var isPlugged: Bool {
    if case .plugged = self { true } else { false }
  }
}
