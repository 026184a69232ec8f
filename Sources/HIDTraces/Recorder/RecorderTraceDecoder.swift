// SPDX-License-Identifier: Apache-2.0

import HIDText
import OrderedCollections

/// A decoder of hid-recorder's text, in any of its dialects.
///
/// Events come in the order of the file, unless the timestamps go back from one device to another.
/// Then the devices were written one after the other, and their events are sorted by time if there
/// are at most 16 devices. Timestamps that go back within one device do not count.
struct RecorderTraceDecoder: TraceDecoder {
  /// The largest number of devices whose events are sorted by time.
  ///
  /// The text is read once for each device.
  private static let maximumMergedCount = 16

  let devices: [HIDTraceDevice]
  private let headerWarnings: TraceWarnings
  private var cursors: [RecorderCursor]
  /// The next event of each cursor with its time, if there are several cursors; nil for a cursor
  /// that has ended.
  private var heads: [(event: HIDTraceEvent, time: Int64)?] = []
  private var clock = HIDTraceClock()
  /// The error that ended a cursor, which is thrown when the other cursors have ended, too; nil if
  /// there is none.
  private var failure: HIDTraceError?

  /// Returns the reason why bytes do not begin as hid-recorder's text; nil if they do, or if they
  /// have only empty lines and comments.
  static func refusal(of start: [UInt8], named name: String) -> HIDTextProblem? {
    var number = 0
    for line in start.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      var words = WordScanner(line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line)
      words.skipBlanks()
      guard let letter = words.text.first, letter != 0x23, letter != 0x0D else { continue }
      let isLetter = (0x41...0x5A).contains(letter & 0xDF)
      if isLetter, words.text.dropFirst().first == 0x3A { return nil }
      return HIDTextProblem(
        file: name, location: HIDTextLocation(line: number, column: words.column),
        message: """
          expected a trace, found \(quoted(words.remainder(), limit: 20)): hid-recorder's text begins with "R: …" or \
          "# …"; hidsim also reads Android's hid commands, recordings of libinput and umockdev, and \
          captures of USB packets
          """)
    }
    return nil
  }

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
            the devices were recorded at the same time, and the file has one after the other; \
            hidsim sorts the events of at most \(Self.maximumMergedCount) devices by time, so the \
            devices of this file are replayed one after the other
            """))
    }
    headerWarnings = warnings
  }

  var warnings: TraceWarnings {
    // The headers and all cursors have the same warnings about lines of no device. Keep each once.
    let found = headerWarnings.problems + cursors.flatMap(\.warnings.problems)
    var all = TraceWarnings()
    for warning in OrderedSet(found).sorted(by: { $0.location < $1.location }) { all.add(warning) }
    return all
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    guard cursors.count > 1 else { return try cursors[0].next() }
    if heads.isEmpty { for index in cursors.indices { heads.append(read(index)) } }
    var first: Int?
    for index in heads.indices {
      guard let head = heads[index] else { continue }
      guard let best = first.flatMap({ heads[$0] }) else {
        first = index
        continue
      }
      if (head.time, head.event.line) < (best.time, best.event.line) { first = index }
    }
    guard let first, let event = heads[first]?.event else {
      if let failure { throw failure }
      return nil
    }
    heads[first] = read(first)
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

  private mutating func read(_ index: Int) -> (HIDTraceEvent, Int64)? {
    do throws(HIDTraceError) {
      guard let event = try cursors[index].next() else { return nil }
      return (event, clock.time(of: event))
    } catch {
      failure = failure ?? error
      return nil
    }
  }
}
