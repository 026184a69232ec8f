// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// The answers of a device that a trace recorded, for hosts that send the same requests to its
/// replay.
///
/// The first request for a report gets the first answer of the trace for that report, and the
/// second request the second answer. When no further answer is left, requests get the last answer.
/// Requests before ``begin()`` or ``start()``, such as those of drivers that probe the device, get
/// the first answer. They do not count.
///
/// If only a part of the trace is played, ``addEarlier(_:)`` takes the answers before the part.
/// Their first answer is for requests before the start. Their last answer is for requests for which
/// the part has no answer.
public struct HIDTraceAnswers: Sendable {
  /// The largest number of answers that ``add(_:)`` keeps.
  ///
  /// An answer that equals the previous answer for the same report takes no room. Once the limit is
  /// reached, all further answers are dropped.
  public static let capacity = 65_536

  private struct Name: Hashable, Sendable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  /// The answers to one request, in order, each with the number of times that it comes in a row.
  private struct Queue<Answer: Equatable & Sendable>: Sendable {
    private var answers: [(answer: Answer, count: Int)] = []
    private var position = 0
    private var used = 0

    /// Adds an answer if there is room for it.
    ///
    /// - Returns: True if the answer takes room, or was dropped because there is none. False if
    ///   there is room and the answer equals the previous answer, whose count increases.
    mutating func add(_ answer: Answer, hasRoom: Bool) -> Bool {
      // After an answer was dropped, the next must not count as a repetition of a kept answer.
      guard hasRoom else { return true }
      if let last = answers.last, last.answer == answer {
        answers[answers.count - 1].count += 1
        return false
      }
      answers.append((answer, 1))
      return true
    }

    var first: Answer? { answers.first?.answer }

    mutating func next() -> Answer? {
      guard position < answers.count else { return nil }
      let answer = answers[position].answer
      used += 1
      if used >= answers[position].count, position + 1 < answers.count {
        position += 1
        used = 0
      }
      return answer
    }

    mutating func restart() {
      position = 0
      used = 0
    }
  }

  /// The answers to one request before the part of the trace that is played.
  private struct Earlier<Answer: Sendable>: Sendable {
    let first: Answer
    var last: Answer
  }

  private var gets: [Name: Queue<HIDRequestAnswer>] = [:]
  private var sets: [Name: Queue<HIDRequestAnswer>] = [:]
  private var earlierGets: [Name: Earlier<HIDRequestAnswer>] = [:]
  private var earlierSets: [Name: Earlier<HIDRequestAnswer>] = [:]
  private var count = 0
  private var isPlaying = false
  /// True if ``begin()`` has begun the next round, so that ``start()`` does not begin it again.
  private var hasBegun = false
  /// The number of answers that were dropped because there were too many.
  public private(set) var leftOut = 0

  /// Creates an empty set of answers.
  public init() {}

  /// True if there are no answers.
  public var isEmpty: Bool {
    gets.isEmpty && sets.isEmpty && earlierGets.isEmpty && earlierSets.isEmpty
  }

  /// Adds the answer of an event, if it has one.
  ///
  /// Events are added in their order.
  public mutating func add(_ event: HIDTraceEvent) {
    let hasRoom = count < Self.capacity
    let takes: Bool
    switch event.kind {
    case .getReport(let get) where get.answer != .none:
      takes = gets[Name(type: get.type, id: get.id), default: Queue()]
        .add(get.answer, hasRoom: hasRoom)
    case .setReport(let set) where set.answer != .none:
      takes = sets[Name(type: set.type, id: set.id), default: Queue()]
        .add(set.answer, hasRoom: hasRoom)
    default: return
    }
    guard takes else { return }
    if hasRoom { count += 1 } else { leftOut += 1 }
  }

  /// Adds the answer of an event before the part of the trace that is played, if it has one.
  ///
  /// Events are added in their order.
  public mutating func addEarlier(_ event: HIDTraceEvent) {
    switch event.kind {
    case .getReport(let get) where get.answer != .none:
      let name = Name(type: get.type, id: get.id)
      earlierGets[name, default: Earlier(first: get.answer, last: get.answer)].last = get.answer
    case .setReport(let set) where set.answer != .none:
      let name = Name(type: set.type, id: set.id)
      earlierSets[name, default: Earlier(first: set.answer, last: set.answer)].last = set.answer
    default: break
    }
  }

  /// Begins a round before the trace is played, for hosts that send requests in the meantime.
  ///
  /// Their requests count. The next call of ``start()`` continues after them. A second call before
  /// ``start()`` continues the round, too.
  public mutating func begin() {
    start()
    hasBegun = true
  }

  /// Begins a round with the first answers, or continues the round that ``begin()`` has begun.
  public mutating func start() {
    isPlaying = true
    guard !hasBegun else {
      hasBegun = false
      return
    }
    for name in gets.keys { gets[name]?.restart() }
    for name in sets.keys { sets[name]?.restart() }
  }

  /// Returns the answer to a get-report request; nil if no answer for that report was kept.
  public mutating func answer(get type: HIDReportType, _ id: HIDReportID?) -> HIDRequestAnswer? {
    let name = Name(type: type, id: id)
    let earlier = earlierGets[name]
    return isPlaying
      ? gets[name]?.next() ?? earlier?.last : earlier?.first ?? gets[name]?.first
  }

  /// Returns the answer to a set-report request; nil if no answer for that report was kept.
  public mutating func answer(set type: HIDReportType, _ id: HIDReportID?) -> HIDRequestAnswer? {
    let name = Name(type: type, id: id)
    let earlier = earlierSets[name]
    return isPlaying
      ? sets[name]?.next() ?? earlier?.last : earlier?.first ?? sets[name]?.first
  }
}
