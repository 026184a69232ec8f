// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a device: identity, reports, names and values.",
    usage: "hidsim show <device> [<options>]",
    discussion: """
      Names are those that scripts take. Behind the reports stand the names that the device's file gives to controls, and \
      short names of keys, axes and buttons. Of a device that hidsim has plugged, the state of its file is shown, too.

        hidsim show keyboard
        hidsim show /dev/hidraw0 --read            ask for each report first
        hidsim show "My pad" --listen 2s           use the reports of two seconds

      A value is marked with its source: read (by --read), or cached (by --listen) with its age. Without both options \
      hidsim does not open the device, and no value is known.
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @OptionGroup var busOptions: BusOptions
  @Flag(help: "Request every report from the device.") var read = false
  @Option(
    help: ArgumentHelp(
      "With --read, the longest wait for an answer: 500ms. (default: 5s)",
      discussion: "After a request without an answer hidsim sends no more.", valueName: "time"))
  var timeout: TimeBound?
  @Option(
    help: ArgumentHelp("Collect input reports for a time first: 500ms, 2s.", valueName: "time"))
  var listen: TimeBound?
  @Flag(help: "Print one JSON object a line: the device, then reports.") var json = false

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--read", read, ["--listen": listen != nil],
        because: "--read requests values from the device, --listen waits for those that it sends"),
      .needs(
        "--timeout", timeout != nil, "--read", read, because: "only --read waits for answers"))
  }

  /// The bytes of a report, and their source.
  private enum Seen {
    case never
    case refused
    case notResponding
    /// The report was not requested, since the device did not answer an earlier request.
    case notRequested
    case read([UInt8])
    case cached([UInt8], age: Duration)

    var bytes: [UInt8]? {
      switch self {
      case .never, .refused, .notResponding, .notRequested: nil
      case .read(let bytes), .cached(let bytes, _): bytes
      }
    }

    var mark: String {
      switch self {
      case .never: "no value known"
      case .refused: "no value known: the device refused"
      case .notResponding: "no value known: the device did not answer"
      case .notRequested: "no value known: not requested, because the device did not answer before"
      case .read: "read"
      case .cached(_, let age): "cached (\(age.wholeMicroseconds / 1000) ms)"
      }
    }
  }

  func run() async throws {
    try await reporting {
      let found = try await deviceArgument.find(on: busOptions)
      let device = found.record
      let descriptor: HIDReportDescriptor
      do {
        descriptor = try HIDReportDescriptor(parsing: device.descriptorBytes)
      } catch {
        throw Failure(
          .wrongData, "\(device.address): its report descriptor is not valid: \(error)")
      }
      let client = read || listen != nil ? try found.client() : nil
      let heard = try await inputs(client, descriptor)
      var seen: [Seen] = []
      for layout in descriptor.reports {
        // A device that has not answered one request may not answer any: hidsim sends no more.
        switch seen.last {
        case .notResponding?, .notRequested?: seen.append(.notRequested)
        default: seen.append(try await look(at: layout, read ? client : nil, heard[layout.id]))
        }
      }
      let state = DeviceState(of: device)
      let shortNames = ShortNames(of: descriptor)
      if json {
        printJSON(device, descriptor, seen)
        printJSON(state, shortNames, of: device)
      } else {
        printText(device, descriptor, seen)
        printText(state, shortNames)
      }
    }
  }

  /// Returns the last input report of each ID that arrived during `--listen`.
  private func inputs(
    _ client: DeviceClient?, _ descriptor: HIDReportDescriptor
  ) async throws -> [HIDReportID?: HIDReport] {
    guard let client, let listen else { return [:] }
    let stream = try await client.reports(policy: .dropNewest)
    return await untilEnded(listen) {
      var last: [HIDReportID?: HIDReport] = [:]
      for await report in stream {
        let isNumbered = descriptor.numbersReports(.input)
        let id = isNumbered ? report.bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
        last[id] = report
      }
      return last
    } ?? [:]
  }

  private func look(
    at layout: HIDReportLayout, _ client: DeviceClient?, _ heard: HIDReport?
  ) async throws -> Seen {
    guard let client else {
      guard layout.type == .input, let heard else { return .never }
      return .cached([UInt8](heard.bytes), age: MonotonicTime.now.duration(since: heard.time))
    }
    do throws(HIDBusError) {
      return .read(
        try await client.get(layout.type, layout.id, within: (timeout ?? .answer).duration))
    } catch {
      switch error.kind {
      case .timedOut: return .notResponding
      case .ioError: return .refused
      default: throw error
      }
    }
  }

  // MARK: Text

  private func printText(
    _ device: HIDDeviceRecord, _ descriptor: HIDReportDescriptor, _ seen: [Seen]
  ) {
    let identity = device.identity
    let version = String(identity.versionNumber >> 8, radix: 16)
    let minor = String(identity.versionNumber & 0xff, radix: 16)
    var lines = ["\"\(identity.name)\"  \(device.ids)  \(identity.transport.name)"]
    lines.append("  node          \(device.address) (\(device.bus) bus)")
    if !device.eventNodes.isEmpty {
      lines.append("  evdev         \(device.eventNodes.joined(separator: ", "))")
    }
    if let driver = device.driver { lines.append("  driver        \(driver)") }
    if !identity.manufacturer.isEmpty { lines.append("  manufacturer  \(identity.manufacturer)") }
    if !identity.serialNumber.isEmpty { lines.append("  serial        \(identity.serialNumber)") }
    lines.append("  version       \(version).\(minor.count < 2 ? "0" : "")\(minor)")
    lines.append("  physical path \(device.physicalPath)\(device.isOurs ? " (simulated)" : "")")
    lines.append("  kind          \(device.kind)")
    lines.append("collections")
    for collection in descriptor.collections {
      let indent = String(repeating: "  ", count: collection.depth + 1)
      lines.append("\(indent)\(collection.kind) \(collection.usage?.name ?? "without usage")")
    }
    for (layout, seen) in zip(descriptor.reports, seen) {
      let number = layout.id.map { " \($0)" } ?? ""
      lines.append(
        "\(layout.type) report\(number): \(layout.byteCount.counting("byte")), \(seen.mark)"
          + (seen.bytes.map { "  \($0.hexText)" } ?? ""))
      let text = ReportText(layout, of: descriptor)
      for field in layout.fields { lines += fieldLines(field, text, seen) }
    }
    for line in lines { Output.shared.print(line) }
  }

  private func printText(_ state: DeviceState, _ shortNames: ShortNames) {
    var lines: [String] = []
    if !state.controls.isEmpty { lines.append("names of the device file") }
    let width = state.controls.map(\.name.count).max() ?? 0
    lines += state.controls.map { "  \($0.name.padding(to: width))  \($0.place)" }
    if !state.switches.isEmpty { lines.append("switches") }
    let switchWidth = state.switches.map(\.name.count).max() ?? 0
    lines += state.switches.map { item in
      "  \(item.name.padding(to: switchWidth))  "
        + (item.presses.isEmpty
          ? "presses nothing in this state" : "presses \(item.presses.joined(separator: "+"))")
        + (item.isDown ? ", is down" : "")
    }
    if !shortNames.groups.isEmpty { lines.append("short names") }
    lines += shortNames.lines
    if !state.values.isEmpty { lines.append("state") }
    lines += state.values.map { "  \($0.name) \($0.value.text)" }
    for line in lines { Output.shared.print(line) }
  }

  private func fieldLines(
    _ field: HIDReportField, _ text: ReportText, _ seen: Seen
  ) -> [String] {
    let place = "  bit \(field.bitOffset): \(field.count) x \(field.bitSize) bits"
    if field.isPadding { return ["\(place), padding"] }
    let range = "\(field.logicalMinimum)...\(field.logicalMaximum)"
    if field.isArray {
      let usages = field.usages.ranges.map { range in
        let first = HIDUsage(extended: range.first).name
        let last = HIDUsage(extended: range.last).name
        return range.count == 1 ? first : "\(first) … \(last)"
      }
      var lines = ["\(place), array \(range) of \(usages.joined(separator: ", "))"]
      if let bytes = seen.bytes {
        let selected = text.selectedNames(of: field, in: bytes)
        lines.append(
          "    selected: " + (selected.isEmpty ? "nothing" : selected.joined(separator: ", ")))
      }
      return lines
    }
    let lines = ["\(place), \(field.isRelative ? "relative " : "")\(range)"]
    return lines + text.lines(of: field, in: seen.bytes).map { "    \($0)" }
  }

  // MARK: JSON

  private func printJSON(
    _ device: HIDDeviceRecord, _ descriptor: HIDReportDescriptor, _ seen: [Seen]
  ) {
    var line = JSONLine()
    line.add("event", "device")
    EventJSON.addRecord(device, to: &line)
    line.add("descriptor", .bytes(descriptor.bytes))
    line.add(
      "collections",
      .array(
        descriptor.collections.map { collection in
          .object { object in
            object.add("kind", .string("\(collection.kind)"))
            object.add("usage", .optional(collection.usage) { .string($0.name) })
            object.add("parent", .optional(collection.parent) { .integer($0) })
          }
        }))
    Output.shared.print(line)
    for (layout, seen) in zip(descriptor.reports, seen) {
      Output.shared.print(reportLine(device, layout, descriptor, seen))
    }
  }

  private func printJSON(
    _ state: DeviceState, _ shortNames: ShortNames, of device: HIDDeviceRecord
  ) {
    if !state.controls.isEmpty || !state.switches.isEmpty || !shortNames.groups.isEmpty {
      var line = JSONLine()
      line.add("event", "names")
      line.add("device", .string(device.identity.name))
      line.add(
        "controls",
        .object { for control in state.controls { $0.add(control.name, .string(control.place)) } })
      if !state.switches.isEmpty {
        line.add(
          "switches",
          .object { object in
            for item in state.switches {
              object.add(item.name, .array(item.presses.map { .string($0) }))
            }
          })
      }
      for (kind, names) in shortNames.groups {
        line.add(
          kind, .object { for name in names { $0.add(name.name, .string(name.usage.name)) } })
      }
      Output.shared.print(line)
    }
    guard !state.values.isEmpty else { return }
    var line = JSONLine()
    line.add("event", "state")
    line.add("state", .object { for value in state.values { $0.add(value.name, value.value) } })
    Output.shared.print(line)
  }

  private func reportLine(
    _ device: HIDDeviceRecord, _ layout: HIDReportLayout, _ descriptor: HIDReportDescriptor,
    _ seen: Seen
  ) -> JSONLine {
    var line = JSONLine()
    line.add("event", "report")
    line.add("device", .string(device.identity.name))
    line.add("type", .string("\(layout.type)"))
    line.add("report", .optional(layout.id) { .integer($0.rawValue) })
    line.add("byteCount", .integer(layout.byteCount))
    line.add(
      "fields",
      .array(
        layout.fields.map { field in
          .object { object in
            object.add("bit", .integer(field.bitOffset))
            object.add("size", .integer(field.bitSize))
            object.add("count", .integer(field.count))
            object.add("logicalMinimum", .integer(field.logicalMinimum))
            object.add("logicalMaximum", .integer(field.logicalMaximum))
            object.add("flags", .array(field.flags.words.map { .string($0) }))
            object.add(
              "usages",
              .array(
                field.usages.ranges.map { range in
                  .array([
                    .string(HIDUsage(extended: range.first).name),
                    .string(HIDUsage(extended: range.last).name),
                  ])
                }))
          }
        }))
    switch seen {
    case .never, .refused, .notResponding, .notRequested: line.add("source", "none")
    case .read: line.add("source", "read")
    case .cached(_, let age):
      line.add("source", "cached")
      line.add("age", .integer(age.wholeMicroseconds))
    }
    line.add("bytes", .optional(seen.bytes) { .bytes($0) })
    line.add(
      "values",
      .optional(seen.bytes) { EventJSON.values(descriptor.namedValues(layout.type, in: $0)) })
    return line
  }
}
