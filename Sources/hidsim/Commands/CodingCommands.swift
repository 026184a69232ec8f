// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText

struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Print the values of reports.",
    usage: "hidsim decode <descriptor> <report> ... [<options>]",
    discussion: """
      REPORT is hex, with the report ID first if reports are numbered. Words of one byte make one report together; each \
      longer word is a report. With - hidsim reads one report a line from standard input.

        hidsim decode keyboard.json 02 00 04 00 00 00 00 00
        hidsim decode mouse.hex 01050000 00fb0000
        hidsim decode keyboard.json --type output 02

      Names are those that encode and scripts take. Elements with the same usage share a line. A line also says which \
      numbers of an array stand for no usage, and how many bytes the report lacks or has too many.
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with a report descriptor, a trace, or a device.", valueName: "descriptor"),
    completion: Completion.filesAndDevices)
  var source: String
  @Argument(help: ArgumentHelp("Reports in hex, or -.", valueName: "report"))
  var reports: [String]
  @Option(
    help: ArgumentHelp("input, output or feature.", valueName: "type"),
    completion: Completion.reportTypes) var type = "input"
  @Flag(help: "Print one JSON object a line.") var json = false
  @OptionGroup var options: DescriptorOptions

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "- as the file", source == "-", ["- as the reports": reports == ["-"]],
        because: OptionRule.oneStandardInput,
        remedy: "name a file, or write the reports on the command line"))
  }

  func run() async throws {
    try await reporting {
      let type = try ReportArguments.type(type)
      let descriptor = try await options.descriptor(of: source).parsed()
      guard !descriptor.reports(of: type).isEmpty else {
        let others = HIDReportType.allCases.filter { !descriptor.reports(of: $0).isEmpty }
          .map { "--type \($0)" }
        throw Failure(
          .wrongData,
          "the descriptor declares no \(type) report"
            + (others.isEmpty ? "" : "; it has others: use \(others.joined(separator: " or "))"))
      }
      var texts: [HIDReportID?: ReportText] = [:]
      if reports == ["-"] {
        try await decodeLines(type, descriptor, &texts)
        return
      }
      for report in try Self.reports(in: reports) { try decode(report, type, descriptor, &texts) }
    }
  }

  /// Returns one report of all words if each word is one byte, else one report per word.
  private static func reports(in words: [String]) throws -> [[UInt8]] {
    let each = try words.map { try ReportArguments.bytes([$0]) }
    return each.allSatisfy { $0.count == 1 } ? [each.flatMap(\.self)] : each
  }

  private func decodeLines(
    _ type: HIDReportType, _ descriptor: HIDReportDescriptor,
    _ texts: inout [HIDReportID?: ReportText]
  ) async throws {
    var line: [UInt8] = []
    var number = 0
    func decodeLine() throws {
      number += 1
      let text = String(decoding: line, as: UTF8.self)
      line.removeAll(keepingCapacity: true)
      guard text.contains(where: { !$0.isWhitespace }) else { return }
      do {
        try decode(try ReportArguments.bytes([text]), type, descriptor, &texts)
      } catch {
        guard let failure = Failure(any: error) else { throw error }
        throw Failure(.wrongData, "standard input, line \(number): \(failure)")
      }
    }
    for await chunk in try StandardInput.chunks() {
      for byte in chunk {
        if byte == 0x0A {
          try decodeLine()
        } else {
          line.append(byte)
        }
        guard line.count <= 4 * HIDReportDescriptor.maximumReportByteCount else {
          throw Failure(.wrongData, "standard input, line \(number + 1): longer than any report")
        }
      }
    }
    if !line.isEmpty { try decodeLine() }
  }

  private func decode(
    _ report: [UInt8], _ type: HIDReportType, _ descriptor: HIDReportDescriptor,
    _ texts: inout [HIDReportID?: ReportText]
  ) throws {
    guard let layout = descriptor.report(type, of: report) else {
      let declared = descriptor.reports(of: type).compactMap(\.id).map { "\($0)" }
      let problem =
        report.first.map { "no \(type) report has ID \($0)" }
        ?? "the report has no bytes: expected the ID first"
      throw Failure(
        .wrongData, "\(problem); declared: \(declared.joined(separator: ", "))")
    }
    let text = texts[layout.id] ?? ReportText(layout, of: descriptor)
    texts[layout.id] = text
    let missing = max(0, layout.byteCount - report.count)
    let extra = report.dropFirst(layout.byteCount)
    if json {
      var line = JSONLine()
      line.add("event", "decode")
      line.add("type", .string("\(type)"))
      line.add("report", .optional(layout.id) { .integer($0.rawValue) })
      line.add("bytes", .bytes(report))
      line.add("values", EventJSON.values(text.values(in: report)))
      line.add("missing", .integer(missing))
      line.add("extra", .bytes(extra))
      Output.shared.print(line)
      return
    }
    let number = layout.id.map { " \($0)" } ?? ""
    var lines = ["\(type) report\(number): \(report.hexText)"]
    lines += text.lines(of: report).map { "  \($0)" }
    if layout.fields.allSatisfy(\.isPadding) { lines.append("  nothing but padding") }
    if missing > 0 {
      lines.append("  too short: \(report.count) of \(layout.byteCount.counting("byte"))")
    }
    if !extra.isEmpty {
      lines.append("  too long by \(extra.count.counting("byte")): \(Array(extra).hexText)")
    }
    Output.shared.write(Array((lines.joined(separator: "\n").printable + "\n").utf8))
  }
}

struct EncodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode", abstract: "Print the reports that have given values.",
    usage: "hidsim encode <descriptor> <name=value> ... [<options>]",
    discussion: """
      A name is one of the device file's controls, a short name of a key or axis, or a usage as decode prints it. A value is \
      on, off, a number, a percentage such as 50%, a fraction of the range such as 0.5n, or a physical value such as 12.5p. \
      A name alone means on. All other fields are at rest: keys are up, axes do not move. hidsim prints each report that \
      has one of the names, as hex, with its ID first if it is numbered.

        hidsim encode keyboard.json leftShift a
        hidsim encode gamepad.json x=50% button1=on
        hidsim encode keyboard.json --type output led.capsLock=on
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with a report descriptor, a trace, or a device.", valueName: "descriptor"),
    completion: Completion.filesAndDevices)
  var source: String
  @Argument(help: ArgumentHelp("name=value, or a name, which means on.", valueName: "name=value"))
  var assignments: [String]
  @Option(
    help: ArgumentHelp(
      "input, output or feature; default: the first that has the name.", valueName: "type"),
    completion: Completion.reportTypes)
  var type: String?
  @Option(help: ArgumentHelp("The report ID, if several reports have the name.", valueName: "id"))
  var id: String?
  @Flag(help: "Print one JSON object a line.") var json = false
  @OptionGroup var options: DescriptorOptions

  func run() async throws {
    try await reporting {
      let type = try type.map(ReportArguments.type)
      let id = try id.map(ReportArguments.id)
      let source = try await options.descriptor(of: source)
      let descriptor = try source.parsed()
      var composer = HIDReportComposer(
        descriptor, controls: source.controls, type: type, reportID: id)
      for assignment in assignments {
        do throws(HIDReportComposer.Problem) {
          try composer.set(assignment)
        } catch {
          throw Failure(.wrongArguments, error.description)
        }
      }
      for (layout, bytes) in composer.reports {
        if json {
          var line = JSONLine()
          line.add("event", "encode")
          line.add("type", .string("\(layout.type)"))
          line.add("report", .optional(layout.id) { .integer($0.rawValue) })
          line.add("bytes", .bytes(bytes))
          line.add("values", EventJSON.values(descriptor.namedValues(layout.type, in: bytes)))
          Output.shared.print(line)
        } else {
          Output.shared.print(bytes.hexText)
        }
      }
    }
  }
}
