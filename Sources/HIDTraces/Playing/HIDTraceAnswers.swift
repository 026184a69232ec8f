// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// What a device answered while its trace was made, for hosts that ask the same again.
///
/// The first time that a host asks for a report it gets the first answer of the trace for that report, the second time
/// the second, and the last one ever after. What is asked before ``begin()`` or ``start()``, such as by drivers that want
/// to know the device, gets the first, and does not count. Of a part of the trace the answers before it are those of a device
/// that has been asked already: the first is for who asks before, the last for what the part has no answer to.
public struct HIDTraceAnswers: Sendable {
  /// The most answers that are kept; one that is the same as the one before takes no room.
  public static let capacity = 65_536

  private struct Name: Hashable, Sendable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  /// Answers in their order, each with how often it comes in a row.
  private struct Queue<Answer: Equatable & Sendable>: Sendable {
    private var answers: [(answer: Answer, count: Int)] = []
    private var position = 0
    private var used = 0

    /// Adds an answer, and says whether that took memory.
    mutating func add(_ answer: Answer, hasRoom: Bool) -> Bool {
      // What follows one that is not kept must not be taken for what follows the last that is.
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

  /// The answers to one request before the part that is played.
  private struct Earlier<Answer: Sendable>: Sendable {
    let first: Answer
    var last: Answer
  }

  private var gets: [Name: Queue<HIDTraceGet.Answer>] = [:]
  private var sets: [Name: Queue<HIDTraceSet.Answer>] = [:]
  private var earlierGets: [Name: Earlier<HIDTraceGet.Answer>] = [:]
  private var earlierSets: [Name: Earlier<HIDTraceSet.Answer>] = [:]
  private var count = 0
  private var isPlaying = false
  /// Whether the round that starts next has begun already.
  private var hasBegun = false
  /// How many answers of the trace are not kept, because there are too many.
  public private(set) var leftOut = 0

  /// Creates answers of which there are none.
  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool {
    gets.isEmpty && sets.isEmpty && earlierGets.isEmpty && earlierSets.isEmpty
  }

  /// Takes the answer from an event of the trace, if it is one of a device's; events in their order.
  public mutating func add(_ event: HIDTraceEvent) {
    let hasRoom = count < Self.capacity
    let takes: Bool
    switch event.kind {
    case .getReport(let get) where get.answer != .unanswered:
      takes = gets[Name(type: get.type, id: get.id), default: Queue()]
        .add(get.answer, hasRoom: hasRoom)
    case .setReport(let set) where set.answer != .unanswered:
      takes = sets[Name(type: set.type, id: set.id), default: Queue()]
        .add(set.answer, hasRoom: hasRoom)
    default: return
    }
    guard takes else { return }
    if hasRoom { count += 1 } else { leftOut += 1 }
  }

  /// Takes the answer from an event that is before the part of the trace which is played; events in their order.
  public mutating func addEarlier(_ event: HIDTraceEvent) {
    switch event.kind {
    case .getReport(let get) where get.answer != .unanswered:
      let name = Name(type: get.type, id: get.id)
      earlierGets[name, default: Earlier(first: get.answer, last: get.answer)].last = get.answer
    case .setReport(let set) where set.answer != .unanswered:
      let name = Name(type: set.type, id: set.id)
      earlierSets[name, default: Earlier(first: set.answer, last: set.answer)].last = set.answer
    default: break
    }
  }

  /// Begins before the trace is played, for hosts that come meanwhile.
  ///
  /// What they ask counts, and ``start()`` goes on with it.
  public mutating func begin() {
    start()
    hasBegun = true
  }

  /// Begins, or begins again, with the first answers.
  public mutating func start() {
    isPlaying = true
    guard !hasBegun else {
      hasBegun = false
      return
    }
    for name in gets.keys { gets[name]?.restart() }
    for name in sets.keys { sets[name]?.restart() }
  }

  /// What a host is answered that asks for a report; nil where the trace has nothing of it.
  public mutating func answer(get type: HIDReportType, _ id: HIDReportID?) -> HIDTraceGet.Answer? {
    let name = Name(type: type, id: id)
    let earlier = earlierGets[name]
    return isPlaying
      ? gets[name]?.next() ?? earlier?.last : earlier?.first ?? gets[name]?.first
  }

  /// What a host is answered that sets a report; nil where the trace has nothing of it.
  public mutating func answer(set type: HIDReportType, _ id: HIDReportID?) -> HIDTraceSet.Answer? {
    let name = Name(type: type, id: id)
    let earlier = earlierSets[name]
    return isPlaying
      ? sets[name]?.next() ?? earlier?.last : earlier?.first ?? sets[name]?.first
  }
}
