// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDText
import HIDTraces
import IOLoop
import Synchronization
import Testing

@Suite("Playing traces", .timeLimit(.minutes(1)))
struct PlayerTests {
  /// A sink that records the events of a trace with their times on the timeline.
  private final class Recorder: HIDTraceSink {
    struct Line: Equatable, CustomStringConvertible {
      let time: Duration
      let description: String

      static func == (first: Line, second: Line) -> Bool {
        (first.time, first.description) == (second.time, second.description)
      }
    }

    let timeline: Timeline
    private let start: MonotonicTime
    /// The largest number of reports that the sink takes in one call.
    private let room: Int
    /// Called with the number of each report's line, from 1, before the report is taken.
    private let willTake: @Sendable (Int) async throws -> Void
    private let state = Mutex<[Line]>([])

    init(
      _ timeline: Timeline, room: Int = .max,
      willTake: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) {
      self.timeline = timeline
      self.room = room
      self.willTake = willTake
      start = timeline.now
    }

    var lines: [Line] { state.withLock { $0 } }
    var texts: [String] { lines.map(\.description) }
    var times: [Duration] { lines.map(\.time) }

    private func add(_ text: String) {
      let line = Line(time: timeline.now.duration(since: start), description: text)
      state.withLock { $0.append(line) }
    }

    func send(
      _ reports: HIDReportBatch, in range: Range<Int>, device: Int, notBefore due: MonotonicTime
    ) async throws -> HIDTraceSending {
      let time = timeline.now
      #expect(time >= due)
      for index in range.prefix(room) {
        try await willTake(lines.count + 1)
        add(
          "\(device):"
            + reports.withBytes { bytes in
              [UInt8](HIDReportBytes(copying: bytes.extracting(reports.byteRange(ofReport: index))))
                .map { String($0, radix: 16) }.joined(separator: " ")
            })
      }
      return HIDTraceSending(count: min(room, range.count), time: time)
    }

    func plug(device: Int) async { add("\(device) plugged") }
    func unplug(device: Int) async { add("\(device) unplugged") }
  }

  private func input(_ microseconds: Int64, _ byte: UInt8, device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(microseconds: microseconds, device: device, kind: .input(.init([byte])))
  }

  private func trace(_ events: [HIDTraceEvent], devices: Int = 1) -> HIDTrace {
    HIDTrace(
      devices: (0..<devices).map { HIDTraceDevice(number: $0, descriptor: [0xC0]) }, events: events)
  }

  private func play(
    _ trace: HIDTrace, room: Int = .max,
    pace change: (inout HIDTracePace) -> Void = { _ in },
    lengths: [HIDReportLengths] = [],
    willTake: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) async -> (playback: HIDTracePlayback, Recorder) {
    let timeline = Timeline.virtual()
    let recorder = Recorder(timeline, room: room, willTake: willTake)
    var pace = HIDTracePace()
    change(&pace)
    let player = HIDTracePlayer(pace: pace, timeline: timeline, lengths: lengths) {
      HIDTraceReader(trace)
    }
    timeline.start()
    // The player runs in its own task, which a sink may cancel.
    return (await Task { await player.play(to: recorder) }.value, recorder)
  }

  @Test("events of a device that the trace does not declare are not played")
  func unknownDevice() async {
    let (playback, recorder) = await play(
      trace([
        input(0, 1), input(0, 2, device: 1), input(0, 3, device: -1),
        HIDTraceEvent(microseconds: 1000, device: .max, kind: .unplugged), input(2000, 4),
      ]))
    #expect(recorder.texts == ["0:1", "0:4"])
    #expect(playback.total == 2 && playback.isComplete)
  }

