// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDSimulator
import HIDWire
import IOLoop

/// Reports from standard input, for `--send -`: a line a report, in hex.
enum StandardInputReports {
  /// The longest line, in bytes: a report of 16,384 bytes in hex, and some room.
  private static let longestLine = 65_536

  /// The chunks of standard input, read on a thread of its own, at most a few ahead.
  private static func chunks() -> AsyncStream<[UInt8]> {
    // A channel that holds one chunk at a time: the reading thread waits until it was taken.
    AsyncStream(unfolding: {
      await withCheckedContinuation { continuation in
        Thread.start(name: "hidsim-stdin") {
          var chunk = [UInt8](repeating: 0, count: 65_536)
          var count = Glibc.read(0, &chunk, chunk.count)
          while count < 0, errno == EINTR { count = Glibc.read(0, &chunk, chunk.count) }
          continuation.resume(returning: count > 0 ? Array(chunk[..<count]) : nil)
        }
      }
    })
  }

  /// Sends every report to a device as it comes, to the end of standard input.
  ///
  /// Short reports are filled up with zeros; longer ones than declared are an error.
  static func send(to device: SimulatedDevice, on bus: HIDBusKind) async throws {
    var line: [UInt8] = []
    var number = 0
    var pacer = ReportPacer(isNeeded: bus == .kernel)
    for await chunk in chunks() {
      var batch: [[UInt8]] = []
      for byte in chunk {
        guard byte == 0x0A else {
          line.append(byte)
          guard line.count <= longestLine else {
            throw Failure(
              .wrongData, "standard input, line \(number + 1): longer than \(longestLine) bytes")
          }
          continue
        }
        number += 1
        do {
          if let report = try report(line, number, device) { batch.append(report) }
        } catch {
          // The lines before it are good, however they were cut into chunks.
          try await pacer.send(batch, to: device)
          throw error
        }
        line.removeAll(keepingCapacity: true)
      }
      try await pacer.send(batch, to: device)
    }
    if let report = try report(line, number + 1, device) {
      try await pacer.send([report], to: device)
    }
  }

  private static func report(
    _ line: [UInt8], _ number: Int, _ device: SimulatedDevice
  ) throws -> [UInt8]? {
    let text = String(decoding: line, as: UTF8.self).split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard !words.isEmpty else { return nil }
    let bytes: [UInt8]
    do {
      bytes = try ReportArguments.bytes(words)
    } catch {
      throw Failure(.wrongData, "standard input, line \(number): \(error)")
    }
    let descriptor = device.definition.interfaces[0].descriptor
    let id =
      descriptor.numbersReports(.input) ? bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let layout = descriptor.report(.input, id: id) else {
      throw Failure(
        .wrongData,
        "standard input, line \(number): the device has no such input report: \(bytes.hexText)")
    }
    guard bytes.count <= layout.byteCount else {
      throw Failure(
        .wrongData,
        "standard input, line \(number): \(bytes.count) bytes, and the report is declared with \(layout.byteCount)"
      )
    }
    return bytes + Array(repeating: 0, count: layout.byteCount - bytes.count)
  }
}

/// Sends reports no faster than a reader on the kernel bus can be trusted to take them: 8,000 a second.
struct ReportPacer {
  private static let interval = Duration.microseconds(125)
  /// How many reports go out together: fewer than hidraw keeps for a reader.
  private static let burst = 16

  let isNeeded: Bool
  private var next = MonotonicTime(nanoseconds: 0)

  init(isNeeded: Bool) { self.isNeeded = isNeeded }

  mutating func send(_ reports: [[UInt8]], to device: SimulatedDevice) async throws {
    guard isNeeded else { return try await device.send(reports) }
    var rest = reports[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.burst)
      rest = rest.dropFirst(part.count)
      let now = MonotonicTime.now
      if now < next { try await Timeline.real.sleep(until: next) }
      next = max(now, next).advanced(by: Self.interval * part.count)
      try await device.send(Array(part))
    }
  }
}
