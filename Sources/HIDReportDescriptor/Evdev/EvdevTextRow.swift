// SPDX-License-Identifier: Apache-2.0

/// A line of ``EvdevMapping/text``: consecutive controls and their result.
struct EvdevTextRow {
  static let maximumTitleWidth = 48
  private static let lineWidth = 100

  private let first: UInt32
  private var last: UInt32
  /// The number of controls that have the last usage.
  private var repeatCount: Int
  private(set) var codes: [EvdevCode] = []
  /// The reason why the codes are not sent; `nil` if they are sent.
  private(set) var obstacle: String?
  /// The last code that is no key or LED, with its range if it is absolute; nil if there is none.
  private var axis: String?
  /// The result for the controls in addition to the codes, or instead of them; `nil` for none.
  var note: String?

  /// - Parameter isRun: True if the controls have consecutive usages; false if all have the same
  ///   usage.
  init(_ usage: UInt32, _ count: Int, isRun: Bool) {
    first = usage
    last = isRun ? usage &+ UInt32(truncatingIfNeeded: count - 1) : usage
    repeatCount = isRun ? 1 : count
  }

  /// Adds a code that is not sent.
  mutating func add(_ code: EvdevCode, obstacle: String) {
    codes.append(code)
    self.obstacle = obstacle
  }

  /// Adds a code that is sent.
  mutating func add(_ code: EvdevCode, _ axis: String?) {
    codes.append(code)
    if code.type != .key, code.type != .led { self.axis = axis ?? "\(code)" }
  }

  /// Merges the next row into this one if one line can describe both; returns whether it did.
  mutating func absorb(_ next: EvdevTextRow) -> Bool {
    let repeats = next.first == last && next.last == last && next.codes == codes
    let follows =
      next.first == last &+ 1 && next.first >> 16 == last >> 16 && repeatCount == 1
      && axis == nil && next.axis == nil
    guard repeats || follows, next.note == note, next.obstacle == obstacle,
      next.codes.isEmpty == codes.isEmpty
    else { return false }
    if repeats {
      repeatCount += next.repeatCount
    } else {
      last = next.last
      repeatCount = next.repeatCount
      codes += next.codes
    }
    return true
  }

  /// The names of the controls.
  var title: String {
    var title = HIDUsage(extended: first).name
    if first != last { title += " … \(HIDUsage(extended: last).name)" }
    return repeatCount > 1 ? "\(title) (\(repeatCount) times)" : title
  }

  /// The result for the controls, in parts between which a line can break.
  var words: [String] {
    let codeWords = axis.map { [$0] } ?? Self.words(of: codes)
    let words = obstacle.map { ["ignored: \($0)"] + codeWords } ?? codeWords
    return note.map { words + [words.isEmpty ? $0 : "(\($0))"] } ?? words
  }

  /// Returns codes by name: more than three consecutive codes as a range, and a repeated code once
  /// with its count.
  static func words(of codes: [EvdevCode]) -> [String] {
    var words: [String] = []
    var index = 0
    while index < codes.count {
      let code = codes[index]
      var end = index + 1
      while end < codes.count, codes[end] == code { end += 1 }
      if end - index > 1 {
        words.append("\(code) (\(end - index) times)")
        index = end
        continue
      }
      while end < codes.count, codes[end].type == code.type,
        Int(codes[end].number) == Int(code.number) + end - index
      {
        end += 1
      }
      if end - index > 3 {
        words.append("\(code) … \(codes[end - 1])")
        index = end
      } else {
        words.append("\(code)")
        index += 1
      }
    }
    return words
  }

  /// Returns whether the words fit into the rest of a line.
  static func fits(_ words: [String], column: Int) -> Bool {
    words.reduce(column - 1) { $0 + 1 + $1.unicodeScalars.count } <= lineWidth
  }

  /// Writes indented words, with line breaks where a line would become too long.
  static func write(_ words: [String], indent: Int, to output: inout TextOutput) {
    var length = indent
    output.write(spaces: indent)
    for (index, word) in words.enumerated() {
      if index > 0, length + 1 + word.unicodeScalars.count > lineWidth {
        output.write("\n")
        output.write(spaces: indent)
        length = indent
      } else if index > 0 {
        output.write(" ")
        length += 1
      }
      output.write(word)
      length += word.unicodeScalars.count
    }
    output.write("\n")
  }
}