  @Test("the first round of a short trace is played before the others are read")
  func firstRound() async {
    let trace = trace([input(0, 1), input(10, 2)])
    let isPlayed = Mutex(false)
    let readers = Mutex(0)
    let recorder = Recorder(.real) { if $0 == 2 { isPlayed.withLock { $0 = true } } }
    var pace = HIDTracePace()
    pace.loops = 3
    let player = HIDTracePlayer(pace: pace) { () throws(HIDTraceError) in
      let isFirst = readers.withLock { count in
        count += 1
        return count == 1
      }
      // The wait has an end, so that the test ends if it fails.
      for _ in 0..<20_000 where !isFirst && !isPlayed.withLock({ $0 }) { usleep(1000) }
      guard isFirst || isPlayed.withLock({ $0 }) else {
        throw HIDTraceError(HIDTextProblem(file: "", location: .start, message: "nothing played"))
      }
      return HIDTraceReader(trace)
    }
    let playback = await player.play(to: recorder)
    #expect(playback.failure == nil)
    #expect(recorder.texts == ["0:1", "0:2", "0:1", "0:2", "0:1", "0:2"])
  }

  @Test("each report is sent at its time, after any pause and after a stamp that goes back")
  func times() async {
    let (playback, recorder) = await play(
      trace([
        input(50, 1), input(5_000_050, 2), input(5_000_050, 3), input(4_000_000, 4),
        input(90_000_000_050, 5),
      ]))
    #expect(recorder.texts == ["0:1", "0:2", "0:3", "0:4", "0:5"])
    #expect(recorder.times == [.zero, .seconds(5), .seconds(5), .seconds(5), .seconds(90_000)])
    #expect(playback.sent == 5)
    #expect(playback.total == 5)
    #expect(playback.rounds == 1)
    #expect(playback.duration == .seconds(90_000))
    #expect(playback.timedCount == 5)
    #expect(playback.lateness(percentile: 100) == .zero)
    #expect(playback.early == 0)
    #expect(playback.isComplete)
  }

  @Test("reports of two devices keep their order, even at the same time")
  func devices() async {
    let (playback, recorder) = await play(
      trace(
        [
          input(0, 1), input(0, 2, device: 1), input(0, 3), input(1000, 4, device: 1),
          input(1000, 5, device: 1), input(1000, 6), input(900, 7, device: 1), input(2000, 8),
        ], devices: 2))
    #expect(recorder.texts == ["0:1", "1:2", "0:3", "1:4", "1:5", "0:6", "1:7", "0:8"])
    let wanted = [0, 0, 0, 1, 1, 1, 1, 2].map { Duration.milliseconds($0) }
    #expect(recorder.times == wanted)
    #expect(playback.isComplete)
  }

  @Test("host events are not sent, and an unplugged device is plugged again for the next round")
  func changes() async {
    let (playback, recorder) = await play(
      trace([
        HIDTraceEvent(microseconds: 0, kind: .opened), input(10, 1),
        HIDTraceEvent(microseconds: 15, kind: .output(.init([9]))),
        HIDTraceEvent(microseconds: 20, kind: .unplugged),
        HIDTraceEvent(microseconds: 30, kind: .plugged), input(40, 2),
        HIDTraceEvent(microseconds: 50, kind: .unplugged),
      ])
    ) { $0.loops = 2 }
    let round = ["0:1", "0 unplugged", "0 plugged", "0:2", "0 unplugged"]
    #expect(recorder.texts == round + ["0 plugged"] + round)
    // The second round begins one mean interval after the end of the first.
    let first = [10, 20, 30, 40, 50].map { Duration.microseconds($0) }
    let second = Duration.nanoseconds(62_500)
    #expect(recorder.times == first + [second] + first.map { $0 + second })
    #expect(playback.sent == 4)
    #expect(playback.rounds == 2)
  }

  @Test("rounds follow each other at the mean interval, and a part begins at once")
  func rounds() async {
    let (playback, recorder) = await play(
      trace([input(0, 1), input(1_000_000, 2), input(1_500_000, 3), input(3_000_000, 4)])
    ) {
      $0.loops = 3
      $0.from = .seconds(1)
      $0.to = .seconds(2)
      $0.speed = 2
    }
    #expect(recorder.texts == ["0:2", "0:3", "0:2", "0:3", "0:2", "0:3"])
    let times = [0, 250, 500, 750, 1000, 1250].map { Duration.milliseconds($0) }
    #expect(recorder.times == times)
    #expect(playback.rounds == 3)
    #expect(playback.total == 6)
  }

