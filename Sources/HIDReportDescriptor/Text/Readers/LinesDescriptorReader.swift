// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of items with their names in HID 1.11: `Usage Page (Generic Desktop)`.
///
/// It accepts the spellings of HID 1.11, the HID Descriptor Tool, hid-tools and
/// ``HIDDescriptorFormat/lines``.
///
/// - Each item is on its own line, or commas or semicolons separate items.
/// - `[2 bytes]` after an item is its width; `[c5 01]` in place of an item is its bytes.
/// - Bytes in hex after an item, as USB viewers print them, take precedence over its words. They
///   must be of the same item.
/// - Comments begin with `//`, `#`, `/*`, or with `;` if no item follows.
struct LinesDescriptorReader {
  private var scanner: TextScanner
  private var descriptor = DescriptorBytes()
  private var context = HIDItemContext()

  init(_ bytes: [UInt8], file: String) { scanner = TextScanner(bytes, file: file) }

  consuming func read() throws(HIDTextProblem) -> [HIDDescriptorText] {
    while let byte = scanner.byte {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0c, 0x0d, 0x2c, 0x7b, 0x7d: scanner.advance()
      case 0x5b: try readBytes()
      case 0x3b:
        scanner.advance()
        if !beginsItem() { scanner.skipLine() }
      case 0x41...0x5a, 0x61...0x7a: try readItem()
      default:
        if try !scanner.skipComment() {
          throw scanner.problem(
            "expected an item, found \(scanner.found)", help: "such as Usage Page (Generic Desktop)"
          )
        }
      }
    }
    return [
      HIDDescriptorText(bytes: descriptor.bytes, format: .lines, places: descriptor.places)
    ]
  }

  // MARK: Items

  private mutating func readItem() throws(HIDTextProblem) {
    let location = scanner.location
    let name = name()
    guard let tag = HIDItemTitles.tag(titled: name) else {
      let names = HIDItemTag.allCases.map { HIDItemTitles.title(of: $0) }
      throw scanner.problem(
        "expected an item, found \(quoted(name))", at: location,
        help: nearest(name, names) ?? "the items are those of HID 1.11: Usage Page, Usage, Input …")
    }
    let words = try words()
    let width = try width()
    let item: HIDItem
    if let given = try bytesBehind(tag) {
      item = given
    } else {
      do throws(HIDItemWords.Problem) {
        item = try HIDItemWords.item(
          tag, words: words?.text, dataByteCount: width, page: context.page)
      } catch {
        throw scanner.problem(
          error.message, at: words?.location ?? location,
          help: error.suggestion.map { "did you mean \"\($0)\"?" })
      }
    }
    try append(item, at: location)
    try expectEnd()
  }

  private func nearest(_ name: String, _ names: [String]) -> String? {
    NameSuggestion.nearest(to: name, in: names).map { "did you mean \"\($0)\"?" }
  }

  private mutating func append(
    _ item: HIDItem, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    var bytes: [UInt8] = []
    item.encode(into: &bytes)
    try descriptor.append(bytes, at: location, of: scanner)
    context.pass(item)
  }

  /// Reads the words of an item's name, joined by one blank each; stops before a bracket, a number
  /// or another character.
  private mutating func name() -> String {
    var name = scanner.word()
    while true {
      let before = scanner
      scanner.skipBlanks()
      guard let byte = scanner.byte, TextScanner.isWord(byte), name.utf8.count < 64 else { break }
      let word = scanner.word()
      // "End Collection 0xc0": the number is not part of the name.
      guard !(0x30...0x39).contains(byte),
        !Self.isByte(word) || HIDItemTitles.tag(titled: name) == nil
      else {
        scanner = before
        break
      }
      name += " " + word
    }
    scanner.skipBlanks()
    return name
  }

  /// Reads the text in brackets, which can contain other brackets, with its location; `nil` without
  /// a bracket.
  private mutating func words() throws(HIDTextProblem) -> (
    text: String, location: HIDTextLocation
  )? {
    guard scanner.byte == 0x28 else { return nil }
    let open = scanner.location
    scanner.advance()
    scanner.skipBlanks()
    let location = scanner.location
    let start = scanner.position
    var depth = 1
    while !scanner.isAtLineEnd {
      if scanner.byte == 0x28 { depth += 1 }
      if scanner.byte == 0x29 {
        depth -= 1
        if depth == 0 {
          let text = scanner.text(from: start)
          scanner.advance()
          guard text.utf8.count <= 256 else {
            throw scanner.problem(
              "the text in the brackets is \(text.utf8.count) bytes long, and the limit is 256",
              at: open)
          }
          return (Self.trimmed(text), location)
        }
      }
      scanner.advance()
    }
    throw scanner.problem(
      "expected \")\" for the \"(\" in column \(open.column), found \(scanner.found)")
  }

  private static func trimmed(_ text: String) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }

  /// Reads a width such as `[2 bytes]` at the current position; `nil` without a bracket.
  private mutating func width() throws(HIDTextProblem) -> Int? {
    scanner.skipBlanks()
    guard scanner.byte == 0x5b else { return nil }
    let location = scanner.location
    scanner.advance()
    let number = scanner.word()
    scanner.skipBlanks()
    let unit = scanner.word()
    guard let count = Int(number), [0, 1, 2, 4].contains(count),
      unit == "byte" || unit == "bytes", scanner.byte == 0x5d
    else {
      throw scanner.problem(
        "expected a width, [0 bytes], [1 byte], [2 bytes] or [4 bytes], found "
          + quoted(number + " " + unit),
        at: location)
    }
    scanner.advance()
    return count
  }

  private mutating func expectEnd() throws(HIDTextProblem) {
    scanner.skipBlanks()
    switch scanner.byte {
    case nil, 0x0a, 0x0d, 0x0c, 0x2c, 0x3b, 0x23, 0x2f, 0x7d: return
    case let byte? where (0x30...0x39).contains(byte):
      let location = scanner.location
      // hid-tools prints the offset after an item.
      let word = scanner.word()
      guard Int(word) == nil else { return }
      throw unexpected(quoted(word), at: location)
    default:
      if beginsItem() { return }
      throw unexpected(scanner.found, at: scanner.location)
    }
  }

  private func unexpected(_ found: String, at location: HIDTextLocation) -> HIDTextProblem {
    scanner.problem("expected the end of the line or a comma, found \(found)", at: location)
  }

  /// Returns whether an item begins at the current position, or after blanks.
  ///
  /// The name of an item is followed by a bracket. The name of an item without a value is followed
  /// by the end of the line, a comma or a semicolon.
  private func beginsItem() -> Bool {
    var copy = self
    copy.scanner.skipBlanks()
    guard let byte = copy.scanner.byte, TextScanner.isWord(byte),
      let tag = HIDItemTitles.tag(titled: copy.name())
    else { return false }
    switch tag {
    case .push, .pop, .endCollection:
      return copy.scanner.isAtLineEnd || copy.scanner.byte == 0x2c || copy.scanner.byte == 0x3b
    default: return copy.scanner.byte == 0x28
    }
  }

  // MARK: Bytes

  /// Returns whether a word is a byte in hex: `05` or `0x05`.
  private static func isByte(_ word: String) -> Bool {
    let digits = word.hasPrefix("0x") || word.hasPrefix("0X") ? word.dropFirst(2) : word[...]
    return digits.utf8.count == 2 && digits.utf8.allSatisfy { hexDigit($0) != nil }
  }

  /// Reads the bytes of an item after its words; `nil`, without reading, if its line has none.
  private mutating func bytesBehind(_ tag: HIDItemTag) throws(HIDTextProblem) -> HIDItem? {
    var copy = scanner
    var bytes: [UInt8] = []
    copy.skipBlanks()
    while let byte = copy.byte, TextScanner.isWord(byte), bytes.count <= 5 {
      let word = copy.word()
      guard Self.isByte(word), let byte = UInt8(word.suffix(2), radix: 16) else { return nil }
      bytes.append(byte)
      copy.skipBlanks()
      if copy.byte == 0x2c { copy.advance() }
      copy.skipBlanks()
    }
    var position = 0
    // A single decimal number is an offset, unless it is the item's byte.
    guard let item = try? HIDItem(decoding: bytes.span, at: &position), position == bytes.count,
      item.tag == tag
    else {
      if bytes.count < 2 { return nil }
      throw scanner.problem(
        "expected the bytes of \(HIDItemTitles.title(of: tag)), found \(hexText(bytes))")
    }
    scanner = copy
    return item
  }

  /// Reads bytes in brackets, which are items without a name: `[c5 01]`.
  private mutating func readBytes() throws(HIDTextProblem) {
    let location = scanner.location
    scanner.advance()
    var bytes: [UInt8] = []
    while scanner.byte != 0x5d {
      scanner.skipBlanks()
      if scanner.byte == 0x2c { scanner.advance() }
      scanner.skipBlanks()
      if scanner.byte == 0x5d { break }
      let place = scanner.location
      let word = scanner.word()
      guard let more = HexText.bytes(word: word) else {
        throw scanner.problem(
          "expected a byte in hex or \"]\", found \(word.isEmpty ? scanner.found : quoted(word))",
          at: place)
      }
      bytes += more
      if bytes.count > HIDDescriptorText.maximumDescriptorByteCount { break }
    }
    scanner.advance()
    try descriptor.append(bytes, at: location, of: scanner)
    var position = 0
    while let item = try? HIDItem(decoding: bytes.span, at: &position) { context.pass(item) }
  }
}
