// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDTraces
import IOLoop
import Synchronization

/// A source of a recording: the input reports of a device that this process has open.
final class PortTap: Sendable {
  private let port: any HIDClientPort
  private let stream: HIDReportStream
  /// The position of the device in the trace.
  private let place: Int
  private let isStopped = Mutex(false)

  init(_ port: any HIDClientPort, _ stream: HIDReportStream, place: Int) {
    self.port = port
    self.stream = stream
    self.place = place
  }

  /// The bus that the device is on.
  var bus: HIDBusKind { port.device.bus }
  /// True if all lost reports were counted.
  var isLossComplete: Bool { stream.lost.isComplete }
  /// The error that ended the reports; `nil` if there is none.
  var failure: (any Error)? { stream.failure }

  /// Records the reports until the device is gone, the stream fails or ``stop()`` is called.
  func follow(into recording: TraceRecording, from source: Int) async {
    var iterator = stream.makeAsyncIterator()
    var losses = Losses()
    var time = MonotonicTime.now
    while true {
      let isMore: Void? = await iterator.withReports { [stream, place] reports in
        losses.places += stream.takeLosses()
        recording.add { recorder in
          for index in reports.indices {
            time = reports[index].time
            if let count = losses.beforeNext() {
              recorder.add(.lost(count), device: place, at: time, from: source)
            }
            recorder.add(.input(reports[index].bytes), device: place, at: time, from: source)
          }
        }
      }
      guard isMore != nil else { break }
      await recording.room()
    }
    losses.places += stream.takeLosses()
    let isGone = isStopped.withLock { !$0 } && stream.failure == nil
    recording.add { recorder in
      if losses.waiting > 0 {
        recorder.add(.lost(losses.waiting), device: place, at: time, from: source)
      }
      if isGone { recorder.add(.unplugged, device: place, at: .now, from: source) }
      recorder.end(source)
    }
  }

  /// Ends the stream after the reports that have arrived by now.
  func stop() {
    isStopped.withLock { $0 = true }
    port.loop.perform { [port] in
      port.catchUp()
      port.close()
    }
  }
}

/// The positions in a stream at which reports were lost.
private struct Losses {
  var places: [ReportRing.Loss] = []
  private var read: UInt64 = 0

  /// The number of reports that were lost after the most recently read report.
  var waiting: Int { places.reduce(0) { $0 + $1.count } }

  /// Advances past a report, and returns how many were lost before it; `nil` for none.
  mutating func beforeNext() -> Int? {
    defer { read += 1 }
    var count = 0
    while let first = places.first, first.position <= read {
      count += first.count
      places.removeFirst()
    }
    return count > 0 ? count : nil
  }
}
