// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText

/// The state of a USB device as a JSON object, for the page.
enum USBStateJSON {
  /// Returns the state as a JSON object.
  ///
  /// Times are in microseconds.
  ///
  /// - Parameters:
  ///   - state: The state; nil if the device is not plugged.
  ///   - labels: The labels of the device's interfaces, in order.
  static func line(_ state: USBDeviceState?, labels: [String]) -> JSONLine {
    JSONLine { line in
      line.add("plugged", .bool(state != nil))
      guard let state else { return }
      line.add("place", .string(state.place))
      line.add("served", .bool(state.isServed))
      line.add("speed", .string(state.speed.rawValue))
      line.add("connected", .bool(state.isConnected))
      line.add("configuration", .integer(state.configuration))
      line.add("wakeup", .bool(state.mayWakeHost))
      line.add("suspended", .optional(state.isSuspended) { .bool($0) })
      line.add(
        "interfaces",
        .array(zip(labels, state.interfaces).map { .object(interface($0, $1)) }))
    }
  }

  private static func interface(
    _ label: String, _ interface: USBDeviceState.Interface
  ) -> JSONLine {
    JSONLine { line in
      line.add("device", .string(label))
      line.add("number", .integer(interface.number))
      line.add("protocol", interface.isBoot ? "boot" : "report")
      line.add("idle", .integer(interface.idleTime.wholeMicroseconds))
      line.add(
        "otherIdle",
        .array(interface.otherIdleTimes.sorted { $0.key < $1.key }.map { .object(idle($0, $1)) }))
      line.add("lost", .integer(interface.lostCount))
      line.add("endpoints", .array(interface.endpoints.map { .object(endpoint($0)) }))
    }
  }

  private static func idle(_ id: UInt8, _ time: Duration) -> JSONLine {
    JSONLine { line in
      line.add("report", .integer(id))
      line.add("time", .integer(time.wholeMicroseconds))
    }
  }

  private static func endpoint(_ endpoint: USBDeviceState.Endpoint) -> JSONLine {
    JSONLine { line in
      line.add("address", .integer(endpoint.address))
      line.add("direction", endpoint.isInput ? "in" : "out")
      line.add("packetSize", .integer(endpoint.packetByteCount))
      line.add("period", .integer(endpoint.period.wholeMicroseconds))
      line.add("halted", .bool(endpoint.isHalted))
      line.add("transfers", .integer(endpoint.waitingTransferCount))
      line.add("reports", .integer(endpoint.waitingReportCount))
    }
  }
}
