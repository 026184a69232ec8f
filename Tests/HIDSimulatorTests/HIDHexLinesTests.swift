// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDSimulator

@Suite("HIDHexLines")
struct HIDHexLinesTests {
  private func lengths(_ descriptor: [UInt8]) throws -> HIDReportLengths {
    HIDReportLengths(try HIDReportDescriptor(parsing: descriptor))
  }

  private func reports(_ batch: HIDReportBatch) -> [[UInt8]] {
    batch.withBytes { bytes in
      (0..<batch.count).map { batch.byteRange(ofReport: $0).map { bytes[$0] } }
    }
  }

  /// Reads a text in pieces.
  ///
  /// - Returns: The reports, and the description of the problem, if there was one.
  private func read(
    _ text: String, _ descriptor: [UInt8] = RuntimeDescriptor.plain, pieces byteCount: Int = 4096
  ) throws -> (reports: [[UInt8]], problem: String?) {
    var lines = HIDHexLines(try lengths(descriptor))
    var batch = HIDReportBatch()
    var rest = Array(text.utf8)[...]
    do throws(HIDHexLines.Problem) {
      while !rest.isEmpty {
        var position = 0
        try lines.read(Array(rest.prefix(byteCount)), from: &position, into: &batch, limit: .max)
        rest = rest.dropFirst(byteCount)
      }
      try lines.finish(into: &batch)
    } catch {
      return (reports(batch), error.description)
    }
    return (reports(batch), nil)
  }

  @Test("a line is a report, filled up with zeros; an empty line or a comment is none")
  func lines() throws {
    let text = "1 2 3 4\n\n# nothing\n05#five\r\n  \n06 07"
    let expected: [[UInt8]] = [[1, 2, 3, 4], [5, 0, 0, 0], [6, 7, 0, 0]]
    for byteCount in 1...text.utf8.count {
      #expect(try read(text, pieces: byteCount) == (expected, nil), "\(byteCount) bytes at a time")
    }
    #expect(try read("1 9\n", RuntimeDescriptor.numbered) == ([[1, 9, 0]], nil))
  }

  @Test(
    "a wrong report is refused with its line, and the reports before it are read",
    arguments: [
      (
        RuntimeDescriptor.plain, "1\n2\n1 2 3 4 5\n6\n", 2,
        "line 3: the report has 5 bytes, and is declared with 4"
      ),
      (
        RuntimeDescriptor.plain, "1\nxy", 1,
        "line 2: \"xy\" is not a byte: expected hex, such as 01 ff"
      ),
      (
        RuntimeDescriptor.numbered, "2 1\n", 0,
        "line 1: the report descriptor declares no input report 2: 02 01"
      ),
      (
        RuntimeDescriptor.numbered, "1\n0 1\n", 1,
        "line 2: the report descriptor declares no input report 0: 00 01"
      ),
      (
        RuntimeDescriptor.plain, "1\n" + String(repeating: " ", count: 65_537), 1,
        "line 2: longer than 65536 bytes"
      ),
      (
        RuntimeDescriptor.plain, String(repeating: " ", count: 65_537) + "\n", 0,
        "line 1: longer than 65536 bytes"
      ),
    ] as [([UInt8], String, Int, String)])
  func problems(descriptor: [UInt8], text: String, count: Int, problem: String) throws {
    for byteCount in [7, 4096, 1 << 20] {
      let result = try read(text, descriptor, pieces: byteCount)
      #expect(result.reports.count == count)
      #expect(result.problem == problem)
    }
  }

  @Test("a full batch leaves the rest of the text for the next batch")
  func limit() throws {
    var lines = HIDHexLines(try lengths(RuntimeDescriptor.plain))
    let text = Array("1\n2\n3\n".utf8)
    var position = 0
    var counts: [Int] = []
    while position < text.count {
      var batch = HIDReportBatch()
      try lines.read(text, from: &position, into: &batch, limit: 2)
      counts.append(batch.count)
    }
    #expect(counts == [2, 1])
  }
}
