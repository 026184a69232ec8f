// SPDX-License-Identifier: Apache-2.0

package import HIDText

/// A reader that makes a report descriptor from items by name in JSON, and records each item's
/// location.
///
/// Device files and ``HIDDescriptorFormat/items`` have the same form:
///
/// - `{"usagePage": "led", "usage": "capsLock"}`: items in order; a value is a number, a word or an
///   array.
/// - `"push"`: an item without data.
/// - `{"collection": "application", "items": […]}`: a collection with its end.
/// - `{"logicalMaximum": 255, "bytes": 4}`: one item in a width of 0, 1, 2 or 4 bytes.
/// - `{"hex": "c5 01"}`: unchanged bytes, such as items without a name.
package struct HIDItemsReader {
  /// The problems, in the order in which they were found; the bytes are complete only if there are
  /// none.
  package private(set) var problems: [HIDTextProblem] = []

  /// The number of problems at which reading stops, because the suggestion for each takes time.
  private static let maximumProblemCount = 20

  private let file: String
  private var builder = HIDReportDescriptorBuilder()
  private(set) var places = HIDDescriptorPlaces()

  /// Creates a reader.
  ///
  /// - Parameter file: The name of the text in messages.
  package init(file: String) { self.file = file }

  /// The bytes of the items so far.
  package var bytes: [UInt8] { builder.bytes }

  /// Returns the location in the text of the item at, or around, a byte; nil without items.
  package func location(ofByte offset: Int) -> HIDTextLocation? { places.location(ofByte: offset) }

  /// Reads an array of items.
  ///
  /// The JSON reader limits the nesting of the arrays.
  package mutating func append(_ elements: [JSONNode]) {
    for element in elements {
      guard !isFull else { return }
      switch element.value {
      case .string(let name): append(name, [], nil, at: element.location)
      case .object(let members): append(members)
      default:
        unexpected(
          "an item as an object", element,
          help:
            "such as {\"usagePage\": \"genericDesktop\"}; items without data are strings: \"push\"")
      }
    }
  }

  // MARK: Objects

  private mutating func append(_ members: [JSONMember]) {
    if members.contains(where: { $0.key == "hex" }) { return appendHex(members) }
    let width: Int?
    var items = members
    if let index = members.firstIndex(where: { $0.key == "bytes" }) {
      items.remove(at: index)
      let named = items.filter { $0.key != "items" }
      guard named.count == 1 else {
        return fail(
          "expected one item beside \"bytes\", found \(named.count)", at: members[index].location,
          help: "such as {\"logicalMaximum\": 255, \"bytes\": 4}")
      }
      guard case .integer(let count) = members[index].value.value, [0, 1, 2, 4].contains(count)
      else {
        return unexpected("the item's width as 0, 1, 2 or 4 bytes", members[index].value)
      }
      width = count
    } else {
      width = nil
    }
    for (index, member) in items.enumerated() {
      guard !isFull else { return }
      guard member.key == "items" else {
        append(member.key, values(member), width, at: member.location)
        continue
      }
      guard index > 0, items[index - 1].key == "collection", index == items.count - 1 else {
        fail(
          "expected \"items\" as the last key of its object, directly after \"collection\"",
          at: member.location, help: "such as {\"collection\": \"application\", \"items\": […]}")
        continue
      }
      guard case .array(let elements) = member.value.value else {
        unexpected("the items as an array", member.value)
        continue
      }
      append(elements)
      append("endCollection", [], nil, at: items[index - 1].location)
    }
  }

  private mutating func appendHex(_ members: [JSONMember]) {
    guard let member = members.first, members.count == 1 else {
      let other = members.first { $0.key != "hex" } ?? members[0]
      return fail(
        "expected \"hex\" alone in its object, found \(quoted(other.key)) beside it",
        at: other.location, help: "write each as an item of its own")
    }
    guard let bytes = hex(member.value) else { return }
    let offset = builder.bytes.count
    places.add(offset, member.location)
    builder.append(bytes: bytes)
    checkLength(from: offset, at: member.location)
  }

  private mutating func hex(_ node: JSONNode) -> [UInt8]? {
    switch node.value {
    case .string(let text):
      switch HexText.bytes(text) {
      case .success(let bytes): return bytes
      case .failure(let error):
        fail(
          "expected the bytes in hexadecimal, found \(quoted(error.word))", at: node.location,
          help: "two digits a byte, such as \"00 04\"")
      }
    case .array(let elements):
      var bytes: [UInt8] = []
      for element in elements {
        guard let byte = byte(element) else {
          unexpected("a byte from 0 to 255", element)
          return nil
        }
        bytes.append(byte)
      }
      return bytes
    default: unexpected("bytes", node, help: "such as \"00 04\" or [0, 4]")
    }
    return nil
  }

  private func byte(_ node: JSONNode) -> UInt8? {
    switch node.value {
    case .integer(let integer): return UInt8(exactly: integer)
    case .string(let text): return NumberText.hexadecimal(text)
    default: return nil
    }
  }

  // MARK: Items

  private typealias Value = (value: HIDReportDescriptorBuilder.Value, location: HIDTextLocation)

  private mutating func values(_ member: JSONMember) -> [Value]? {
    guard case .array(let elements) = member.value.value else {
      return value(member.value).map { [$0] }
    }
    var values: [Value] = []
    for element in elements {
      guard let value = value(element) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func value(_ node: JSONNode) -> Value? {
    switch node.value {
    case .integer(let integer): return (.integer(Int64(integer)), node.location)
    case .string(let word): return (.word(word), node.location)
    default:
      unexpected("a number or a word", node)
      return nil
    }
  }

  private mutating func append(
    _ name: String, _ values: [Value]?, _ width: Int?, at location: HIDTextLocation
  ) {
    guard let values else { return }
    let offset = builder.bytes.count
    do throws(HIDItemNameError) {
      try builder.append(name: name, values: values.map(\.value), dataByteCount: width)
      places.add(offset, location)
      checkLength(from: offset, at: location)
    } catch {
      fail(message(error), at: place(of: error, values, item: location), help: help(error))
    }
  }

  // MARK: Problems

  /// True if there are so many problems or bytes that reading can stop.
  private var isFull: Bool {
    problems.count >= Self.maximumProblemCount
      || builder.bytes.count > HIDDescriptorText.maximumDescriptorByteCount
  }

  /// Adds a problem if the bytes from `offset` on are the first ones beyond the limit.
  private mutating func checkLength(from offset: Int, at location: HIDTextLocation) {
    let limit = HIDDescriptorText.maximumDescriptorByteCount
    guard offset <= limit, builder.bytes.count > limit else { return }
    fail(HIDDescriptorText.tooLongMessage, at: location)
  }

  private mutating func fail(_ message: String, at location: HIDTextLocation, help: String? = nil) {
    guard problems.count < Self.maximumProblemCount else { return }
    problems.append(HIDTextProblem(file: file, location: location, message: message, help: help))
  }

  private mutating func unexpected(_ expected: String, _ node: JSONNode, help: String? = nil) {
    fail("expected \(expected), found \(node.found)", at: node.location, help: help)
  }

  /// Returns the location of the value at fault, else of the item.
  private func place(
    of error: HIDItemNameError, _ values: [Value], item: HIDTextLocation
  ) -> HIDTextLocation {
    let value: HIDReportDescriptorBuilder.Value
    switch error {
    case .unknownWord(_, let word, _, _), .contradiction(_, _, let word): value = .word(word)
    case .valueOutOfRange(_, let number, _): value = .integer(number)
    case .unknownItem, .wrongValueCount, .wrongByteCount: return item
    }
    return values.first { $0.value == value }?.location ?? values.first?.location ?? item
  }

  /// Returns the builder's message; text from the file is quoted, so that it cannot control a
  /// terminal.
  private func message(_ error: HIDItemNameError) -> String {
    switch error {
    case .unknownItem(let name, _): "unknown item \(quoted(name))"
    case .unknownWord(let item, let word, let expected, _):
      "\(item.name) cannot be \(quoted(word)); expected \(expected)"
    case .contradiction, .valueOutOfRange, .wrongValueCount, .wrongByteCount: "\(error)"
    }
  }

  private func help(_ error: HIDItemNameError) -> String? {
    switch error {
    case .unknownItem("file", nil):
      "write {\"file\": …} in place of the array, not inside it"
    case .unknownItem(_, nil):
      "the items are those of HID 1.11: usagePage, usage, collection, reportSize, input …"
    case .unknownItem(_, let near?), .unknownWord(_, _, _, let near?): "did you mean \"\(near)\"?"
    default: nil
    }
  }
}
