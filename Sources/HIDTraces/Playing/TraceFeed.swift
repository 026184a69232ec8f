// SPDX-License-Identifier: Apache-2.0

import HIDWire
import IOLoop
import Synchronization

/// Reads a trace ahead of its player, a few pieces of it: in a task of its own, so that nothing is parsed where reports
/// are sent.
final class TraceFeed: Sendable {
  /// How many pieces are ready at most.
  static let depth = 4

  private struct State: Sendable {
    var pieces: [TracePiece] = []
    /// Pieces that were played, for their memory.
    var spare: [TracePiece] = []
    var total = 0
    var isOver = false
    var failure: HIDTraceError?
    /// Whether nobody takes pieces any more.
    var isStopped = false
    var consumer: CheckedContinuation<Void, Never>?
    var producer: CheckedContinuation<Void, Never>?
  }

  private let pace: HIDTracePace
  private let fit: HIDTracePlayer.Fit?
  private let makeReader: @Sendable () throws(HIDTraceError) -> HIDTraceReader
  private let state = Mutex(State())

  init(
    _ pace: HIDTracePace, fit: HIDTracePlayer.Fit?,
    _ makeReader: @escaping @Sendable () throws(HIDTraceError) -> HIDTraceReader
  ) {
    self.pace = pace
    self.fit = fit
    self.makeReader = makeReader
  }

  // MARK: The player's side

  /// How many input reports are in the pieces that were made so far.
  var total: Int { state.withLock { $0.total } }

  /// Takes the next piece; nil at the end, or when the feed was stopped.
  func next() async throws(HIDTraceError) -> TracePiece? {
    while true {
      let (piece, isOver, failure, producer) = state.withLock { state in
        let piece = state.pieces.isEmpty ? nil : state.pieces.removeFirst()
        return (
          piece, piece == nil && (state.isOver || state.isStopped), state.failure,
          state.producer.take()
        )
      }
      producer?.resume()
      if let piece { return piece }
      if isOver {
        if let failure { throw failure }
        return nil
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let waits = state.withLock { state in
            guard state.pieces.isEmpty, !state.isOver, !state.isStopped else { return false }
            state.consumer = continuation
            return true
          }
          if !waits { continuation.resume() }
        }
      } onCancel: {
        stop()
      }
    }
  }

  /// Gives a piece back that was played.
  func recycle(_ piece: consuming TracePiece) {
    piece.removeAll()
    let empty = piece
    state.withLock { $0.spare.append(empty) }
  }

  /// Has nothing more read.
  func stop() {
    let (consumer, producer) = state.withLock { state in
      state.isStopped = true
      state.pieces = []
      return (state.consumer.take(), state.producer.take())
    }
    consumer?.resume()
    producer?.resume()
  }

  // MARK: The reader's side

  /// Reads the trace, as often as it is played, until it is over or nobody wants it.
  @concurrent
  func fill() async {
    var failure: HIDTraceError?
    var piece = TracePiece(isTimed: !pace.isInstant)
    do throws(HIDTraceError) {
      try await fillRounds(&piece)
    } catch {
      failure = error
    }
    // Also what comes before that which is wrong.
    if !piece.isEmpty { _ = await put(&piece) }
    let consumer = state.withLock { state in
      state.isOver = true
      state.failure = failure
      return state.consumer.take()
    }
    consumer?.resume()
  }

  private func fillRounds(_ piece: inout TracePiece) async throws(HIDTraceError) {
    var start: Int64 = 0
    var round = 0
    // Devices that a round has left unplugged.
    var away: Set<Int> = []
    while pace.loops.map({ round < $0 }) ?? true {
      round += 1
      for device in away.sorted() {
        piece.append(TracePiece.Change(isPlugged: true, due: start), device: device)
      }
      away = []
      var reader = try makeReader()
      var schedule = HIDTraceSchedule(pace)
      repeat {
        if piece.isFull { guard await put(&piece) else { return } }
        piece.round = round
      } while try read(&reader, &schedule, into: &piece, from: start, &away)
      // A round without anything to do would be followed by another one at once, and so on.
      guard schedule.hasPlayed else { return }
      start = start.added(schedule.periodTime)
    }
  }

  /// Reads until a piece is full, and says whether there may be more to read.
  private func read(
    _ reader: inout HIDTraceReader, _ schedule: inout HIDTraceSchedule,
    into piece: inout TracePiece, from start: Int64, _ away: inout Set<Int>
  ) throws(HIDTraceError) -> Bool {
    while !piece.isFull {
      guard let event = try reader.next() else { return false }
      guard let due = schedule.dueTime(of: event) else { continue }
      switch event.kind {
      case .input(let report):
        report.withSpan { bytes in
          var count = bytes.count
          if let fit {
            guard let fitting = fit(event.device, bytes) else { return }
            count = fitting
          }
          piece.append(
            bytes, filledUpTo: count, device: event.device, due: start.added(due))
        }
      case .plugged:
        away.remove(event.device)
        piece.append(
          TracePiece.Change(isPlugged: true, due: start.added(due)), device: event.device)
      case .unplugged:
        away.insert(event.device)
        piece.append(
          TracePiece.Change(isPlugged: false, due: start.added(due)), device: event.device)
      case .original, .output, .getReport, .setReport, .opened, .closed, .lost: break
      }
    }
    return true
  }

  /// Hands a piece over in exchange for an empty one, and says whether more are wanted.
  private func put(_ piece: inout TracePiece) async -> Bool {
    let filled = piece
    let consumer = state.withLock { state in
      state.total += filled.reports.count
      state.pieces.append(filled)
      return state.consumer.take()
    }
    consumer?.resume()
    while true {
      let next = state.withLock { state -> (TracePiece?, isStopped: Bool) in
        guard !state.isStopped else { return (nil, true) }
        guard state.pieces.count < Self.depth else { return (nil, false) }
        return (state.spare.popLast() ?? TracePiece(isTimed: !pace.isInstant), false)
      }
      if next.isStopped { return false }
      if let empty = next.0 {
        piece = empty
        return true
      }
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard !state.isStopped, state.pieces.count >= Self.depth else { return false }
          state.producer = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    }
  }
}
