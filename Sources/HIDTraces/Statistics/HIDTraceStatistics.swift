// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// How much there is of everything in a trace, device by device; made in bounded memory.
///
/// ```swift
/// var reader = try HIDTraceReader(source)
/// let statistics = try HIDTraceStatistics(reading: &reader)
/// for device in statistics.devices { print(device.label, device.intervals.rate ?? 0) }
/// ```
public struct HIDTraceStatistics: Sendable {
  /// The most controls whose values are followed.
  public static let maximumControlCount = 65_536

  /// The reports of one type and ID.
  public struct Report: Hashable, Sendable {
    /// The type.
    public let type: HIDReportType
    /// The ID; nil where reports of the type are un-numbered.
    public let id: HIDReportID?
    /// How many there are.
    public let count: Int
    /// The length of the shortest, in bytes, its ID included.
    public let shortest: Int
    /// The length of the longest, in bytes, its ID included.
    public let longest: Int
    /// The length that the descriptor declares; nil where it does not declare the report.
    public let declared: Int?
  }

  /// A control of input reports whose value changed.
  public struct Control: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The least value, as far as it moved: one that it had before or after a change.
    public let minimum: Int64
    /// The greatest value, as far as it moved.
    public let maximum: Int64
    /// How often its value changed; of a relative one, how often it was not 0.
    public let changes: Int
  }

  /// What there is of one device.
  public struct Device: Sendable {
    /// The device, as the trace has it.
    public let device: HIDTraceDevice
    /// What people are told of it: its name, `name#2` for a twin.
    public let label: String
    /// Why its descriptor makes no sense, and its reports are not understood; nil where it does.
    public let problem: HIDReportDescriptorError?
    /// How many events there are of each kind.
    public let counts: [HIDTraceEvent.Category: Int]
    /// The time of its first event, in microseconds since the first of the trace; nil where it has none.
    public let first: Int64?
    /// The time of its last event.
    public let last: Int64?
    /// Input, output and set reports, and those that were answered, sorted by type and ID.
    public let reports: [Report]
    /// From each input report to the next.
    public let intervals: HIDTraceIntervals
    /// The controls of input reports that changed, in the order of their reports.
    public let moved: [Control]
    /// How many controls of input reports never changed.
    public let stillCount: Int
    /// How many changes are of controls beyond those that are followed.
    public let furtherChanges: Int
    /// Get-report requests.
    public let gets: HIDTraceRequests
    /// Set-report requests.
    public let sets: HIDTraceRequests
    /// How many reports are shorter than declared.
    public let short: Int
    /// How many reports are longer than declared.
    public let long: Int
    /// How many reports the descriptor does not declare.
    public let undeclared: Int
    /// How many input reports the recorder lost.
    public let lost: Int
  }

  /// What there is of each device.
  public var devices: [Device] { meters.map(\.result) }
  /// How many events there are.
  public private(set) var eventCount = 0
  /// From the first event to the last, in microseconds.
  public private(set) var duration: Int64 = 0

  private var meters: [TraceMeter]
  private var clock = HIDRelativeTraceClock()
  private var room = Self.maximumControlCount

  /// Begins to count events of some devices.
  public init(_ devices: [HIDTraceDevice]) {
    meters = zip(devices, devices.labels).map { TraceMeter($0, label: $1) }
  }

  /// Counts all events of a trace.
  ///
  /// - Throws: What is wrong with it.
  public init(reading reader: inout HIDTraceReader) throws(HIDTraceError) {
    self.init(reader.devices)
    while let event = try reader.next() { add(event) }
  }

  /// Counts an event.
  public mutating func add(_ event: HIDTraceEvent) {
    guard meters.indices.contains(event.device) else { return }
    eventCount += 1
    let time = clock.time(of: event)
    duration = max(duration, time)
    meters[event.device].add(event, at: time, room: &room)
  }
}
