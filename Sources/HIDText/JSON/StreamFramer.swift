// SPDX-License-Identifier: Apache-2.0

/// A splitter of a byte stream into JSON values, of any layout, with comments, in any number.
///
/// The bytes of a good value are scanned once and parsed once, however the stream is cut; those of
/// bad values are read a bounded number of times. After a bad value, reading continues at the next
/// line that begins with `{`. A value that is longer than the limit is bad.
package struct StreamFramer: Sendable {
  /// The limit for the number of times that bytes are read again, on average.
  ///
  /// A value without an end contains the values behind it, which must be read again.
  private static let maximumRepetition = 64

  /// The default maximum length of a value, in bytes, which is that of a device file.
  package static let maximumByteCount = JSONReader.maximumByteCount

  /// A value, or the problem with a bad one.
  package enum Frame: Hashable, Sendable {
    case value(JSONNode)
    case bad(HIDTextProblem)
  }

  /// The position of the scanner relative to the values.
  private enum Place: Hashable, Sendable {
    case between  // between root values
    case inside  // inside a value with brackets
    case scalar  // inside a root value without brackets
    case resuming  // after a bad value, before the next line with "{"
  }

  private enum Text: Hashable, Sendable {
    case none, string, escape, slash, lineComment, blockComment, star
  }

  private let file: String
  private let limit: Int
  private var bytes: [UInt8] = []
  /// The offset of the next byte in ``bytes``.
  private var position = 0
  /// The offset in ``bytes`` at which the current value begins.
  private var start = 0
  /// The number of bytes of the stream that came before ``bytes``.
  private var dropped = 0
  /// The number of bytes that were read again.
  private var repeated = 0
  private var place = Place.between
  private var text = Text.none
  /// The closing bracket of each open bracket.
  private var closings: [UInt8] = []
  private var hasEnded = false
  /// True once the beginning of the stream was examined for a byte order mark.
  private var isBehindMark = false
  private var location = HIDTextLocation.start  // of `position`
  /// The location at which the most recent value begins.
  ///
  /// A stray bracket, comma, colon or slash between values does not change it.
  package private(set) var startLocation = HIDTextLocation.start

  /// Makes a framer.
  ///
  /// - Parameters:
  ///   - file: The name of the stream in messages.
  ///   - maximumByteCount: The maximum length of a value, in bytes.
  package init(file: String, maximumByteCount: Int = StreamFramer.maximumByteCount) {
    self.file = file
    limit = maximumByteCount
  }

  /// True if the most recent bad value is bad because the stream ended inside the value.
  ///
  /// It is false if the bytes of bad values have been read again too often.
  package private(set) var isTruncated = false

  /// Adds bytes that have come from the stream.
  package mutating func append(_ more: some Sequence<UInt8>) {
    let count = place == .between || place == .resuming ? position : start
    if count > 0 {
      bytes.removeFirst(count)
      position -= count
      start -= count
      dropped += count
    }
    bytes += more
  }

  /// Returns the next complete or bad value; `nil` if more bytes are needed, or at the end.
  package mutating func next() -> Frame? {
    guard skipMark() else { return nil }
    while position < bytes.count {
      let byte = bytes[position]
      if place == .resuming {
        guard location.column == 1, byte == 0x7B else {
          advance()
          continue
        }
        place = .between
        text = .none
      }
      if let frame = look(at: byte) { return frame }
      if place != .between, position - start > limit { return fail(tooLong) }
    }
    guard hasEnded, place == .inside || place == .scalar else { return nil }
    let frame = take()
    if case .bad = frame, position < bytes.count { return frame }
    place = .between
    return frame
  }

  /// Ends the stream: ``next()`` then reports an incomplete value as bad, and continues at the next
  /// line behind its start that begins with `{`.
  package mutating func finish() { hasEnded = true }

  /// Skips a byte order mark at the beginning of the stream.
  ///
  /// - Returns: False if more bytes are needed to recognise a mark.
  private mutating func skipMark() -> Bool {
    if isBehindMark { return true }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if bytes.count < mark.count, mark.starts(with: bytes), !hasEnded { return false }
    if bytes.starts(with: mark) { position = mark.count }
    isBehindMark = true
    return true
  }

  // MARK: One byte

  private mutating func look(at byte: UInt8) -> Frame? {
    // A string ends with its line: the text behind may be valid again.
    if byte == 0x0A, text == .string || text == .escape { return take(withLineEnd: true) }
    switch text {
    case .string: text = byte == 0x5C ? .escape : byte == 0x22 ? .none : .string
    case .escape: text = .string
    case .lineComment: text = byte == 0x0A ? .none : .lineComment
    case .blockComment: text = byte == 0x2A ? .star : .blockComment
    case .star: text = byte == 0x2F ? .none : byte == 0x2A ? .star : .blockComment
    case .slash:
      text = byte == 0x2F ? .lineComment : byte == 0x2A ? .blockComment : .none
      if text == .none { return place == .between ? bad(byte) : step() }
    case .none: return lookBetween(byte)
    }
    return step()
  }

  private mutating func lookBetween(_ byte: UInt8) -> Frame? {
    let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
    if place == .scalar, isSpace || byte == 0x7B || byte == 0x5B || byte == 0x23 || byte == 0x2F {
      return take()
    }
    if byte == 0x23 { text = .lineComment }
    if byte == 0x2F { text = .slash }
    guard !isSpace, text == .none else { return step() }
    if place == .between {
      if byte == 0x7D || byte == 0x5D || byte == 0x2C || byte == 0x3A { return bad(byte) }
      begin(byte == 0x7B || byte == 0x5B ? .inside : .scalar)
    }
    if byte == 0x22 { text = .string }
    guard place == .inside else { return step() }
    advance()
    if byte == 0x7B || byte == 0x5B {
      closings.append(byte + 2)
      return closings.count > JSONReader.maximumDepth ? take() : nil
    }
    guard byte == 0x7D || byte == 0x5D else { return nil }
    let isMatched = closings.popLast() == byte
    return closings.isEmpty || !isMatched ? take() : nil
  }

  private mutating func step() -> Frame? {
    advance()
    return nil
  }

  private mutating func advance() {
    location = location(after: bytes[position], at: location)
    position += 1
  }

  private func location(after byte: UInt8, at place: HIDTextLocation) -> HIDTextLocation {
    if byte == 0x0A { return HIDTextLocation(line: place.line + 1, column: 1) }
    let isContinued = byte & 0xC0 == 0x80
    return HIDTextLocation(line: place.line, column: place.column + (isContinued ? 0 : 1))
  }

  private mutating func begin(_ place: Place) {
    self.place = place
    start = position
    startLocation = location
    closings = []
  }

  // MARK: Values

  /// Reads the value that ended before ``position``.
  ///
  /// - Parameter withLineEnd: True to read the line end at ``position`` too. Without it, the reader
  ///   would report a string that lacks its closing quote as cut off by the end of the text.
  private mutating func take(withLineEnd: Bool = false) -> Frame {
    let end = position + (withLineEnd ? 1 : 0)
    // A closing bracket ends a value before ``next()`` compares its length with the limit.
    guard end - start <= limit else { return fail(tooLong) }
    var reader = JSONReader(
      Array(bytes[start..<end]), file: file, line: startLocation.line,
      column: startLocation.column)
    do throws(JSONError) {
      let node = try reader.only()
      place = .between
      return .value(node)
    } catch {
      var isTruncated = hasEnded && position == bytes.count && error.isTruncated
      var problem = error.problem
      // Reading restarts at the byte where the reader stopped, or behind the first byte of a value
      // without an end, because the bad value may contain good ones behind it.
      let found = isTruncated ? start + 1 : min(start + max(1, reader.byteOffset), position)
      let again = repeated + position - found
      if again / Self.maximumRepetition <= dropped + position {
        repeated = again
        position = found
        location = bytes[start..<position].reduce(startLocation) { location(after: $1, at: $0) }
      } else {
        isTruncated = false
        problem.help =
          "close each object, array and comment: too many are open, and hidsim skips the lines "
          + "before line \(location.line)"
      }
      return fail(problem, isTruncated: isTruncated)
    }
  }

  private mutating func bad(_ byte: UInt8) -> Frame {
    let place = location
    advance()
    start = position
    let found = UnicodeScalar(byte)
    return fail(
      HIDTextProblem(
        file: file, location: place,
        message: "expected a value, found \(quoted(String(found)))"))
  }

  private mutating func fail(_ problem: HIDTextProblem, isTruncated: Bool = false) -> Frame {
    self.isTruncated = isTruncated
    place = .resuming
    text = .none
    return .bad(problem)
  }

  private var tooLong: HIDTextProblem {
    HIDTextProblem(
      file: file, location: startLocation,
      message: "the value is longer than \(limit) bytes")
  }
}
