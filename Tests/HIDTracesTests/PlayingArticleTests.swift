// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import IOLoop
import TestSupport
import Testing

// The code of the article.

private struct Printer: HIDTraceSink {
  let timeline: Timeline

  func send(
    _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    while timeline.now < due {}
    let time = timeline.now
    reports.withBytes { bytes in
      for index in range {
        let report = reports.byteRange(ofReport: index).map { bytes[$0] }
        print("device \(device) sends \(report)")
      }
    }
    return HIDTraceSending(count: range.count, time: time)
  }

  func plug(device: Int) async throws { print("device \(device) comes") }

  func unplug(device: Int) async throws { print("device \(device) goes") }
}

private func play(_ trace: HIDTrace) async -> HIDTracePlayback {
  var pace = HIDTracePace()
  pace.speed = 2
  pace.pauseLimit = .seconds(1)
  let player = HIDTracePlayer(pace: pace) { () throws(HIDTraceError) in HIDTraceReader(trace) }
  return await player.play(to: Printer(timeline: .real))
}

private func playAtOnce(_ trace: HIDTrace) async -> HIDTracePlayback {
  let timeline = Timeline.virtual()
  timeline.start()
  defer { timeline.stop() }
  let player = HIDTracePlayer(timeline: timeline) { () throws(HIDTraceError) in
    HIDTraceReader(trace)
  }
  return await player.play(to: Printer(timeline: timeline))
}

private func mismatches(_ seen: [HIDTraceEvent], with trace: HIDTrace)
  -> [HIDTraceAssertion.Mismatch]
{
  var assertion = HIDTraceAssertion(HIDTraceAssertion.Options(tolerance: 250_000))
  for event in trace.events { _ = assertion.expect(event) }
  return seen.flatMap { assertion.saw($0) } + assertion.end()
}

@Suite("The article about playing")
struct PlayingArticleTests {
  private let trace = HIDTrace(
    devices: [Sample.keyboard],
    events: [
      Sample.input(0, "00 00 04 00 00 00 00 00"), Sample.output(1000, "02"),
      Sample.input(3_600_000_000, "00 00 00 00 00 00 00 00"),
      HIDTraceEvent(microseconds: 3_600_000_000, kind: .unplugged),
    ])

  @Test("the article's code is compiled, word for word")
  func code() throws {
    let (count, missing) = try Article.blocks(
      of: "HIDTraces/HIDTraces.docc/Playing.md",
      missingIn: ["HIDTracesTests/PlayingArticleTests.swift"])
    #expect(count == 4 && missing == [])
  }

  @Test("the article's code plays a trace in virtual time, and in real time with limited pauses")
  func result() async {
    let playback = await playAtOnce(trace)
    #expect(playback.isComplete && playback.sent == 2)
    #expect(playback.duration == .seconds(3600))
    let real = await play(trace)
    #expect(real.isComplete && real.early == 0 && real.duration >= .milliseconds(500))
  }

  @Test("the article's code finds a difference in the events of the host")
  func host() {
    #expect(mismatches([Sample.output(2000, "02")], with: trace) == [])
    #expect(
      mismatches([Sample.output(2000, "03")], with: trace).map(\.kind) == [.unexpected, .missing])
  }
}
