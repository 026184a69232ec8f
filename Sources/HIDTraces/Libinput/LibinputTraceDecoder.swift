// SPDX-License-Identifier: Apache-2.0

import HIDText
import IOLoop

/// Reads what `libinput record --with-hidraw` writes: YAML of version 1, in the layout that libinput gives it.
///
/// The file is cut into small pieces by its lines and their indentation, and only what is needed goes to the YAML
/// parser: the description and the report descriptor of each device, and one `- hid:` item after the other. libinput
/// writes one list of events per evdev node, each from the start of the recording; a cursor in each of them merges
/// them by time.
///
/// libinput opens the hidraw nodes of each evdev node by itself. Where several evdev nodes belong to one HID device,
/// such as the mouse and the keyboard of one receiver, each of their lists has all reports of that device: they are
/// taken from the first.
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

/// A place in one list of events.
private struct LibinputCursor: Sendable {
  private var items: LibinputItems
  /// The device of each hidraw node whose reports are taken here.
  private let devices: [Int: Int]
  private let cutOffset: Int?
  private let isLenient: Bool
  private var pending: ArraySlice<HIDTraceEvent> = []
  /// The time by which the events are merged: a stamp that goes back does not hold up the other lists.
  private var latest = Int64.min
  private var stamp = Int64.min
  private var isAtEnd = false

  init(_ items: LibinputItems, devices: [Int: Int], cutOffset: Int?, isLenient: Bool) {
    self.items = items
    self.devices = devices
    self.cutOffset = cutOffset
    self.isLenient = isLenient
  }

  /// The time of the next event; nil at the end.
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

  /// Takes the next event.
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
