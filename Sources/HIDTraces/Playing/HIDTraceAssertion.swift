// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import IOLoop

/// Holds what a host does against what a trace says it did.
///
/// For each device the reports of the trace must come in their order, each near its time. Times are microseconds since
/// playing began. An output report is the same whether it was written or set.
public struct HIDTraceAssertion: Sendable {
  /// What is asserted.
  public struct Options: Sendable {
    /// How far from its time a report may come, in microseconds; nil where only the order counts.
    public var tolerance: Int64?
    /// Whether get-report requests are asserted, too: hosts may ask as often as they like, otherwise.
    public var assertsGets: Bool
    /// Whether the host may send more than the trace has.
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

  /// Something that is not as in the trace.
  public struct Mismatch: Hashable, Sendable {
    /// What is wrong with it.
    public enum Kind: Hashable, Sendable {
      /// The trace has it, and the host did not do it in time, or not in that order.
      case missing
      /// The host did it, and the trace does not have it there.
      case unexpected
    }
    /// What is wrong with it.
    public let kind: Kind
    /// The event: of the trace where it is missing, of the host where it is unexpected.
    public let event: HIDTraceEvent
  }

  /// The most events of the host that are asserted of one trace.
  public static let capacity = 1 << 20
  /// How many events that are still to come are looked through for one that came.
  private static let window = 256

  private let options: Options
  private let part: @Sendable (HIDTraceEvent) -> HIDTraceEvent.Kind?
  private var pending: [Deque<HIDTraceEvent>] = []
  /// What of it was taken for done before playing began: who does it again has done nothing else.
  private var early: [Int: [HIDTraceEvent]] = [:]
  /// How many events the trace has that are asserted.
  public private(set) var expectedCount = 0
  /// How many of them the host did as it should.
  public private(set) var matchedCount = 0

  /// Creates an assertion of nothing.
  ///
  /// - Parameters:
  ///   - options: What is asserted.
  ///   - part: What of an event is compared: what varies from run to run is made the same; nil where that is nothing.
  public init(
    _ options: Options = Options(),
    comparing part: @escaping @Sendable (HIDTraceEvent) -> HIDTraceEvent.Kind? = { $0.kind }
  ) {
    self.options = options
    self.part = part
  }

  /// Whether an event is one that is asserted.
  public func isAsserted(_ event: HIDTraceEvent) -> Bool {
    switch event.kind {
    case .output, .setReport: break
    case .getReport: guard options.assertsGets else { return false }
    default: return false
    }
    return part(event) != nil
  }

  /// Adds what the host must do, with its time as the event's stamp; events of one device in their order.
  ///
  /// - Returns: Whether there was room for it.
  public mutating func expect(_ event: HIDTraceEvent) -> Bool {
    guard isAsserted(event) else { return true }
    guard expectedCount < Self.capacity else { return false }
    while pending.count <= event.device { pending.append([]) }
    pending[event.device].append(event)
    expectedCount += 1
    return true
  }

  /// Whether everything has come that the host must do.
  public var isComplete: Bool { pending.allSatisfy(\.isEmpty) }

  /// Takes what the host did, with its time as the event's stamp.
  ///
  /// - Returns: What is wrong by that.
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
    // What should have come before it has not.
    mismatches += pending[event.device].prefix(index).map { Mismatch(kind: .missing, event: $0) }
    pending[event.device].removeFirst(index + 1)
    matchedCount += 1
    return mismatches
  }

  /// Takes what the host did before playing began, with its time, before zero, as the event's stamp.
  ///
  /// Drivers do things of their own when a device is plugged. They may be the next of the trace, and need not be.
  public mutating func sawEarly(_ event: HIDTraceEvent) {
    guard isAsserted(event), pending.indices.contains(event.device),
      let first = pending[event.device].first, isSame(first, event)
    else { return }
    early[event.device, default: []].append(pending[event.device].removeFirst())
    matchedCount += 1
  }

  /// Says what has not come by a time though it should have.
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

  /// Says what has not come at all.
  public mutating func end() -> [Mismatch] {
    defer { pending = [] }
    return pending.flatMap { $0 }.map { Mismatch(kind: .missing, event: $0) }
  }

  /// When the last of what is still to come is due at the latest; nil where nothing is, or only the order counts.
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

  /// A report as the host gave it to the device.
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
