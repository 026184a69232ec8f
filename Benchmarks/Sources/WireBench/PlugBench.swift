// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import IOLoop

/// Plugs devices into the kernel bus, one after the other, and keeps them plugged to the end.
///
/// It prints a JSON object for each device, with the time from its plugging until the bus has its
/// record and its node can be opened.
func plugBench(_ count: Int) async throws {
  let bus = try HIDBus(.kernel)
  var ports: [any HIDDevicePort] = []
  for number in 0..<count {
    let description = try BenchDevice.description(on: bus)
    let start = MonotonicTime.now
    // As hidsim does, the task runs on the loop of the devices.
    let (port, record) = try await withTaskExecutorPreference(bus.deviceBus.pluggingExecutor) {
      let port = try await bus.deviceBus.plug(description, handler: Listener())
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
