// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Dispatch
import GameController
import Glibc
import HIDReportDescriptor
import HIDBus
import IOLoop

/// The benchmark that compares handlers of GameController with CoreHID's handler of reports, for
/// `scripts/bench`.
///
/// It prints each result as one JSON object on a line.
@main
enum GameControllerBench {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let count = words.count == 2 ? max(Int(words[1]) ?? 0, 32) : 0
    switch (words.first, words.count) {
    case ("latency", 2): try await Latency(reports: count).run()
    case ("allocations", 2): try await Allocations(reports: count).run()
    case ("mouse", 3): try await MouseLoad(reports: Int(words[1]) ?? 0, variant: words[2]).run()
    default:
      print(
        "usage: GameControllerBench latency|allocations REPORTS | mouse REPORTS corehid|gamecontroller"
      )
      exit(64)
    }
  }
}

/// The program's own queue for handlers in all measurements.
let handlerQueue = DispatchQueue(label: "handlers", qos: .userInteractive)

/// A simulated device that this process plugs.
struct BenchDevice: Sendable {
  let port: any HIDDevicePort
  let serialNumber: String

  /// Plugs a device with a report descriptor into the bus that `HIDSIM_BUS` names, and waits until
  /// it is ready.
  init(_ descriptor: [UInt8], serialNumber: String) async throws {
    let bus = try HIDBus(.fromEnvironment())
    self.serialNumber = serialNumber
    port = try await bus.deviceBus.plug(
      HIDDeviceDescription(
        identity: HIDDeviceIdentity(
          name: "hidsim bench", vendorID: 0x1209, productID: 1, serialNumber: serialNumber),
        physicalPath: HIDPhysicalPath(deviceID: bus.allocateDeviceID(), interface: 0),
        descriptor: try HIDReportDescriptor(parsing: descriptor)),
      handler: Silent.shared)
    _ = try await port.ready(within: .seconds(30))
  }

  /// Waits for the device and returns a client of it.
  func client() async throws -> HIDDeviceClient {
    try await Self.client(.init(serialNumber: serialNumber))
  }

  /// Waits for a device of another process and returns a client of it.
  static func client(ofName name: String) async throws -> HIDDeviceClient {
    try await client(.init(product: name))
  }

  private static func client(
    _ criteria: HIDDeviceManager.DeviceMatchingCriteria
  ) async throws -> HIDDeviceClient {
    let manager = HIDDeviceManager()
    for try await change in await manager.monitorNotifications(matchingCriteria: [criteria]) {
      guard case .deviceMatched(let reference) = change,
        let client = HIDDeviceClient(deviceReference: reference)
      else { continue }
      return client
    }
    fatalError("there is no such device")
  }

  /// Sends a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - isSent: True to send the report; false to do everything else.
  /// - Returns: The time right before the report is sent.
  func send(_ report: [UInt8], if isSent: Bool = true) async throws -> MonotonicTime {
    try await Self.send(report, port, if: isSent)
  }

  private static func send(
    _ report: [UInt8], _ port: isolated any HIDDevicePort, if isSent: Bool
  ) throws -> MonotonicTime {
    let now = MonotonicTime.now
    if isSent, try !port.sendInput(report.span) { fatalError("the client takes no reports") }
    return now
  }

  /// The report descriptor of a keyboard with the boot report of HID 1.11, appendix B.1.
  static let keyboard: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x03, 0x95, 0x06, 0x75, 0x08,
    0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xc0,
  ]

  /// Returns the report of a keyboard with A down or no key down.
  static func keys(isDown: Bool) -> [UInt8] { [0, 0, isDown ? 0x04 : 0, 0, 0, 0, 0, 0] }
}

/// A handler that answers no request of the host.
private final class Silent: HIDDeviceHandler {
  static let shared = Silent()

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {}
}

/// Waits for the keyboard of GameController and returns its profile.
func benchKeyboard() async throws -> GCKeyboardInput {
  while true {
    if let input = GCKeyboard.coalesced?.keyboardInput { return input }
    try await Task.sleep(for: .milliseconds(2))
  }
}
