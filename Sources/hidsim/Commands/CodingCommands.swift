// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDSimulator
import HIDText
import HIDWire
import IOLoop

struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Say what reports say.",
    discussion: """
      REPORT is hex, with the report's ID first where reports are numbered. Words of one byte are one report \
      together; longer words are a report each. - reads a line a report from standard input.

        hidsim decode keyboard.json 02 00 04 00 00 00 00 00
        hidsim decode mouse.hex 01050000 00fb0000
        hidsim decode keyboard.json --type output 02

      Names are those that encode and scripts take. What an array holds that stands for no usage is told, and so is \
      what a report lacks or has too many. Elements with the same usage take one line.
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with a report descriptor, a trace, or a device.", valueName: "descriptor"))
  var source: String
  @Argument(help: ArgumentHelp("Reports in hex, or -.", valueName: "report"))
  var reports: [String]
  @Option(help: "Which way the reports go: input, output or feature.") var type = "input"
  @Flag(help: "Print one JSON object a line.") var json = false
  @OptionGroup var options: DescriptorOptions

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "- as the file", source == "-", ["- as the reports": reports == ["-"]],
        because: "standard input has one of them",
        remedy: "name a file, or give the reports as words"))
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
            + (others.isEmpty ? "" : "; there are those of \(others.joined(separator: " and "))"))
      }
      var texts: [HIDReportID?: ReportText] = [:]
      if reports == ["-"] {
        try await decodeLines(type, descriptor, &texts)
        return
      }
      for report in try Self.reports(in: reports) { try decode(report, type, descriptor, &texts) }
    }
  }

  /// One report of all words that are one byte, else one of each word.
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
      let found = report.first.map { "ID \($0)" } ?? "no bytes"
      throw Failure(
        .wrongData, "no \(type) report has \(found); declared: \(declared.joined(separator: ", "))")
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
    commandName: "encode", abstract: "Make reports from values.",
    discussion: """
      Names are those of scripts: a control that the device file names, a key or axis by its short name, or a usage \
      as decode prints it. Values are on, off, a number, a percentage or a part such as 0.5n, a physical value such as 12.5p; a name alone is on. \
      Everything else in a report says nothing: no key is down, nothing moves. A report is printed for each that \
      a name is in, as hex, its ID first where it is numbered.

        hidsim encode keyboard.json leftShift a
        hidsim encode gamepad.json x=50% button1=on
        hidsim encode keyboard.json --type output led.capsLock=on
      """)

  @Argument(
    help: ArgumentHelp(
      "A file with a report descriptor, a trace, or a device.", valueName: "descriptor"))
  var source: String
  @Argument(help: ArgumentHelp("What is said: name=value, or a name.", valueName: "usage=value"))
  var assignments: [String]
  @Option(
    help: "Which way the reports go: input, output or feature; else the first that has the name.")
  var type: String?
  @Option(help: "The ID of the report, where several have the name.") var id: String?
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