  @Test("if playing ends early, rounds that have not begun do not count")
  func earlyEnd() async {
    struct Unplugged: Error {}
    // 100 rounds fit into one piece. The fifth report is the first one of the third round.
    let (reports, _) = await play(
      trace([input(0, 1), input(10, 2)]), room: 1,
      pace: {
        $0.loops = 100
        $0.isInstant = true
      },
      willTake: { if $0 == 5 { throw Unplugged() } })
    #expect(reports.failure is Unplugged)
    #expect(reports.sent == 4)
    #expect(reports.rounds == 2)
    // The second round has begun with a change, and its report fails.
    let (changes, _) = await play(
      trace([
        HIDTraceEvent(microseconds: 0, kind: .unplugged),
        HIDTraceEvent(microseconds: 1, kind: .plugged), input(2, 1),
      ]), room: 1,
      pace: {
        $0.loops = 100
        $0.isInstant = true
      },
      willTake: { if $0 == 6 { throw Unplugged() } })
    #expect(changes.failure is Unplugged)
    #expect(changes.sent == 1)
    #expect(changes.rounds == 2)
  }

  @Test("an endless replay of an empty part ends", arguments: [true, false])
  func nothing(isInstant: Bool) async {
    let (playback, recorder) = await play(trace([input(0, 1)])) {
      $0.loops = nil
      $0.isInstant = isInstant
      $0.from = .seconds(1)
    }
    #expect(recorder.texts == [])
    #expect(playback.isComplete)
  }

  @Test("ten thousand reports pass through a sink that takes seven at once, and one that takes all")
  func many() async {
    let events = (0..<10_000).map { number -> HIDTraceEvent in
      let time = Int64(number / 3) * 500
      return input(time, UInt8(number % 251), device: number % 5 == 0 ? 1 : 0)
    }
    let wanted = (0..<10_000).map { number -> String in
      let byte = String(number % 251, radix: 16)
      return (number % 5 == 0 ? "1:" : "0:") + byte
    }
    for room in [7, .max] {
      for isInstant in [false, true] {
        let (playback, recorder) = await play(trace(events, devices: 2), room: room) {
          $0.isInstant = isInstant
        }
        #expect(recorder.texts == wanted)
        #expect(playback.sent == 10_000)
        #expect(playback.total == 10_000)
        #expect(playback.timedCount == (isInstant ? 0 : 10_000))
        #expect(recorder.times.last == (isInstant ? .zero : .microseconds(3333 * 500)))
      }
    }
  }

