// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDDescriptorText {
  /// Writes a descriptor, valid or not, in another format.
  ///
  /// Reading the result in this format gives the same bytes, unless ``read(_:name:format:)``
  /// refuses it: a text or descriptor that is too long, or bytes that begin like a capture of
  /// packets. `lines` and `items` include the width if an item does not have the fewest bytes. They
  /// have the hex bytes of an item that words cannot describe.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Parameter format: The format. `recording` has headers without reports; `debugfs` has only
  ///   the bytes.
  /// - Parameter name: In `c`, the name of the array, converted to an identifier, by default
  ///   `report_descriptor`; in `recording`, the name of the device, by default none.
  /// - Parameter identity: The identity of the device, for `recording`. If it is `nil`, the
  ///   recording has bus 3, vendor 0 and product 0, and a mark that these are no identity.
  /// - Parameter reading: The rules by which `tree` parses the descriptor.
  /// - Returns: The text with a final newline, in ASCII except for a recording's name and, in
  ///   `items`, two names of usages with an accent. For `binary`, the bytes. Empty for an empty
  ///   descriptor in `binary`, `hex`, `text` and `lines`.
  public static func write(
    _ bytes: [UInt8], as format: HIDDescriptorFormat, name: String? = nil,
    identity: Identity? = nil, reading: HIDReading = .linux
  ) -> [UInt8] {
    var output = TextOutput()
    switch format {
    case .binary: return bytes
    case .hex: output.write(hexLines: bytes)
    case .c: output.writeC(bytes, name: name ?? "report_descriptor")
    case .text: output.writeAnnotated(bytes)
    case .lines: output.writeLines(bytes)
    case .items:
      output.writeItems(bytes, indent: 0)
      output.write("\n")
    case .tree: output.writeTree(bytes, reading: reading)
    case .recording: output.writeRecording(bytes, name: name, identity: identity)
    case .debugfs: output.write(hexText(bytes) + (bytes.isEmpty ? "\n\n" : " \n\n"))
    }
    return output.bytes
  }

  /// Writes a descriptor as text, like ``write(_:as:name:identity:reading:)``.
  ///
  /// - Returns: The text; `nil` for `binary`, which is not text.
  public static func text(
    _ bytes: [UInt8], as format: HIDDescriptorFormat, name: String? = nil
  ) -> String? {
    format == .binary
      ? nil : String(decoding: write(bytes, as: format, name: name), as: UTF8.self)
  }
}

extension TextOutput {
  fileprivate mutating func writeC(_ descriptor: [UInt8], name: String) {
    write("#include <stdint.h>\n\n")
    write("static const uint8_t \(Self.identifier(name))[\(descriptor.count)] = {\n")
    HIDDescriptorLine.forEach(descriptor) { line in
      // A long item, or many bytes of a truncated item, take several lines; the name of the item is
      // beside the first line.
      for start in stride(from: line.range.lowerBound, to: line.range.upperBound, by: 8) {
        let end = min(start + 8, line.range.upperBound)
        write(spaces: 4)
        write(commaSeparated: descriptor[start..<end])
        if start == line.range.lowerBound {
          write(spaces: 31 - 6 * (end - start))
          write("// ")
          write(spaces: 2 * line.level)
          write(line.title)
        }
        write("\n")
      }
    }
    write("};\n")
  }

  /// Returns a name in the letters, digits and underscores of an identifier in C.
  ///
  /// Words that C reserves, and types, get a final underscore: `int_`.
  private static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars.prefix(64) {
      let isLetter = scalar.isASCII && TextScanner.isWord(UInt8(truncatingIfNeeded: scalar.value))
      if result.isEmpty, ("0"..."9").contains(scalar) { result = "_" }
      result += isLetter ? String(scalar) : "_"
    }
    if result.isEmpty { return "report_descriptor" }
    // The reader skips an array with the name of a wide type.
    let isReserved =
      reservedWords.contains(result) || CDescriptorReader.wideTypes.contains(result)
    return isReserved ? result + "_" : result
  }

  /// The keywords of C23, and the types of bytes, besides ``CDescriptorReader/wideTypes``.
  private static let reservedWords: Set<String> = [
    "alignas", "alignof", "auto", "break", "case", "char", "const", "constexpr", "continue",
    "default", "do", "else", "extern", "false", "for", "goto", "if", "inline", "nullptr",
    "register", "restrict", "return", "signed", "sizeof", "static", "static_assert", "switch",
    "thread_local", "true", "typedef", "typeof", "typeof_unqual", "unsigned", "void", "volatile",
    "while", "_Alignas", "_Alignof", "_Atomic", "_BitInt", "_Bool", "_Complex", "_Decimal32",
    "_Decimal64", "_Decimal128", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "int8_t", "uint8_t",
  ]

  fileprivate mutating func writeAnnotated(_ descriptor: [UInt8]) {
    HIDDescriptorLine.forEach(descriptor) { line in
      for start in stride(from: line.range.lowerBound, to: line.range.upperBound, by: 5) {
        let end = min(start + 5, line.range.upperBound)
        write(commaSeparated: descriptor[start..<end])
        if start == line.range.lowerBound {
          let words = String(repeating: " ", count: line.level) + line.title
          let offset = String(line.range.lowerBound)
          write(spaces: 32 - 6 * (end - start))
          write("// \(words)")
          write(spaces: max(1, 36 - words.utf8.count))
          write(offset)
        }
        write("\n")
      }
    }
  }

  fileprivate mutating func writeLines(_ descriptor: [UInt8]) {
    HIDDescriptorLine.forEach(descriptor) { line in
      write(spaces: 2 * line.level)
      write(Self.words(of: line) ?? "[\(hexText(descriptor[line.range]))]")
      write("\n")
    }
  }

  /// Returns a name and value from which the same item can be made again; `nil` if there are none.
  private static func words(of line: HIDDescriptorLine) -> String? {
    guard let item = line.item, let tag = item.tag else { return nil }
    let width = " [\(item.dataByteCount) byte\(item.dataByteCount == 1 ? "" : "s")]"
    let number = "\(HIDItemTitles.title(of: tag)) (\(item.data))"
    for (text, isShortest) in [(line.title, true), (line.title, false), (number, false)] {
      var words: String?
      if let open = text.firstIndex(of: "("), text.last == ")" {
        words = String(text[text.index(after: open)...].dropLast())
      }
      let made = try? HIDItemWords.item(
        tag, words: words, dataByteCount: isShortest ? nil : item.dataByteCount,
        page: line.context.page)
      if let made, made.data == item.data, made.dataByteCount == item.dataByteCount {
        return isShortest ? text : text + width
      }
    }
    return nil
  }

  fileprivate mutating func writeRecording(
    _ descriptor: [UInt8], name: String?, identity: HIDDescriptorText.Identity?
  ) {
    write("R: \(descriptor.count)\(descriptor.isEmpty ? "" : " ")\(hexText(descriptor))\n")
    // hid-replay fails if the name is blank, or if there is no identity.
    let shown = (name ?? "").inOneLine
    if !shown.isBlank { write("N: \(shown)\n") }
    let written = identity ?? HIDDescriptorText.Identity(vendorID: 0, productID: 0)
    let ids = "\(written.vendorID.hexDigits()) \(written.productID.hexDigits())"
    write("I: \(String(written.busType ?? 3, radix: 16)) \(ids)\n")
    if identity == nil { write("#! hidsim trace 1\n#! unidentified\n") }
  }
}
