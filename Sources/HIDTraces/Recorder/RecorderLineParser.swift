// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// A parser of the lines of hid-recorder's text, one at a time.
struct RecorderLineParser: Sendable {
  var problems: RecorderProblems
  /// True if the following `#!` lines are hidsim's.
  var hasVersion = false
  /// True if a report descriptor was read, so that the lines before a cut are a recording.
  private var hasDescriptor = false
  /// True if the text ends after the line without a line break.
  private(set) var isUnfinished = false

  init(file: String, isLenient: Bool) {
    problems = RecorderProblems(file: file, isLenient: isLenient)
  }

  /// Reads a line; nil for a line without content, an ignored line and an invalid one.
  ///
  /// Recorders can be stopped while they write. If a report descriptor was read before, a problem
  /// in a last line without a line break means that the line was cut. Such a line is left out with
  /// a warning, even if reading is lenient. This applies only to a line that begins with `#` or a
  /// letter of the format. A `D:` line without a line break is left out, too.
  mutating func parse(_ text: ArraySlice<UInt8>, isWhole: Bool) -> RecorderLine? {
    isUnfinished = !isWhole
    let letter = text.first { $0 != 0x20 && $0 != 0x09 } ?? 0x20
    defer { problems.isCut = false }
    problems.isCut = isUnfinished && hasDescriptor && "EBD#RNPI".utf8.contains(letter)
    let count = problems.problems.count
    let line = parse(text)
    if problems.isCut, problems.forgiveCutLine(since: count) { return nil }
    switch line {
    case .descriptor: hasDescriptor = true
    // The text ends here, so no line about the device follows. The number may be incomplete.
    case .device where isUnfinished: return nil
    default: break
    }
    return line
  }

  private mutating func parse(_ text: ArraySlice<UInt8>) -> RecorderLine? {
    var words = WordScanner(text)
    words.skipBlanks()
    guard let letter = words.text.first else { return nil }
    if letter == 0x23 { return parseComment(&words) }
    let start = words.column
    guard words.text.dropFirst().first == 0x3A else {
      let found = quoted(words.remainder(), limit: 20)
      problems.doubt(
        "expected a line such as \"R: …\", \"E: …\" or \"# …\", found \(found)", at: start)
      return nil
    }
    words.skip(2)
    switch letter {
    case UInt8(ascii: "D"): return parseSwitch(&words)
    case UInt8(ascii: "R"):
      return parseCountedBytes(
        &words, "descriptor", maximum: HIDTraceReader.maximumDescriptorByteCount
      ).map { .descriptor($0) }
    case UInt8(ascii: "N"): return .name(parseText(&words))
    case UInt8(ascii: "P"): return .physicalPath(parseText(&words))
    case UInt8(ascii: "I"): return parseIdentity(&words)
    case UInt8(ascii: "E"): return parseReport(&words) { .input($0) }
    case UInt8(ascii: "B"): return parseReport(&words) { .original($0) }
    case 0x41...0x5A, 0x61...0x7A:
      let prefix = Character(Unicode.Scalar(letter))
      problems.warn(
        "unknown line prefix \"\(prefix):\"; line ignored", at: start)
    default:
      problems.doubt(
        "expected a letter before \":\", found \(describe(byte: letter))", at: start)
    }
    return nil
  }

  // MARK: The lines

  private mutating func parseSwitch(_ words: inout WordScanner) -> RecorderLine? {
    guard let word = words.next() else {
      problems.fail("expected a device number, found the end of the line", at: words.column)
      return nil
    }
    guard let number = word.text.decimal, number <= 65535 else {
      problems.fail(
        "expected a device number from 0 to 65535, found \(word.quoted)", at: word.column)
      return nil
    }
    expectEnd(&words)
    return .device(Int(number))
  }

  mutating func parseText(_ words: inout WordScanner) -> String {
    if words.text.first == 0x20 { words.skip(1) }
    let start = words.column
    if String(validating: words.text, as: UTF8.self) == nil {
      problems.warn("the text is not UTF-8; invalid bytes are replaced", at: start)
    }
    return String(decoding: words.text, as: UTF8.self)
  }

