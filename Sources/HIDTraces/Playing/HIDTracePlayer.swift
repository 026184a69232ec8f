// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// A player, which sends the input reports of a trace to devices, each at its time, in their order.
///
/// It also plugs and unplugs the devices as in the trace.
///
/// Another task reads the trace ahead, in constant memory. The task that calls ``play(to:)`` sends
/// the reports. For the best accuracy, this task should run on the thread of the devices. Then the
/// timer wakes the task that sends the due reports.
public struct HIDTracePlayer: Sendable {
  /// The speed, the part and the number of rounds.
  public var pace: HIDTracePace
  /// The timeline of all due times.
  ///
  /// For the best accuracy, this is the timeline of the loop on which the player's task runs.
  public var timeline: Timeline
  /// The time between the end of the player's sleep and the moment when a report is due.
  ///
  /// During this time, the sink polls the clock, and other tasks on the same loop wait. The limit
  /// is 100 microseconds. The value has no effect if time is virtual, or if the pace is instant.
  ///
  /// Timers wake a thread some tens of microseconds late. So the thread still sleeps during most of
  /// the default time.
  public var spin = Duration.microseconds(20)
  /// Called when a round of the trace begins, including the first; nil for no call.
  ///
  /// If the previous round left devices unplugged, it is called again after they are plugged. The
  /// callee makes the devices begin again with their first answers.
  package var whenRoundBegins: (@Sendable () -> Void)?
  private let lengths: [HIDReportLengths]
  private let makeReader: @Sendable () throws(HIDTraceError) -> HIDTraceReader

  /// The limit of ``spin``: the longest time for which a report blocks the loop.
  static let longestSpin = Duration.microseconds(100)
  /// The number of reports after which other tasks of the loop run: to send so many takes some 100
  /// microseconds.
  static let turn = 504

  /// Creates a player.
  ///
  /// - Parameters:
  ///   - pace: The speed, the part and the number of rounds.
  ///   - timeline: The timeline of all due times.
  ///   - lengths: The declared lengths of the reports of each device. A shorter report is filled up
  ///     with zeros. A report that is not declared, or that is longer than declared and than any
  ///     bus takes, is left out. Reports of a device beyond the end of the list are sent as they
  ///     are.
  ///   - makeReader: Creates a reader of the trace. Called for each round, by the task that reads
  ///     ahead.
  public init(
    pace: HIDTracePace = HIDTracePace(), timeline: Timeline = .real,
    lengths: [HIDReportLengths] = [],
    makeReader: @escaping @Sendable () throws(HIDTraceError) -> HIDTraceReader
  ) {
    self.pace = pace
    self.timeline = timeline
    self.lengths = lengths
    self.makeReader = makeReader
  }

  /// Plays all rounds of the trace, until an error occurs or the task is cancelled.
  ///
  /// Playing also ends after a round that has no event to play.
  ///
  /// No report is sent before it is due. Events of the host are not repeated. Devices are unplugged
  /// and plugged as in the trace. A device that a round leaves unplugged is plugged again when the
  /// next round begins.
  public func play(to sink: some HIDTraceSink) async -> HIDTracePlayback {
    timeline.beginWork()
    defer { timeline.endWork() }
    let feed = TraceFeed(
      pace, lengths: lengths, marksRounds: whenRoundBegins != nil, makeReader)
    let reading = Task { await feed.fill() }
    var run = PlayerRun(self, sink)
    do {
      while let piece = try await feed.next() {
        try await run.play(piece)
        feed.recycle(piece)
      }
    } catch {
      run.playback.failure = Task.isCancelled ? nil : error
    }
    run.playback.isCancelled = Task.isCancelled
    feed.stop()
    await reading.value
    run.playback.total = feed.total
    run.playback.start = run.start
    if let start = run.start { run.playback.duration = timeline.now.duration(since: start) }
    return run.playback
  }
}

