// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
internal import HIDText
import HIDTraces

extension DeviceFileReader {
  /// The maximum number of states of an interface.
  static let maximumStateCount = 256
  /// The maximum length of a state, in bytes.
  static let maximumStateByteCount = 4096

  /// Reads the states, such as `{"battery": {"type": "u8", "initial": 100}}`.
  mutating func states(_ node: JSONNode) -> [HIDStateVariable] {
    guard case .object(let members) = node.value else {
      problems.unexpected(
        "the state as an object", node, help: "such as {\"battery\": {\"type\": \"u8\"}}")
      return []
    }
    guard members.count <= Self.maximumStateCount else {
      problems.add(
        "the interface has \(members.count) states, and the limit is \(Self.maximumStateCount)",
        at: node.location)
      return []
    }
    var states: [HIDStateVariable] = []
    for member in members {
      guard isStateName(member) else { continue }
      guard
        problems.object(
          member.value, "a state", keys: ["type", "count", "initial", "comment"]) != nil,
        let typeNode = problems.required("type", of: member.value, "the state"),
        var kind = problems.word(typeNode, "type of a state", HIDStateVariable.Kind.named)
      else { continue }
      if let comment = member.value["comment"] { checkComment(comment) }
      if case .bytes = kind {
        guard let count = byteCount(of: member.value) else { continue }
        kind = .bytes(count: count)
      } else if let count = member.value["count"] {
        problems.add(
          "\"count\" is not allowed for a state of type \"\(kind.name)\"", at: count.location,
          help: "remove \"count\", or make the type \"bytes\"")
        continue
      }
      let initial = member.value["initial"].map { self.initial($0, kind) }
      if case .some(nil) = initial { continue }
      states.append(HIDStateVariable(member.key, kind, initial: initial ?? nil))
    }
    return states
  }

  private mutating func isStateName(_ member: JSONMember) -> Bool {
    guard isControlName(member.key), !member.key.contains(".") else {
      problems.add(
        "\(quoted(member.key)) cannot name a state", at: member.location,
        help: "use letters, digits, \"-\" and \"_\", with a letter first")
      return false
    }
    guard !TemplateReader.reservedNames.contains(member.key) else {
      problems.add(
        "\(quoted(member.key)) has another meaning in templates", at: member.location,
        help: "choose another name")
      return false
    }
    return true
  }

  private mutating func byteCount(of node: JSONNode) -> Int? {
    guard let count = problems.required("count", of: node, "the state of type \"bytes\"") else {
      return nil
    }
    return problems.integer(count, "the count", in: 1...Self.maximumStateByteCount)
  }

  private mutating func initial(
    _ node: JSONNode, _ kind: HIDStateVariable.Kind
  ) -> HIDStateValue? {
    if case .bytes(let count) = kind {
      guard let bytes = problems.bytes(node, "the initial value") else { return nil }
      guard bytes.count <= count else {
        problems.add(
          "the initial value is \(bytes.count.counting("byte")) long, and the state holds \(count)",
          at: node.location, help: "shorten it, or make \"count\" larger")
        return nil
      }
      return .bytes(bytes + Array(repeating: 0, count: count - bytes.count))
    }
    return integer(node, "the initial value", kind).map { .integer($0) }
  }

  /// Reads a number that a state can hold; for a state of type bool also `true` or `false`.
  mutating func integer(
    _ node: JSONNode, _ what: String, _ kind: HIDStateVariable.Kind
  ) -> Int64? {
    if case .bool = kind, case .bool(let bool) = node.value { return bool ? 1 : 0 }
    guard let range = kind.range,
      let number = problems.integer(node, what, in: Int(range.lowerBound)...Int(range.upperBound))
    else { return nil }
    return Int64(number)
  }
}
