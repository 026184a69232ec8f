// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDSimulator
import HIDWire
import IOLoop
import Synchronization

/// Reports from standard input, for `--send -`: a line a report, in hex.
enum StandardInputReports {
  /// The longest line, in bytes: a report of 16,384 bytes in hex, and some room.
  private static let longestLine = 65_536

  /// The chunks of standard input, read on a thread of its own, at most a few ahead.
  private static func chunks() -> AsyncStream<[UInt8]> {
    // A channel that holds one chunk at a time: the reading thread waits until it was taken.
    AsyncStream(unfolding: {
      let chunk = Chunk()
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          chunk.wait(continuation)
          Thread.start(name: "hidsim-stdin") {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var count = Glibc.read(0, &bytes, bytes.count)
            while count < 0, errno == EINTR { count = Glibc.read(0, &bytes, bytes.count) }
            chunk.come(count > 0 ? Array(bytes[..<count]) : nil)
          }
        }
      } onCancel: {
        // The thread stays where it is, until there is something to read or the program ends.
        chunk.come(nil)
      }
    })
  }

  /// What is waited for, whichever comes first: input, or the end of the wait.
  private final class Chunk: Sendable {
    private struct State: Sendable {
      var waiter: CheckedContinuation<[UInt8]?, Never>?
      var isOver = false
    }
    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<[UInt8]?, Never>) {
      let isOver = state.withLock { state in
        if !state.isOver { state.waiter = continuation }
        return state.isOver
      }
      if isOver { continuation.resume(returning: nil) }
    }

    func come(_ bytes: [UInt8]?) {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        state.isOver = true
        return state.waiter
      }
      waiter?.resume(returning: bytes)
    }
  }

  /// Sends every report to a device as it comes, to the end of standard input.
  ///
  /// Short reports are filled up with zeros; longer ones than declared are an error.
  static func send(to device: SimulatedDevice) async throws {
    var line: [UInt8] = []
    var number = 0
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
          try await device.send(batch)
          throw error
        }
        line.removeAll(keepingCapacity: true)
      }
      try await device.send(batch)
    }
    if let report = try report(line, number + 1, device) {
      try await device.send([report])
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
        "standard input, line \(number): \(bytes.count.counting("byte")), and the report is declared with \(layout.byteCount)"
      )
    }
    return bytes + Array(repeating: 0, count: layout.byteCount - bytes.count)
  }
}
