// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor

/// An assertion that a host sends the same reports and requests as in a trace.
///
/// For each device, the reports of the trace must come in their order, each near its time. Times
/// are microseconds since the start of playing. An output report matches whether the host writes it
/// or sets it. Answers and latencies of requests are not compared.
public struct HIDTraceAssertion: Sendable {
  /// The options of an assertion.
  public struct Options: Sendable {
    /// The largest distance of a report from its time, in microseconds; nil to check only the
    /// order.
    public var tolerance: Int64?
    /// True to assert get-report requests, too; if false, a host can send any number of them.
    public var assertsGets: Bool
    /// True if the host may send more than the trace has.
    public var allowsMore: Bool

    /// Creates options.
    public init(
      tolerance: Int64? = 1_000_000, assertsGets: Bool = false, allowsMore: Bool = false
    ) {
      self.tolerance = tolerance
      self.assertsGets = assertsGets
      self.allowsMore = allowsMore
    }
  }

  /// A difference between the host and the trace.
  public struct Mismatch: Hashable, Sendable {
    /// The kind of the difference.
    public enum Kind: Hashable, Sendable {
      /// The trace has the event, but the host did not cause it in time or in order.
      case missing
      /// The host caused the event, but the trace does not have it at that position.
      case unexpected
    }
    /// The kind of the difference.
    public let kind: Kind
    /// The event: of the trace if it is missing, of the host if it is unexpected.
    public let event: HIDTraceEvent
  }

  /// The largest number of events of one trace that are asserted.
  public static let capacity = 1 << 20
  /// The number of pending events of a device that are compared with an event of the host.
  private static let window = 256

  private let options: Options
  private let part: @Sendable (HIDTraceEvent) -> HIDTraceEvent.Kind?
  private var pending: [Deque<HIDTraceEvent>] = []
  /// The expected events of each device that the host did before playing began.
  ///
  /// These events count as matched. One repetition of each by the host, near its time, is not a
  /// mismatch.
  private var early: [Int: [HIDTraceEvent]] = [:]
  /// The number of asserted events of the trace.
  public private(set) var expectedCount = 0
  /// The number of events that the host did as expected.
  public private(set) var matchedCount = 0

  /// Creates an empty assertion.
  ///
  /// - Parameters:
  ///   - options: The options of the assertion.
  ///   - part: Returns the content of an event that is compared, in which everything that varies
  ///     from run to run has a fixed value; nil if nothing of the event is compared. By default,
  ///     this is the whole content.
  public init(
    _ options: Options = Options(),
    comparing part: @escaping @Sendable (HIDTraceEvent) -> HIDTraceEvent.Kind? = { $0.kind }
  ) {
    self.options = options
    self.part = part
  }

  /// Returns whether an event is asserted.
  ///
  /// Output reports and set-report requests are asserted, and get-report requests if
  /// ``Options/assertsGets`` is true. An event is not asserted if nothing of it is compared, or if
  /// no device of a trace can have its device index.
  public func isAsserted(_ event: HIDTraceEvent) -> Bool {
    guard (0..<HIDTraceReader.maximumDeviceCount).contains(event.device) else { return false }
    switch event.kind {
    case .output, .setReport: break
    case .getReport: guard options.assertsGets else { return false }
    default: return false
    }
    return part(event) != nil
  }

  /// Adds an event that the host must do, with its time as the timestamp.
  ///
  /// Events of one device are added in their order.
  ///
  /// - Returns: False if there was no room for the event; true for an event that is not asserted.
  public mutating func expect(_ event: HIDTraceEvent) -> Bool {
    guard isAsserted(event) else { return true }
    guard expectedCount < Self.capacity else { return false }
    while pending.count <= event.device { pending.append([]) }
    pending[event.device].append(event)
    expectedCount += 1
    return true
  }

  /// True if no expected event is pending.
  public var isComplete: Bool { pending.allSatisfy(\.isEmpty) }

  /// Processes an event that the host did, with its time as the timestamp.
  ///
  /// - Returns: The mismatches that this event or its time shows.
  public mutating func saw(_ event: HIDTraceEvent) -> [Mismatch] {
    guard isAsserted(event) else { return [] }
    var mismatches = passed(to: event.microseconds)
    guard pending.indices.contains(event.device),
      let index = pending[event.device].prefix(Self.window).firstIndex(where: { isSame($0, event) })
    else {
      if let index = early[event.device]?.firstIndex(where: { isSame($0, event) }) {
        early[event.device]?.remove(at: index)
      } else if !options.allowsMore {
        mismatches.append(Mismatch(kind: .unexpected, event: event))
      }
      return mismatches
    }
    // The expected events before the matching event have not come in order.
    mismatches += pending[event.device].prefix(index).map { Mismatch(kind: .missing, event: $0) }
    pending[event.device].removeFirst(index + 1)
    matchedCount += 1
    return mismatches
  }

  /// Processes an event that the host did before playing began; its timestamp is negative.
  ///
  /// Drivers send requests of their own when a device is plugged. If such a request is the next
  /// expected event of the device, and within the tolerance, it counts as matched. Otherwise, it is
  /// ignored.
  public mutating func sawEarly(_ event: HIDTraceEvent) {
    guard isAsserted(event), pending.indices.contains(event.device),
      let first = pending[event.device].first, isSame(first, event)
    else { return }
    early[event.device, default: []].append(pending[event.device].removeFirst())
    matchedCount += 1
  }

  /// Removes the expected events whose times are more than the tolerance before a time.
  ///
  /// - Returns: A mismatch for each removed event; none if only the order is checked.
  public mutating func passed(to time: Int64) -> [Mismatch] {
    guard let tolerance = options.tolerance else { return [] }
    var mismatches: [Mismatch] = []
    for device in pending.indices {
      while let first = pending[device].first, first.microseconds < time - tolerance {
        mismatches.append(Mismatch(kind: .missing, event: first))
        pending[device].removeFirst()
      }
    }
    return mismatches
  }

  /// Ends the assertion, and returns a mismatch for each expected event that is still pending.
  public mutating func end() -> [Mismatch] {
    defer { pending = [] }
    return pending.flatMap { $0 }.map { Mismatch(kind: .missing, event: $0) }
  }

  /// The latest time at which the last pending event can come.
  ///
  /// It is nil if no event is pending, or if only the order is checked.
  public var deadline: Int64? {
    guard let tolerance = options.tolerance else { return nil }
    return pending.compactMap { $0.map(\.microseconds).max() }.max().map { $0 + tolerance }
  }

  private func isSame(_ expected: HIDTraceEvent, _ event: HIDTraceEvent) -> Bool {
    if let tolerance = options.tolerance,
      abs(expected.microseconds - event.microseconds) > tolerance
    {
      return false
    }
    switch (part(expected), part(event)) {
    case (.getReport(let first), .getReport(let second)):
      return first.type == second.type && first.id == second.id
    case (let first?, let second?):
      guard let first = Written(first), let second = Written(second) else { return false }
      return first == second
    default: return false
    }
  }

  /// A report that the host sent to the device.
  private struct Written: Equatable {
    let type: HIDReportType
    let report: HIDReportBytes

    init?(_ kind: HIDTraceEvent.Kind) {
      switch kind {
      case .output(let report):
        type = .output
        self.report = report
      case .setReport(let set):
        type = set.type
        report = set.report
      default: return nil
      }
    }
  }
}
