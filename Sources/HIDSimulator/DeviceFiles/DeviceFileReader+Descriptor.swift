// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
internal import HIDUsages

extension DeviceFileReader {
  /// Reads a report descriptor: items by name, `{"hex": "05 01 …"}` or `{"file": "x.bin"}`.
  mutating func reportDescriptor(_ node: JSONNode, _ load: Load) -> HIDReportDescriptor? {
    switch node.value {
    case .array(let elements):
      var compiler = DescriptorCompiler(problems: problems)
      compiler.append(elements)
      defer { problems = compiler.problems }
      return compiler.finish(at: node)
    case .object:
      guard let members = problems.object(node, "a report descriptor", keys: ["hex", "file"]) else {
        return nil
      }
      guard members.count == 1, let member = members.first else {
        problems.add(
          "expected one of \"hex\" and \"file\", found \(members.isEmpty ? "none" : "several keys")",
          at: node.location)
        return nil
      }
      let loaded =
        member.key == "hex"
        ? problems.bytes(member.value, "the report descriptor") : file(member.value, load)
      guard let bytes = loaded else { return nil }
      do throws(HIDReportDescriptorError) {
        return try HIDReportDescriptor(parsing: bytes)
      } catch {
        problems.add("\(error)", at: member.value.location)
        return nil
      }
    default:
      problems.unexpected(
        "the report descriptor as an array of items", node,
        help: "such as [{\"usagePage\": \"genericDesktop\"}, …], or {\"hex\": \"05 01 …\"}")
      return nil
    }
  }

  private mutating func file(_ node: JSONNode, _ load: Load) -> [UInt8]? {
    guard let path = problems.text(node, "the descriptor's file", maximumByteCount: 4096) else {
      return nil
    }
    guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
      problems.add(
        "the path \(quoted(path)) leaves the device file's folder", at: node.location,
        help: "put the file beside the device file")
      return nil
    }
    do {
      return try load(path)
    } catch {
      problems.add("cannot read \(quoted(path)): \(error)", at: node.location)
      return nil
    }
  }
}

/// Makes a report descriptor of items by name, and remembers where each item stands in the file.
private struct DescriptorCompiler {
  var problems: DeviceFileProblems

  private var builder = HIDReportDescriptorBuilder()
  private var places: [(offset: Int, location: HIDTextLocation)] = []
  private var isWhole = true

  init(problems: DeviceFileProblems) { self.problems = problems }

  mutating func append(_ elements: [JSONNode]) {
    for element in elements {
      switch element.value {
      case .string(let name): append(name, [], at: element.location)
      case .object(let members): append(members)
      default:
        isWhole = false
        problems.unexpected(
          "an item as an object", element,
          help:
            "such as {\"usagePage\": \"genericDesktop\"}; items without data are strings: \"push\"")
      }
    }
  }

  mutating func finish(at node: JSONNode) -> HIDReportDescriptor? {
    guard isWhole else { return nil }
    do throws(HIDReportDescriptorError) {
      return try HIDReportDescriptor(parsing: builder.bytes)
    } catch {
      var location = node.location
      var help: String?
      switch error {
      case .descriptorTooLong:
        location = place(HIDReportDescriptor.maximumByteCount)
        help = "the item here is the first beyond the limit"
      case .unclosedCollection:
        help = "put its items into \"items\", or add \"endCollection\""
      case .endCollectionWithoutCollection:
        help = "a collection with \"items\" ends by itself"
      default: break
      }
      if let offset = error.offset { location = place(offset) }
      problems.add(error.explanation, at: location, help: help)
      return nil
    }
  }

  /// Where the item at, or around, a byte offset stands in the file.
  private func place(_ offset: Int) -> HIDTextLocation {
    places.last { $0.offset <= offset }?.location ?? .start
  }

  private mutating func append(_ members: [JSONMember]) {
    for (index, member) in members.enumerated() {
      guard member.key == "items" else {
        append(member.key, values(member), at: member.location)
        continue
      }
      guard index > 0, members[index - 1].key == "collection", index == members.count - 1 else {
        isWhole = false
        problems.add(
          "\"items\" does not stand behind \"collection\", at the end of its object",
          at: member.location, help: "such as {\"collection\": \"application\", \"items\": […]}")
        continue
      }
      guard let elements = problems.elements(member.value, "the items") else {
        isWhole = false
        continue
      }
      append(elements)
      append("endCollection", [], at: members[index - 1].location)
    }
  }

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
      problems.unexpected("a number or a word", node)
      return nil
    }
  }

  private mutating func append(
    _ name: String, _ values: [Value]?, at location: HIDTextLocation
  ) {
    guard let values else {
      isWhole = false
      return
    }
    let offset = builder.bytes.count
    do throws(HIDItemNameError) {
      try builder.append(name: name, values: values.map(\.value))
      places.append((offset, location))
    } catch {
      isWhole = false
      problems.add(message(error), at: place(of: error, values, item: location), help: help(error))
    }
  }

  /// The value that an error is about, else the item.
  private func place(
    of error: HIDItemNameError, _ values: [Value], item: HIDTextLocation
  ) -> HIDTextLocation {
    let value: HIDReportDescriptorBuilder.Value
    switch error {
    case .unknownWord(_, let word, _, _), .contradiction(_, _, let word): value = .word(word)
    case .valueOutOfRange(_, let number, _): value = .integer(number)
    case .unknownItem, .wrongValueCount: return item
    }
    return values.first { $0.value == value }?.location ?? values.first?.location ?? item
  }

  /// The engine's message; what a file says is quoted, so that it cannot act on a terminal.
  private func message(_ error: HIDItemNameError) -> String {
    switch error {
    case .unknownItem(let name, _): "unknown item \(quoted(name))"
    case .unknownWord(let item, let word, let expected, _):
      "\(item.name) cannot be \(quoted(word)); expected \(expected)"
    case .contradiction, .valueOutOfRange, .wrongValueCount: "\(error)"
    }
  }

  private func help(_ error: HIDItemNameError) -> String? {
    switch error {
    case .unknownItem(let name, nil):
      name == "hex" || name == "file"
        ? "{\"\(name)\": …} stands in place of the array, not in it"
        : "the items are those of HID 1.11: usagePage, usage, collection, reportSize, input …"
    case .unknownItem(_, let near?), .unknownWord(_, _, _, let near?): "did you mean \"\(near)\"?"
    default: nil
    }
  }
}
