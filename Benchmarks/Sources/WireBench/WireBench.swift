// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The costs of hidsim's buses, of a report ring, of a replay and of plugging.
///
/// It is the counterpart of `wire.c` and `plug.c` in `scripts/bench.d`; `scripts/bench` runs them.
/// `scripts/soak` runs the soak test. The program prints one JSON object a line. Every figure is
/// the median of its chunks, but for plugging, replays and the soak test. The loopback bus has only
/// one chunk.
@main
enum WireBench {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    switch (words.first, words.dropFirst().first, words.dropFirst(2).first.flatMap { Int($0) }) {
    case ("kernel", let reports?, nil):
      try await KernelBench(reports: count(reports)).run()
    case ("ring", let reports?, nil):
      await ringBench(reports: count(reports))
    case ("replay", let reports?, nil):
      try await replayBench(count(reports))
    case ("plug", let devices?, nil):
      try await plugBench(Int(devices) ?? 64)
    case ("device", let folder?, let reports?):
      try await loopbackDevice(in: folder, reports: reports)
    case ("host", let folder?, let reports?):
      try await loopbackHost(in: folder, reports: reports)
    case ("soak-devices", let folder?, let seconds?):
      try await Soak.devices(in: folder, seconds: seconds)
    case ("soak-host", let folder?, let seconds?):
      exit(try await Soak.host(in: folder, seconds: seconds) ? 0 : 1)
    default:
      print(
        """
        usage: WireBench kernel|ring|replay REPORTS | device|host FOLDER REPORTS
                         plug DEVICES
                         soak-devices|soak-host FOLDER SECONDS
        """)
      exit(64)
    }
  }

  private static func count(_ word: String) -> Int { max(Int(word) ?? 0, 64) }
}

/// The figures of one measurement, of which the median is printed.
struct Chunks {
  static let count = 21

  let bench: String
  let unit: String
  private var costs: [Double] = []
  private var reports = 0

  init(_ bench: String, unit: String) {
    self.bench = bench
    self.unit = unit
  }

  /// Adds a chunk: the total cost of `reports` reports.
  mutating func add(_ spent: UInt64, reports: Int) {
    costs.append(Double(spent) / Double(reports))
    self.reports += reports
  }

  func print(variant: String = "hidsim") {
    let median = (costs.sorted()[costs.count / 2] * 10).rounded() / 10
    Swift.print(
      #"{"bench":"\#(bench)","variant":"\#(variant)","n":\#(reports),"\#(unit)":\#(median)}"#)
    fflush(nil)
  }
}
