// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSimulator
import HIDText

/// The state of a USB device, as the page shows it.
enum USBStateJSON {
  /// Returns the keys of a state.
  ///
  /// Times are in microseconds.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - labels: The labels of the device's interfaces, in order.
  static func line(_ state: USBDeviceState, labels: [String]) -> JSONLine {
    JSONLine { line in
      line.add("place", .string(state.place))
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
      line.add("lost", .integer(interface.lostCount))
      line.add("endpoints", .array(interface.endpoints.map { .object(endpoint($0)) }))
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
