// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText

/// The argument that selects a device.
struct DeviceArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A node, a number of hidsim list, a name or words of it, or vendor:product.",
      valueName: "device"), completion: Completion.devices)
  var device: String

  /// Finds the device.
  ///
  /// - Throws: A failure that lists the candidates, if there is not exactly one.
  func find(on busOptions: BusOptions) async throws -> FoundDevice {
    try await Self.find(device, on: busOptions)
  }

  /// Finds a device.
  ///
  /// - Parameters:
  ///   - orFile: True if the message for no match says that there is no such file either.
  ///   - asWhole: True to accept several matches that are all interfaces of one device. The first
  ///     of them is returned.
  ///   - isDriven: True to ignore devices that are not simulated, if a simulated device matches.
  static func find(
    _ device: String, on busOptions: BusOptions, orFile: Bool = false, asWhole: Bool = false,
    isDriven: Bool = false
  ) async throws -> FoundDevice {
    try find(
      device, among: try await busOptions.devices(), orFile: orFile, asWhole: asWhole,
      isDriven: isDriven)
  }

  /// Finds a device among the given devices.
  static func find(
    _ device: String, among devices: [FoundDevice], orFile: Bool, asWhole: Bool = false,
    isDriven: Bool = false
  ) throws -> FoundDevice {
    let all = devices.enumerated()
    var matches = all.filter { index, found in
      isNode(device, found.record, index: index + 1) || isName(device, found.record)
    }
    if matches.isEmpty { matches = all.filter { isPart(device, ofNameOf: $0.element.record) } }
    if isDriven, matches.contains(where: \.element.record.isOurs) {
      matches.removeAll { !$0.element.record.isOurs }
    }
    if let first = matches.first?.element {
      if matches.count == 1 { return first }
      let parts = asWhole ? first.record.interfaces(among: devices.map(\.record)) : []
      if matches.allSatisfy({ parts.contains($0.element.record) }) { return first }
    }
    if matches.isEmpty {
      let noun = orFile ? "file or device" : "device"
      let lines = all.map { "  " + Self.line($0.element.record, index: $0.offset + 1) }
      throw Failure(
        .noInput,
        lines.isEmpty
          ? "no \(noun) \"\(device)\"\(orFile ? "" : ": there are no devices; hidsim run plugs one")"
          : "no \(noun) \"\(device)\"; the devices are:\n" + lines.joined(separator: "\n"))
    }
    let lines = matches.map { "  " + Self.line($0.element.record, index: $0.offset + 1) }
    throw Failure(
      .wrongArguments,
      "\(matches.count) devices match \"\(device)\"; choose one by node or number:\n"
        + lines.joined(separator: "\n"))
  }

  /// Finds several devices, each only once.
  ///
  /// A node or number selects one interface. A name, words of a name, or vendor:product selects all
  /// interfaces of the device.
  ///
  /// - Throws: A failure that lists the candidates, unless each name matches exactly one device.
  static func records(
    _ names: [String], among devices: [FoundDevice]
  ) throws -> [HIDDeviceRecord] {
    let all = devices.map(\.record)
    var records: [HIDDeviceRecord] = []
    for name in names {
      let found = try find(name, among: devices, orFile: false, asWhole: true).record
      let isPart = all.firstIndex(of: found).map { isNode(name, found, index: $0 + 1) } ?? false
      for record in isPart ? [found] : found.interfaces(among: all)
      where !records.contains(where: { $0.id == record.id && $0.bus == record.bus }) {
        records.append(record)
      }
    }
    return records
  }

  /// Returns whether a word is the address, the number, the ID or an event node of a device.
  private static func isNode(_ word: String, _ record: HIDDeviceRecord, index: Int) -> Bool {
    word == record.address || word == String(index) || word == record.id.description
      || "/dev/\(word)" == record.address || record.eventNodes.contains(word)
  }

  private static func isName(_ word: String, _ record: HIDDeviceRecord) -> Bool {
    word == record.identity.name || word.lowercased() == record.ids
  }

  /// Returns whether a text consists of consecutive whole words of a device's name, in any case.
  ///
  /// A number alone never matches: it is an index in the list.
  private static func isPart(_ text: String, ofNameOf record: HIDDeviceRecord) -> Bool {
    guard !text.allSatisfy(\.isNumber) else { return false }
    let words = words(of: text)
    return !words.isEmpty && self.words(of: record.identity.name).contains(words)
  }

  private static func words(of text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// Returns the line of a device in the list.
  static func line(_ record: HIDDeviceRecord, index: Int) -> String {
    var line = "\(index)  \(record.address)  \(record.ids)  \(record.identity.transport.name)  "
    line += "\(record.kind)  \"\(record.identity.name)\""
    if !record.identity.serialNumber.isEmpty { line += "  \(record.identity.serialNumber)" }
    if record.isOurs { line += "  (simulated)" }
    return line
  }
}

/// The arguments that select a report.
enum ReportArguments {
  /// Reads a report type.
  static func type(_ text: String) throws -> HIDReportType {
    guard let type = HIDReportType.allCases.first(where: { "\($0)" == text }) else {
      throw ValidationError("the report type is \"\(text)\": expected input, output or feature")
    }
    return type
  }

  /// Reads a report ID, in decimal or in hex after `0x`.
  static func id(_ text: String) throws -> HIDReportID {
    guard let number = NumberText.integer(text, as: UInt8.self),
      let id = HIDReportID(rawValue: number)
    else {
      throw ValidationError("the report ID is \"\(text)\": expected 1 to 255, decimal or 0x…")
    }
    return id
  }

  /// Reads bytes in hex, from one argument or several.
  static func bytes(_ texts: [String]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for text in texts {
      do throws(HexText.WordError) {
        try HexText.append(text.utf8.span, to: &bytes, as: .printed)
      } catch {
        throw ValidationError(error.description)
      }
    }
    return bytes
  }

  /// Checks that a report ID is given if, and only if, the device numbers its reports of this type.
  ///
  /// - Throws: A failure that says what to change.
  static func check(
    _ id: HIDReportID?, _ type: HIDReportType, _ lengths: HIDReportLengths,
    _ descriptor: HIDReportDescriptor
  ) throws {
    let declared = descriptor.reports(of: type).map { $0.id.map { "\($0)" } ?? "without ID" }
    if lengths.isNumbered(type), id == nil {
      throw Failure(
        .wrongArguments,
        "the device numbers its \(type) reports: add the ID, one of \(declared.joined(separator: ", "))"
      )
    }
    if !lengths.isNumbered(type), id != nil {
      throw Failure(
        .wrongArguments, "the device does not number its \(type) reports: leave the ID out")
    }
  }
}
