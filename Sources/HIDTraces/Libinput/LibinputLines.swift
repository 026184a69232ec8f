// SPDX-License-Identifier: Apache-2.0

/// One line of a recording: where it is, and how it begins.
struct LibinputLine: Sendable {
  /// How much of a line is looked at, in bytes after its indentation; keys are shorter.
  static let startByteCount = 64

  /// Where the line begins in the file, in bytes.
  var offset: Int
  /// The number of the line, the first being 1.
  var number: Int
  /// How many spaces the line begins with.
  var indentation = 0
  /// The first byte after the indentation; nil in a line of spaces.
  var first: UInt8?
  /// How the line goes on after its indentation; empty where nobody asked for it.
  var start: [UInt8] = []
  /// Whether the line has an end, which the last of a file that was cut has not.
  var hasBreak = false

  /// Whether nothing stands in the line but spaces or a comment.
  var isBlank: Bool { first == nil || first == 0x0D || first == 0x23 }

  /// Whether the line goes on with what a line before it began: it closes a bracket or continues a list.
  var continues: Bool { first == 0x5D || first == 0x7D || first == 0x2C }

  /// Whether the line is an item of a list, or begins as one does.
  var mayBeItem: Bool { first == 0x2D }

  /// How far what an item holds is indented, its `- ` counted; nil for what is no item.
  var itemColumn: Int? {
    guard mayBeItem else { return nil }
    let rest = start.dropFirst()
    guard let next = rest.first else { return indentation + 2 }
    guard next == 0x20 || next == 0x0D else { return nil }
    return indentation + 1 + rest.prefix { $0 == 0x20 }.count
  }

  /// The key that the line, or the item in it, begins with.
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

/// A key, and the beginning of its value.
struct LibinputKey: Hashable, Sendable {
  var name: String
  /// How far the key is indented; what is indented more belongs to it.
  var column: Int
  /// What stands in the key's own line, without a comment.
  var value: String
}

/// The lines of a recording, read in pieces of bounded size from any place.
struct LibinputLines: Sendable {
  /// How much is read at once, in bytes.
  static let chunkByteCount = 32 << 10

  let source: HIDTraceSource
  private var buffer: [UInt8] = []
  private var bufferOffset: Int
  private var position = 0
  /// The number of the next line.
  private(set) var number: Int
  /// Whether the line that was read last has no end, and is no comment.
  private(set) var isCut = false

  init(_ source: HIDTraceSource, offset: Int = 0, number: Int = 1) {
    self.source = source
    bufferOffset = offset
    self.number = number
  }

  /// Where the next line begins, in bytes.
  var offset: Int { bufferOffset + position }

  /// Whether all bytes were moved past, as far as it is known without reading: so after the last line.
  private(set) var isAtEnd = false

  /// Reads the next line; nil at the end of the file.
  mutating func next() throws(HIDTraceError) -> LibinputLine? { try next(looking: true) }

  /// Goes back to a line.
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

  /// Moves past lines that are blank or of which this holds.
  ///
  /// - Returns: Where the last of them ends that is not blank; where the lines began if there is none.
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

  /// The bytes from a place to another.
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
      // A comment that holds the next device is the one comment that matters: `deviceAfterComment`.
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

  /// The line of a device that stands in a comment.
  ///
  /// With `--autorestart` libinput ends each list of events with a comment and no line break, and goes on with the
  /// next device: `# Closing after 2s inactivity- node: /dev/input/event5` (libinput 1.22.1, and still in 2025).
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

  /// Whether there are more bytes.
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
