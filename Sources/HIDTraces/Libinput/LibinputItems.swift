// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A part of a recording of libinput, for the YAML parser.
struct LibinputRange: Hashable, Sendable {
  var offset: Int
  var byteCount: Int
  /// The line in which the part begins.
  var line: Int
  /// True if the recording ends with this part.
  var isLast: Bool

  /// Reads the bytes of the part.
  func piece(_ lines: LibinputLines) throws(HIDTraceError) -> LibinputPiece {
    LibinputPiece(
      file: lines.source.name, line: line, text: try lines.bytes(at: offset, count: byteCount))
  }
}

extension LibinputLines {
  /// Skips the value of a key.
  ///
  /// - Parameters:
  ///   - line: The line of the key, which was read last.
  ///   - column: The indentation of the key, in columns.
  ///   - holdsList: True if the items of a list can have the same indentation as the key.
  /// - Returns: The range of the key with its value.
  mutating func block(
    _ line: LibinputLine, under column: Int, holdsList: Bool = true
  ) throws(HIDTraceError) -> LibinputRange {
    let end = try skip { next in
      next.indentation > column || (holdsList && next.indentation == column && next.mayBeItem)
    }
    return LibinputRange(
      offset: line.offset, byteCount: end - line.offset, line: line.number,
      isLast: end == offset && isAtEnd)
  }

  /// Skips the value of a key, which must have at most ``LibinputPiece/maximumByteCount`` bytes.
  ///
  /// - Returns: The range of the key with its value.
  /// - Throws: A value that is too long.
  mutating func smallBlock(
    _ line: LibinputLine, _ key: LibinputKey, holdsList: Bool = true
  ) throws(HIDTraceError) -> LibinputRange {
    let range = try block(line, under: key.column, holdsList: holdsList)
    guard range.byteCount <= LibinputPiece.maximumByteCount else {
      throw HIDTraceError(
        problem(
          "the value of \(quoted(key.name)) is longer than \(LibinputPiece.maximumByteCount) bytes",
          at: line, key.column))
    }
    return range
  }

  /// Returns a problem in a line.
  func problem(
    _ message: String, at line: LibinputLine, _ column: Int, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(
      file: source.name, location: HIDTextLocation(line: line.number, column: column + 1),
      message: message, help: help)
  }
}

/// The items of one list of events, one after the other.
struct LibinputItems: Sendable {
  /// An item that holds HID reports.
  struct Item: Sendable {
    var range: LibinputRange
    /// The numbers of the hidraw nodes; nil if the starts of the lines do not show them, or if they
    /// were not searched.
    var nodes: [Int]?
  }

  private(set) var lines: LibinputLines
  // The column of the device's keys.
  private let column: Int
  private let findsNodes: Bool
  // The column of the items; nil before the first.
  private var indentation: Int?

  /// Starts after the line of the key `events`.
  init(_ lines: LibinputLines, under column: Int, findsNodes: Bool) {
    self.lines = lines
    self.column = column
    self.findsNodes = findsNodes
  }

  /// Reads up to the next item that holds HID reports; nil at the end of the list.
  ///
  /// - Throws: A line that does not have libinput's layout, or an item that is too long.
  mutating func next() throws(HIDTraceError) -> Item? {
    while let line = try lines.next() {
      if line.isBlank { continue }
      let belongs =
        line.mayBeItem
        && (indentation.map { $0 == line.indentation } ?? (line.indentation >= column))
      guard belongs else {
        // Deeper lines belong to an item, and were skipped with it.
        guard line.indentation <= column else { throw unexpected(line) }
        lines.goBack(to: line)
        return nil
      }
      indentation = line.indentation
      guard let key = line.key, line.itemColumn != nil else {
        // The file was cut in the middle of this word.
        if !line.hasBreak { return nil }
        throw unexpected(line)
      }
      let item = key.name == "hid" ? try hid(line, key) : nil
      // Skip the other keys of an item: `evdev` and `libinput`.
      _ = try lines.skip { $0.indentation >= key.column }
      if let next = try lines.next() {
        guard next.indentation <= line.indentation else { throw unexpected(next) }
        lines.goBack(to: next)
      }
      if let item { return item }
    }
    return nil
  }

  private mutating func hid(
    _ line: LibinputLine, _ key: LibinputKey
  ) throws(HIDTraceError) -> Item {
    var scan = lines
    let range = try lines.smallBlock(line, key, holdsList: false)
    guard findsNodes, key.value.isEmpty else { return Item(range: range) }
    // In libinput's layout, the keys show the nodes, and the YAML parser is not needed.
    var nodes: [Int] = []
    var inner: Int?
    while scan.offset < range.offset + range.byteCount, let next = try scan.next() {
      if next.isBlank || next.continues { continue }
      if inner == nil { inner = next.indentation }
      guard next.indentation == inner, !next.mayBeItem else { continue }
      guard let key = next.key else { return Item(range: range) }
      if let node = hidrawNumber(key.name) { nodes.append(node) }
    }
    return Item(range: range, nodes: nodes)
  }

  private func unexpected(_ line: LibinputLine) -> HIDTraceError {
    HIDTraceError(
      lines.problem(
        "expected an event such as \"- hid:\" or \"- evdev:\", found "
          + quoted(String(decoding: line.start, as: UTF8.self), limit: 20),
        at: line, line.indentation,
        help: "hidsim reads only the layout that libinput writes"))
  }
}

/// Returns the number in the name of a hidraw node: 3 for `hidraw3`; nil for other names.
func hidrawNumber(_ name: some StringProtocol) -> Int? {
  guard name.hasPrefix("hidraw") else { return nil }
  let digits = name.utf8.dropFirst(6)
  guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
    digits.count == 1 || digits.first != 0x30
  else { return nil }
  return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
}
