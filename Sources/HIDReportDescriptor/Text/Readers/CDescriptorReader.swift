// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of the byte arrays in C source, one descriptor each, and of similar arrays in C++ and
/// Rust.
///
/// The reader skips everything else in the source, also arrays of wider types. If there is another
/// array, it also skips an array inside a function that cannot be read, such as an array of names.
/// Macros are not expanded, so an array must not contain a macro.
struct CDescriptorReader {
  private var scanner: TextScanner
  private var descriptors: [HIDDescriptorText] = []
  private var names = Names()
  private var braceCount = 0
  /// The problem of the first skipped array inside a function, which may not be a descriptor; `nil`
  /// if none was skipped.
  private var doubt: HIDTextProblem?

  /// The parts of a declaration that were read so far.
  private struct Names {
    var last: String?
    var array: String?
    var isArray = false
    var bracketCount = 0
    /// True if the elements have a type that is known to be wider than a byte, or not a number.
    var isWide = false
  }

  /// The words in a declaration that say that its elements are not bytes.
  static let wideTypes: Set<String> = [
    "int", "short", "long", "float", "double", "bool", "struct", "union", "enum", "uint16_t",
    "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "size_t", "u16", "u32", "u64", "s16",
    "s32", "s64", "__u16", "__u32", "__u64", "__s16", "__s32", "__s64", "i16", "i32", "i64",
    "usize", "wchar_t",
  ]

  init(_ bytes: [UInt8], file: String) { scanner = TextScanner(bytes, file: file) }

  consuming func read() throws(HIDTextProblem) -> [HIDDescriptorText] {
    while let byte = scanner.byte {
      switch byte {
      case 0x23 where scanner.isAtLineStart: skipDirective()
      case 0x22, 0x27: skipLiteral(byte)
      case 0x3d: try readInitializer()
      case 0x5b:
        if names.array == nil { names.array = names.last }
        names.isArray = true
        names.bracketCount += 1
        scanner.advance()
      case 0x5d:
        names.bracketCount -= 1
        scanner.advance()
      case 0x3b where names.bracketCount > 0: scanner.advance()  // `[u8; 4]`
      case 0x3b, 0x7b, 0x7d:
        names = Names()
        if byte != 0x3b { braceCount = byte == 0x7b ? braceCount + 1 : max(0, braceCount - 1) }
        scanner.advance()
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f:
        let word = scanner.word()
        if word == "array" || word == "vector" { names.isArray = true }
        if Self.wideTypes.contains(word) { names.isWide = true }
        if !(0x30...0x39).contains(byte) { names.last = word }
      default: if try !skipComment() { scanner.advance() }
      }
    }
    guard !descriptors.isEmpty else {
      if let doubt { throw doubt }
      throw scanner.problem(
        "expected an array such as \"const uint8_t name[] = { 0x05, 0x01, … };\", found none",
        at: .start)
    }
    return descriptors
  }

  // MARK: Outside of arrays

  private mutating func skipComment() throws(HIDTextProblem) -> Bool {
    if scanner.byte == 0x2f, scanner.peek(1) == 0x2f {
      scanner.skipLine()
      return true
    }
    return try scanner.skipBlockComment()
  }

  /// Skips `#include` and other directives, with the lines that a backslash joins to them.
  private mutating func skipDirective() {
    while true {
      let line = scanner.line()
      guard line.last == 0x5c, scanner.byte != nil else { return }
      scanner.advance()
    }
  }

  /// Skips a string or character literal; without a closing quote, skips the rest of the line.
  private mutating func skipLiteral(_ quote: UInt8) {
    scanner.advance()
    while !scanner.isAtLineEnd, scanner.byte != quote {
      if scanner.byte == 0x5c { scanner.advance() }
      scanner.advance()
    }
    if scanner.byte == quote { scanner.advance() }
  }

  private mutating func skipSpace() throws(HIDTextProblem) {
    while let byte = scanner.byte {
      switch byte {
      case 0x20, 0x09, 0x0a, 0x0c, 0x0d: scanner.advance()
      case 0x23 where scanner.isAtLineStart:
        let location = scanner.location
        var rest = scanner
        rest.advance()
        rest.skipBlanks()
        let word = rest.word()
        if word.hasPrefix("if") || word.hasPrefix("el") || word == "endif" {
          throw scanner.problem(
            "expected a byte, found #\(word)", at: location,
            help: "conditions are not evaluated; run the preprocessor first: gcc -E -P")
        }
        skipDirective()
      default: if try !skipComment() { return }
      }
    }
  }

