// SPDX-License-Identifier: Apache-2.0

/// A report that a client's packet asks an InputStick (a *stick*) to send to the host.
package struct StickReport: Hashable, Sendable {
  /// The interfaces of the stick; consumer control, system control, gamepad and touch screen share
  /// one.
  package enum Interface: Int, Sendable, CaseIterable {
    case keyboard
    case mouse
    case consumer
    case raw
  }

  /// The interface that sends the report.
  package let interface: Interface
  /// The bytes of the report, with its ID first if the interface has IDs.
  package let bytes: [UInt8]

  /// Makes a report.
  package init(_ interface: Interface, _ bytes: [UInt8]) {
    self.interface = interface
    self.bytes = bytes
  }
}

/// Functions that read the reports in a command's packet.
package enum StickReports {
  /// The reason why a command carries no valid reports, as the code of the answer.
  package struct Refusal: Error, Hashable, Sendable {
    package let code: UInt8
  }

  /// Returns the interface of a command's reports, and the length of each in the packet.
  ///
  /// - Returns: nil for `mixedReports`, `rawData` and commands that queue no reports.
  private static func form(
    _ command: StickCommand
  ) -> (interface: StickReport.Interface, byteCount: Int)? {
    switch command {
    case .keyboardReports: (.keyboard, 8)
    case .shortKeyboardReports, .keyStrokes: (.keyboard, 2)
    case .mouseReports: (.mouse, 4)
    case .consumerReports: (.consumer, 3)
    case .gamepadReports: (.consumer, 7)
    case .touchReports: (.consumer, 6)
    default: nil
    }
  }

  /// Returns the reports of a packet, in their order.
  ///
  /// - Parameter packet: A packet with the command 0x21 to 0x26, 0x2C or 0x2D, or with one of these
  ///   plus 0x20.
  /// - Returns: nil for another command, such as `rawData`.
  /// - Throws: `Refusal` if the packet is too short for its reports, if a mixed report has an
  ///   unknown type, if the number of key strokes is not 1 to 10, or if a mixed packet makes more
  ///   than 33 reports; a key stroke makes three.
  package static func reports(of packet: StickPacket) throws(Refusal) -> [StickReport]? {
    guard let command = StickCommand(number: packet.command) else { return nil }
    if command == .mixedReports { return try mixedReports(packet.data) }
    guard let form = form(command) else { return nil }
    let count = Int(packet.parameter)
    guard packet.data.count >= count * form.byteCount else {
      throw Refusal(code: StickAnswer.invalidParameter)
    }
    if command == .keyStrokes, !(1...10).contains(count) {
      throw Refusal(code: StickAnswer.invalidParameter)
    }
    var reports: [StickReport] = []
    for index in 0..<count {
      let bytes = Array(packet.data[index * form.byteCount..<(index + 1) * form.byteCount])
      reports += expanded(bytes, command, form.interface)
    }
    return reports
  }

  private static func expanded(
    _ bytes: [UInt8], _ command: StickCommand, _ interface: StickReport.Interface
  ) -> [StickReport] {
    switch command {
    case .shortKeyboardReports: [keyboard(bytes[0], bytes[1])]
    case .keyStrokes: [keyboard(bytes[0], 0), keyboard(bytes[0], bytes[1]), keyboard(0, 0)]
    default: [StickReport(interface, bytes)]
    }
  }

  private static func keyboard(_ modifiers: UInt8, _ key: UInt8) -> StickReport {
    StickReport(.keyboard, [modifiers, 0, key, 0, 0, 0, 0, 0])
  }

  /// Returns the reports of the command 0x25, which has a type byte before each.
  ///
  /// The reports end at a type 0 or at the end of the data.
  private static func mixedReports(_ data: [UInt8]) throws(Refusal) -> [StickReport] {
    var reports: [StickReport] = []
    var rest = data[...]
    while let type = rest.popFirst(), type != 0 {
      let form: (command: StickCommand, interface: StickReport.Interface, byteCount: Int)
      switch type {
      case 0x01: form = (.keyboardReports, .keyboard, 8)
      case 0x02: form = (.shortKeyboardReports, .keyboard, 2)
      case 0x03: form = (.keyStrokes, .keyboard, 2)
      case 0x10: form = (.mouseReports, .mouse, 4)
      case 0x20: form = (.consumerReports, .consumer, 3)
      case 0x30: form = (.gamepadReports, .consumer, 7)
      default: throw Refusal(code: StickAnswer.unknownReport)
      }
      guard rest.count >= form.byteCount else { throw Refusal(code: StickAnswer.invalidSetting) }
      reports += expanded(Array(rest.prefix(form.byteCount)), form.command, form.interface)
      rest = rest.dropFirst(form.byteCount)
      guard reports.count <= 33 else { throw Refusal(code: StickAnswer.invalidSetting) }
    }
    return reports
  }
}
