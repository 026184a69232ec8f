// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDText
import HIDWire
import IOLoop

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

/// A device as Android's `hid` program registers it.
package struct AndroidDevice: Sendable {
  var definition: HIDDeviceDefinition
  /// What get requests are answered by report number; `nil` where they are never answered.
  var featureReports: [UInt8: [UInt8]]?
  /// What of it is not done, a sentence each.
  var notes: [String] = []
}

/// Reads the commands of Android's `hid` program: numbers can be text, and unknown keys are passed over.
package struct AndroidCommandReader {
  private var problems: DeviceFileProblems
  private var notes: [String] = []

  private init(file: String) { problems = DeviceFileProblems(file: file) }

  /// Reads a command, and the number of its device.
  ///
  /// - Parameter file: What messages call the stream.
  package static func read(
    _ node: JSONNode, file: String
  ) throws(StreamCommandError) -> (device: Int, command: AndroidCommand) {
    var reader = AndroidCommandReader(file: file)
    guard let command = reader.command(node), reader.problems.all.isEmpty else {
      throw StreamCommandError(problems: reader.problems.all, name: nil, token: nil)
    }
    return command
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
      case .register: device(node, id).map { .register($0) }
      case .delay:
        problems.required("duration", of: node, "the command").flatMap {
          problems.integer($0, "the duration in milliseconds", in: 1...86_400_000)
        }.map { .delay(.milliseconds($0)) }
      case .report: bytes("report", node).map { .report($0) }
      case .setGetReportResponse: bytes("report", node).map { .setGetReportResponse($0) }
      case .sendSetReportReply: success(node).map { .sendSetReportReply(isSuccess: $0) }
      }
    return command.map { (id, $0) }
  }

  private mutating func bytes(_ key: String, _ node: JSONNode) -> [UInt8]? {
    guard let value = problems.required(key, of: node, "the command") else { return nil }
    guard let bytes = problems.bytes(value, "the \(key)") else { return nil }
    guard !bytes.isEmpty else {
      problems.add("the \(key) is empty", at: value.location)
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

  // MARK: Devices

  private mutating func device(_ node: JSONNode, _ id: Int) -> AndroidDevice? {
    guard let descriptorNode = problems.required("descriptor", of: node, "the device"),
      let descriptorBytes = problems.bytes(descriptorNode, "the descriptor"),
      let descriptor = descriptor(descriptorBytes, at: descriptorNode)
    else { return nil }
    let vendorID = number("vid", node, 0xFFFF) ?? 0
    let productID = number("pid", node, 0xFFFF) ?? 0
    let name = node["name"].flatMap {
      problems.text($0, "the name", maximumByteCount: HIDDeviceFile.maximumNameByteCount)
    }
    let serialNumber = node["uniq"].flatMap {
      problems.text(
        $0, "uniq", maximumByteCount: HIDDeviceFile.maximumSerialNumberByteCount, canBeEmpty: true)
    }
    let featureReports = node["feature_reports"].map { self.featureReports($0) }
    let behaviours = node["outputs"].map { outputs($0, descriptor) } ?? []
    let definition = HIDDeviceDefinition(
      name: name ?? "\(id):\(vendorID):\(productID)",
      vendorID: UInt16(truncatingIfNeeded: vendorID),
      productID: UInt16(truncatingIfNeeded: productID),
      serialNumber: serialNumber ?? "Id: \(id)", transport: transport(node),
      interfaces: [HIDInterfaceDefinition(descriptor: descriptor, behaviours: behaviours)])
    return AndroidDevice(definition: definition, featureReports: featureReports, notes: notes)
  }

  private mutating func descriptor(
    _ bytes: [UInt8], at node: JSONNode
  ) -> HIDReportDescriptor? {
    do throws(HIDReportDescriptorError) {
      return try HIDReportDescriptor(
        parsing: bytes,
        maximumReportByteCount: HIDReportDescriptor.maximumReportByteCount)
    } catch {
      problems.add("the descriptor makes no sense: \(error)", at: node.location)
      return nil
    }
  }

  /// USB or Bluetooth, in any case; Bluetooth if nothing is said, as before the key was there.
  private mutating func transport(_ node: JSONNode) -> HIDTransport {
    guard let bus = node["bus"] else { return .bluetooth }
    if case .string(let text) = bus.value {
      if text.lowercased() == "usb" { return .usb }
      if text.lowercased() == "bluetooth" { return .bluetooth }
    }
    problems.unexpected("\"usb\" or \"bluetooth\"", bus)
    return .bluetooth
  }

  private mutating func number(_ key: String, _ node: JSONNode, _ maximum: Int) -> Int? {
    node[key].flatMap { problems.integer($0, "\"\(key)\"", in: 0...maximum) }
  }

  private mutating func featureReports(_ node: JSONNode) -> [UInt8: [UInt8]] {
    var reports: [UInt8: [UInt8]] = [:]
    for element in problems.elements(node, "the feature reports") ?? [] {
      guard problems.object(element, "a feature report", keys: ["id", "data"]) != nil,
        let data = bytes("data", element)
      else { continue }
      reports[UInt8(truncatingIfNeeded: number("id", element, 255) ?? 0)] = data
    }
    return reports
  }

  /// Output reports, each with the input report that answers it; these have their IDs in front.
  private mutating func outputs(
    _ node: JSONNode, _ descriptor: HIDReportDescriptor
  ) -> [HIDBehaviour] {
    var behaviours: [HIDBehaviour] = []
    for element in problems.elements(node, "the outputs") ?? [] {
      guard
        problems.object(element, "an output", keys: ["description", "output", "response"]) != nil,
        let output = bytes("output", element), let response = bytes("response", element)
      else { continue }
      let isNumbered = descriptor.numbersReports(.input)
      let id = isNumbered ? response.first.flatMap(HIDReportID.init(rawValue:)) : nil
      guard let layout = descriptor.report(.input, id: id), response.count <= layout.byteCount
      else {
        // The kernel would drop it too.
        notes.append(
          "the response \(response.hexText) is no input report of the device: it is not sent")
        continue
      }
      // What is longer than the output report is declared arrives as it is written; no length is compared here.
      behaviours.append(
        HIDBehaviour(
          trigger: .output(HIDBytePattern(output.map { $0 })),
          sendings: [
            HIDBehaviour.Sending(
              id: id, bytes: HIDReportTemplate(Array(response.dropFirst(layout.payloadOffset))))
          ]))
    }
    return behaviours
  }
}
