// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// The statistics of a trace for each device, made in bounded memory.
///
/// ```swift
/// var reader = try HIDTraceReader(source)
/// let statistics = try HIDTraceStatistics(reading: &reader)
/// for device in statistics.devices { print(device.label, device.intervals.rate ?? 0) }
/// ```
public struct HIDTraceStatistics: Sendable {
  /// The largest number of controls whose values are tracked, of all devices together.
  public static let maximumControlCount = 65_536

  /// The reports of one type and ID.
  public struct Report: Hashable, Sendable {
    /// The type.
    public let type: HIDReportType
    /// The ID; nil if reports of the type are unnumbered, or if the ID is not known.
    ///
    /// Without a valid report descriptor, only requests have a known ID.
    public let id: HIDReportID?
    /// The number of reports.
    public let count: Int
    /// The length of the shortest report, in bytes including its ID.
    public let shortest: Int
    /// The length of the longest report, in bytes including its ID.
    public let longest: Int
    /// The declared length, in bytes including the ID; nil if the report is not declared.
    public let declared: Int?
  }

  /// A control of input reports whose value changed.
  public struct Control: Hashable, Sendable {
    /// The name of the control.
    public let name: String
    /// The smallest value that the control had before or after a change.
    public let minimum: Int64
    /// The largest value that the control had before or after a change.
    public let maximum: Int64
    /// The number of changes of its value; for a relative control, the number of values other than
    /// 0.
    public let changes: Int
  }

  /// The statistics of one device.
  public struct Device: Sendable {
    /// The device, as the trace has it.
    public let device: HIDTraceDevice
    /// The label of the device: its name, or `name#2` for a second device with the same name.
    ///
    /// Without a name, it is `device 1` and so on.
    public let label: String
    /// The error of an invalid report descriptor; nil if it is valid.
    public let problem: HIDReportDescriptorError?
    /// The number of events with each name; a name without events is left out.
    public let counts: [HIDEventName: Int]
    /// The time of its first event, in microseconds since the first event of the trace.
    ///
    /// It is nil if the device has no event.
    public let first: Int64?
    /// The time of its last event, as in ``first``; nil if it has none.
    public let last: Int64?
    /// The reports that were sent, set, or returned to get-report requests, by type and ID.
    public let reports: [Report]
    /// The intervals between input reports.
    public let intervals: HIDTraceIntervals
    /// The tracked controls of input reports that changed, in the order of their reports.
    public let moved: [Control]
    /// The number of controls of input reports that never changed or are not tracked.
    ///
    /// A usage of an array counts even if its ID is 0.
    public let stillCount: Int
    /// The number of changes of controls that are not tracked.
    public let furtherChanges: Int
    /// The statistics of get-report requests.
    public let gets: HIDTraceRequests
    /// The statistics of set-report requests.
    public let sets: HIDTraceRequests
    /// The number of reports that are shorter than declared.
    public let short: Int
    /// The number of reports that are longer than declared.
    public let long: Int
    /// The number of reports that the descriptor does not declare; 0 if it is not valid.
    public let undeclared: Int
    /// The number of input reports that were lost; see ``HIDTraceEvent/Kind/lost(_:)``.
    public let lost: Int
  }

  /// The statistics of each device.
  public var devices: [Device] { meters.map(\.result) }
  /// The number of events of known devices.
  public private(set) var eventCount = 0
  /// The time from the first event to the latest, in microseconds.
  public private(set) var duration: Int64 = 0

  private var meters: [TraceMeter]
  private var clock = HIDRelativeTraceClock()
  private var room = Self.maximumControlCount

  /// Creates empty statistics of devices.
  public init(_ devices: [HIDTraceDevice]) {
    meters = zip(devices, devices.labels).map { TraceMeter($0, label: $1) }
  }

  /// Counts all events that a reader has not returned yet.
  ///
  /// - Throws: The problems of the trace.
  public init(reading reader: inout HIDTraceReader) throws(HIDTraceError) {
    self.init(reader.devices)
    while let event = try reader.next() { add(event) }
  }

  /// Counts an event; an event of an unknown device is ignored.
  public mutating func add(_ event: HIDTraceEvent) {
    guard meters.indices.contains(event.device) else { return }
    eventCount += 1
    let time = clock.time(of: event)
    duration = max(duration, time)
    meters[event.device].add(event, at: time, room: &room)
  }
}
