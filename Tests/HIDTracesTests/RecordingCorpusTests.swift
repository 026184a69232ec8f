// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDText
import HIDTraces
import Testing

/// Recordings of real devices that are no part of this repository.
enum RecordingCorpus {
  /// The corpus's folder: `HIDSIM_CORPUS`, else `../shared/corpus` beside the repository.
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

  /// The recordings, by path in the corpus.
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
  @Test("every recording is read, without a warning about its text, and survives being written")
  func everyRecording() throws {
    let files = RecordingCorpus.files()
    #expect(files.count >= 282)
    var events = 0
    for file in files {
      let bytes = try RecordingCorpus.bytes(file)
      let recording = try HIDRecording.parse(bytes, name: file)
      // Counted by what lines begin with, not by the parser.
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      #expect(
        recording.timeline().count == lines.count { $0.hasPrefix("E:") }, "\(file)")
      #expect(recording.devices.count == lines.count { $0.hasPrefix("R:") }, "\(file)")
      #expect(recording.devices.allSatisfy { $0.identity != nil && $0.name != nil }, "\(file)")
      #expect(
        recording.warnings.filter { !$0.message.hasPrefix("the time goes back") } == [], "\(file)")
      let again = try HIDRecording.parse(Array(recording.text().utf8), name: file)
      // The lines move: comments are not written again.
      #expect(
        withoutLines(again.timeline()) == withoutLines(recording.timeline()), "\(file)")
      #expect(again.devices.map(\.descriptor) == recording.devices.map(\.descriptor), "\(file)")
      events += recording.timeline().count
    }
    #expect(events > 1831)
  }

  private func withoutLines(
    _ timeline: [HIDRecording.TimedReport]
  ) -> [HIDRecording.TimedReport] {
    timeline.map { report in
      var report = report
      report.line = 0
      return report
    }
  }
}
