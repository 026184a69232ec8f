// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import IOLoop
import TestSupport
import Testing

// The code of the articles, which reads files of these names.
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

private func copy() throws {
  var reader = try HIDTraceReader(HIDTraceSource(path: "keyboard.hid"))
  while let event = try reader.next() {
    if case .input(let report) = event.kind {
      print(reader.devices[event.device].name ?? "", report)
    }
  }
  if var writer = HIDTraceWriter(.recorder, devices: reader.devices) {
    var bytes: [UInt8] = []
    writer.begin(into: &bytes)
    writer.write(
      HIDTraceEvent(microseconds: 0, kind: .input(HIDReportBytes([0, 4]))), into: &bytes)
  }
}

private func write(_ report: HIDReportBytes, of devices: [HIDTraceDevice]) -> [UInt8] {
  var recorder = HIDTraceRecorder(devices: devices, sources: 2, isRedacted: true)
  var output: [UInt8] = []
  recorder.begin(into: &output)
  recorder.add(.input(report), device: 0, at: .now, from: 0)
  recorder.finish(into: &output)
  return output
}

@Test("the code of the articles HIDTraces and Recording is compiled")
func otherArticles() throws {
  for article in ["HIDTraces", "Recording"] {
    let (count, missing) = try Article.blocks(
      of: "HIDTraces/HIDTraces.docc/\(article).md",
      missingIn: ["HIDTracesTests/ArticleTests.swift"])
    #expect(count > 0 && missing == [], "\(article)")
  }
  #expect(throws: (any Error).self) { try copy() }
  let text = String(
    decoding: write(HIDReportBytes([1]), of: [HIDTraceDevice(descriptor: [6])]), as: UTF8.self)
  // This descriptor declares no report, so the redaction sets every byte of the report to 0.
  #expect(text.hasPrefix("# redacted by hidsim\n"))
  #expect(text.hasSuffix("E: 000000.000000 1 00\n"))
}

@Test("the code of the article Comparing is compiled, and throws an error for missing files")
func comparingArticle() throws {
  let (count, missing) = try Article.blocks(
    of: "HIDTraces/HIDTraces.docc/Comparing.md",
    missingIn: ["HIDTracesTests/ArticleTests.swift"])
  #expect(count == 2 && missing == [])
  #expect(throws: (any Error).self) { try compare() }
  #expect(throws: (any Error).self) { try measure() }
}
