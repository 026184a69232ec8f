// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

/// A buffer of a few pieces of a trace, which is read ahead of its player.
///
/// A separate task reads, so that the thread that sends reports does not parse.
final class TraceFeed: Sendable {
  /// The largest number of pieces that are ready.
  static let depth = 4

  private struct State: Sendable {
    var pieces: [TracePiece] = []
    /// Pieces that were played and whose memory is used again.
    var spare: [TracePiece] = []
    var total = 0
    var isOver = false
    var failure: HIDTraceError?
    /// True if the player takes no more pieces.
    var isStopped = false
  }

  private let pace: HIDTracePace
  private let lengths: [HIDReportLengths]
  private let marksRounds: Bool
  private let makeReader: @Sendable () throws(HIDTraceError) -> HIDTraceReader
  private let state = ConditionMutex(State())

  /// - Parameter marksRounds: True to add a change when a round begins.
  init(
    _ pace: HIDTracePace, lengths: [HIDReportLengths], marksRounds: Bool,
    _ makeReader: @escaping @Sendable () throws(HIDTraceError) -> HIDTraceReader
  ) {
    self.pace = pace
    self.lengths = lengths
    self.marksRounds = marksRounds
    self.makeReader = makeReader
  }

  // MARK: The player's side

  /// The number of input reports in the pieces that were made so far.
  var total: Int { state.withLock { $0.total } }

  /// Removes and returns the next piece; nil at the end, or if the feed was stopped.
  ///
  /// If the task is cancelled while it waits for a piece, the feed stops.
  ///
  /// - Throws: The error of the trace, after the pieces before it.
  func next() async throws(HIDTraceError) -> TracePiece? {
    let next = await state.wait(until: nil) { state -> Result<TracePiece?, HIDTraceError>? in
      if !state.pieces.isEmpty { return .success(state.pieces.removeFirst()) }
      guard state.isOver || state.isStopped else { return nil }
      return state.failure.map { .failure($0) } ?? .success(nil)
    }
    guard let next else {
      stop()
      return nil
    }
    return try next.get()
  }

  /// Takes back a piece that was played.
  func recycle(_ piece: consuming TracePiece) {
    piece.removeAll()
    let empty = piece
    state.withLock { $0.spare.append(empty) }
  }

  /// Stops reading and discards the pieces that are ready.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.pieces = []
    }
  }

  // MARK: The reader's side

  /// Reads the trace for each round, until the last round has ended or the player stops the feed.
  ///
  /// Reading also ends after an error, and after a round without any event to play.
  @concurrent
  func fill() async {
    var failure: HIDTraceError?
    var visitor = FeedVisitor(pace, lengths, marksRounds: marksRounds)
    do throws(HIDTraceError) {
      try await fillRounds(&visitor)
    } catch {
      failure = error
    }
    // The events before an error are played, too.
    if !visitor.piece.isEmpty { _ = await put(&visitor.piece) }
    state.withLock { state in
      state.isOver = true
      state.failure = failure
    }
  }

  private func fillRounds(_ visitor: inout FeedVisitor) async throws(HIDTraceError) {
    var round = 0
    while pace.loops.map({ round < $0 }) ?? true {
      round += 1
      var reader = try makeReader()
      // A round begins in the piece that has its first event.
      if visitor.piece.isFull { guard await put(&visitor.piece) else { return } }
      visitor.begin(round: round, deviceCount: reader.devices.count)
      repeat {
        if visitor.piece.isFull { guard await put(&visitor.piece) else { return } }
        visitor.piece.round = round
      } while try reader.visit(&visitor) && !visitor.isOver
      // Rounds without any event to play take no time, and would repeat without end.
      guard visitor.endRound() else { return }
      // Many rounds of a short trace fit into one piece. The first round must not wait for the
      // last.
      if !pace.isInstant || visitor.piece.isEmpty, isShort {
        guard await put(&visitor.piece) else { return }
      }
    }
  }

  /// True if no piece is ready for the player, or if the player takes no more pieces.
  private var isShort: Bool { state.withLock { $0.pieces.isEmpty || $0.isStopped } }

  /// Gives a piece to the player, and waits while ``depth`` pieces are ready.
  ///
  /// - Parameter piece: The piece; replaced with an empty piece if the result is true.
  /// - Returns: False if the player takes no more pieces.
  private func put(_ piece: inout TracePiece) async -> Bool {
    let filled = piece
    state.withLock { state in
      guard !state.isStopped else { return }
      state.total += filled.reports.count
      state.pieces.append(filled)
    }
    let empty = await state.wait { [isTimed = !pace.isInstant] state -> TracePiece?? in
      guard !state.isStopped else { return .some(nil) }
      guard state.pieces.count < Self.depth else { return nil }
      return state.spare.popLast() ?? TracePiece(isTimed: isTimed)
    }
    guard let empty else { return false }
    piece = empty
    return true
  }
}

