// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// The bytes of one line of a script, which a program read from a hidraw node or wrote to it.
///
/// umockdev combines reads that follow each other within 10 ms into one line. It does the same
/// with writes. A line thus usually has one or more whole reports.
struct UmockdevBlock: Sendable {
  let type: HIDReportType
  /// The number of bytes in the block.
  var byteCount: Int { bytes.count }
  /// True if the block consists of whole reports, or if the report descriptor is not valid.
  let isWhole: Bool

  private let bytes: [UInt8]
  /// The descriptor that determines where reports end; nil if the block is one report.
  private let descriptor: HIDReportDescriptor?
  private var position = 0

  /// Creates a block.
  ///
  /// - Parameters:
  ///   - type: The type of the reports.
  ///   - bytes: The bytes of the line.
  ///   - descriptor: The report descriptor of the device; nil if it is not valid.
  init(_ type: HIDReportType, _ bytes: [UInt8], _ descriptor: HIDReportDescriptor?) {
    self.type = type
    self.bytes = bytes
    var end: Int? = 0
    while descriptor != nil, let place = end, place < bytes.count {
      end = Self.end(of: type, at: place, bytes, descriptor)
    }
    isWhole = end != nil
    self.descriptor = isWhole ? descriptor : nil
  }

  /// Returns whether the block is longer than every report of its type that a device has.
  func isLonger(than descriptor: HIDReportDescriptor) -> Bool {
    let longest = descriptor.reports(of: type).map(\.byteCount).max() ?? 0
    let isMarked = type == .output && !descriptor.numbersReports(type)
    return bytes.count > longest + (isMarked ? 1 : 0)
  }

  /// Removes and returns the next report; nil at the end.
  mutating func next() -> HIDReportBytes? {
    guard position < bytes.count else { return nil }
    let end = Self.end(of: type, at: position, bytes, descriptor) ?? bytes.count
    let report = bytes[position..<end]
    position = end
    // Remove the 0 before an unnumbered report: the kernel does not send it to the device.
    let isMarked = type == .output && report.first == 0
    return HIDReportBytes(Array(isMarked ? report.dropFirst() : report))
  }

  /// Returns the end of the report at a position; nil if no whole report of the device is there.
  private static func end(
    of type: HIDReportType, at place: Int, _ bytes: [UInt8], _ descriptor: HIDReportDescriptor?
  ) -> Int? {
    guard let descriptor else { return nil }
    let isNumbered = descriptor.numbersReports(type)
    let id = isNumbered ? HIDReportID(rawValue: bytes[place]) : nil
    guard let layout = descriptor.report(type, id: id), layout.byteCount > 0 else { return nil }
    let isMarked = type == .output && !isNumbered
    if isMarked, bytes[place] != 0 { return nil }
    let end = place + layout.byteCount + (isMarked ? 1 : 0)
    return end <= bytes.count ? end : nil
  }
}

/// Returns the bytes of a script's data: `^A` is 1, and ``^` `` is `^` itself.
///
/// - Throws: A problem at an unknown escape or a control character.
func umockdevData(
  _ line: UmockdevLines.Line, from start: Int, _ file: String
) throws(HIDTextProblem) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(line.bytes.endIndex - start)
  var index = start
  while index < line.bytes.endIndex {
    let byte = line.bytes[index]
    switch byte {
    case 0x5E:
      let code = index + 1 < line.bytes.endIndex ? line.bytes[index + 1] : 0x0A
      guard (0x40...0x60).contains(code) else {
        throw HIDTextProblem(
          file: file, location: line.place(index),
          message: "expected an escape such as ^A, found ^ and \(describe(byte: code))",
          help: "write ^ itself as ^`")
      }
      bytes.append(code == 0x60 ? 0x5E : code - 0x40)
      index += 2
    case 0..<0x20:
      throw HIDTextProblem(
        file: file, location: line.place(index),
        message: "expected data without control characters, found \(describe(byte: byte))",
        help: "write a byte below 32 as an escape, such as ^A for 1")
    default:
      bytes.append(byte)
      index += 1
    }
  }
  return bytes
}
