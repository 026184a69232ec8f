// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import HIDTraces
import Testing

/// Recordings of real devices outside this repository.
enum RecordingCorpus {
  /// The corpus's folder: `HIDSIM_CORPUS`, else `../shared/corpus` beside the repository; nil if
  /// neither has an `index.tsv`.
  static let folder: URL? = {
    let candidates: [String?] = [
      ProcessInfo.processInfo.environment["HIDSIM_CORPUS"],
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/corpus").standardizedFileURL.path,
    ]
    return candidates.compactMap { $0 }.first {
      FileManager.default.fileExists(atPath: $0 + "/index.tsv")
    }.map { URL(fileURLWithPath: $0) }
  }()

  /// Returns the paths of the recordings in the corpus.
  static func files() -> [String] {
    guard let folder, let walk = FileManager.default.enumerator(atPath: folder.path) else {
      return []
    }
    return walk.compactMap { $0 as? String }
      .filter { $0.hasSuffix(".hid") || $0.hasSuffix(".hid.gz") }.sorted()
  }

  static func bytes(_ file: String) throws -> [UInt8] {
    guard let folder else { return [] }
    let url = folder.appendingPathComponent(file)
    guard file.hasSuffix(".gz") else { return Array(try Data(contentsOf: url)) }
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/gzip")
    gzip.arguments = ["-dc", url.path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    gzip.waitUntilExit()
    try #require(gzip.terminationStatus == 0)
    return Array(data)
  }
}

@Suite(
  "The corpus of recordings",
  .enabled(
    if: RecordingCorpus.folder != nil,
    "no corpus: HIDSIM_CORPUS is not set, and ../shared/corpus is not there"))
struct RecordingCorpusTests {
  @Test("every recording is read without a warning about its text, and is the same after writing")
  func everyRecording() throws {
    let files = RecordingCorpus.files()
    #expect(files.count >= 282)
    var events = 0
    for file in files {
      let bytes = try RecordingCorpus.bytes(file)
      let trace = try HIDTrace(bytes, name: file)
      // The test counts lines by their beginning, without the parser.
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      #expect(trace.events.count == lines.count { $0.hasPrefix("E:") }, "\(file)")
      #expect(trace.devices.count == lines.count { $0.hasPrefix("R:") }, "\(file)")
      #expect(trace.devices.allSatisfy { $0.identity != nil && $0.name != nil }, "\(file)")
      #expect(
        trace.warnings.filter { !$0.message.hasPrefix("the time goes back") } == [], "\(file)")
      let again = try HIDTrace(try #require(trace.written()), name: file)
      #expect(again.withoutLines == trace.withoutLines, "\(file)")
      try expectSurvival(of: trace, as: .android, file)
      events += trace.events.count
    }
    #expect(events > 1831)
  }

  /// Expects that a trace which was written in another format is the same.
  ///
  /// The input reports that are not empty, and their order, are equal. The times since the first
  /// report differ by 1 ms at most. The devices are equal in their descriptors, vendor IDs and
  /// product IDs.
  private func expectSurvival(of trace: HIDTrace, as format: HIDTraceFormat, _ file: String) throws
  {
    let again = try HIDTrace(try #require(trace.written(as: format)), name: file)
    #expect(again.warnings == [], "\(file)")
    #expect(again.devices.map(\.descriptor) == trace.devices.map(\.descriptor), "\(file)")
    for (one, other) in zip(again.devices, trace.devices) {
      #expect(one.identity?.vendorID == other.identity?.vendorID, "\(file)")
      #expect(one.identity?.productID == other.identity?.productID, "\(file)")
    }
    let reports = trace.events.filter { $0.kind.report.count > 0 }
    #expect(again.events.map(\.kind) == reports.map(\.kind), "\(file)")
    #expect(again.events.map(\.device) == reports.map(\.device), "\(file)")
    var schedule = HIDTraceSchedule(HIDTracePace())
    var itsSchedule = schedule
    for (one, other) in zip(again.events, reports) {
      guard case .due(let time) = itsSchedule.place(one), case .due(let due) = schedule.place(other)
      else {
        Issue.record("\(file): an event is not played")
        continue
      }
      #expect(abs((time - due) / .microseconds(1)) <= 1000, "\(file)")
    }
  }
}
