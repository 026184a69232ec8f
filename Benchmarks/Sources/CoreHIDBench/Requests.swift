// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor
import HIDBus
import IOLoop

/// The report descriptor of scripts/bench.d/corehid.c: an input and a feature report of 8 bytes,
/// unnumbered, on a vendor page.
let benchDescriptor = Data([
  0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x08,
  0x09, 0x01, 0x81, 0x02, 0x09, 0x03, 0xb1, 0x02, 0xc0,
])

/// Plugs the device on the kernel bus, and waits until it is ready.
func plugPort(
  serialNumber: String, handler: any HIDDeviceHandler
) async throws -> any HIDDevicePort {
  let bus = try HIDBus(.kernel)
  let port = try await bus.deviceBus.plug(
    HIDDeviceDescription(
      identity: HIDDeviceIdentity(
        name: "hidsim bench", vendorID: 0x1209, productID: 1, serialNumber: serialNumber),
      physicalPath: HIDPhysicalPath(deviceID: bus.allocateDeviceID(), interface: 0),
      descriptor: try HIDReportDescriptor(parsing: Array(benchDescriptor))),
    handler: handler)
  _ = try await port.ready(within: .seconds(30))
  return port
}

/// A handler that answers get-report requests on the loop on which they arrive.
private final class Answerer: HIDDeviceHandler {
  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for event in events {
      if case .getReport(let request, _, _) = event.event {
        port.answerGet(request, [1, 2, 3, 4, 5, 6, 7, 8])
      }
    }
  }
}

/// Runs a device whose handler answers at once through the port, until the program is killed.
func answerByPort(serialNumber: String) async throws {
  let answerer = Answerer()
  let port = try await plugPort(serialNumber: serialNumber, handler: answerer)
  while true { try await Task.sleep(for: .seconds(3600)) }
  withExtendedLifetime((port, answerer)) {}
}

private struct Delegate: HIDVirtualDeviceDelegate {
  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) async throws {}

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: Int
  ) async throws -> Data { Data([1, 2, 3, 4, 5, 6, 7, 8]) }
}

/// Runs a virtual device whose delegate answers, until the program is killed.
func answerByDelegate(serialNumber: String) async throws {
  let properties = HIDVirtualDevice.Properties(
    descriptor: benchDescriptor, vendorID: 0x1209, productID: 1, transport: .usb,
    product: "hidsim bench", serialNumber: serialNumber)
  guard let device = HIDVirtualDevice(properties: properties) else { fatalError("no device") }
  await device.activate(delegate: Delegate())
  try await device.hidsim.waitUntilReady()
  while true { try await Task.sleep(for: .seconds(3600)) }
  withExtendedLifetime(device) {}
}

/// Measures requests for the feature report of a device that another process has plugged.
@concurrent func getFeature(serialNumber: String, requests: Int) async throws {
  let client = try await benchClient(serialNumber: serialNumber)
  var figures = Figures("get-feature")
  for index in -20..<requests {
    let began = MonotonicTime.now
    let report = try await client.dispatchGetReportRequest(type: .feature)
    let spent = MonotonicTime.now.nanoseconds - began.nanoseconds
    if index >= 0 { figures.add(spent) }
    guard report == Data(1...8) else { fatalError("another report came") }
  }
  figures.print(variant: "hidsim-client")
}