/// A visitor that adds the events to play to pieces, each with its due time.
///
/// It adds input reports, plugs and unplugs. It leaves out reports that are undeclared or too long
/// to send.
private struct FeedVisitor: TraceVisitor {
  var piece: TracePiece
  private let pace: HIDTracePace
  private let lengths: [HIDReportLengths]
  private let marksRounds: Bool
  private var schedule: HIDTraceSchedule
  private var deviceCount = 0
  /// The start of the round, in nanoseconds since the start of playing.
  private var start: Int64 = 0
  /// The devices that played events have unplugged and not plugged again.
  private var away: Set<Int> = []

  init(_ pace: HIDTracePace, _ lengths: [HIDReportLengths], marksRounds: Bool) {
    self.pace = pace
    self.lengths = lengths
    self.marksRounds = marksRounds
    schedule = HIDTraceSchedule(pace)
    piece = TracePiece(isTimed: !pace.isInstant)
  }

  mutating func begin(round: Int, deviceCount: Int) {
    self.deviceCount = deviceCount
    piece.begin(round: round)
    markRound()
    for device in away.sorted() {
      piece.append(TracePiece.Change(kind: .plug, due: start), device: device)
    }
    // Requests that hosts sent while the devices were being plugged do not count.
    if !away.isEmpty { markRound() }
    away = []
    schedule = HIDTraceSchedule(pace)
  }

  private mutating func markRound() {
    if marksRounds { piece.append(TracePiece.Change(kind: .round, due: start), device: 0) }
  }

  /// Ends the round and returns whether it had any event to play.
  mutating func endRound() -> Bool {
    start = start.added(schedule.periodTime)
    return schedule.hasPlayed
  }

  var wantsMore: Bool { !piece.isFull && !isOver }

  /// True if each device has had an event after the part, so that no further event is played.
  var isOver: Bool { schedule.isOver(deviceCount: deviceCount) }

  mutating func input(_ report: Span<UInt8>, device: Int, at microseconds: Int64, line: Int) {
    guard let due = schedule.dueTime(ofInput: microseconds, device: device) else { return }
    var count = report.count
    var isLong = false
    if device < lengths.count {
      switch TraceFitting(report, lengths[device]) {
      case .exact: break
      case .long: isLong = true
      case .short(let declared): count = declared
      case .tooLong, .undeclared: return
      }
    }
    piece.append(report, filledUpTo: count, device: device, due: start.added(due))
    if isLong || count != report.count { piece.noteOdd(isLong: isLong) }
  }

  mutating func event(_ event: HIDTraceEvent) {
    guard let due = schedule.dueTime(of: event) else { return }
    let kind: TracePiece.Change.Kind
    switch event.kind {
    case .plugged:
      kind = .plug
      away.remove(event.device)
    case .unplugged:
      kind = .unplug
      away.insert(event.device)
    default: return
    }
    piece.append(TracePiece.Change(kind: kind, due: start.added(due)), device: event.device)
  }
}
