// SPDX-License-Identifier: Apache-2.0

import HIDText
import OrderedCollections

/// Reads hid-recorder's text, in any of its dialects.
///
/// Events come in the order of the file, unless the stamps go back from one device to another though they do not within
/// each: then the devices were written one behind the other, and their events are brought into the order of time.
struct RecorderTraceDecoder: TraceDecoder {
  /// How many devices are brought into the order of time, since the text is gone over for each.
  private static let maximumMergedCount = 16

  let devices: [HIDTraceDevice]
  private let headerWarnings: TraceWarnings
  private var cursors: [RecorderCursor]
  /// The next event of each cursor, with its time, where there are several.
  private var heads: [(event: HIDTraceEvent, time: Int64)?] = []
  private var clock = HIDTraceClock()

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    let headers = try RecorderHeaders(source, options)
    devices = headers.devices
    let mayMerge = devices.count <= Self.maximumMergedCount
    if headers.goesBack, mayMerge {
      cursors = devices.indices.map {
        RecorderCursor(source, options, places: headers.places, only: $0)
      }
    } else {
      cursors = [RecorderCursor(source, options, places: headers.places)]
    }
    var warnings = headers.warnings
    if headers.goesBack, !mayMerge {
      warnings.add(
        HIDTextProblem(
          file: source.name, location: .start,
          message: """
            the times go back from one device to another, and of more than \
            \(Self.maximumMergedCount) devices the events stay in the order of the file
            """))
    }
    headerWarnings = warnings
  }

  var warnings: TraceWarnings {
    // The headers and each cursor have the warnings about lines of no device; those are told once.
    let found = headerWarnings.problems + cursors.flatMap(\.warnings.problems)
    var all = TraceWarnings()
    for warning in OrderedSet(found).sorted(by: { $0.location < $1.location }) { all.add(warning) }
    return all
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    guard cursors.count > 1 else { return try cursors[0].next() }
    if heads.isEmpty { for index in cursors.indices { heads.append(try read(index)) } }
    var first: Int?
    for index in heads.indices {
      guard let head = heads[index] else { continue }
      guard let best = first.flatMap({ heads[$0] }) else {
        first = index
        continue
      }
      if (head.time, head.event.line) < (best.time, best.event.line) { first = index }
    }
    guard let first, let event = heads[first]?.event else { return nil }
    heads[first] = try read(first)
    return event
  }

  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    if cursors.count == 1 { return try cursors[0].visit(&visitor) }
    while visitor.wantsMore {
      guard let event = try next() else { return false }
      visitor.take(event)
    }
    return true
  }

  private mutating func read(_ index: Int) throws(HIDTraceError) -> (HIDTraceEvent, Int64)? {
    guard let event = try cursors[index].next() else { return nil }
    return (event, clock.time(of: event))
  }
}
