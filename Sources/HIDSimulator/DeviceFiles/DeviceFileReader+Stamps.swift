// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDTraces
internal import HIDBus

extension DeviceFileReader {
  /// Reads the stamps of all reports, such as `"stamp": {"0": "${counter:u8}"}`.
  ///
  /// The key of a stamp is an offset in bytes, counted from the byte after the ID.
  mutating func stamps(_ node: JSONNode, _ names: BehaviourNames) -> [HIDReportStamp] {
    guard case .array(let elements) = node.value else { return [] }  // `reports` adds the problem
    let templates = names.templates(isStamp: true)
    var stamps: [HIDReportStamp] = []
    for element in elements {
      guard let stamp = element["stamp"] else { continue }
      guard element["type"]?.value == .string("input") else {
        problems.add(
          "\"stamp\" is allowed only for an input report", at: stamp.location,
          help: "for an answer with a counter or checksum, use the \"reply\" of a behaviour")
        continue
      }
      guard case .object(let members) = stamp.value, !members.isEmpty else {
        problems.unexpected(
          "the stamp as an object", stamp, help: "such as {\"0\": \"${counter:u8}\"}")
        continue
      }
      let id = element["id"].flatMap { HIDReportID(node: $0) }
      // `reports` adds the problem of a report that is not declared.
      guard let layout = names.descriptor.report(.input, id: id) else { continue }
      for member in members {
        guard let offset = NumberText.integer(member.key, as: Int.self),
          (0..<layout.payloadByteCount).contains(offset)
        else {
          problems.add(
            "expected an offset from 0 to \(layout.payloadByteCount - 1), found \(quoted(member.key))",
            at: member.location, help: "offsets count from the byte after the ID")
          continue
        }
        guard
          let bytes = template(
            member.value, "the stamp", templates, within: layout.payloadByteCount - offset)
        else { continue }
        stamps.append(HIDReportStamp(id: id, offset: layout.payloadOffset + offset, bytes: bytes))
      }
    }
    // Sorted by offset: a checksum covers the bytes before it, which must be stamped first.
    return stamps.sorted { ($0.id?.rawValue ?? 0, $0.offset) < ($1.id?.rawValue ?? 0, $1.offset) }
  }
}

extension HIDReportID {
  /// Creates the ID that a node holds; `nil` if it holds none.
  ///
  /// `DeviceFileReader.reports` adds the problem of an invalid value.
  fileprivate init?(node: JSONNode) {
    let number: Int? =
      switch node.value {
      case .integer(let number): number
      case .string(let text): NumberText.hexadecimal(text, as: Int.self)
      default: nil
      }
    guard let byte = number.flatMap({ UInt8(exactly: $0) }) else { return nil }
    self.init(rawValue: byte)
  }
}
