// SPDX-License-Identifier: Apache-2.0

import HIDText
import Yams

/// Why a piece of a recording cannot be read.
struct LibinputFault: Error {
  var problem: HIDTextProblem
  /// Whether the end of the piece may be what is missing.
  var isIncomplete = false

  var error: HIDTraceError { HIDTraceError(problem) }
}

/// A small piece of a recording that is YAML by itself, with the indentation it has in the file.
struct LibinputPiece: Sendable {
  /// The longest piece that is given to the YAML parser, in bytes: twice what the longest report takes.
  static let maximumByteCount = 256 << 10
  /// How many brackets can be opened in a piece; libinput opens about a hundred for a device with every axis.
  private static let maximumBracketCount = 256

  /// What messages call the file.
  var file: String
  /// The line of the file in which the piece begins.
  var line: Int
  var text: [UInt8]

  /// What the piece's first key holds.
  ///
  /// - Throws: That the piece is not YAML, or holds what libinput never writes and what costs more to read than it is
  ///   long: anchors, aliases, tags, keys that are more than a word, many brackets.
  func value(of key: String) throws(LibinputFault) -> Node {
    try screen()
    var node: Node?
    do {
      // The default encoding is looked up in the environment each time, and the default resolver has a regular
      // expression for each type, which nothing here needs.
      let text = String(decoding: text, as: UTF8.self)
      node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw fault(error)
    }
    // An item of a list is a list of one.
    if case .sequence(let items) = node { node = items.first }
    guard case .mapping(let mapping) = node,
      let value = self.value(of: key, in: mapping)
    else {
      throw LibinputFault(
        problem: problem("expected the key \(quoted(key))", at: nil), isIncomplete: true)
    }
    return value
  }

  /// A problem at a node of the piece, or at its start.
  func problem(_ message: String, at mark: Mark?, help: String? = nil) -> HIDTextProblem {
    problem(message, line: mark?.line ?? 1, column: mark?.column ?? 1, help: help)
  }

  /// A problem at a place of the piece.
  private func problem(
    _ message: String, line: Int, column: Int, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(
      file: file,
      location: HIDTextLocation(line: self.line + max(1, line) - 1, column: max(1, column)),
      message: message, help: help)
  }

  private func fault(_ error: any Error) -> LibinputFault {
    switch error as? YamlError {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let context = context.map { "\($0.text), " } ?? ""
      return LibinputFault(
        problem: self.problem("not YAML: \(context)\(problem)", at: mark), isIncomplete: true)
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.prefix(max(0, offset ?? 0))
      let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
      let column = lines.last.map { $0.unicodeScalars.count } ?? 0
      return LibinputFault(
        problem: self.problem(
          "not YAML: \(problem)", line: lines.count, column: column + 1))
    case .duplicatedKeysInMapping(let keys, let context):
      return LibinputFault(
        problem: self.problem(
          "the key \(quoted(keys.first ?? "")) appears more than once", at: context.mark))
    default:
      return LibinputFault(problem: self.problem("not YAML", at: nil))
    }
  }
}

// MARK: - What is refused unparsed

