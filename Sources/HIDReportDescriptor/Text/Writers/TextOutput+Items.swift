// SPDX-License-Identifier: Apache-2.0

import HIDText

extension TextOutput {
  /// The limit for the nesting of collections, so that ``JSONReader`` accepts the text.
  ///
  /// Deeper collections end with an `endCollection` item.
  private static let maximumNesting = 24

  /// Writes a descriptor as an array of items by name, one per line, without a final newline.
  ///
  /// `"bytes"` is added to an item whose width differs from that of ``HIDReportDescriptorBuilder``.
  /// Items that the builder does not make are written in hex: those without a name, and those with
  /// a value that it refuses.
  ///
  /// - Parameter indent: The number of blanks before the closing bracket; the opening one is at the
  ///   end of the text so far.
  mutating func writeItems(_ descriptor: [UInt8], indent: Int) {
    let isBalanced = Self.isBalanced(descriptor)
    var builder = HIDReportDescriptorBuilder()
    var depth = 0
    var openCount = 0
    var isFirst = true
    write("[")
    HIDDescriptorLine.forEach(descriptor) { line in
      let bytes = Array(descriptor[line.range])
      defer { builder.append(bytes: bytes) }
      if isBalanced, line.item?.tag == .endCollection {
        openCount -= 1
        if openCount < depth {
          depth -= 1
          write("\n")
          write(spaces: indent + 2 * depth + 2)
          write("]}")
          isFirst = false
          return
        }
      }
      write(isFirst ? "\n" : ",\n")
      write(spaces: indent + 2 * depth + 2)
      isFirst = false
      let text = Self.json(of: line, bytes, builder)
      guard isBalanced, line.item?.tag == .collection else { return write(text) }
      if openCount == depth, depth < Self.maximumNesting {
        depth += 1
        isFirst = true
        write("\(text.dropLast()), \"items\": [")
      } else {
        write(text)
      }
      openCount += 1
    }
    if !descriptor.isEmpty {
      write("\n")
      write(spaces: indent)
    }
    write("]")
  }

  /// Returns whether every collection can be written by name, and ended by the end of its `items`.
  private static func isBalanced(_ descriptor: [UInt8]) -> Bool {
    var openCount = 0
    var isBalanced = true
    HIDDescriptorLine.forEach(descriptor) { line in
      switch line.item?.tag {
      case .collection:
        openCount += 1
        if (line.item?.data ?? 0) > 0xff { isBalanced = false }
      case .endCollection:
        openCount -= 1
        if openCount < 0 || line.item?.dataByteCount != 0 { isBalanced = false }
      default: break
      }
    }
    return isBalanced && openCount == 0
  }

  private static func json(
    of line: HIDDescriptorLine, _ bytes: [UInt8], _ builder: HIDReportDescriptorBuilder
  ) -> String {
    let hex = JSONLine { $0.add("hex", .bytes(bytes)) }.text
    guard let item = line.item, let tag = item.tag else { return spaced(hex) }
    let values = HIDReportDescriptor.values(of: item, in: line.context)
    let numbers = [HIDReportDescriptorBuilder.Value.integer(Int64(item.data))]
    for (values, width) in [
      (values, nil), (values, item.dataByteCount), (numbers, item.dataByteCount),
    ] {
      guard let made = try? builder.item(tag, values: values, dataByteCount: width),
        made.data == item.data, made.dataByteCount == item.dataByteCount
      else { continue }
      if values.isEmpty, width == nil { return "\"\(tag.name)\"" }
      let json = values.map { value -> JSONText in
        switch value {
        case .integer(let number): .integer(number)
        case .word(let word): .string(word)
        }
      }
      let isFlags = tag == .input || tag == .output || tag == .feature
      let text = JSONLine { object in
        object.add(tag.name, json.count == 1 && !isFlags ? json[0] : .array(json))
        if let width { object.add("bytes", .integer(width)) }
      }.text
      return spaced(text)
    }
    return spaced(hex)
  }

  /// Returns the JSON with a blank after each comma and colon between tokens.
  private static func spaced(_ json: String) -> String {
    var result = ""
    var isInString = false
    // The strings contain no JSON escapes, because names and hex digits need none.
    for character in json {
      result.append(character)
      if character == "\"" { isInString.toggle() }
      if !isInString, character == ":" || character == "," { result.append(" ") }
    }
    return result
  }
}