/// The state of one play.
private struct PlayerRun<Sink: HIDTraceSink> {
  private let timeline: Timeline
  private let isTimed: Bool
  private let spin: Duration
  private let sink: Sink
  private let whenRoundBegins: (@Sendable () -> Void)?
  /// The start of playing, at which the first piece of the trace had been read; nil before.
  private(set) var start: MonotonicTime?
  var playback = HIDTracePlayback()
  /// The number of reports that were sent since other tasks of the loop ran.
  private var sentInTurn = 0

  init(_ player: HIDTracePlayer, _ sink: Sink) {
    timeline = player.timeline
    isTimed = !player.pace.isInstant
    spin = player.timeline.isVirtual ? .zero : min(player.spin, HIDTracePlayer.longestSpin)
    self.sink = sink
    whenRoundBegins = player.whenRoundBegins
  }

  mutating func play(_ piece: TracePiece) async throws {
    let start = start ?? timeline.now
    self.start = start
    playback.rounds = max(playback.rounds, 1)
    var next = 0
    var odd = piece.odd[...]
    // A round begins with its first report or change, although the feed has read it ahead.
    var rounds = piece.roundStarts[...]
    for (index, run) in piece.runs.enumerated() {
      if let change = run.change {
        if isTimed { _ = try await approach(start.advanced(byNanoseconds: change.due)) }
        try Task.checkCancellation()
        while let first = rounds.first, first.run <= index {
          playback.rounds = first.round
          rounds.removeFirst()
        }
        switch change.kind {
        case .plug: try await sink.plug(device: run.device)
        case .unplug: try await sink.unplug(device: run.device)
        case .round: whenRoundBegins?()
        }
      }
      while next < run.end {
        try await send(piece, &next, of: run, from: start)
        while let first = odd.first, first.place < next {
          if first.isLong { playback.long += 1 } else { playback.padded += 1 }
          odd.removeFirst()
        }
        while let first = rounds.first, first.place < next {
          playback.rounds = first.round
          rounds.removeFirst()
        }
      }
    }
    // The rounds that have nothing to play count, too.
    playback.rounds = piece.round
  }

  /// Sends the reports of a device that are due, as soon as the first of them is due.
  private mutating func send(
    _ piece: TracePiece, _ next: inout Int, of run: TracePiece.Run, from start: MonotonicTime
  ) async throws {
    var end = min(run.end, next + HIDTracePlayer.turn)
    var due = start
    if isTimed {
      due = start.advanced(byNanoseconds: piece.dueTimes[next])
      let time = try await approach(due)
      let elapsed = Int64(clamping: time.nanoseconds - start.nanoseconds)
      var last = next + 1
      while last < end, piece.dueTimes[last] <= elapsed { last += 1 }
      end = last
    }
    if sentInTurn >= HIDTracePlayer.turn { await giveWay() }
    try Task.checkCancellation()
    let sending = try await sink.send(
      piece.reports, in: next..<end, device: run.device, notBefore: due)
    if isTimed {
      let elapsed = Int64(bitPattern: sending.time.nanoseconds &- start.nanoseconds)
      for index in next..<next + sending.count {
        playback.note(lateness: elapsed - piece.dueTimes[index])
      }
    }
    next += sending.count
    playback.sent += sending.count
    sentInTurn += sending.count
  }

  /// Waits until a due time is at most the spin time away.
  ///
  /// Returns the due time, or the current time if that is later.
  private mutating func approach(_ due: MonotonicTime) async throws -> MonotonicTime {
    let now = timeline.now
    guard now < due else { return now }
    let wake = due.advanced(by: .zero - spin)
    if now < wake {
      try await timeline.sleep(until: wake)
      sentInTurn = 0
    } else {
      // Let other tasks run now: they have not run since the previous report, and cannot run while
      // the sink polls the clock.
      await giveWay()
    }
    return max(timeline.now, due)
  }

  private mutating func giveWay() async {
    sentInTurn = 0
    await timeline.giveWay()
  }
}
