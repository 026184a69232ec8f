// SPDX-License-Identifier: Apache-2.0

public import HIDWire
public import IOLoop

/// Plays a trace: sends its input reports to devices, each at its time, in the order of the trace.
///
/// The trace is read ahead by another task, in constant memory. Reports go out from the task that plays, which should be on
/// the devices' thread for the best accuracy: what is due is sent by whoever the timeline's timer wakes.
public struct HIDTracePlayer: Sendable {
  /// How fast, what, how often.
  public var pace: HIDTracePace
  /// What times go by.
  ///
  /// For the best accuracy, that of the loop which the player's task runs on.
  public var timeline: Timeline
  /// How long before a report is due its thread stops sleeping, so that the sink looks at the clock until then: at most
  /// 100 microseconds, and nothing of it where the time is virtual.
  ///
  /// Whatever waits on the same loop waits meanwhile. Timers wake a thread some tens of microseconds late, so that of
  /// the default most is slept.
  public var spin = Duration.microseconds(20)
  /// Is called whenever the trace begins anew, and the first time: where its devices' first answers come again.
  package var whenRoundBegins: (@Sendable () -> Void)?
  private let lengths: [HIDReportLengths]
  private let makeReader: @Sendable () throws(HIDTraceError) -> HIDTraceReader

  /// How long a loop is kept from other work at most.
  static let longestSpin = Duration.microseconds(100)
  /// How many reports are sent before the loop may do something else: some 100 microseconds of them.
  static let turn = 504

  /// Makes a player.
  ///
  /// - Parameters:
  ///   - pace: How fast, what, how often.
  ///   - timeline: What times go by.
  ///   - lengths: How long the reports of each device are declared to be: a shorter one is filled up with zeros, and one
  ///     that is not declared, or longer than any bus takes, is left out. None to send all as they are.
  ///   - makeReader: Begins to read the trace: called for each round, not on the player's thread.
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

  /// Plays the trace, and returns when the last report was sent, something failed, or the task was cancelled.
  ///
  /// A report is never sent before it is due. What a host did is not done again. A device that the trace unplugs and plugs
  /// is, and so is one that a round has left unplugged when the next begins.
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

/// A trace that is being played.
private struct PlayerRun<Sink: HIDTraceSink> {
  private let timeline: Timeline
  private let isTimed: Bool
  private let spin: Duration
  private let sink: Sink
  private let whenRoundBegins: (@Sendable () -> Void)?
  /// When the trace was begun, which is when the first of it had been read.
  private(set) var start: MonotonicTime?
  var playback = HIDTracePlayback()
  /// How many reports were sent since the loop did something else.
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
    playback.rounds = piece.round
    var next = 0
    var odd = piece.odd[...]
    for run in piece.runs {
      if let change = run.change {
        if isTimed { _ = try await approach(start.advanced(byNanoseconds: change.due)) }
        try Task.checkCancellation()
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
      }
    }
  }

  /// Sends what is due of a device's reports, when the first of them is.
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

  /// Waits until a time is no further away than what is spun, and says for what time reports are to be sent: that one, or
  /// now, if it is later.
  private mutating func approach(_ due: MonotonicTime) async throws -> MonotonicTime {
    let now = timeline.now
    guard now < due else { return now }
    let wake = due.advanced(by: .zero - spin)
    if now < wake {
      try await timeline.sleep(until: wake)
      sentInTurn = 0
    } else {
      // Others had no turn since the last report, and get none while somebody looks at the clock.
      await giveWay()
    }
    return max(timeline.now, due)
  }

  private mutating func giveWay() async {
    sentInTurn = 0
    await timeline.giveWay()
  }
}
