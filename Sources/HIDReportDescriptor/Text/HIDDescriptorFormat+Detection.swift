// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDDescriptorFormat {
  /// Detects the format in which a descriptor is written, from the content.
  ///
  /// The first true statement decides:
  ///
  /// 1. A tenth of the bytes or more are control characters other than tabs, line ends and form
  ///    feeds; or in a text that is not UTF-8, such characters and bytes from 0x80 up: `binary`.
  /// 2. A line begins with `report descriptor, `: `tree`.
  /// 3. A line begins with `INPUT[` or, without blanks, `INPUT(1)[` (or `OUTPUT`, `FEATURE`), as
  ///    the kernel lists reports: `debugfs`.
  /// 4. The first line that is neither blank nor a comment with `#` begins with a capital letter
  ///    and a colon: `recording`.
  /// 5. The first character outside comments is `{` before a quote, or `[` before a quote,
  ///    `{` or `]`: `items`.
  /// 6. There is an `=` or `= &` before `{` or `[`: `c`.
  /// 7. The first word, after bytes in brackets if there are any, is the first word of an item's
  ///    name, such as `Usage` or `COLLECTION`: `lines`.
  /// 8. A line begins with a byte such as `0x05`, or with `#` and such a byte, and has the first
  ///    word of an item's name after `//`: `text`.
  /// 9. Anything else: `hex`.
  ///
  /// - Parameter bytes: The text.
  public static func detect(_ bytes: [UInt8]) -> HIDDescriptorFormat {
    if isBinary(bytes) { return .binary }
    var facts = Facts()
    var scanner = TextScanner(bytes, file: "")
    while scanner.byte != nil {
      facts.look(at: scanner.line())
      scanner.advance()
    }
    if facts.hasTrailer { return .tree }
    if facts.hasReportHeading { return .debugfs }
    if facts.isRecording { return .recording }
    let outline = Outline(bytes)
    if outline.isJSON { return .items }
    if outline.hasInitializer { return .c }
    if outline.beginsWithItem { return .lines }
    return facts.hasAnnotatedBytes ? .text : .hex
  }

  private static func isBinary(_ bytes: [UInt8]) -> Bool {
    var oddCount = 0
    for byte in bytes {
      switch byte {
      case 0x09, 0x0a, 0x0c, 0x0d: break
      case 0..<0x20, 0x7f: oddCount += 1
      default: break
      }
    }
    if oddCount * 10 >= max(bytes.count, 1) { return true }
    if String(validating: bytes, as: UTF8.self) != nil { return false }
    // Text in an older encoding has a few letters that are not UTF-8; a descriptor has many such
    // bytes.
    return (oddCount + bytes.count { $0 >= 0x80 }) * 10 >= max(bytes.count, 1)
  }

  /// The facts that single lines show.
  private struct Facts {
    var hasTrailer = false
    var hasReportHeading = false
    var isRecording = false
    var hasAnnotatedBytes = false
    private var hasSignificantLine = false

    mutating func look(at line: ArraySlice<UInt8>) {
      let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }
      guard let first = text.first else { return }
      switch first {
      case 0x72 where text.starts(with: "report descriptor, ".utf8): hasTrailer = true
      case 0x49, 0x4f, 0x46:  // INPUT, OUTPUT, FEATURE
        for word in ["INPUT", "OUTPUT", "FEATURE"] where text.starts(with: word.utf8) {
          let rest = text.dropFirst(word.utf8.count)
          let isNumbered = rest.first == 0x28 && rest.contains(0x5b) && !rest.contains(0x20)
          if rest.first == 0x5b || isNumbered { hasReportHeading = true }
        }
      default: break
      }
      if first != 0x23, !hasSignificantLine {
        hasSignificantLine = true
        let second = text.dropFirst().first
        isRecording = (0x41...0x5a).contains(first) && second == 0x3a
      }
      if !hasAnnotatedBytes { hasAnnotatedBytes = Self.isAnnotated(text) }
    }

    /// Returns whether a line begins with a byte such as `0x05`, maybe after `#`, and has after it
    /// `//` with the first word of an item's name.
    private static func isAnnotated(_ line: ArraySlice<UInt8>) -> Bool {
      var rest = line
      if rest.first == 0x23 { rest = rest.dropFirst().drop { $0 == 0x20 } }
      guard rest.starts(with: "0x".utf8), let slash = rest.firstIndex(of: 0x2f),
        slash + 1 < rest.endIndex, rest[slash + 1] == 0x2f
      else { return false }
      let words = rest[(slash + 2)...].drop { $0 == 0x20 || $0 == 0x09 }
      let word = words.prefix { TextScanner.isWord($0) }
      return HIDItemTitles.isFirstWord(String(decoding: word, as: UTF8.self))
    }
  }

  /// The facts that the content outside comments shows.
  private struct Outline {
    var isJSON = false
    var hasInitializer = false
    var beginsWithItem = false

    init(_ bytes: [UInt8]) {
      var scanner = TextScanner(bytes, file: "")
      guard var previous = Self.next(&scanner) else { return }
      if previous == 0x5b { beginsWithItem = Self.hasItemBehindBrackets(scanner) }
      if TextScanner.isWord(previous) {
        beginsWithItem = HIDItemTitles.isFirstWord(scanner.word())
      } else {
        scanner.advance()
      }
      if previous == 0x7b || previous == 0x5b, let second = Self.next(&scanner) {
        isJSON = second == 0x22 || previous == 0x5b && (second == 0x7b || second == 0x5d)
      }
      while let byte = Self.next(&scanner) {
        if previous == 0x3d || previous == 0x26, byte == 0x7b || byte == 0x5b {
          hasInitializer = true
          return
        }
        // `= &[`: Rust.
        if byte != 0x26 || previous != 0x3d { previous = byte == 0x26 ? 0 : byte }
        scanner.advance()
      }
    }

    /// Returns whether the first word of an item's name follows one or more parts in brackets.
    ///
    /// The format ``lines`` has bytes in brackets for an item that has no words. The content of the
    /// brackets is not checked.
    private static func hasItemBehindBrackets(_ scanner: TextScanner) -> Bool {
      var scanner = scanner
      while scanner.byte == 0x5b {
        while scanner.byte != nil, scanner.byte != 0x5d { scanner.advance() }
        scanner.advance()
        guard let byte = next(&scanner) else { return false }
        if TextScanner.isWord(byte) { return HIDItemTitles.isFirstWord(scanner.word()) }
      }
      return false
    }

    /// Skips blanks and comments, and returns the byte after them without passing it.
    ///
    /// The result is nil at the end, and for a block comment that does not end.
    private static func next(_ scanner: inout TextScanner) -> UInt8? {
      while let byte = scanner.byte {
        switch byte {
        case 0x20, 0x09, 0x0a, 0x0c, 0x0d: scanner.advance()
        case 0x23: scanner.skipLine()
        case 0x2f where scanner.peek(1) == 0x2f: scanner.skipLine()
        case 0x2f where scanner.peek(1) == 0x2a:
          guard (try? scanner.skipBlockComment()) != nil else { return nil }
        default: return byte
        }
      }
      return nil
    }
  }
}