  private mutating func parseIdentity(_ words: inout WordScanner) -> RecorderLine? {
    var numbers: [UInt16] = []
    let help = "the line is \"I: bus vendor product\", such as \"I: 3 046d c077\""
    for part in ["bus", "vendor", "product"] {
      guard let word = words.next() else {
        problems.fail(
          "expected the \(part) in hexadecimal, found the end of the line", at: words.column,
          help: help)
        return nil
      }
      guard word.text.count <= 16, let number = word.text.hexadecimal else {
        problems.fail(
          "expected the \(part) as a hexadecimal number from 0 to ffff, found \(word.quoted)",
          at: word.column, help: help)
        return nil
      }
      numbers.append(number)
      expectWhole(word, words)
    }
    expectEnd(&words)
    return .identity(
      HIDTraceDevice.Identity(
        busType: numbers[0], vendorID: numbers[1], productID: numbers[2]))
  }

  private mutating func parseReport(
    _ words: inout WordScanner, _ kind: (HIDReportBytes) -> HIDTraceEvent.Kind
  ) -> RecorderLine? {
    guard let time = parseStamp(&words), let report = parseReportBytes(&words) else { return nil }
    return .event(microseconds: time, kind(report))
  }

  // MARK: The parts of lines

  mutating func parseStamp(_ words: inout WordScanner) -> Int64? {
    guard let word = words.next() else {
      problems.fail("expected a time, found the end of the line", at: words.column)
      return nil
    }
    let parts = word.text.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = parts[0].decimal, let micros = parts[1].decimal,
      seconds < 1 << 40, micros < 1_000_000_000
    else {
      problems.fail(
        "expected a time as seconds.microseconds, found \(word.quoted)", at: word.column,
        help: "write a time such as 000001.250000")
      return nil
    }
    if parts[1].count != 6 {
      guard
        problems.doubt(
          "expected six digits of microseconds, found \(parts[1].count)", at: word.column,
          help: "they mean \(micros) microseconds: write six digits")
      else { return nil }
    }
    return seconds * 1_000_000 + micros
  }

  mutating func parseReportBytes(_ words: inout WordScanner) -> HIDReportBytes? {
    parseCountedBytes(&words, "report", maximum: HIDTraceReader.maximumReportByteCount)
      .map { HIDReportBytes($0) }
  }

  /// Reads a count and all bytes after it; nil if one of them is not valid.
  ///
  /// A wrong count is a problem, or a warning if reading is lenient. It does not determine how much
  /// memory is allocated.
  private mutating func parseCountedBytes(
    _ words: inout WordScanner, _ what: String, maximum: Int
  ) -> [UInt8]? {
    guard let word = words.next() else {
      problems.fail(
        "expected the \(what)'s byte count, found the end of the line", at: words.column)
      return nil
    }
    guard let count = word.text.decimal else {
      problems.fail("expected the \(what)'s byte count, found \(word.quoted)", at: word.column)
      return nil
    }
    var bytes: [UInt8] = []
    while let byte = words.next() {
      guard (1...2).contains(byte.text.count), let value = byte.text.hexadecimal else {
        problems.fail(
          "expected a byte as two hexadecimal digits, found \(byte.quoted)", at: byte.column)
        return nil
      }
      if byte.text.count == 1, isUnfinished, words.text.isEmpty {
        problems.doubt(
          "expected a byte as two hexadecimal digits, found \(byte.quoted) at the end",
          at: byte.column, help: "the line may have been cut short")
      }
      bytes.append(UInt8(truncatingIfNeeded: value))
      guard bytes.count <= maximum else {
        problems.fail("the \(what) is longer than \(maximum) bytes", at: byte.column)
        return nil
      }
    }
    if count != Int64(bytes.count) {
      problems.doubt(
        "expected \(count) bytes of the \(what), found \(bytes.count)", at: word.column,
        help: bytes.count < count
          ? "the line may have been cut short" : "correct the count or the bytes")
    }
    return bytes
  }

  /// Reports a number at the end of an unfinished line that has fewer than four hexadecimal digits.
  mutating func expectWhole(_ word: WordScanner.Word, _ words: WordScanner) {
    guard isUnfinished, words.text.isEmpty, word.text.count < 4 else { return }
    problems.doubt(
      "expected four hexadecimal digits at the end, found \(word.quoted)", at: word.column,
      help: "the line may have been cut short")
  }

  mutating func expectEnd(_ words: inout WordScanner) {
    if let word = words.next() {
      problems.doubt("expected the end of the line, found \(word.quoted)", at: word.column)
    }
  }
}
