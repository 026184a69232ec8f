// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDText

/// Lines for standard output that are written together.
///
/// The lines are written when they have 64 KiB, and by ``flush()``. Callers flush before they wait,
/// so that the user sees each line at once.
struct OutputBuffer {
  /// The number of bytes at which the buffer is written.
  private static let byteCount = 64 * 1024
  private static let digits = Array("0123456789abcdef".utf8)

  private var bytes: [UInt8] = []
  // This is a copy, because a static constant is looked up at each use.
  private let digits = Self.digits

  init() { bytes.reserveCapacity(2 * Self.byteCount) }

  /// Adds a line with the bytes of a report in hex, separated by spaces.
  mutating func add(_ report: HIDReportBytes) {
    report.withSpan { span in
      for index in span.indices {
        bytes.append(digits[Int(span[index] >> 4)])
        bytes.append(digits[Int(span[index] & 15)])
        bytes.append(0x20)
      }
    }
    end()
  }

  private mutating func end() {
    // The line break replaces the last space.
    if bytes.last == 0x20 { bytes.removeLast() }
    endLine()
  }

  private mutating func endLine() {
    bytes.append(0x0A)
    if bytes.count >= Self.byteCount { flush() }
  }

  /// Adds a line of text, with all control characters except line breaks made visible.
  mutating func add(_ line: String) {
    bytes += line.printable.utf8
    endLine()
  }

  /// Adds a line of text, with its styles if lines have colours on standard output.
  mutating func add(_ line: StyledText) {
    bytes += line.rendered(hasColours: Terminal.standardOutput.hasColours).utf8
    endLine()
  }

  /// Adds a JSON object.
  mutating func add(_ line: JSONLine) {
    bytes += line.utf8
    endLine()
  }

  /// Writes the lines that are in the buffer.
  mutating func flush() {
    guard !bytes.isEmpty else { return }
    Output.shared.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
