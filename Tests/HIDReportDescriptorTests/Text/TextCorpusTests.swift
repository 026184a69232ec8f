// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Foundation
import HIDReportDescriptor
import HIDText
import Testing

/// Tests of the text formats with the corpus.
///
/// They take seconds, so they run one after the other. Those that read texts yield before each
/// file, so that other tests that wait can run.
@Suite(
  "Descriptors of the corpus as text",
  .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"), .timeLimit(.minutes(10)),
  .serialized)
struct TextCorpusTests {
  /// Every descriptor of the corpus, including malformed ones.
  private static let descriptors: [(file: String, bytes: [UInt8])] =
    (try? DescriptorCorpus.rows("index.tsv").filter { $0[0].hasSuffix(".hex") }.map {
      (String($0[0]), try DescriptorCorpus.bytes(String($0[0])))
    }) ?? []

  @Test(
    "written descriptors, even malformed ones, are detected by their content and read unchanged",
    arguments: HIDDescriptorFormat.allCases)
  func roundTrip(format: HIDDescriptorFormat) async throws {
    #expect(Self.descriptors.count >= 845)
    for (file, bytes) in Self.descriptors {
      await Task.yield()
      let text = HIDDescriptorText.write(bytes, as: format)
      // The kernel's debugfs file has the fields after the bytes, and `text` and `lines` have
      // words. Without fields or words, the format cannot be found from the content, so it is
      // given.
      let hasWords = hasWords(bytes)
      let isBare = format == .debugfs || (format == .text || format == .lines) && !hasWords
      do {
        let read = try HIDDescriptorText.read(
          text, name: file, format: isBare || bytes.isEmpty ? format : nil)
        #expect(read.map(\.bytes) == [bytes], "\(file)")
        #expect(read.map(\.format) == [format], "\(file)")
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  @Test(
    "a compiler accepts the arrays of C without a warning",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"), "there is no cc"))
  func compiler() throws {
    var source: [UInt8] = []
    for (index, (_, bytes)) in Self.descriptors.enumerated() where !bytes.isEmpty {
      source += HIDDescriptorText.write(bytes, as: .c, name: "a\(index)")
    }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("hidsim-arrays-\(UUID().uuidString).c")
    try Data(source).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/cc")
    compiler.arguments = [
      "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-const-variable",
      "-Wno-unused-variable", "-fsyntax-only", file.path,
    ]
    try compiler.run()
    compiler.waitUntilExit()
    #expect(compiler.terminationStatus == 0)
  }

  @Test("every recording is detected by its content, and gives the descriptors of its R: lines")
  func recordings() async throws {
    var count = 0
    for row in try DescriptorCorpus.rows("index.tsv") where row[2] == "trace" {
      await Task.yield()
      let text = try DescriptorCorpus.text(unpacking: String(row[0]))
      guard text.utf8.count <= HIDDescriptorText.maximumTextByteCount else { continue }
      let expected = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("R: ") }.map {
        $0.split(separator: " ").dropFirst(2).compactMap { UInt8($0, radix: 16) }
      }
      let read = try HIDDescriptorText.read(Array(text.utf8), name: String(row[0]))
      #expect(read.map(\.bytes) == expected, "\(row[0])")
      #expect(read.allSatisfy { $0.format == .recording }, "\(row[0])")
      count += 1
    }
    #expect(count >= 270)
  }

  /// Returns whether any item has a name.
  private func hasWords(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while let item = try? HIDItem(decoding: bytes.span, at: &position) {
      if item.tag != nil { return true }
    }
    return false
  }

  @Test("descriptors that are only words mean the same without the widths")
  func meaning() async throws {
    var count = 0
    for (file, bytes) in Self.descriptors {
      await Task.yield()
      guard let descriptor = try? HIDReportDescriptor(parsing: bytes),
        let text = HIDDescriptorText.text(bytes, as: .lines)
      else { continue }
      // The text loses the widths, as a user would write it by hand.
      var lines = text.split(separator: "\n").map(String.init)
      guard !lines.contains(where: { $0.drop { $0 == " " }.hasPrefix("[") }) else { continue }
      for (index, line) in lines.enumerated() where line.hasSuffix("]") && line.contains(" [") {
        // A range with ends of two widths needs its width, and so does a unit exponent outside a
        // nibble.
        if !line.contains("Usage M"), !line.contains("Exponent"), let open = line.lastIndex(of: "[")
        {
          lines[index] = String(line[..<open])
        }
      }
      let short = try HIDDescriptorText.read(
        Array(lines.joined(separator: "\n").utf8), name: file, format: .lines)
      let again = try HIDReportDescriptor(parsing: try #require(short.first).bytes)
      #expect(again.meaning == descriptor.meaning, "\(file)")
      count += 1
    }
    #expect(count >= 690)
  }

  @Test("the layout in JSON has every bit of every report, and gives the descriptor back")
  func json() async throws {
    var count = 0
    for (file, bytes) in Self.descriptors where bytes.count < 2000 {
      await Task.yield()
      guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { continue }
      let json = descriptor.json
      if json.utf8.count > 50_000 { continue }
      #expect(
        try HIDDescriptorText.read(Array(json.utf8), name: file).map(\.bytes) == [bytes], "\(file)")
      var reader = JSONReader(Array(json.utf8), file: file)
      let root = try reader.only()
      guard case .array(let reports)? = root["reports"]?.value else { continue }
      #expect(reports.count == descriptor.reports.count)
      for (node, report) in zip(reports, descriptor.reports) {
        guard case .array(let fields)? = node["fields"]?.value else { continue }
        let bits = fields.reduce(0) { $0 + (integer($1["size"]) * integer($1["count"])) }
        #expect(bits == report.bitCount && integer(node["bits"]) == bits)
      }
      count += 1
    }
    #expect(count >= 600)
  }

  private func integer(_ node: JSONNode?) -> Int {
    if case .integer(let integer)? = node?.value { integer } else { 0 }
  }
}
