// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDUsages
import IOLoop
import Synchronization

/// A keyboard, mouse or controller that receives the changes of a device's controls.
protocol ControlSink: Sendable {
  /// Returns whether the sink receives the changes of a field's controls.
  func accepts(_ field: InputField) -> Bool

  /// The controls of which the sink also receives the value 0 in a first report.
  var initialControls: [HIDReportElement] { get }

  /// Receives the bytes of a report before its changes.
  func beginReport(_ bytes: Span<UInt8>)

  /// Receives a change: a new value, or the distance of a relative control.
  ///
  /// - Parameters:
  ///   - control: The control.
  ///   - old: Its logical value before; 0 in a first report, and for a relative control.
  ///   - value: Its logical value; for a usage in an array, 1 if it is selected, else 0.
  func change(_ control: HIDReportElement, from old: Int64, to value: Int64)

  /// Ends a report after all its changes.
  func endReport(at time: MonotonicTime)

  /// Releases all controls.
  ///
  /// It is called when the device was removed, when another client has seized it, when the start of
  /// its reading has failed, and when the search for devices has ended.
  func release()
}

extension ControlSink {
  var initialControls: [HIDReportElement] { [] }
  func beginReport(_ bytes: Span<UInt8>) {}
}

/// A reader that finds the changes in the input reports of one device.
final class ReportReader: Sendable {
  private struct Report {
    let decoder: HIDReportDecoder
    /// The sinks that receive the changes of each field, by field index.
    var sinks: [[any ControlSink]]
    /// The bytes with which the next report is compared; empty before the first report and after a
    /// release.
    ///
    /// They are the last report. Bytes that it lacks, and arrays with ErrorRollOver, come from the
    /// reports before (`HIDReportDecoder.remember(_:in:)`).
    var previous: [UInt8] = []
  }

  private struct State {
    var reports: [Report] = []
    var isClosed = false
  }

  private let state: Mutex<State>
  /// The index of the report for each ID; -1 for none.
  private let places: [Int]
  private let isNumbered: Bool
  private let isValid: (@Sendable (Span<UInt8>) -> Bool)?
  private let sinks: [any ControlSink]

  /// - Parameters:
  ///   - descriptor: The report descriptor of the device.
  ///   - fields: Its input fields.
  ///   - sinks: The sinks that receive the changes.
  ///   - isValid: Returns true if a report is valid; other reports are ignored. Nil accepts all
  ///     reports.
  init(
    _ descriptor: HIDReportDescriptor, _ fields: [InputField], for sinks: [any ControlSink],
    isValid: (@Sendable (Span<UInt8>) -> Bool)? = nil
  ) {
    self.isValid = isValid
    self.sinks = sinks
    isNumbered = descriptor.numbersReports(.input)
    var places = [Int](repeating: -1, count: 256)
    var reports: [Report] = []
    for layout in descriptor.reports(of: .input) {
      places[Int(layout.id?.rawValue ?? 0)] = reports.count
      reports.append(
        Report(decoder: HIDReportDecoder(layout), sinks: layout.fields.map { _ in [] }))
    }
    for field in fields {
      let place = places[Int(field.report.id?.rawValue ?? 0)]
      reports[place].sinks[field.field.index] = sinks.filter { $0.accepts(field) }
    }
    self.places = places
    state = Mutex(State(reports: reports))
  }

  /// Passes the changes in reports to the sinks; call it on the thread that reads the device.
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
    guard place >= 0, isValid?(bytes) ?? true else { return }
    let (decoder, takers) = (state.reports[place].decoder, state.reports[place].sinks)
    let body = { (control: HIDReportElement, old: Int64, value: Int64) in
      for sink in takers[control.fieldIndex] { sink.change(control, from: old, to: value) }
    }
    // Take the array out and put it back, so that it is not copied.
    var previous: [UInt8] = []
    swap(&previous, &state.reports[place].previous)
    for sink in sinks { sink.beginReport(bytes) }
    if previous.isEmpty {
      decoder.forEachChange(from: nil, to: bytes, body)
      takeZeros(of: decoder.layout, bytes)
    } else {
      decoder.forEachChange(from: previous.span, to: bytes, body)
    }
    decoder.remember(bytes, in: &previous)
    swap(&previous, &state.reports[place].previous)
    for sink in sinks { sink.endReport(at: time) }
  }

  /// Passes the zeros of a first report to the sinks that want them.
  private func takeZeros(of layout: HIDReportLayout, _ bytes: Span<UInt8>) {
    for sink in sinks {
      for control in sink.initialControls
      where control.reportID == layout.id && layout.value(of: control, in: bytes) == 0 {
        sink.change(control, from: 0, to: 0)
      }
    }
  }

  /// Releases all controls; the next report of each ID counts as the first one.
  func release() { state.withLock { release(&$0) } }

  /// Releases all controls and ignores later reports.
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
