// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A decoder of umockdev's script of a hidraw node, or of its description of devices.
///
/// A description becomes a trace without events.
///
/// Source: docs/script-format.txt of umockdev, and the files that it ships.
struct UmockdevTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  let warnings: TraceWarnings
  private var script: UmockdevScript?

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    var findings = UmockdevFindings(isLenient: options.isLenient)
    if Self.isDescription(try source.bytes(at: 0, count: 64 << 10)) {
      let description = try UmockdevDescription(source, &findings)
      if description.devices.isEmpty {
        findings.fail(
          HIDTextProblem(
            file: source.name, location: .start, message: "the file describes no HID device",
            help: "a HID device has a line \"H: report_descriptor=…\""))
      }
      try findings.check()
      devices = description.devices.map(\.device)
      if !options.descriptors.isEmpty {
        findings.warn(unusedDescriptors(options.descriptors.count, in: source.name))
      }
      warnings = findings.warnings
      return
    }
    var known = UmockdevDevices(
      descriptors: options.descriptors, canGiveDescriptors: options.canGiveDescriptors,
      file: source.name)
    if let file = Self.file(".umockdev", beside: source, options) {
      known.description = try UmockdevDescription(file, &findings)
    }
    if let file = Self.file(".ioctl", beside: source, options) {
      known.ioctls = try UmockdevIoctls(file, &findings)
    }
    try findings.check()
    var survey = UmockdevScript(source, known, isLenient: options.isLenient)
    while try survey.next() != nil {}
    if survey.devices.isEmpty { survey.expectDevice() }
    try survey.findings.check()
    devices = survey.devices
    var warnings = findings.warnings
    for problem in survey.findings.warnings.problems { warnings.add(problem) }
    let unusedCount = options.descriptors.count - survey.unknownCount
    if unusedCount > 0 { warnings.add(unusedDescriptors(unusedCount, in: source.name)) }
    self.warnings = warnings
    script = UmockdevScript(source, known, isLenient: true)
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { try script?.next() }

  private static func file(
    _ end: String, beside source: HIDTraceSource, _ options: HIDTraceReadingOptions
  ) -> HIDTraceSource? {
    options.sibling?(end).map {
      HIDTraceSource(name: sibling(source.name, end), bytes: $0)
    }
  }

  // MARK: Detection

  /// Returns whether a file begins as a script of umockdev, or as its description of devices.
  static func isUmockdev(_ start: [UInt8]) -> Bool { isDescription(start) || isScript(start) }

  private static func isDescription(_ start: [UInt8]) -> Bool {
    firstLine(start).starts(with: Array("P: /devices/".utf8))
  }

  private static func isScript(_ start: [UInt8]) -> Bool {
    let words = firstLine(start).split(separator: 0x20, maxSplits: 2)
    guard words.count == 3, words[0].count == 1, let operation = words[0].first,
      words[1].count <= 10, words[1].allSatisfy({ (0x30...0x39).contains($0) })
    else { return false }
    return operation == 0x64 ? words[2].first == 0x2F : Array("rwf".utf8).contains(operation)
  }

  /// Returns the first line that is neither blank nor a comment.
  private static func firstLine(_ start: [UInt8]) -> ArraySlice<UInt8> {
    start.split(separator: 0x0A).first { $0.first != 0x23 && $0 != [0x0D] } ?? []
  }
}
