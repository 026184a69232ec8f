// SPDX-License-Identifier: Apache-2.0

import HIDText
import Yams

/// The content of one event of a recording: the reports of one moment.
struct LibinputReports {
  struct Report {
    /// The number of the hidraw node: 3 for `hidraw3`.
    var node: Int
    var bytes: [UInt8]
    var line: Int
  }

  var microseconds: Int64
  var reports: [Report]
  /// The warnings about the event.
  var warnings: [HIDTextProblem] = []
}

extension LibinputPiece {
  /// The longest name that is accepted, in bytes; the kernel's names have up to 255 bytes.
  private static let maximumNameByteCount = 1024

  /// Reads the reports of an item `- hid:`.
  func reports(isLenient: Bool) throws(LibinputFault) -> LibinputReports {
    let event = try value(of: "hid")
    guard case .mapping(let mapping) = event else {
      throw LibinputFault(
        problem: problem(
          "expected the time and the reports of an event, found \(name(event))", at: event.mark),
        isIncomplete: isNothing(event))
    }
    var found = LibinputReports(microseconds: 0, reports: [])
    var hasTime = false
    for (key, value) in mapping {
      guard let word = key.scalar?.string else { continue }
      if word == "time" {
        found.microseconds = try time(value, isLenient: isLenient, warnings: &found.warnings)
        hasTime = true
      } else if let node = hidrawNumber(word) {
        let bytes = try bytes(
          value, of: "report", maximum: HIDTraceReader.maximumReportByteCount)
        guard let bytes, !bytes.isEmpty else {
          throw LibinputFault(
            problem: problem("the report has no bytes", at: key.mark), isIncomplete: bytes == nil)
        }
        found.reports.append(
          LibinputReports.Report(
            node: node, bytes: bytes, line: problem("", at: key.mark).location.line))
      }
    }
    guard hasTime else {
      throw LibinputFault(
        problem: problem(
          "the event has no time", at: event.mark,
          help: "add a line \"time: [seconds, microseconds]\""),
        isIncomplete: true)
    }
    guard !found.reports.isEmpty else {
      throw LibinputFault(
        problem: problem(
          "the event has no report", at: event.mark,
          help: "add a line such as \"hidraw0: [1, 2, 3]\""),
        isIncomplete: true)
    }
    return found
  }

  private func time(
    _ node: Node, isLenient: Bool, warnings: inout [HIDTextProblem]
  ) throws(LibinputFault) -> Int64 {
    guard case .sequence(let parts) = node, parts.count == 2 else {
      throw LibinputFault(
        problem: problem(
          "expected the time as [seconds, microseconds], found \(name(node))", at: node.mark),
        isIncomplete: isNothing(node))
    }
    guard let seconds = number(parts[0]), seconds < 1 << 40 else {
      throw LibinputFault(
        problem: problem("expected seconds, found \(name(parts[0]))", at: parts[0].mark))
    }
    guard let micros = number(parts[1]), micros < 1 << 40, isLenient || micros < 1_000_000 else {
      throw LibinputFault(
        problem: problem(
          "expected microseconds from 0 to 999999, found \(name(parts[1]))", at: parts[1].mark))
    }
    if micros >= 1_000_000 {
      warnings.append(
        problem(
          "expected microseconds from 0 to 999999, found \(name(parts[1]))", at: parts[1].mark,
          help: "they are added to the seconds"))
    }
    return seconds * 1_000_000 + micros
  }

  /// Reads the name, identity and version from a device's `evdev` key; nil for those that it lacks.
  func description() throws(LibinputFault) -> (
    name: String?, identity: HIDTraceDevice.Identity?, version: UInt16?
  ) {
    let evdev = try value(of: "evdev")
    guard case .mapping(let mapping) = evdev else {
      throw LibinputFault(
        problem: problem(
          "expected the name and the id of the device, found \(name(evdev))", at: evdev.mark),
        isIncomplete: isNothing(evdev))
    }
    var text: String?
    if let node = value(of: "name", in: mapping), !isNothing(node) {
      guard case .scalar(let scalar) = node else {
        throw LibinputFault(
          problem: problem("expected the name of the device, found \(name(node))", at: node.mark))
      }
      guard scalar.string.utf8.count <= Self.maximumNameByteCount else {
        throw LibinputFault(
          problem: problem(
            "the name is longer than \(Self.maximumNameByteCount) bytes", at: node.mark))
      }
      text = scalar.string
    }
    guard let id = value(of: "id", in: mapping), !isNothing(id) else { return (text, nil, nil) }
    guard case .sequence(let parts) = id, parts.count == 4 else {
      throw LibinputFault(
        problem: problem(
          "expected the id as [bus, vendor, product, version], found \(name(id))", at: id.mark))
    }
    var numbers: [UInt16] = []
    for part in parts {
      guard let number = number(part), let short = UInt16(exactly: number) else {
        throw LibinputFault(
          problem: problem(
            "expected a number from 0 to 65535, found \(name(part))", at: part.mark))
      }
      numbers.append(short)
    }
    let identity = HIDTraceDevice.Identity(
      busType: numbers[0], vendorID: numbers[1], productID: numbers[2])
    return (text, identity, numbers[3])
  }
}
