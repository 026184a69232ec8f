// SPDX-License-Identifier: Apache-2.0

/// One line of a recording: its position and its start.
struct LibinputLine: Sendable {
  /// The number of bytes that are kept of a line after its indentation; keys are shorter.
  static let startByteCount = 64

  /// The offset of the line in the file, in bytes.
  var offset: Int
  /// The number of the line, counted from 1.
  var number: Int
  /// The number of spaces before the text of the line.
  var indentation = 0
  /// The first byte after the indentation; nil for a line that is empty or has only spaces.
  var first: UInt8?
  /// The start of the line after its indentation; empty if the line was only skipped.
  var start: [UInt8] = []
  /// True if a line break ends the line; false only for the last line of a file without one.
  var hasBreak = false

  /// True if the line is empty, or has only spaces or a comment.
  var isBlank: Bool { first == nil || first == 0x0D || first == 0x23 }

  /// True if the line continues an earlier one: it closes a bracket or continues a list.
  var continues: Bool { first == 0x5D || first == 0x7D || first == 0x2C }

  /// True if the line is an item of a list, or begins like one.
  var mayBeItem: Bool { first == 0x2D }

  /// The column of the content of an item, after its `- `; nil if the line is not an item.
  var itemColumn: Int? {
    guard mayBeItem else { return nil }
    let rest = start.dropFirst()
    guard let next = rest.first else { return indentation + 2 }
    guard next == 0x20 || next == 0x0D else { return nil }
    return indentation + 1 + rest.prefix { $0 == 0x20 }.count
  }

  /// The key at the start of the line, or of the item in it; nil if there is none.
  var key: LibinputKey? {
    let column = itemColumn ?? indentation
    let text = start.dropFirst(column - indentation)
    let name = text.prefix { $0 == 0x5F || $0 == 0x2D || isLetterOrDigit($0) }
    let rest = text.dropFirst(name.count)
    guard !name.isEmpty, rest.first == 0x3A else { return nil }
    let value = rest.dropFirst().drop { $0 == 0x20 }
    let isSeparate = value.startIndex > rest.startIndex + 1
    guard value.isEmpty || value.first == 0x0D || isSeparate else { return nil }
    let trimmed = value.prefix { $0 != 0x23 && $0 != 0x0D }
    return LibinputKey(
      name: String(decoding: name, as: UTF8.self), column: column,
      value: String(decoding: trimmed, as: UTF8.self).split(separator: " ").joined(separator: " "))
  }

  private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

/// A key, and the start of its value.
struct LibinputKey: Hashable, Sendable {
  var name: String
  /// The indentation of the key; lines with a larger one belong to it.
  var column: Int
  /// The value in the 64 bytes after the line's indentation, up to a `#`, with single spaces.
  var value: String
}

/// The lines of a recording, read in pieces of bounded size from any position.
struct LibinputLines: Sendable {
  /// The number of bytes that are read at a time.
  static let chunkByteCount = 32 << 10

  let source: HIDTraceSource
  private var buffer: [UInt8] = []
  private var bufferOffset: Int
  private var position = 0
  /// The number of the next line.
  private(set) var number: Int
  /// True if the line that was read last has no line break and is not a comment.
  private(set) var isCut = false

  init(_ source: HIDTraceSource, offset: Int = 0, number: Int = 1) {
    self.source = source
    bufferOffset = offset
    self.number = number
  }

  /// The offset of the next line, in bytes.
  var offset: Int { bufferOffset + position }

  /// True if the last attempt to read has found the end of the file.
  private(set) var isAtEnd = false

  /// Reads the next line; nil at the end of the file.
  mutating func next() throws(HIDTraceError) -> LibinputLine? { try next(looking: true) }

  /// Goes back to a line, which is then the next line to be read.
  mutating func goBack(to line: LibinputLine) {
    number = line.number
    isAtEnd = false
    if line.offset >= bufferOffset {
      position = line.offset - bufferOffset
    } else {
      bufferOffset = line.offset
      buffer = []
      position = 0
    }
  }

  /// Skips lines that are blank, continue an earlier line, or match a condition.
  ///
  /// - Parameter belongs: Returns whether the line is skipped.
  /// - Returns: The offset after the last skipped line that is not blank, or the offset of the
  ///   first line if there is no such line.
  mutating func skip(
    while belongs: (LibinputLine) -> Bool
  ) throws(HIDTraceError) -> Int {
    var end = offset
    while let line = try next(looking: false) {
      let isCutInIndentation = line.first == nil && !line.hasBreak
      if line.isBlank && !isCutInIndentation { continue }
      guard isCutInIndentation || line.continues || belongs(line) else {
        goBack(to: line)
        break
      }
      end = offset
    }
    return end
  }

  /// Returns a number of bytes from an offset of the file; fewer at its end.
  func bytes(at start: Int, count: Int) throws(HIDTraceError) -> [UInt8] {
    let place = start - bufferOffset
    if place >= 0, place + count <= buffer.count { return Array(buffer[place..<place + count]) }
    return try source.bytes(at: start, count: count)
  }

  private mutating func next(looking: Bool) throws(HIDTraceError) -> LibinputLine? {
    guard try fill() else { return nil }
    var line = LibinputLine(offset: offset, number: number)
    while !line.hasBreak, try fill() {
      if line.first == nil {
        while position < buffer.count, buffer[position] == 0x20 {
          position += 1
          line.indentation += 1
        }
        guard position < buffer.count else { continue }
        if buffer[position] != 0x0A { line.first = buffer[position] }
      }
      let end = buffer[position...].firstIndex(of: 0x0A)
      let stop = end ?? buffer.count
      // Read a comment only if it can contain the next device: see `deviceAfterComment`.
      if looking || (line.first == 0x23 && line.indentation == 0) {
        let room = LibinputLine.startByteCount - line.start.count
        line.start += buffer[position..<min(stop, position + room)]
      }
      position = end.map { $0 + 1 } ?? stop
      line.hasBreak = end != nil
    }
    number += 1
    isCut = !line.hasBreak && line.first != 0x23
    if line.offset == 0, line.start.starts(with: [0xEF, 0xBB, 0xBF]) {
      line.start.removeFirst(3)
      line.first = line.start.first
    }
    if let device = deviceAfterComment(line) { return device }
    return line
  }

  /// Returns the line of a device that a comment contains; nil if the line is not such a comment.
  ///
  /// With `--autorestart`, libinput ends each list of events with a comment without a line break.
  /// The next device follows directly: `# Closing after 2s inactivity- node: /dev/input/event5`
  /// (libinput 1.22.1, and still in 2025).
  private func deviceAfterComment(_ line: LibinputLine) -> LibinputLine? {
    let comment = Array("# Closing after ".utf8)
    guard line.first == 0x23, line.indentation == 0, line.start.starts(with: comment) else {
      return nil
    }
    let mark = Array("s inactivity".utf8)
    let rest = line.start.dropFirst(comment.count).drop { (0x30...0x39).contains($0) }
    guard rest.starts(with: mark), rest.dropFirst(mark.count).starts(with: Array("- node:".utf8))
    else { return nil }
    var device = line
    device.start = Array(rest.dropFirst(mark.count))
    device.first = device.start.first
    return device
  }

  /// Fills the buffer if it is empty, and returns whether there are more bytes.
  private mutating func fill() throws(HIDTraceError) -> Bool {
    if position < buffer.count { return true }
    bufferOffset += buffer.count
    buffer = []
    buffer = try source.bytes(at: bufferOffset, count: Self.chunkByteCount)
    position = 0
    isAtEnd = buffer.isEmpty
    return !isAtEnd
  }
}
