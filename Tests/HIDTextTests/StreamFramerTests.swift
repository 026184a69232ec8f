// SPDX-License-Identifier: Apache-2.0

import HIDText
import TestSupport
import Testing

@Suite("StreamFramer")
struct StreamFramerTests {
  /// Frames a text that arrives in parts of `cut` bytes, and returns the values of "n", or
  /// messages.
  private func frames(_ text: String, cut: Int = .max) -> [String] {
    var framer = StreamFramer(file: "s")
    var found: [String] = []
    func note(_ frame: StreamFramer.Frame) {
      switch frame {
      case .value(let node):
        if case .integer(let number)? = node["n"]?.value {
          found.append("\(number)@\(node.location.line)")
        } else {
          found.append(node.found)
        }
      case .bad(let problem): found.append("\(problem)")
      }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      framer.append(rest.prefix(cut))
      rest = rest.dropFirst(cut)
      while let frame = framer.next() { note(frame) }
    }
    framer.finish()
    while let frame = framer.next() { note(frame) }
    return found
  }

  private let lenient = """
    {"n":1}{"n":2} {
      "n": 0x3, // three {
      # and a "comment
      "s": "}\\"{", /* more } */ "list": [[{}], 1,],
    }
    12 "x{" [1]

    /* { */ {"n":4}
    """

