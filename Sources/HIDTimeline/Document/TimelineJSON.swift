// SPDX-License-Identifier: Apache-2.0

import HIDSessions
package import HIDSimulator
package import HIDText
package import IOLoop

/// Devices and their events as one JSON object, which the page draws as a timeline.
///
/// Events have the keys of the stream's events. The page "Reports in HTML" lists all keys.
package enum TimelineJSON {
  /// The largest number of events of a timeline, unless a caller gives another limit.
  ///
  /// The page has all of them in memory: about 200 bytes each.
  package static let eventLimit = 100_000
  /// The number of bytes of events above which a timeline of a trace gets no more.
  static let byteLimit = 64 << 20
  /// The number of bytes of elements above which further devices of a trace have none.
  static let elementByteLimit = 16 << 20

  /// Returns the timeline of the events that a log keeps.
  ///
  /// - Parameters:
  ///   - log: The log of a run.
  ///   - base: The time that counts as 0.
  ///   - devices: The devices of the run.
  ///   - limit: The largest number of events, the latest ones.
  package static func timeline(
    of log: HIDEventLog, base: MonotonicTime, devices: [SimulatedDevice],
    limit: Int = eventLimit
  ) -> JSONLine {
    var index = 0
    let events = log.read(from: &index).events.suffix(limit)
    return timeline(
      devices.flatMap { device in
        DeviceJSON.elements(of: device).map { .object(self.device($0.label, $0.elements)) }
      }, events.map { .object(EventJSON.line($0, base: base)) }, before: index - events.count)
  }

  /// Returns a timeline from its parts.
  ///
  /// - Parameters:
  ///   - devices: The objects of the devices.
  ///   - events: The objects of the events, in order.
  ///   - before: The number of earlier events that are left out.
  ///   - after: The number of later events that are left out.
  static func timeline(
    _ devices: [JSONText], _ events: [JSONText], before: Int = 0, after: Int = 0
  ) -> JSONLine {
    JSONLine { line in
      line.add("devices", .array(devices))
      line.add("before", .integer(before))
      line.add("after", .integer(after))
      line.add("events", .array(events))
    }
  }

  /// Returns the keys of a device: the label that its events have, and its elements.
  ///
  /// - Parameters:
  ///   - label: The label.
  ///   - elements: The elements; nil if the report descriptor is not valid, or if they are left
  ///     out.
  static func device(_ label: String, _ elements: JSONLine?) -> JSONLine {
    JSONLine { line in
      line.add("device", .string(label))
      line.add("elements", .optional(elements) { .object($0) })
    }
  }
}