  @Test("short reports are padded, longer ones are sent, and undeclared or huge ones are left out")
  func fitting() async throws {
    // Two input reports: 1 of two bytes and 2 of three, including the ID.
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95,
      0x01, 0x85, 0x01, 0x09, 0x01, 0x81, 0x02, 0x85, 0x02, 0x95, 0x02, 0x09, 0x01, 0x81, 0x02,
      0xC0,
    ])
    let reports: [[UInt8]] = [
      [1, 5], [2, 6], [2], [3, 1], [], [1, 2, 3], [2, 7, 8],
      [1] + Array(repeating: 9, count: 4096),
    ]
    let (playback, recorder) = await play(
      trace(
        reports.map { HIDTraceEvent(microseconds: 0, kind: .input(HIDReportBytes($0))) }),
      lengths: [HIDReportLengths(descriptor)])
    #expect(recorder.texts == ["0:1 5", "0:2 6 0", "0:2 0 0", "0:1 2 3", "0:2 7 8"])
    #expect(playback.sent == 5)
    #expect(playback.isComplete)
  }

  @Test("the lateness of reports is counted, and later reports return to the schedule")
  func late() async throws {
    let timeline = Timeline.virtual()
    let recorder = Recorder(timeline) { number in
      // Another task has the thread for 2.5 ms when the third report is sent.
      if number == 3 { try await timeline.sleep(for: .microseconds(2500)) }
    }
    let events = (0..<6).map { input(Int64($0) * 1000, UInt8($0)) }
    let trace = trace(events)
    let player = HIDTracePlayer(timeline: timeline) { HIDTraceReader(trace) }
    timeline.start()
    let playback = await player.play(to: recorder)
    #expect(recorder.texts == ["0:0", "0:1", "0:2", "0:3", "0:4", "0:5"])
    let times = [0, 1000, 4500, 4500, 4500, 5000].map { Duration.microseconds($0) }
    #expect(recorder.times == times)
    // The third report was begun in time.
    #expect(playback.timedCount == 6)
    #expect(playback.lateness(percentile: 60) == .zero)
    let late = try #require(playback.lateness(percentile: 80)) / .milliseconds(1)
    #expect((0.499...0.501).contains(late))
    let latest = try #require(playback.lateness(percentile: 100)) / .milliseconds(1)
    #expect((1.499...1.501).contains(latest))
  }

  @Test("a cancelled replay returns the number of sent reports, between two reports and in a pause")
  func cancelled() async throws {
    let (playback, recorder) = await play(
      trace((0..<100).map { input(0, $0) }), room: 1,
      willTake: { number in
        if number == 5 { withUnsafeCurrentTask { $0?.cancel() } }
      })
    #expect(recorder.texts.count == 5)
    #expect(playback.sent == 5)
    #expect(playback.isCancelled)
    #expect(playback.failure == nil)
    #expect(!playback.isComplete)

    // The player has read the whole trace, or waits with a piece that it counts once.
    for count in [2000, 3000, 4000, 5000] {
      let (playback, _) = await play(
        self.trace((0..<count).map { input(0, UInt8($0 % 256)) }), room: 1,
        willTake: { if $0 == 5 { withUnsafeCurrentTask { $0?.cancel() } } })
      #expect(playback.total <= count)
    }

    // The time of this timeline stands still.
    let timeline = Timeline.virtual()
    let (sent, continuation) = AsyncStream<Int>.makeStream()
    let pausing = Recorder(timeline) { continuation.yield($0) }
    let trace = trace([input(0, 1), input(3_600_000_000, 2)])
    let player = HIDTracePlayer(timeline: timeline) { HIDTraceReader(trace) }
    let playing = Task { await player.play(to: pausing) }
    for await _ in sent { break }
    playing.cancel()
    let partial = await playing.value
    #expect(partial.sent == 1)
    #expect(partial.isCancelled)
  }

  @Test("an endless replay runs until it is cancelled, and reads a bounded number of rounds ahead")
  func endless() async {
    let rounds = Mutex(0)
    let timeline = Timeline.virtual()
    let recorder = Recorder(timeline, room: 100) { number in
      if number == 5000 { withUnsafeCurrentTask { $0?.cancel() } }
    }
    let trace = trace((0..<10 as Range<Int64>).map { input($0, UInt8($0)) })
    var pace = HIDTracePace()
    pace.loops = nil
    let player = HIDTracePlayer(pace: pace, timeline: timeline) {
      rounds.withLock { $0 += 1 }
      return HIDTraceReader(trace)
    }
    timeline.start()
    let playback = await Task { await player.play(to: recorder) }.value
    #expect(playback.sent >= 5000)
    #expect(playback.isCancelled)
    #expect(recorder.times[4999] == .microseconds(4999))
    // The player reads at most five pieces of 1,024 reports ahead.
    let longest = 500 + 5 * 103 + 1
    let count = rounds.withLock { $0 }
    #expect(count <= longest)
  }

  @Test("an error of the sink or of the trace ends the replay after the reports before it")
  func failures() async throws {
    struct Unplugged: Error {}
    let (playback, recorder) = await play(
      trace((0..<10).map { input(0, $0) }),
      willTake: { number in
        if number == 4 { throw Unplugged() }
      })
    #expect(recorder.texts.count == 3)
    #expect(playback.failure is Unplugged)
    #expect(!playback.isCancelled)

    let text = """
      R: 3 05 01 C0
      E: 000000.000000 1 01
      E: 000000.000010 1 02
      E: what is this

      """
    let source = HIDTraceSource(name: "a.hid", bytes: Array(text.utf8))
    let timeline = Timeline.virtual()
    let sink = Recorder(timeline)
    let player = HIDTracePlayer(timeline: timeline) { () throws(HIDTraceError) in
      try HIDTraceReader(source, options: HIDTraceReadingOptions(format: .recorder))
    }
    timeline.start()
    let broken = await player.play(to: sink)
    #expect(sink.texts == ["0:1", "0:2"])
    #expect(broken.failure is HIDTraceError)
    #expect(broken.sent == 2)
  }
}
