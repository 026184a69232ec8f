// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The previous reports of one device in both traces, from which differences of events are made.
struct TraceWitness: Sendable {
  /// The largest number of controls that one difference lists.
  private static let valueCount = 16
  /// The memory for the previous reports of one device in one trace, in bytes.
  private static let keptByteCount = 64 * 1024

  /// The device in one of the traces.
  struct Side: Sendable {
    var label: String
    var descriptor: HIDReportDescriptor?
    private var reports: [ReportKey: [UInt8]] = [:]
    private var byteCount = 0

    init(label: String, descriptor: HIDReportDescriptor?) {
      self.label = label
      self.descriptor = descriptor
    }

    /// Keeps a report and returns the previous one with its type and ID; nil if there was none.
    ///
    /// Nil is returned for events without a report, for reports before the kernel changed them, and
    /// for reports that are longer than a sixteenth of the memory. They are not kept. A report for
    /// which there is no room is not kept, either.
    mutating func exchange(_ kind: HIDTraceEvent.Kind) -> [UInt8]? {
      guard let type = kind.reportType, kind.name != .original, let report = kind.reportBytes,
        report.count <= TraceWitness.keptByteCount / 16
      else { return nil }
      let key = ReportKey(type: type, id: kind.reportID(on: descriptor))
      let previous = reports[key]
      let total = byteCount + report.count - (previous?.count ?? 0)
      guard total <= TraceWitness.keptByteCount else { return previous }
      byteCount = total
      reports[key] = [UInt8](report)
      return previous
    }
  }

  /// The type and ID of a report.
  struct ReportKey: Hashable, Sendable {
    var type: HIDReportType
    var id: HIDReportID?
  }

  private(set) var first: Side
  private(set) var second: Side
  private let hasOneDescriptor: Bool

  init(_ first: Side, _ second: Side) {
    self.first = first
    self.second = second
    hasOneDescriptor = first.descriptor == second.descriptor
  }

  /// Keeps the reports of an event that both traces have.
  mutating func pass(_ one: TraceLane.Entry, _ other: TraceLane.Entry) {
    _ = first.exchange(one.event.kind)
    _ = second.exchange(other.event.kind)
  }

  /// Returns the difference for an event that only one trace has, and keeps its report.
  mutating func lonely(
    _ entry: TraceLane.Entry, isFirst: Bool, isDetailed: Bool
  ) -> HIDTraceDifference {
    let kind = entry.event.kind
    let previous = isFirst ? first.exchange(kind) : second.exchange(kind)
    let side = isFirst ? first : second
    let moment = HIDTraceDifference.Moment(event: entry.event, time: entry.time)
    var values: [HIDTraceDifference.Value] = []
    var count = 0
    if isDetailed, let type = kind.reportType, let report = kind.reportBytes {
      let changes =
        side.descriptor?.report(type, id: kind.reportID(on: side.descriptor))?
        .changes(from: previous, to: [UInt8](report)) ?? []
      count = changes.count
      values = changes.prefix(Self.valueCount).compactMap { change in
        side.descriptor.map {
          .init(
            name: $0.name(of: change.control), before: isFirst ? change.value : nil,
            after: isFirst ? nil : change.value, isSwitch: $0.isSwitch(change.control))
        }
      }
    }
    return HIDTraceDifference(
      change: isFirst ? .missing : .added, subject: .event, device: side.label,
      before: isFirst ? moment : nil, after: isFirst ? nil : moment, aspects: [], values: values,
      furtherValueCount: count - values.count,
      words: isDetailed ? [entry.event.words(on: side.descriptor)] : [])
  }

  /// Returns the difference for an event that both traces have with different content or time, and
  /// keeps its reports.
  ///
  /// - Parameters:
  ///   - one: The event in the first trace.
  ///   - other: The event in the second trace.
  ///   - time: The time of the second event on the first trace's clock; nil if the times match or
  ///     are not compared.
  ///   - isDetailed: True to add texts, aspects and values.
  mutating func changed(
    _ one: TraceLane.Entry, _ other: TraceLane.Entry, time: Int64?, isDetailed: Bool
  ) -> HIDTraceDifference {
    pass(one, other)
    var aspects: [HIDDescriptorDifference.Aspect] = []
    var values: [HIDTraceDifference.Value] = []
    var words: [String] = []
    if isDetailed {
      if let time {
        aspects.append(
          .init(name: "time", before: secondsText(one.time), after: secondsText(time)))
      }
      if one.key != other.key {
        values = self.values(one, other)
        words.append(other.event.words(on: second.descriptor))
      }
      words.insert(one.event.words(on: first.descriptor), at: 0)
      if one.key != other.key, values.isEmpty,
        one.event.kind.reportBytes?.count == other.event.kind.reportBytes?.count
      {
        aspects += Self.bytes(one.key, other.key)
      }
    }
    return HIDTraceDifference(
      change: .changed, subject: .event, device: first.label,
      before: .init(event: one.event, time: one.time),
      after: .init(event: other.event, time: other.time), aspects: aspects,
      values: Array(values.prefix(Self.valueCount)),
      furtherValueCount: max(0, values.count - Self.valueCount), words: words)
  }

  /// Returns the indices of the bytes that differ, as one aspect.
  private static func bytes(
    _ one: HIDTraceEvent.Kind, _ other: HIDTraceEvent.Kind
  ) -> [HIDDescriptorDifference.Aspect] {
    guard let before = one.reportBytes, let after = other.reportBytes else { return [] }
    let places = (0..<min(before.count, after.count)).filter { before[$0] != after[$0] }
    guard !places.isEmpty else { return [] }
    let listing = places.prefix(8).map(String.init).joined(separator: " ")
    return [
      .init(
        name: places.count == 1 ? "byte" : "bytes",
        before: listing + (places.count > 8 ? " and \(places.count - 8) more" : ""), after: nil)
    ]
  }

  /// Returns the controls that have different values in two reports.
  ///
  /// The result is empty if the traces have different report descriptors of the device.
  private func values(
    _ before: TraceLane.Entry, _ after: TraceLane.Entry
  ) -> [HIDTraceDifference.Value] {
    let kind = before.event.kind
    guard hasOneDescriptor, let descriptor = first.descriptor, let type = kind.reportType,
      let layout = descriptor.report(type, id: kind.reportID(on: descriptor)),
      let one = before.key.reportBytes, let other = after.key.reportBytes
    else { return [] }
    let names = HIDReportElementNames(of: layout, in: descriptor)
    var values: [HIDTraceDifference.Value] = []
    func add(_ control: HIDReportElement, _ before: Int64?, _ after: Int64?) {
      values.append(
        .init(
          name: names.name(of: control), before: before, after: after,
          isSwitch: descriptor.isSwitch(control, in: layout)))
    }
    one.withSpan { one in
      other.withSpan { other in
        for field in layout.fields where !field.isPadding {
          if field.isArray {
            let before = Set(layout.selectedControls(of: field, in: one))
            let after = Set(layout.selectedControls(of: field, in: other))
            for control in before.symmetricDifference(after).sorted(by: { $0.index < $1.index }) {
              add(control, before.contains(control) ? 1 : 0, after.contains(control) ? 1 : 0)
            }
          } else {
            for control in layout.controls(of: field) {
              let before = layout.value(of: control, in: one)
              let after = layout.value(of: control, in: other)
              if before != after { add(control, before, after) }
            }
          }
        }
      }
    }
    return values
  }
}

extension HIDReportDescriptor {
  fileprivate func isSwitch(_ control: HIDReportElement) -> Bool {
    report(control.type, id: control.reportID).map { isSwitch(control, in: $0) } ?? false
  }
}
