// SPDX-License-Identifier: Apache-2.0

import HIDTraces
import TestSupport
import Testing

/// The code of the article, which needs files of these names.
private func compare() throws {
  var comparison = try HIDTraceComparison(
    HIDTraceReader(HIDTraceSource(path: "recorded.hid")),
    HIDTraceReader(HIDTraceSource(path: "replayed.hid")),
    options: HIDTraceComparison.Options(
      tolerance: .milliseconds(5), exclusions: [try HIDTraceExclusion("input 1 bytes 7-9")]))
  while let difference = try comparison.next() { print(difference) }
  print(comparison.totals.differences)
}

private func measure() throws {
  var reader = try HIDTraceReader(HIDTraceSource(path: "mouse.hid"))
  let statistics = try HIDTraceStatistics(reading: &reader)
  for device in statistics.devices {
    print(device.label, device.intervals.rate ?? 0, device.intervals.percentile(99) ?? 0)
  }
}

@Test("the code of the article about comparing is compiled, and says what is not there")
func comparingArticle() throws {
  let (count, missing) = try Article.blocks(
    of: "HIDTraces/HIDTraces.docc/Comparing.md",
    missingIn: ["HIDTracesTests/ComparingArticleTests.swift"])
  #expect(count == 2 && missing == [])
  #expect(throws: (any Error).self) { try compare() }
  #expect(throws: (any Error).self) { try measure() }
}
