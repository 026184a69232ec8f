// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop

/// `PlugBench DEVICES` plugs devices into the kernel bus, one after the other, and keeps them
/// plugged to the end.
///
/// It prints a JSON object for each device, with the time from its plugging until the bus has its
/// record and its node can be opened.
@main
struct PlugBench {
  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 64
    // A vendor page with 8 bytes of input, without report IDs.
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF,
      0x00, 0x75, 0x08, 0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0xC0,
    ])
    let bus = try HIDBus(.kernel)
    var ports: [any HIDDevicePort] = []
    for number in 0..<count {
      let description = HIDDeviceDescription(
        identity: HIDDeviceIdentity(name: "hidsim bench", vendorID: 0x1209, productID: 1),
        physicalPath: HIDPhysicalPath(deviceID: bus.allocateDeviceID(), interface: 0),
        descriptor: descriptor)
      let start = MonotonicTime.now
      // As hidsim does, the task runs on the loop of the devices.
      let (port, record) = try await withTaskExecutorPreference(bus.deviceBus.pluggingExecutor) {
        let port = try await bus.deviceBus.plug(description, handler: Deaf())
        return (port, try await port.ready(within: .seconds(10)))
      }
      let client = open(record.address, O_RDWR | O_CLOEXEC)
      guard client >= 0 else { throw HIDBusError(.unavailable, "open \(record.address)") }
      let ready = MonotonicTime.now
      close(client)
      print(
        #"{"bench":"plug","number":\#(number),"time":\#(ready.nanoseconds - start.nanoseconds)}"#)
      ports.append(port)
    }
    for port in ports { await port.destroy() }
  }
}

/// A device's owner that answers nothing.
private final class Deaf: HIDDeviceHandler {
  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {}
  func lost(_ count: Int, from port: any HIDDevicePort) {}
}
