// SPDX-License-Identifier: Apache-2.0

import HIDTraces
import TestSupport
import Testing

@Suite(
  "Comparison of the corpus of recordings",
  .enabled(
    if: RecordingCorpus.folder != nil,
    "no corpus: HIDSIM_CORPUS is not set, and ../shared/corpus is not there"))
struct ComparisonCorpusTests {
  @Test(
    "no recording differs from itself, one report less is one difference, and all events are counted"
  )
  func everyRecording() throws {
    var random = SplitMix64(seed: 7)
    for file in RecordingCorpus.files() {
      let trace = try HIDTrace(RecordingCorpus.bytes(file), name: file)
      let strict = HIDTraceComparison.Options(tolerance: .zero)
      var comparison = try HIDTraceComparison(
        HIDTraceReader(trace), HIDTraceReader(trace), options: strict)
      #expect(try comparison.next() == nil, "\(file)")
      var reader = HIDTraceReader(trace)
      let statistics = try HIDTraceStatistics(reading: &reader)
      #expect(statistics.eventCount == trace.events.count, "\(file)")
      #expect(statistics.devices.allSatisfy { $0.problem == nil }, "\(file)")
      guard let place = trace.events.indices.randomElement(using: &random) else { continue }
      var part = trace
      part.events.remove(at: place)
      comparison = try HIDTraceComparison(HIDTraceReader(trace), HIDTraceReader(part))
      var lines: [String] = []
      while let difference = try comparison.next() { lines.append("\(difference)") }
      #expect(lines.count == 1 && lines[0].hasPrefix("- "), "\(file): \(lines)")
    }
  }
}
