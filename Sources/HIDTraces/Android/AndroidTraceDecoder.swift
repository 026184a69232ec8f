// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// A decoder that turns commands of Android's `hid` program into a trace.
///
/// Each device has its own clock, which begins at 0. Only the delays of the device advance it.
struct AndroidTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  let warnings: TraceWarnings
  private var merge: AndroidEventMerge

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    var survey = AndroidSurvey(
      file: source.name, isLenient: options.isLenient, warnsOfAnswers: options.warnsOfAnswers)
    var scanner = AndroidScanner(source)
    while let step = try scanner.next() {
      survey.take(step, line: scanner.line)
      if survey.problems.count >= AndroidSurvey.maximumProblemCount { break }
    }
    if survey.devices.isEmpty, survey.problems.isEmpty {
      throw HIDTraceError(
        HIDTextProblem(
          file: source.name, location: .start, message: "the file registers no device",
          help: "begin with a command {\"id\": 1, \"command\": \"register\", …}"))
    }
    guard survey.problems.isEmpty else { throw HIDTraceError(problems: survey.problems) }
    devices = survey.devices
    warnings = survey.warnings
    merge = AndroidEventMerge(source, reportCounts: survey.reportCounts)
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { try merge.next() }
}

/// The result of the first pass over a file: its devices and its problems.
private struct AndroidSurvey {
  static let maximumProblemCount = 20

  let file: String
  let isLenient: Bool
  let warnsOfAnswers: Bool
  private(set) var devices: [HIDTraceDevice] = []
  /// The number of reports that each device sends.
  private(set) var reportCounts: [Int] = []
  private(set) var problems: [HIDTextProblem] = []
  private(set) var warnings = TraceWarnings()

  init(file: String, isLenient: Bool, warnsOfAnswers: Bool) {
    self.file = file
    self.isLenient = isLenient
    self.warnsOfAnswers = warnsOfAnswers
  }

  mutating func take(_ step: AndroidScanner.Step, line: Int) {
    switch step {
    case .register(let device, let id): register(device, id, line)
    case .command(let command, let device):
      switch command {
      case .report: reportCounts[device] += 1
      case .setGetReportResponse:
        warnOfAnswers(
          "a trace cannot hold a change of the device's answers; this command is left out", line)
      case .register, .delay, .sendSetReportReply: break
      }
    case .bad(let found):
      for problem in found {
        if isLenient {
          warnings.add(problem)
        } else if problems.count < Self.maximumProblemCount {
          problems.append(problem)
        }
      }
    case .truncated(let location):
      warnings.add(
        HIDTextProblem(
          file: file, location: location,
          message: "the file ends inside a command, which is left out"))
    }
  }

  private mutating func register(_ device: AndroidDevice, _ id: Int, _ line: Int) {
    let reports = (device.featureReports ?? [:]).sorted { $0.key < $1.key }
    devices.append(
      HIDTraceDevice(
        number: id, descriptor: device.descriptor, name: device.name,
        serialNumber: device.serialNumber,
        identity: HIDTraceDevice.Identity(
          busType: device.isUSB ? 3 : 5, vendorID: device.vendorID, productID: device.productID),
        reports: reports.map {
          HIDTraceInitialReport(
            type: .feature, id: HIDReportID(rawValue: $0.key), bytes: HIDReportBytes($0.value))
        },
        line: device.descriptorLocation.line))
    reportCounts.append(0)
    if !device.outputs.isEmpty {
      warnOfAnswers(
        "a trace cannot hold answers to output reports; the key \"outputs\" is left out", line)
    }
  }

  private mutating func warnOfAnswers(_ message: String, _ line: Int) {
    guard warnsOfAnswers else { return }
    warnings.add(
      HIDTextProblem(
        file: file, location: HIDTextLocation(line: line, column: 1), message: message))
  }
}

// MARK: - Detection

extension AndroidTraceDecoder {
  /// Returns whether a file begins with a command of Android's `hid` program.
  ///
  /// A command is an object that has an "id" and a "command", and no "hidsim".
  static func isAndroid(_ start: [UInt8]) -> Bool {
    guard firstByte(start) == 0x7B else { return false }
    var framer = StreamFramer(file: "")
    framer.append(start)
    if case .value(let node)? = framer.next() {
      return node["command"] != nil && node["id"] != nil && node["hidsim"] == nil
    }
    // The first command is longer than `start`, or it is invalid.
    let text = String(decoding: start, as: UTF8.self)
    return text.contains("\"command\"") && text.contains("\"id\"") && !text.contains("\"hidsim\"")
  }

  /// Returns the first byte after white space and comments; nil if there is none.
  private static func firstByte(_ start: [UInt8]) -> UInt8? {
    var rest = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start[3...] : start[...]
    while let byte = rest.first {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        rest = rest.dropFirst()
      } else if byte == 0x23 || rest.starts(with: [0x2F, 0x2F]) {
        rest = rest.drop { $0 != 0x0A }
      } else if rest.starts(with: [0x2F, 0x2A]) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: [0x2A, 0x2F]) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else {
        return byte
      }
    }
    return nil
  }
}
