// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// A client in a process of its own, for tests: `CoreHIDClient SERIAL-NUMBER`.
///
/// It reads commands from standard input, one a line. `watch` prints the notifications of the
/// device. `get` prints its feature report. `seize` seizes the device with another client, which is
/// kept until the input ends.
@main
enum CoreHIDClient {
  static func main() async throws {
    let criteria = HIDDeviceManager.DeviceMatchingCriteria(
      serialNumber: CommandLine.arguments.dropFirst().first)
    let manager = HIDDeviceManager()
    for try await notification in await manager.monitorNotifications(matchingCriteria: [criteria]) {
      guard case .deviceMatched(let reference) = notification,
        let client = HIDDeviceClient(deviceReference: reference)
      else { continue }
      try await obey(client)
      return
    }
  }

  private static func obey(_ client: HIDDeviceClient) async throws {
    var owner: HIDDeviceClient?
    while let word = readLine() {
      do {
        switch word {
        case "watch":
          let stream = await client.monitorNotifications(
            reportIDsToMonitor: [], elementsToMonitor: [])
          say("watching")
          Task { for try await notification in stream { say(text(notification)) } }
        case "get":
          let report = try await client.dispatchGetReportRequest(type: .feature)
          say(report.map { String(format: "%02x", $0) }.joined(separator: " "))
        case "seize":
          owner = HIDDeviceClient(deviceReference: client.deviceReference)
          try await owner?.seizeDevice()
          say("mine")
        default: say("no such word: \(word)")
        }
      } catch {
        say("\(error)")
      }
    }
    withExtendedLifetime(owner) {}
  }

  /// Prints a line and flushes the output.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private static func text(_ notification: HIDDeviceClient.Notification) -> String {
    switch notification {
    case .inputReport(_, let data, _): "report \(data.first ?? 0)"
    case .elementUpdates: "values"
    case .deviceSeized: "seized"
    case .deviceUnseized: "unseized"
    case .deviceRemoved: "removed"
    }
  }
}