  // MARK: Arrays

  private mutating func readInitializer() throws(HIDTextProblem) {
    scanner.advance()
    try skipSpace()
    if scanner.byte == 0x26 { scanner.advance() }  // `= &[`: Rust
    guard names.isArray, !names.isWide, let open = scanner.byte, open == 0x7b || open == 0x5b else {
      return
    }
    let name = names.array ?? names.last
    let start = scanner
    names = Names()
    scanner.advance()
    if isTable() {
      scanner = start
      return
    }
    guard descriptors.count < HIDDescriptorText.maximumDescriptorCount else {
      throw start.problem(
        "the text has more than \(HIDDescriptorText.maximumDescriptorCount) arrays")
    }
    do throws(HIDTextProblem) {
      let descriptor = try readBytes(close: open == 0x7b ? 0x7d : 0x5d, from: start.location)
      descriptors.append(
        HIDDescriptorText(
          bytes: descriptor.bytes, format: .c, name: name, places: descriptor.places))
    } catch {
      guard braceCount > 0 else { throw error }
      doubt = doubt ?? error
      scanner = start
    }
  }

  /// Returns whether an array begins with a structure, a string, an array or a designator, and so
  /// contains no plain bytes.
  private func isTable() -> Bool {
    var rest = self
    guard (try? rest.skipSpace()) != nil else { return false }
    return rest.scanner.byte == 0x7b || rest.scanner.byte == 0x22 || rest.scanner.byte == 0x2e
      || rest.scanner.byte == 0x5b
  }

  private mutating func readBytes(
    close: UInt8, from start: HIDTextLocation
  ) throws(HIDTextProblem) -> DescriptorBytes {
    var descriptor = DescriptorBytes()
    let closeName = close == 0x7d ? "}" : "]"
    while true {
      try skipSpace()
      if scanner.byte == close { break }
      let location = scanner.location
      let byte = try readByte(or: closeName, from: start)
      try descriptor.append([byte], at: location, of: scanner)
      try skipSpace()
      if scanner.byte == close { break }
      guard scanner.byte == 0x2c else {
        throw scanner.problem(
          "expected \",\" or \"\(closeName)\" after the byte, found \(scanner.found)",
          help: scanner.byte == nil
            ? unclosed(start) : "expressions are not computed; write the byte")
      }
      scanner.advance()
    }
    scanner.advance()
    return descriptor
  }

  private func unclosed(_ start: HIDTextLocation) -> String {
    "the array begins in line \(start.line), column \(start.column)"
  }

  private mutating func readByte(
    or closeName: String, from start: HIDTextLocation
  ) throws(HIDTextProblem) -> UInt8 {
    let location = scanner.location
    let isNegative = scanner.byte == 0x2d
    if isNegative { scanner.advance() }
    guard let first = scanner.byte, TextScanner.isWord(first) else {
      throw scanner.problem(
        "expected a byte or \"\(closeName)\", found \(scanner.found)",
        help: scanner.byte == nil ? unclosed(start) : nil)
    }
    let word = scanner.word()
    guard (0x30...0x39).contains(first) else {
      let isMacro = scanner.byte == 0x28
      throw scanner.problem(
        "expected a byte, found \(isMacro ? "the macro \(quoted(word))" : "the name \(quoted(word))")",
        at: location,
        help: "names are not resolved; write the bytes, or run the preprocessor first: gcc -E -P")
    }
    guard let number = Self.number(word) else {
      throw scanner.problem("\(quoted(word)) is not a C number", at: location)
    }
    let value = isNegative ? -number : number
    guard (-128...255).contains(value) else {
      throw scanner.problem(
        "expected a byte from 0 to 255, found \(quoted((isNegative ? "-" : "") + word))",
        at: location)
    }
    return UInt8(truncatingIfNeeded: value)
  }

  /// Reads a C number with or without a suffix; `nil` for other text.
  ///
  /// The number is decimal, octal after `0`, `0x…` or `0b…`.
  private static func number(_ word: String) -> Int? {
    var digits = word.lowercased()[...]
    if digits.hasSuffix("u8") {
      digits = digits.dropLast(2)
    } else {
      while let last = digits.last, last == "u" || last == "l" { digits = digits.dropLast() }
    }
    if digits.hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
    if digits.hasPrefix("0b") { return Int(digits.dropFirst(2), radix: 2) }
    if digits.hasPrefix("0"), digits.count > 1 { return Int(digits.dropFirst(), radix: 8) }
    return Int(digits)
  }
}
