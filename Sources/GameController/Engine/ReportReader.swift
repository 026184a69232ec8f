// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages
import IOLoop
import Synchronization

/// A keyboard, mouse or controller that takes the changes of a device's controls.
protocol ControlSink: Sendable {
  /// Whether ``change(_:to:)`` is called for each control of the first report.
  ///
  /// Without that a value of 0 counts as unchanged.
  var readsFirstReportWhole: Bool { get }

  /// Looks at a report before its changes.
  func beginReport(_ bytes: Span<UInt8>)

  /// Takes a change: a new value, or the distance of a relative control.
  ///
  /// - Parameters:
  ///   - control: The control.
  ///   - value: Its logical value; of a usage that an array selects 1 or 0.
  func change(_ control: HIDControl, to value: Int64)

  /// Ends a report: what it changed is complete.
  func endReport(at time: MonotonicTime)

  /// Puts everything at rest: the device has gone, or another program has seized it.
  func release()
}

extension ControlSink {
  var readsFirstReportWhole: Bool { false }
  func beginReport(_ bytes: Span<UInt8>) {}
}

/// Finds what the input reports of one device change.
final class ReportReader: Sendable {
  private struct Report {
    let decoder: HIDReportDecoder
    /// The report before; empty if there was none.
    var previous: [UInt8] = []
  }

  private struct State {
    var reports: [Report] = []
    var isClosed = false
  }

  private let state: Mutex<State>
  /// The place of the report of each ID; -1 for none.
  private let places: [Int]
  private let isNumbered: Bool
  private let sinks: [any ControlSink]
  private let readsFirstReportWhole: Bool

  init(_ descriptor: HIDReportDescriptor, for sinks: [any ControlSink]) {
    self.sinks = sinks
    readsFirstReportWhole = sinks.contains { $0.readsFirstReportWhole }
    isNumbered = descriptor.numbersReports(.input)
    var places = [Int](repeating: -1, count: 256)
    var reports: [Report] = []
    for layout in descriptor.reports(of: .input) {
      places[Int(layout.id?.rawValue ?? 0)] = reports.count
      reports.append(Report(decoder: HIDReportDecoder(layout)))
    }
    self.places = places
    state = Mutex(State(reports: reports))
  }

  /// Takes reports, on the thread that reads the device.
  func take(_ reports: Span<HIDReport>) {
    state.withLock { state in
      guard !state.isClosed else { return }
      for index in reports.indices {
        let time = reports[index].time
        reports[index].bytes.withSpan { take($0, at: time, &state) }
      }
    }
  }

  private func take(_ bytes: Span<UInt8>, at time: MonotonicTime, _ state: inout State) {
    guard !bytes.isEmpty else { return }
    let place = places[isNumbered ? Int(bytes[0]) : 0]
    guard place >= 0 else { return }
    let decoder = state.reports[place].decoder
    // It says nothing about the keys: the next one is compared with the one before.
    if decoder.isRollOver(bytes) { return }
    let body = { (control: HIDControl, _: Int64, value: Int64) in
      for sink in self.sinks { sink.change(control, to: value) }
    }
    // Taken out and put back: nothing is copied.
    var previous: [UInt8] = []
    swap(&previous, &state.reports[place].previous)
    for sink in sinks { sink.beginReport(bytes) }
    if previous.isEmpty, readsFirstReportWhole {
      // Compared with its opposite every bit is a change.
      for index in bytes.indices { previous.append(~bytes[index]) }
    }
    if previous.isEmpty {
      decoder.forEachChange(from: nil, to: bytes, body)
    } else {
      decoder.forEachChange(from: previous.span, to: bytes, body)
    }
    previous.removeAll(keepingCapacity: true)
    for index in bytes.indices { previous.append(bytes[index]) }
    swap(&previous, &state.reports[place].previous)
    for sink in sinks { sink.endReport(at: time) }
  }

  /// Puts everything at rest, until the next report.
  func release() { state.withLock { release(&$0) } }

  /// Puts everything at rest, and takes no more reports.
  func close() {
    state.withLock { state in
      release(&state)
      state.isClosed = true
    }
  }

  private func release(_ state: inout State) {
    for place in state.reports.indices {
      state.reports[place].previous.removeAll(keepingCapacity: true)
    }
    for sink in sinks { sink.release() }
  }
}
