// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
import HIDText

/// A reader of input reports in hexadecimal, one report a line, their ID first if they are
/// numbered.
///
/// Short reports are filled up with zeros. Empty lines, and lines with only a comment after `#`,
/// are skipped.
package struct HIDHexLines: Sendable {
  /// An error in a line.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    package let line: Int
    /// The description of the error.
    package let message: String
    /// The line's number and the description.
    package var description: String { "line \(line): \(message)" }
  }

  /// The maximum length of a line, in bytes: enough for 16,384 bytes such as `02 00 04`.
  package static let longestLine = 65_536

  private let lengths: HIDReportLengths
  private let isNumbered: Bool
  /// The length of the unnumbered input report, in bytes; nil if there is none.
  private let unnumberedByteCount: Int?
  /// The beginning of a line whose end has not been read yet.
  private var partial: [UInt8] = []
  private var report: [UInt8] = []
  private var number = 0
  /// The number of short reports that were filled up.
  package private(set) var padded = 0

  /// Creates a reader for the input reports of a device.
  ///
  /// - Parameter lengths: The declared lengths of the reports.
  package init(_ lengths: HIDReportLengths) {
    self.lengths = lengths
    isNumbered = lengths.isNumbered(.input)
    unnumberedByteCount = lengths.byteCount(.input, nil)
  }

  /// Reads text, and adds a report to a batch for each line that has one.
  ///
  /// - Parameters:
  ///   - text: The text. Text after its last line end is kept for the next call.
  ///   - position: The index where reading begins; moved past the bytes that were read.
  ///   - batch: The batch to which the reports are added. After an error it has the reports before
  ///     the error.
  ///   - limit: The maximum number of reports in the batch. Reading stops there.
  /// - Throws: ``Problem`` at the first line that is not hexadecimal, is not a declared input
  ///   report, has more bytes than declared, or is longer than ``longestLine``.
  package mutating func read(
    _ text: [UInt8], from position: inout Int, into batch: inout HIDReportBatch, limit: Int
  ) throws(Problem) {
    let span = text.span
    while position < span.count, batch.count < limit {
      var end = position
      while end < span.count, span[end] != 0x0A { end += 1 }
      let isWhole = end < span.count
      guard partial.count + end - position <= Self.longestLine else {
        throw Problem(line: number + 1, message: "longer than \(Self.longestLine) bytes")
      }
      if isWhole, partial.isEmpty {
        try add(span.extracting(position..<end), to: &batch)
      } else {
        for index in position..<end { partial.append(span[index]) }
        if isWhole { try addPartial(to: &batch) }
      }
      position = isWhole ? end + 1 : end
    }
  }

  /// Reads the last line if it had no line end, and adds its report to a batch.
  package mutating func finish(into batch: inout HIDReportBatch) throws(Problem) {
    if !partial.isEmpty { try addPartial(to: &batch) }
  }

  private mutating func addPartial(to batch: inout HIDReportBatch) throws(Problem) {
    var line: [UInt8] = []
    swap(&line, &partial)
    try add(line.span, to: &batch)
    line.removeAll(keepingCapacity: true)
    swap(&line, &partial)
  }

  private mutating func add(_ line: Span<UInt8>, to batch: inout HIDReportBatch) throws(Problem) {
    number += 1
    report.removeAll(keepingCapacity: true)
    do throws(HexText.WordError) {
      try HexText.append(line, to: &report, as: .printed, hasComments: true)
    } catch {
      throw Problem(line: number, message: error.description)
    }
    guard let first = report.first else { return }
    let declared =
      isNumbered
      ? HIDReportID(rawValue: first).flatMap { lengths.byteCount(.input, $0) }
      : unnumberedByteCount
    guard let declared else {
      let id = isNumbered ? " \(first)" : ""
      throw Problem(
        line: number,
        message: "the report descriptor declares no input report\(id): \(report.hexText)")
    }
    guard report.count <= declared else {
      throw Problem(
        line: number,
        message: "the report has \(report.count) bytes, and is declared with \(declared)")
    }
    if report.count < declared { padded += 1 }
    while report.count < declared { report.append(0) }
    batch.append(report.span)
  }
}
