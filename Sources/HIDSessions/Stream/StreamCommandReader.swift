// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDSimulator
package import HIDText
import HIDTraces

/// A reader of the commands of a stream.
package struct StreamCommandReader {
  private typealias Read = @Sendable (inout StreamCommandReader, JSONNode) -> StreamRequest.Command?

  /// The requests of hosts that a command leaves to the client.
  ///
  /// `delegation` is `nil` if neither get nor set requests are left to the client.
  private struct Delegated { let delegation: HIDDelegation? }

  private var problems: JSONProblems
  private let file: String

  init(file: String) {
    self.file = file
    problems = JSONProblems(file: file)
  }

  private static let common = ["command", "token", "device", "comment"]
  private static let commands: [(name: String, keys: [String], read: Read)] = [
    ("report", ["bytes", "reports"], { $0.report($1) }),
    ("script", ["text", "name", "set", "files", "beside"], { $0.script($1) }),
    ("plug", ["file", "definition", "delegate", "wait"], { $0.plug($1) }),
    ("unplug", [], { _, _ in .unplug }),
    ("delay", ["duration"], { $0.delay($1) }),
    ("consume", ["event"], { $0.consume($1) }),
    ("sync", [], { _, _ in .sync }),
    ("list", [], { _, _ in .list }),
    ("state", [], { _, _ in .state }),
    ("elements", [], { _, _ in .elements }),
    (
      "delegate", ["get", "set", "deadline"], { $0.delegation($1).map { .delegate($0.delegation) } }
    ),
    ("answer", ["request", "bytes", "error", "none", "noAnswer", "usual"], { $0.answer($1) }),
    ("events", ["on", "input"], { $0.events($1) }),
    ("cancel", ["of"], { $0.cancel($1) }),
    ("end", ["when"], { $0.end($1) }),
  ]

  private static let meanings = commands.map { ($0.name, (keys: common + $0.keys, read: $0.read)) }

  /// Reads a command.
  ///
  /// - Parameter file: The name of the stream in messages.
  /// - Throws: The problems of a value that is not a command, with its name and its token if they
  ///   could be read.
  package static func read(
    _ node: JSONNode, file: String
  ) throws(StreamCommandError) -> StreamRequest {
    var reader = StreamCommandReader(file: file)
    let token = reader.token(node["token"])
    var name: String?
    let request = reader.request(node, token, &name)
    guard let request, reader.problems.all.isEmpty else {
      throw StreamCommandError(
        problems: reader.problems.all.sorted { $0.location < $1.location }, name: name, token: token
      )
    }
    return request
  }

  private mutating func token(_ token: JSONNode?) -> JSONText? {
    guard let token else { return nil }
    switch token.value {
    case .string(let text) where text.utf8.count <= 1024: return .string(text)
    case .integer(let number): return .integer(number)
    default:
      problems.unexpected("the token as a number or a string of at most 1024 bytes", token)
      return nil
    }
  }

  private mutating func request(
    _ node: JSONNode, _ token: JSONText?, _ name: inout String?
  ) -> StreamRequest? {
    guard case .object = node.value else {
      problems.unexpected("a command as an object", node, help: "such as {\"command\": \"list\"}")
      return nil
    }
    guard let nameNode = problems.required("command", of: node, "the command") else { return nil }
    guard
      let command = problems.word(nameNode, "command", Self.meanings),
      case .string(let word) = nameNode.value
    else { return nil }
    name = word
    guard problems.object(node, "the command \"\(word)\"", keys: command.keys) != nil else {
      return nil
    }
    var device: String?
    if let deviceNode = node["device"] {
      device = problems.text(deviceNode, "the device's label", maximumByteCount: 512)
    }
    guard let read = command.read(&self, node) else { return nil }
    return StreamRequest(
      command: read, name: word, device: device, token: token, location: node.location)
  }

  // MARK: Commands

  private mutating func report(_ node: JSONNode) -> StreamRequest.Command? {
    if let bytes = node["bytes"] {
      return problems.bytes(bytes, "the report").map { .report([$0]) }
    }
    guard let reports = node["reports"] else {
      problems.add(
        "the command has neither \"bytes\" nor \"reports\"", at: node.location,
        help: "such as \"bytes\": \"00 00 04\"")
      return nil
    }
    var list: [[UInt8]] = []
    for element in problems.elements(reports, "the reports") ?? [] {
      guard let bytes = problems.bytes(element, "a report") else { return nil }
      list.append(bytes)
    }
    return .report(list)
  }

  private mutating func script(_ node: JSONNode) -> StreamRequest.Command? {
    guard let text = problems.required("text", of: node, "the command") else { return nil }
    guard case .string(let lines) = text.value else {
      problems.unexpected("lines of a script as a string", text, help: "such as \"tap a\"")
      return nil
    }
    var name = "script"
    if let node = node["name"] {
      guard let text = problems.text(node, "the script's name", maximumByteCount: 4096) else {
        return nil
      }
      name = text
    }
    guard let variables = texts(node["set"], "the variables", such: "{\"speed\": \"50%\"}"),
      let files = texts(node["files"], "the files", such: "{\"setup.hidscript\": \"tap a\"}"),
      let isBeside = flag("beside", of: node, default: false)
    else { return nil }
    return .script(
      .init(text: lines, name: name, variables: variables, files: files), isBeside: isBeside)
  }

  /// Reads an object whose values are strings; an absent node gives no strings.
  private mutating func texts(
    _ node: JSONNode?, _ what: String, such example: String
  ) -> [String: String]? {
    guard let node else { return [:] }
    guard case .object(let members) = node.value else {
      problems.unexpected("\(what) as an object", node, help: "such as \(example)")
      return nil
    }
    var texts: [String: String] = [:]
    for member in members {
      guard case .string(let text) = member.value.value else {
        problems.unexpected(
          "\(quoted(member.key)) as a string", member.value, help: "such as \(example)")
        return nil
      }
      texts[member.key] = text
    }
    return texts
  }

  private mutating func plug(_ node: JSONNode) -> StreamRequest.Command? {
    var left: HIDDelegation?
    if let delegation = node["delegate"] {
      guard
        problems.object(delegation, "the delegation", keys: ["get", "set", "deadline"]) != nil,
        let read = self.delegation(delegation)
      else { return nil }
      left = read.delegation
    }
    guard let waits = flag("wait", of: node, default: true) else { return nil }
    if let file = node["file"] {
      if let other = node["definition"] {
        problems.add(
          "\"definition\" cannot be combined with \"file\"", at: other.location,
          help: "remove one of them")
        return nil
      }
      guard let name = problems.text(file, "the file's name", maximumByteCount: 4096) else {
        return nil
      }
      return .plug(.file(name), left, waits: waits)
    }
    guard let device = problems.required("definition", of: node, "the command") else { return nil }
    do throws(HIDDeviceFileError) {
      let definition = try HIDDeviceFile.read(device, name: file)
      return .plug(.device(definition), left, waits: waits)
    } catch {
      for problem in error.problems { problems.add(problem) }
      return nil
    }
  }

  private mutating func delay(_ node: JSONNode) -> StreamRequest.Command? {
    problems.required("duration", of: node, "the command").flatMap { duration($0) }.map {
      .delay($0)
    }
  }

  /// Reads `"100ms"`, or microseconds as a number.
  private mutating func duration(_ node: JSONNode) -> Duration? {
    switch node.value {
    case .integer(let count) where (0...86_400_000_000).contains(count):
      return .microseconds(count)
    case .string(let text):
      if let duration = NumberText.duration(text) {
        return duration
      }
    default: break
    }
    problems.unexpected(
      "a duration of at most a day", node, help: "such as \"100ms\", or 100000 (microseconds)")
    return nil
  }

  /// Reads a delegation, such as `{"get": true, "set": false, "deadline": "2s"}`.
  private mutating func delegation(_ node: JSONNode) -> Delegated? {
    guard let gets = flag("get", of: node, default: true),
      let sets = flag("set", of: node, default: true)
    else { return nil }
    var delegation = HIDDelegation(getsReports: gets, setsReports: sets)
    if let deadline = node["deadline"] {
      guard let bound = duration(deadline) else { return nil }
      guard bound > .zero, bound <= .seconds(60) else {
        problems.add(
          "the deadline is \(bound.text); expected more than 0s, and at most 60s",
          at: deadline.location)
        return nil
      }
      delegation.deadline = bound
    }
    return Delegated(delegation: gets || sets ? delegation : nil)
  }

  private mutating func flag(_ key: String, of node: JSONNode, default value: Bool) -> Bool? {
    guard let flag = node[key] else { return value }
    guard case .bool(let bool) = flag.value else {
      problems.unexpected("true or false", flag)
      return nil
    }
    return bool
  }

  private mutating func consume(_ node: JSONNode) -> StreamRequest.Command? {
    guard let event = problems.required("event", of: node, "the command") else { return nil }
    guard case .integer(let number) = event.value, let number = Int(exactly: number), number >= 0
    else {
      problems.unexpected("the number of an event", event)
      return nil
    }
    return .consume(number)
  }

  private mutating func answer(_ node: JSONNode) -> StreamRequest.Command? {
    guard let numberNode = problems.required("request", of: node, "the command") else { return nil }
    guard case .integer(let number) = numberNode.value, number > 0 else {
      problems.unexpected("the number of a request", numberNode)
      return nil
    }
    // "noAnswer" is the name of "none" in version 0.1.
    let keys = ["bytes", "error", "none", "noAnswer", "usual"].filter { node[$0] != nil }
    guard keys.count <= 1 else {
      problems.add(
        "\(quoted(keys[1])) cannot be combined with \(quoted(keys[0]))",
        at: (node[keys[1]] ?? node).location,
        help: "remove one of them")
      return nil
    }
    let answer: HIDRequestAnswer?
    switch keys.first {
    case "bytes":
      guard let value = node["bytes"], let bytes = problems.bytes(value, "the answer") else {
        return nil
      }
      answer = .report(HIDReportBytes(bytes))
    case let key?:
      guard flag(key, of: node, default: false) == true else {
        problems.add(
          "\(quoted(key)) can only be true; leave it out instead", at: (node[key] ?? node).location)
        return nil
      }
      answer = key == "usual" ? nil : key == "error" ? .error : HIDRequestAnswer.none
    case nil: answer = .acknowledged
    }
    return .answer(UInt64(number), answer)
  }

  private mutating func events(_ node: JSONNode) -> StreamRequest.Command? {
    guard let isOn = flag("on", of: node, default: true),
      let showsInput = flag("input", of: node, default: false)
    else { return nil }
    return .events(StreamEvents(isOn: isOn, showsInput: showsInput))
  }

  private mutating func cancel(_ node: JSONNode) -> StreamRequest.Command? {
    guard let of = node["of"] else { return .cancel(nil) }
    return token(of).map { .cancel($0) }
  }

  private mutating func end(_ node: JSONNode) -> StreamRequest.Command? {
    guard let when = node["when"] else { return .end(withInput: false) }
    guard case .string("input") = when.value else {
      problems.unexpected(
        "\"input\"", when, help: "without \"when\" the stream ends at once")
      return nil
    }
    return .end(withInput: true)
  }
}
