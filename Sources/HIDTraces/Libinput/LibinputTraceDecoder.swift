// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// A decoder of the output of `libinput record --with-hidraw`: YAML of version 1.
///
/// The YAML must have libinput's layout.
///
/// The file is cut into small pieces by its lines and their indentation. Only the needed pieces go
/// to the YAML parser: the version, the number of devices, the description and the report
/// descriptor of each device, and one `- hid:` item at a time. libinput writes one list of events
/// per evdev node, each from the start of the recording. The decoder has a cursor in each list, and
/// merges the events by time.
///
/// libinput opens the hidraw nodes of each evdev node separately. Several evdev nodes can belong to
/// one HID device, such as the mouse and the keyboard of one receiver. Then each of their lists has
/// all reports of that device, and the reports are taken from the first list.
///
/// Source: libinput-record(1), and `tools/libinput-record.c`.
struct LibinputTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  private(set) var warnings: TraceWarnings
  private var cursors: [LibinputCursor] = []
  private var error: HIDTraceError?

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    let outline = try LibinputOutline(source, isLenient: options.isLenient)
    let plan = try LibinputDevices(outline, options)
    devices = plan.devices
    warnings = outline.warnings
    for warning in plan.warnings { warnings.add(warning) }
    for (entry, owned) in zip(outline.entries, plan.owned) where !owned.isEmpty {
      guard let items = entry.events else { continue }
      cursors.append(
        LibinputCursor(
          items, devices: owned, cutOffset: outline.cutOffset, isLenient: options.isLenient))
    }
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    if let error { throw error }
    do throws(HIDTraceError) {
      var earliest: (time: Int64, cursor: Int)?
      for index in cursors.indices {
        guard let time = try cursors[index].time(&warnings) else { continue }
        if earliest.map({ time < $0.time }) ?? true { earliest = (time, index) }
      }
      return earliest.flatMap { cursors[$0.cursor].take() }
    } catch {
      self.error = error
      throw error
    }
  }
}

/// A position in one list of events.
private struct LibinputCursor: Sendable {
  private var items: LibinputItems
  /// The index of the device of each hidraw node whose reports are taken from this list.
  private let devices: [Int: Int]
  private let cutOffset: Int?
  private let isLenient: Bool
  private var pending: ArraySlice<HIDTraceEvent> = []
  /// The time by which the events are merged.
  ///
  /// It never decreases, so that a timestamp that goes back does not delay the other lists.
  private var latest = Int64.min
  private var stamp = Int64.min
  private var isAtEnd = false

  init(_ items: LibinputItems, devices: [Int: Int], cutOffset: Int?, isLenient: Bool) {
    self.items = items
    self.devices = devices
    self.cutOffset = cutOffset
    self.isLenient = isLenient
  }

  /// Returns the time by which the next event is merged; nil at the end.
  mutating func time(_ warnings: inout TraceWarnings) throws(HIDTraceError) -> Int64? {
    while pending.isEmpty, !isAtEnd {
      guard let item = try items.next(), item.range.offset != cutOffset else {
        isAtEnd = true
        break
      }
      try read(item, &warnings)
    }
    return pending.isEmpty ? nil : latest
  }

  /// Removes and returns the event that ``time(_:)`` has found; nil at the end.
  mutating func take() -> HIDTraceEvent? { pending.popFirst() }

  private mutating func read(
    _ item: LibinputItems.Item, _ warnings: inout TraceWarnings
  ) throws(HIDTraceError) {
    let piece = try item.range.piece(items.lines)
    let found: LibinputReports
    do throws(LibinputFault) {
      found = try piece.reports(isLenient: isLenient)
    } catch {
      throw error.error
    }
    for warning in found.warnings { warnings.add(warning) }
    pending =
      found.reports.compactMap { report in
        devices[report.node].map {
          HIDTraceEvent(
            microseconds: found.microseconds, device: $0,
            kind: .input(HIDReportBytes(report.bytes)), line: report.line)
        }
      }[...]
    guard !pending.isEmpty else { return }
    if found.microseconds < stamp {
      warnings.add(
        HIDTextProblem(
          file: piece.file, location: HIDTextLocation(line: item.range.line, column: 1),
          message: timeGoesBack(from: stamp, to: found.microseconds)))
    }
    stamp = found.microseconds
    latest = max(latest, stamp)
  }
}
