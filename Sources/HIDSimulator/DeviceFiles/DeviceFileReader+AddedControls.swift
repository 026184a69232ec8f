// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDTraces
import HIDUsages

extension DeviceFileReader {
  /// The maximum number of controls of an interface that its descriptor does not declare.
  private static let maximumAddedCount = 4096

  /// Reads the controls that the report descriptor does not declare.
  ///
  /// Such a control is an object, for example `{"type": "input", "id": 48, "bit": 19}`.
  mutating func addedControls(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [(name: String, field: HIDAddedField)] {
    guard case .object(let members) = node.value else { return [] }  // `controls` adds the problem
    var added: [(name: String, field: HIDAddedField)] = []
    for member in members {
      guard case .object = member.value.value, isControlName(member.key) else { continue }
      guard added.count < Self.maximumAddedCount else {
        problems.add(
          "\"controls\" adds more than \(Self.maximumAddedCount) controls to those of the report descriptor",
          at: member.location)
        break
      }
      // No usage table has the page 0xFFFF. Each added control without `usage` gets a usage of its
      // own on this page.
      let number = UInt16(truncatingIfNeeded: added.count + 1)
      if let field = addedField(member.value, HIDUsage(page: 0xFFFF, usage: number), descriptor) {
        added.append((member.key, field))
      }
    }
    return added
  }

  private mutating func addedField(
    _ node: JSONNode, _ usage: HIDUsage, _ descriptor: HIDReportDescriptor
  ) -> HIDAddedField? {
    let keys = [
      "type", "id", "bit", "bits", "signed", "minimum", "maximum", "usage", "alternatives",
    ]
    guard problems.object(node, "a control", keys: keys) != nil,
      let typeNode = problems.required("type", of: node, "the control"),
      let bitNode = problems.required("bit", of: node, "the control"),
      let type = reportType(typeNode),
      let (id, layout) = layout(type, node, at: typeNode, descriptor),
      let bit = problems.integer(bitNode, "the first bit", in: 0...max(0, layout.bitCount - 1))
    else { return nil }
    var field = HIDAddedField(usage, type: type, reportID: id, bitOffset: bit)
    if let bits = node["bits"] {
      guard let size = problems.integer(bits, "the number of bits", in: 1...32) else { return nil }
      guard bit + size <= layout.bitCount else {
        problems.add(
          "the control ends after \(bit + size) bits, and the report has \(layout.bitCount)",
          at: bits.location, help: "bits count from 0, after the ID")
        return nil
      }
      field.bitSize = size
    }
    if let signed = node["signed"] {
      guard case .bool(let isSigned) = signed.value else {
        problems.unexpected("true or false", signed)
        return nil
      }
      field.isSigned = isSigned
    }
    guard readRange(node, &field) else { return nil }
    if let name = node["usage"] {
      guard case .string(let text) = name.value, let usage = HIDUsage(name: text),
        usage.usage != nil
      else {
        problems.unexpected("the name of a usage", name, help: "such as \"button 1\"")
        return nil
      }
      field.usage = usage
    }
    return field
  }

  /// Reads the places of controls that depend on the report or on the state.
  ///
  /// - Parameters:
  ///   - added: The controls that the file adds.
  ///   - node: The object of all controls.
  ///   - names: The names of states and controls.
  mutating func alternatives(
    of added: [(name: String, field: HIDAddedField)], _ node: JSONNode, _ names: BehaviourNames
  ) -> [HIDControlAlternatives] {
    added.compactMap { name, field in
      guard let list = node[name]?["alternatives"],
        let layout = names.descriptor.report(field.type, id: field.reportID),
        let elements = problems.elements(list, "the alternatives of a control")
      else { return nil }
      let places = elements.compactMap { place($0, of: field, layout, names) }
      return HIDControlAlternatives(control: name, field: field, places: places)
    }
  }

  /// Reads `{"bytes": "02 ...", "bit": 360}` or `{"when": {"mode": 1}, "bit": 360}`.
  private mutating func place(
    _ node: JSONNode, of field: HIDAddedField, _ layout: HIDReportLayout, _ names: BehaviourNames
  ) -> HIDControlAlternatives.Place? {
    guard problems.object(node, "an alternative", keys: ["bytes", "when", "bit"]) != nil,
      let bitNode = problems.required("bit", of: node, "the alternative"),
      let bit = problems.integer(
        bitNode, "the first bit", in: 0...max(0, layout.bitCount - field.bitSize))
    else { return nil }
    guard node["bytes"] != nil || node["when"] != nil else {
      problems.add(
        "the alternative has no condition", at: node.location,
        help: "add \"bytes\" or \"when\"; the \"bit\" of the control applies without one")
      return nil
    }
    var place = HIDControlAlternatives.Place(bytes: nil, bitOffset: bit)
    if let bytes = node["bytes"] {
      guard let pattern = pattern(bytes, layout, "the report of the alternative") else {
        return nil
      }
      place.bytes = pattern
    }
    guard let when = node["when"] else { return place }
    place.conditions = conditions(when, names.templates())
    guard place.isOfStates else {
      problems.add(
        "the place of a control cannot depend on another control", at: when.location,
        help: "compare the bytes of the report with \"bytes\", or name states")
      return nil
    }
    return place
  }

  /// Reads the range of a control, if it has one; returns false, and adds a problem, if it is not
  /// valid.
  private mutating func readRange(_ node: JSONNode, _ field: inout HIDAddedField) -> Bool {
    guard let last = node["maximum"] ?? node["minimum"] else { return true }
    let bits = field.bitRange
    guard let (low, high) = ends(node, in: Int(bits.lowerBound)...Int(bits.upperBound)) else {
      return false
    }
    guard low < high else {
      problems.add(
        "the minimum of the control is \(low), and its maximum \(high)", at: last.location,
        help: "the maximum must be greater")
      return false
    }
    field.range = Int64(low)...Int64(high)
    guard field.canHaveRange else {
      problems.add(
        field.isSigned
          ? "the minimum of a signed control must be below 0, found \(low)"
          : "the minimum of a control must be at most 2147483647, found \(low)",
        at: last.location, help: field.isSigned ? "leave out \"signed\"" : nil)
      return false
    }
    return true
  }
}
