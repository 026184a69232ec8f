// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// A reader of umockdev's script of reads and writes, a `.script` file, in constant memory.
///
/// Each line has an operation, a value and data. `d 0 /dev/hidraw5` names the node. `r 12 …` has
/// data that were read 12 ms after the previous operation, and `w 3 …` data that were written.
/// `f` and `#` lines are ignored. `Q` ends the script.
struct UmockdevScript: Sendable {
  private let known: UmockdevDevices
  private var lines: UmockdevLines
  private(set) var devices: [HIDTraceDevice] = []
  private(set) var findings: UmockdevFindings

  /// The nodes of the devices; nil for a device that the script does not name.
  private var nodes: [String?] = []
  private var descriptors: [HIDReportDescriptor?] = []
  private var current: Int?
  /// The number of given report descriptors that devices have got.
  private(set) var unknownCount = 0
  private var time: Int64 = 0
  private var block: UmockdevBlock?
  private var line = 0
  /// The set-report requests to the current device in the `.ioctl` file, the last one first.
  ///
  /// The file has no times, so they come before the other events of the device.
  private var sets: [HIDTraceSet] = []
  private var hasEnded = false

  init(_ source: HIDTraceSource, _ known: UmockdevDevices, isLenient: Bool) {
    self.known = known
    lines = UmockdevLines(source)
    findings = UmockdevFindings(isLenient: isLenient)
  }

  /// Reads the next event, and finds the problems before it; nil at the end, or after too many
  /// problems.
  ///
  /// - Throws: An error if the file cannot be read, or if a line is too long.
  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    while true {
      if let current {
        if let set = sets.popLast() {
          return HIDTraceEvent(microseconds: time, device: current, kind: .setReport(set))
        }
        if let block, let report = self.block?.next() {
          return HIDTraceEvent(
            microseconds: time, device: current,
            kind: block.type == .input ? .input(report) : .output(report), line: line)
        }
      }
      guard !hasEnded, !findings.isFull, let line = try lines.next() else { return nil }
      self.line = line.number
      do throws(HIDTextProblem) { try read(line) } catch { findings.doubt(error) }
    }
  }

  private mutating func read(_ line: UmockdevLines.Line) throws(HIDTextProblem) {
    guard let operation = line.bytes.first, operation != 0x23 else { return }
    let words = line.bytes.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    switch operation {
    case _ where words[0].count > 1:
      throw unknown(words[0], line)
    case 0x64:
      guard words.count == 3, let node = hidrawNode(words[2]) else {
        let found = quoted(String(decoding: words.last ?? [], as: UTF8.self))
        throw problem(
          "expected a hidraw node such as /dev/hidraw0, found \(found)",
          at: line.place(words.last?.startIndex))
      }
      try use(node, line.place())
    case 0x72, 0x77:
      try transfer(operation == 0x72 ? .input : .output, words, line)
    case 0x51: hasEnded = true
    case 0x66: break
    default: throw unknown(words[0], line)
    }
  }

  private mutating func transfer(
    _ type: HIDReportType, _ words: [ArraySlice<UInt8>], _ line: UmockdevLines.Line
  ) throws(HIDTextProblem) {
    do throws(HIDTextProblem) {
      guard words.count == 3, !words[2].isEmpty else {
        throw problem(
          "expected milliseconds and data, found the end of the line",
          at: line.place(line.bytes.endIndex))
      }
      guard let milliseconds = milliseconds(words[1]) else {
        throw problem(
          "expected milliseconds from 0 to 4294967295, found "
            + quoted(String(decoding: words[1], as: UTF8.self)), at: line.place(words[1].startIndex)
        )
      }
      // The time passes even if the data after it are not valid.
      let (sum, isTooLong) = time.addingReportingOverflow(milliseconds * 1000)
      time = isTooLong ? .max : sum
      let bytes = try umockdevData(line, from: words[2].startIndex, known.file)
      if current == nil { try use(nil, line.place()) }
      guard let current else { return }
      let block = UmockdevBlock(type, bytes, descriptors[current])
      try check(block, descriptors[current], line)
      self.block = block
    } catch {
      // umockdev writes no line break after the last line. So a valid last line does not show a
      // cut.
      guard !line.hasEnd, current != nil else { throw error }
      findings.warn(problem(TraceLines.cutMessage, at: line.place()))
    }
  }

  /// Checks the length of a block.
  ///
  /// A block that does not consist of whole reports is read as one report, with a warning if it is
  /// longer than the longest report of the device.
  ///
  /// - Throws: A report that is longer than the limit. Also a last line without a line break that
  ///   does not consist of whole reports.
  private mutating func check(
    _ block: UmockdevBlock, _ descriptor: HIDReportDescriptor?, _ line: UmockdevLines.Line
  ) throws(HIDTextProblem) {
    let limit = HIDTraceReader.maximumReportByteCount
    let isSplit = descriptor != nil && block.isWhole
    guard isSplit || block.byteCount <= limit else {
      throw problem(
        "the report is \(block.byteCount) bytes long, and the limit is \(limit)", at: line.place())
    }
    guard !block.isWhole, let descriptor else { return }
    let message =
      "the \(block.byteCount) bytes are not a whole number of the device's "
      + "\(block.type == .input ? "input" : "output") reports"
    guard line.hasEnd else { throw problem(message, at: line.place()) }
    guard block.isLonger(than: descriptor) else { return }
    findings.warn(problem(message + "; they are read as one report", at: line.place()))
  }

  // MARK: Devices

  /// Finds the device of a script without events.
  mutating func expectDevice() {
    guard findings.problems.isEmpty else { return }
    do throws(HIDTextProblem) { try use(nil, .start) } catch { findings.fail(error) }
  }

  /// Makes the device of a node the current one.
  private mutating func use(
    _ node: String?, _ place: HIDTextLocation
  ) throws(HIDTextProblem) {
    if let index = nodes.firstIndex(of: node) {
      current = index
      return
    }
    guard devices.count < HIDTraceReader.maximumDeviceCount else {
      throw problem(HIDTraceReader.tooManyDevices, at: place)
    }
    guard let (device, sets) = known.device(node, &unknownCount) else {
      // Nothing after this line can be read.
      hasEnded = true
      findings.fail(
        problem(
          "the report descriptor of \(node.map { "/dev/\($0)" } ?? "the device") is not known",
          at: place,
          help: "put \(sibling(known.file, ".umockdev")) beside the script"
            + (known.canGiveDescriptors
              ? ", or give the report descriptor with --descriptor FILE" : "")))
      return
    }
    current = devices.count
    devices.append(device)
    nodes.append(node)
    descriptors.append(
      try? HIDReportDescriptor(
        parsing: device.descriptor,
        maximumReportByteCount: HIDReportDescriptor.maximumReportByteCount))
    self.sets = sets.reversed()
  }

  private func milliseconds(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...10).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return value <= 0xFFFF_FFFF ? value : nil
  }

  private func unknown(_ word: ArraySlice<UInt8>, _ line: UmockdevLines.Line) -> HIDTextProblem {
    problem(
      "unknown operation \(quoted(String(decoding: word, as: UTF8.self)))", at: line.place(),
      help: "the operations are d, r, w, f, Q and #")
  }

  private func problem(
    _ message: String, at place: HIDTextLocation, help: String? = nil
  ) -> HIDTextProblem {
    HIDTextProblem(file: known.file, location: place, message: message, help: help)
  }
}