extension LibinputPiece {
  /// Refuses what makes YAML expensive, before the parser builds it.
  ///
  /// A node begins after one of a few characters, or at the start of a line; text in quotes is looked at as well, so
  /// that nothing can hide behind a quote. YAML has more line breaks than one.
  private func screen() throws(LibinputFault) {
    var brackets = 0
    var canBegin = true  // whether a node can begin here
    var line = 1
    var lineStart = 0
    for index in text.indices {
      let byte = text[index]
      switch byte {
      case 0x20, 0x09: continue
      case 0x0A:
        line += 1
        lineStart = index + 1
        canBegin = true
      case 0x0D: canBegin = true
      case 0x2C, 0x3A, 0x2D: canBegin = true
      case 0x5B, 0x7B:
        brackets += 1
        guard brackets <= Self.maximumBracketCount else {
          throw refusal("more than \(Self.maximumBracketCount) brackets", line, lineStart, index)
        }
        canBegin = true
      case 0x26 where canBegin && !isBlank(index + 1):
        throw refusal("an anchor (&)", line, lineStart, index)
      case 0x2A where canBegin && !isBlank(index + 1):
        throw refusal("an alias (*)", line, lineStart, index)
      case 0x21 where canBegin:
        throw refusal("a tag (!)", line, lineStart, index)
      case 0x3F where canBegin && isBlank(index + 1):
        throw refusal("a complex key (?)", line, lineStart, index)
      // The last bytes of other line breaks, and of the byte order mark.
      case 0x85: canBegin = ends(index, with: [0xC2, 0x85])
      case 0xA8, 0xA9: canBegin = ends(index, with: [0xE2, 0x80, byte])
      case 0xBF: canBegin = ends(index, with: [0xEF, 0xBB, 0xBF])
      default: canBegin = false
      }
    }
  }

  private func ends(_ index: Int, with bytes: [UInt8]) -> Bool {
    text[...index].suffix(bytes.count).elementsEqual(bytes)
  }

  private func isBlank(_ index: Int) -> Bool {
    guard index < text.count else { return true }
    return [0x20, 0x09, 0x0A, 0x0D].contains(text[index])
  }

  private func refusal(_ what: String, _ line: Int, _ start: Int, _ index: Int) -> LibinputFault {
    let column = text[start..<index].count { $0 & 0xC0 != 0x80 } + 1
    return LibinputFault(
      problem: problem(
        "found \(what), which libinput never writes here", line: line, column: column))
  }
}

// MARK: - Nodes

extension LibinputPiece {
  /// What a key of a mapping holds.
  func value(of key: String, in mapping: Node.Mapping) -> Node? {
    mapping.first { $0.key.scalar?.string == key }?.value
  }

  /// The bytes of a list of numbers; nil for nothing at all.
  func bytes(_ node: Node, of what: String, maximum: Int) throws(LibinputFault) -> [UInt8]? {
    if isNothing(node) { return nil }
    guard case .sequence(let items) = node else {
      throw LibinputFault(
        problem: problem(
          "expected the \(what) as a list of bytes, found \(name(node))", at: node.mark))
    }
    guard items.count <= maximum else {
      throw LibinputFault(
        problem: problem("the \(what) is longer than \(maximum) bytes", at: node.mark))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.count)
    for item in items {
      guard let number = number(item), let byte = UInt8(exactly: number) else {
        throw LibinputFault(
          problem: problem("expected a byte from 0 to 255, found \(name(item))", at: item.mark))
      }
      bytes.append(byte)
    }
    return bytes
  }

  /// A number as libinput writes it: decimal, or hexadecimal after `0x`; nil for everything else.
  func number(_ node: Node) -> Int64? {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return nil }
    let text = scalar.string.utf8
    if text.starts(with: [0x30, 0x78]) {
      let digits = text.dropFirst(2)
      guard (1...15).contains(digits.count) else { return nil }
      var value: Int64 = 0
      for byte in digits {
        guard let digit = hexDigit(byte) else { return nil }
        value = value << 4 | Int64(digit)
      }
      return value
    }
    // A zero in front makes a number octal to some readers of YAML, and to others not.
    guard (1...18).contains(text.count), text.count == 1 || text.first != 0x30,
      text.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Whether a node is what YAML has for nothing.
  func isNothing(_ node: Node) -> Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
    return ["", "~", "null"].contains(scalar.string)
  }

  /// What messages call a node.
  func name(_ node: Node) -> String {
    switch node {
    case .scalar(let scalar): isNothing(node) ? "nothing" : quoted(scalar.string)
    case .mapping: "a mapping"
    case .sequence(let items): "a list of \(items.count) item\(items.count == 1 ? "" : "s")"
    default: "an alias"
    }
  }
}
