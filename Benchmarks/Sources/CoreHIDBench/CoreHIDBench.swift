// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc

/// The costs of CoreHID, measured by its public interface.
///
/// It is the counterpart of `scripts/bench.d/corehid.c`; `scripts/bench` runs both. It prints one
/// JSON object a line. Every figure is the median.
@main
enum CoreHIDBench {
  static func main() async throws {
    // Without a folder, hidsim's two ends exchange no messages beside the kernel, like the two ends
    // in C.
    setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
    setenv("HIDSIM_BUS", "kernel", 1)
    let words = Array(CommandLine.arguments.dropFirst())
    let count = words.count == 3 ? max(Int(words[2]) ?? 0, 63) : 63
    switch (words.first, words.count) {
    case ("port", 2): try await answerByPort(serialNumber: words[1])
    case ("delegate", 2): try await answerByDelegate(serialNumber: words[1])
    case ("get", 3): try await getFeature(serialNumber: words[1], requests: count)
    case ("handler", 3): try await Latency(reports: count).handler(serialNumber: words[1])
    case ("await", 3): try await Latency(reports: count).await(serialNumber: words[1])
    case ("executor", 3): try await Latency(reports: count).executor(serialNumber: words[1])
    case ("continuation", 3):
      try await Latency(reports: count).continuation(serialNumber: words[1])
    case ("stream", 3): try await Latency(reports: count).stream(serialNumber: words[1])
    case ("drain", 2):
      let bench = try await DrainBench(reports: max(Int(words[1]) ?? 0, 63))
      try await bench.run()
    default:
      print(
        "usage: CoreHIDBench port|delegate NAME | "
          + "get|handler|await|executor|continuation|stream NAME COUNT | drain REPORTS"
      )
      exit(64)
    }
  }
}

/// The figures of one measurement, of which the median is printed.
struct Figures {
  let bench: String
  private var costs: [Double] = []
  private var count = 0

  init(_ bench: String) { self.bench = bench }

  /// Adds the total cost of `many` reports or requests.
  mutating func add(_ spent: UInt64, of many: Int = 1) {
    costs.append(Double(spent) / Double(many))
    count += many
  }

  func print(variant: String = "hidsim") {
    let median = (costs.sorted()[costs.count / 2] * 10).rounded() / 10
    Swift.print(
      #"{"bench":"\#(bench)","variant":"\#(variant)","n":\#(count),"instructions":\#(median)}"#)
    fflush(nil)
  }
}

/// Waits for the device with a serial number, and returns a client of it.
func benchClient(serialNumber: String) async throws -> HIDDeviceClient {
  let criteria = HIDDeviceManager.DeviceMatchingCriteria(serialNumber: serialNumber)
  let manager = HIDDeviceManager()
  for try await notification in await manager.monitorNotifications(matchingCriteria: [criteria]) {
    guard case .deviceMatched(let reference) = notification,
      let client = HIDDeviceClient(deviceReference: reference)
    else { continue }
    return client
  }
  fatalError("there is no device with the serial number \(serialNumber)")
}
