// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

extension DeviceFileReader {
  /// Reads a report descriptor: items by name, `{"hex": "05 01 …"}` or `{"file": "x.bin"}`.
  mutating func reportDescriptor(_ node: JSONNode, _ load: Load) -> HIDReportDescriptor? {
    switch node.value {
    case .array(let elements): return items(elements, of: node)
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
        for reason in error.reasons(in: bytes) {
          problems.add(reason.description, at: member.value.location, help: reason.fix)
        }
        return nil
      }
    default:
      problems.unexpected(
        "the report descriptor as an array of items", node,
        help: "such as [{\"usagePage\": \"genericDesktop\"}, …], or {\"hex\": \"05 01 …\"}")
      return nil
    }
  }

  private mutating func items(_ elements: [JSONNode], of node: JSONNode) -> HIDReportDescriptor? {
    var items = HIDItemsReader(file: problems.file)
    items.append(elements)
    guard items.problems.isEmpty else {
      for problem in items.problems {
        problems.add(problem.message, at: problem.location, help: problem.help)
      }
      return nil
    }
    do throws(HIDReportDescriptorError) {
      return try HIDReportDescriptor(parsing: items.bytes)
    } catch {
      for reason in error.reasons(in: items.bytes) {
        var offset = reason.offset
        var help = reason.fix
        switch reason.rule {
        case HIDLintRule.descriptorTooLong:
          offset = HIDReportDescriptor.maximumByteCount
          help = "this item is the first one beyond the limit"
        case HIDLintRule.unclosedCollection:
          help = "put its items into \"items\", or add \"endCollection\""
        case HIDLintRule.endCollectionWithoutCollection:
          help = "remove it: a collection with \"items\" needs no \"endCollection\""
        default: break
        }
        let location = offset.flatMap { items.location(ofByte: $0) }
        problems.add(reason.explanation, at: location ?? node.location, help: help)
      }
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
      let bytes = try load(path)
      guard case .trace(let format) = HIDInputFormat.detect(bytes) else { return bytes }
      problems.add(
        "expected the bytes of a report descriptor, found \(format.title) in \(quoted(path))",
        at: node.location, help: "hidsim clone \(path) writes a device file of its device")
      return nil
    } catch {
      problems.add("cannot read \(quoted(path)): \(error)", at: node.location)
      return nil
    }
  }
}
