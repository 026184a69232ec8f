// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of report descriptors in JSON.
///
/// The JSON is items by name, a device file, or the output of
/// ``HIDReportDescriptor/writeJSON(to:)``.
struct JSONDescriptorReader {
  private var reader: JSONReader
  private let file: String
  private var descriptors: [HIDDescriptorText] = []

  init(_ bytes: [UInt8], file: String) {
    reader = JSONReader(bytes, file: file)
    self.file = file
  }

  consuming func read() throws(HIDTextProblem) -> [HIDDescriptorText] {
    let root: JSONNode
    do throws(JSONError) {
      root = try reader.only()
    } catch {
      throw error.problem
    }
    if let interfaces = root["interfaces"] {
      guard case .array(let elements) = interfaces.value, !elements.isEmpty else {
        throw unexpected("the interfaces as an array", interfaces)
      }
      for element in elements {
        guard let descriptor = element["reportDescriptor"] else {
          throw problem("the interface has no \"reportDescriptor\"", at: element)
        }
        let name = [root["name"], element["name"]].compactMap { Self.text($0) }
        try add(descriptor, name: name.isEmpty ? nil : name.joined(separator: " "), root)
      }
    } else if let descriptor = root["reportDescriptor"] {
      try add(descriptor, name: Self.text(root["name"]), root)
    } else {
      try add(root, name: nil, root)
    }
    return descriptors
  }

  private mutating func add(
    _ node: JSONNode, name: String?, _ root: JSONNode
  ) throws(HIDTextProblem) {
    guard descriptors.count < HIDDescriptorText.maximumDescriptorCount else {
      throw problem(
        "the text has more than \(HIDDescriptorText.maximumDescriptorCount) descriptors", at: node)
    }
    var items = HIDItemsReader(file: file)
    switch node.value {
    case .array(let elements): items.append(elements)
    case .object(let members) where members.count == 1 && members.first?.key == "hex":
      items.append([node])
    case .object(let members) where members.count == 1 && members.first?.key == "file":
      throw problem(
        "\"file\" names another file for the report descriptor, which is not read here", at: node,
        help: "give that file instead")
    case .object:
      throw problem(
        "expected a report descriptor, found an object without one", at: node,
        help: "such as an array of items, {\"hex\": \"05 01 …\"}, or a device file")
    default: throw unexpected("a report descriptor as an array of items", node)
    }
    if let first = items.problems.min(by: { $0.location < $1.location }) { throw first }
    descriptors.append(
      HIDDescriptorText(
        bytes: items.bytes, format: .items, name: name, identity: Self.identity(root),
        places: items.places))
  }

  private static func text(_ node: JSONNode?) -> String? {
    guard case .string(let text)? = node?.value else { return nil }
    return text
  }

  private static func identity(_ root: JSONNode) -> HIDDescriptorText.Identity? {
    guard let vendor = number(root["vendorID"]), let product = number(root["productID"]) else {
      return nil
    }
    return HIDDescriptorText.Identity(vendorID: vendor, productID: product)
  }

  private static func number(_ node: JSONNode?) -> UInt16? {
    switch node?.value {
    case .integer(let integer)?: UInt16(exactly: integer)
    case .string(let text)?:
      NumberText.integer(text)
    default: nil
    }
  }

  private func problem(
    _ message: String, at node: JSONNode, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: file, location: node.location, message: message, help: help)
  }

  private func unexpected(_ expected: String, _ node: JSONNode) -> HIDTextProblem {
    problem("expected \(expected), found \(node.found)", at: node)
  }
}
