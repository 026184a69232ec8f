// SPDX-License-Identifier: Apache-2.0

import HIDText
import Yams

/// The error of a piece of a recording that cannot be read.
struct LibinputFault: Error {
  var problem: HIDTextProblem
  /// True if the problem may be that the end of the piece is missing.
  var isIncomplete = false

  var error: HIDTraceError { HIDTraceError(problem) }
}

/// A small piece of a recording that is YAML by itself, with its indentation in the file.
struct LibinputPiece: Sendable {
  /// The longest piece that is given to the YAML parser, in bytes.
  ///
  /// It is more than twice the length of the longest report in YAML.
  static let maximumByteCount = 256 << 10
  /// The largest number of brackets in a piece.
  ///
  /// libinput writes about a hundred for a device with every axis.
  private static let maximumBracketCount = 256

  /// The name of the file in messages.
  var file: String
  /// The line of the file in which the piece begins.
  var line: Int
  var text: [UInt8]

  /// Returns the value of a key of the piece.
  ///
  /// - Throws: A piece that is not YAML or lacks the key. Also anchors, aliases, tags, keys that
  ///   are more than a word, and many brackets. libinput never writes these, and they cost more to
  ///   read than their length suggests.
  func value(of key: String) throws(LibinputFault) -> Node {
    try screen()
    var node: Node?
    do {
      // The default encoding is looked up in the environment each time. The default resolver has a
      // regular expression for each type, and nothing here needs them.
      let text = String(decoding: text, as: UTF8.self)
      node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw fault(error)
    }
    // A list item is parsed as a list with one element.
    if case .sequence(let items) = node { node = items.first }
    guard case .mapping(let mapping) = node,
      let value = self.value(of: key, in: mapping)
    else {
      throw LibinputFault(
        problem: problem("expected the key \(quoted(key))", at: nil), isIncomplete: true)
    }
    return value
  }

  /// Returns a problem at a node of the piece, or at the start of the piece.
  func problem(_ message: String, at mark: Mark?, help: String? = nil) -> HIDTextProblem {
    problem(message, line: mark?.line ?? 1, column: mark?.column ?? 1, help: help)
  }

  /// Returns a problem at a position of the piece.
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

// MARK: - Checks before parsing

extension LibinputPiece {
  /// Rejects expensive YAML before the parser builds it.
  ///
  /// A node begins after one of a few characters, or at the start of a line. Text in quotes is
  /// checked as well, so that a quote cannot hide a node. YAML has several kinds of line breaks.
  private func screen() throws(LibinputFault) {
    var brackets = 0
    // True if a node can begin here.
    var canBegin = true
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
  /// Returns the value of a key of a mapping; nil if the mapping does not have the key.
  func value(of key: String, in mapping: Node.Mapping) -> Node? {
    mapping.first { $0.key.scalar?.string == key }?.value
  }

  /// Returns the bytes of a list of numbers; nil for an empty YAML value.
  ///
  /// - Throws: Another value, a list longer than `maximum`, or an element that is not a byte.
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

  /// Returns a number as libinput writes it: decimal, or hexadecimal after `0x`; nil for other
  /// nodes.
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
    // Some YAML readers take a number with a leading zero as octal, and others do not.
    guard (1...18).contains(text.count), text.count == 1 || text.first != 0x30,
      text.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Returns whether a node is an empty YAML value: no text, `~` or `null`.
  func isNothing(_ node: Node) -> Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
    return ["", "~", "null"].contains(scalar.string)
  }

  /// Returns the name of a node for messages.
  func name(_ node: Node) -> String {
    switch node {
    case .scalar(let scalar): isNothing(node) ? "nothing" : quoted(scalar.string)
    case .mapping: "a mapping"
    case .sequence(let items): "a list of \(items.count) item\(items.count == 1 ? "" : "s")"
    default: "an alias"
    }
  }
}
