// SPDX-License-Identifier: Apache-2.0

package import HIDText

/// A command of Android's `hid` program.
///
/// Source: frameworks/base/cmds/hid of AOSP, README.md and Event.java.
package enum AndroidCommand: Sendable {
  case register(AndroidDevice)
  case delay(Duration)
  case report([UInt8])
  case setGetReportResponse([UInt8])
  case sendSetReportReply(isSuccess: Bool)
}

/// A reader of the commands of Android's `hid` program.
///
/// Numbers can be text. Unknown keys are ignored, except in the elements of `feature_reports` and
/// `outputs`.
package struct AndroidCommandReader {
  var problems: JSONProblems

  /// The longest delay of one command, in milliseconds: a day.
  static let longestDelay = 86_400_000

  private init(file: String) { problems = JSONProblems(file: file, textNumbers: .asInJava) }

  /// Reads a command and the number of its device.
  ///
  /// - Parameters:
  ///   - node: The JSON value of the command.
  ///   - file: The name of the stream in messages.
  /// - Throws: The problems of the command, up to twenty.
  package static func read(
    _ node: JSONNode, file: String
  ) throws(HIDTraceError) -> (device: Int, command: AndroidCommand) {
    var reader = AndroidCommandReader(file: file)
    guard let command = reader.command(node), reader.problems.all.isEmpty else {
      throw HIDTraceError(problems: reader.problems.all)
    }
    return command
  }

  /// Returns the problem of a command to a device that no earlier command registers.
  package static func unregistered(
    _ id: Int, file: String, at location: HIDTextLocation
  ) -> HIDTextProblem {
    HIDTextProblem(
      file: file, location: location, message: "no device \(id) is registered before this command",
      help: "register it first with {\"id\": \(id), \"command\": \"register\", …}")
  }

  private enum Name { case register, delay, report, setGetReportResponse, sendSetReportReply }

  private mutating func command(_ node: JSONNode) -> (device: Int, command: AndroidCommand)? {
    guard case .object = node.value else {
      problems.unexpected("a command as an object", node)
      return nil
    }
    guard let idNode = problems.required("id", of: node, "the command"),
      let id = problems.integer(idNode, "the device's id", in: 0...0x7FFF_FFFF),
      let nameNode = problems.required("command", of: node, "the command"),
      let name = problems.word(
        nameNode, "command",
        [
          ("register", Name.register), ("delay", .delay), ("report", .report),
          ("set_get_report_response", .setGetReportResponse),
          ("send_set_report_reply", .sendSetReportReply),
        ])
    else { return nil }
    let command: AndroidCommand? =
      switch name {
      case .register: device(node).map { .register($0) }
      case .delay:
        problems.required("duration", of: node, "the command").flatMap {
          problems.integer($0, "the duration in milliseconds", in: 1...Self.longestDelay)
        }.map { .delay(.milliseconds($0)) }
      case .report: bytes("report", node).map { .report($0) }
      case .setGetReportResponse: bytes("report", node).map { .setGetReportResponse($0) }
      case .sendSetReportReply: success(node).map { .sendSetReportReply(isSuccess: $0) }
      }
    return command.map { (id, $0) }
  }

  mutating func bytes(_ key: String, _ node: JSONNode) -> [UInt8]? {
    guard let value = problems.required(key, of: node, "the command") else { return nil }
    guard let bytes = problems.bytes(value, "the \(key)") else { return nil }
    guard !bytes.isEmpty else {
      problems.add("the \(key) is empty", at: value.location)
      return nil
    }
    let limit = HIDTraceReader.maximumReportByteCount
    guard bytes.count <= limit else {
      problems.add(
        "the \(key) is \(bytes.count) bytes long, and the limit is \(limit)", at: value.location)
      return nil
    }
    return bytes
  }

  private mutating func success(_ node: JSONNode) -> Bool? {
    guard let value = problems.required("success", of: node, "the command") else { return nil }
    switch value.value {
    case .bool(let bool): return bool
    case .string("true"): return true
    case .string("false"): return false
    default:
      problems.unexpected("true or false", value)
      return nil
    }
  }
}