  @Test(
    "values of any layout are read from a stream in parts of any size",
    arguments: [1, 2, 3, 7, 1000])
  func layout(cut: Int) {
    #expect(
      frames(lenient, cut: cut) == [
        "1@1", "2@1", "3@1", "the number 12", "the string \"x{\"", "an array", "4@8",
      ])
  }

  @Test(
    "a framer continues after a bad value at the next line that begins with a brace",
    arguments: [1, 5, 1000])
  func recovery(cut: Int) {
    let text = """
      {"n":1}
      {"n" 2}, {"n":3}
        {"n":4}
      {"n":5}
      ] {"n":6}
      {"n": [}
      {"n":7}
      {"a": 1, "a": 2,
      {"n":8}
      {"n": "x
      {"n":10}
      {"n":9
      """
    let found = frames(text, cut: cut)
    #expect(found.filter { $0.contains("@") } == ["1@1", "5@4", "7@7", "8@9", "10@11"])
    #expect(
      found.filter { !$0.contains("@") }.map { $0.split(separator: ":")[1] } == [
        "2", "5", "6", "8", "10", "12",
      ])
    #expect(found.last?.contains("found the end") == true)
  }

  @Test("a value and an error in it have their line and column", arguments: [1, 1000])
  func places(cut: Int) {
    #expect(
      frames("\n {\"n\":1} /* é */ {\"n\" 2}\n  }", cut: cut) == [
        "1@2",
        "s:2:23: expected \":\" after the key, found \"2\"",
      ])
    #expect(frames("  }", cut: cut) == ["s:1:3: expected a value, found \"}\""])
    var framer = StreamFramer(file: "s")
    framer.append(Array("1 \"é\" {}".utf8))
    var columns: [Int] = []
    while case .value(let node)? = framer.next() { columns.append(node.location.column) }
    #expect(columns == [1, 3, 7])
  }

  @Test("a string that is open at its line end is reported as such", arguments: [1, 1000])
  func openString(cut: Int) {
    let found = frames("{\"n\": \"x\n{\"n\":10}\n\"\\\n", cut: cut)
    #expect(found.count == 3)
    #expect(
      found.first?.hasPrefix("s:1:7: the string has no closing double quote in its line") == true)
    #expect(found.dropFirst().first == "10@2")
    #expect(found.last?.hasPrefix("s:3:2: expected an escape, found \"\\\"") == true)
  }

  @Test("a value after an unfinished one is read when the stream ends")
  func truncated() {
    var framer = StreamFramer(file: "s")
    framer.append(Array("{\"n\":1}\n  {\"n\": [1,\n{\"n\":2}".utf8))
    guard case .value? = framer.next() else {
      Issue.record("the first value is not read")
      return
    }
    #expect(framer.next() == nil)
    framer.finish()
    guard case .bad? = framer.next() else {
      Issue.record("the second value is good")
      return
    }
    #expect(framer.isTruncated && framer.startLocation == HIDTextLocation(line: 2, column: 3))
    guard case .value(let node)? = framer.next() else {
      Issue.record("what follows is not read")
      return
    }
    #expect(node.location == HIDTextLocation(line: 3, column: 1))
    #expect(framer.next() == nil)
  }

  @Test(
    "only a bad value at the end of a stream is truncated",
    arguments: [("nul {\"a\":1}", false), ("nul", true)])
  func truncatedWord(text: String, isTruncated: Bool) {
    var framer = StreamFramer(file: "s")
    framer.append(Array(text.utf8))
    framer.finish()
    guard case .bad? = framer.next() else {
      Issue.record("the first value is good")
      return
    }
    #expect(framer.isTruncated == isTruncated)
  }

  @Test("a byte order mark at the beginning is skipped, however it is cut")
  func mark() {
    for cut in 0...5 {
      var framer = StreamFramer(file: "s")
      let bytes: [UInt8] = [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]
      framer.append(bytes[..<cut])
      var frame = framer.next()
      framer.append(bytes[cut...])
      frame = frame ?? framer.next()
      guard case .value(let node)? = frame else {
        Issue.record("cut at \(cut): \(frame as Any)")
        continue
      }
      #expect(node.location == HIDTextLocation(line: 1, column: 1))
    }
  }

  @Test(
    "a value longer than the given limit is refused, and the next one is read",
    arguments: ["{\"n\": 12345}", "{\"n\": 1234}", "12345678901"])
  func limit(value: String) {
    var framer = StreamFramer(file: "s", maximumByteCount: 10)
    framer.append(Array(" \(value)\n{\"n\": 123}".utf8))
    guard case .bad(let problem)? = framer.next() else {
      Issue.record("no problem")
      return
    }
    #expect("\(problem)" == "s:1:2: the value is longer than 10 bytes")
    guard case .value? = framer.next() else {
      Issue.record("what follows is not read")
      return
    }
  }

  @Test("a value that never ends is refused, and the value after it is read")
  func endless() {
    var framer = StreamFramer(file: "s")
    var bad = 0
    let part = Array(repeating: UInt8(ascii: "["), count: 1 << 20)
    framer.append(Array("{\"a\": \"".utf8))
    for _ in 0..<18 {
      framer.append(part)
      while let frame = framer.next() {
        if case .bad = frame { bad += 1 }
      }
    }
    #expect(bad == 1)
    framer.append(Array("\n{\"n\":1}".utf8))
    guard case .value? = framer.next() else {
      Issue.record("nothing was read")
      return
    }
  }

  @Test(
    "values that never close take bounded time, and a good value after them is read",
    .timeLimit(.minutes(1)),
    arguments: [("{/*\n", ""), ("{x/*\n", ""), ("{x/*\n", "*/}\n{\"n\":7}\n")])
  func swallowing(_ line: String, _ end: String) {
    // A framer that looks from each line to the end would read 10^10 bytes.
    let text = String(repeating: line, count: 20_000)
    let found = frames(text + end, cut: 64 << 10)
    #expect(found.count > 60)
    let last = Array(found.suffix(end.isEmpty ? 1 : 2))
    #expect(last.first?.contains("skips the lines before") == true)
    if !end.isEmpty { #expect(last.last?.hasPrefix("7@") == true) }
  }

  @Test("random bytes, cut at random, are refused or read in a bounded number of frames")
  func random() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let alphabet = Array("{}[]\",:/*#\\\n 1an\u{FF}".utf8)
      var framer = StreamFramer(file: "s")
      for _ in 0..<20 {
        let count = Int.random(in: 0...30, using: &random)
        framer.append((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
        var frames = 0
        while framer.next() != nil { frames += 1 }
        #expect(frames <= 700)
      }
      framer.finish()
      var frames = 0
      while framer.next() != nil { frames += 1 }
      #expect(frames <= 700)
    }
  }
}
