// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDTraces
import Testing

@Suite("The schedule of a trace")
struct ScheduleTests {
  /// Places input reports of devices, with stamps in microseconds, in a schedule.
  private func places(
    _ stamps: [(Int64, device: Int)], _ pace: HIDTracePace
  ) -> (due: [Duration?], period: Duration) {
    var schedule = HIDTraceSchedule(pace)
    let due = stamps.map { stamp, device -> Duration? in
      let event = HIDTraceEvent(microseconds: stamp, device: device, kind: .input(.init([1])))
      switch schedule.place(event) {
      case .due(let time): return time
      case .skipped: return nil
      }
    }
    return (due, schedule.period)
  }

  private static func pace(_ change: (inout HIDTracePace) -> Void = { _ in }) -> HIDTracePace {
    var pace = HIDTracePace()
    change(&pace)
    return pace
  }

  @Test("an event of a device that no trace has is due at its timestamp", arguments: [-1, Int.max])
  func unknownDevice(_ device: Int) {
    let wanted: [Duration?] = [.zero, .microseconds(4), .microseconds(4)]
    let stamps: [(Int64, device: Int)] = [(5, device: 0), (9, device: device), (7, device: device)]
    #expect(places(stamps, Self.pace()).due == wanted)
  }

  private static let day: Int64 = 86_400_000_000

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var pace = HIDTracePace()
    let stamps: [Int64]
    /// The due times in nanoseconds; nil for a skipped event.
    let due: [Int64?]
    var period = Duration.zero
  }

  static let cases = [
    Case(
      testDescription: "stamps count from the first",
      stamps: [5_000_000, 5_001_000, 5_001_001], due: [0, 1_000_000, 1_001_000],
      period: .nanoseconds(1_001_000 + 500_500)),
    Case(
      testDescription: "a pause of 5 s is one, and more than a day is no less",
      stamps: [0, 5_000_000, 5_000_000 + day + 1], due: [0, 5_000_000_000, 86_405_000_001_000],
      period: .nanoseconds(86_405_000_001_000 + 43_202_500_000_500)),
    Case(
      testDescription: "equal stamps are due together",
      stamps: [7, 7, 7], due: [0, 0, 0], period: .milliseconds(1)),
    Case(
      testDescription: "a stamp that goes back is due with the one before, and the rest as stamped",
      stamps: [0, 2000, 1000, 500, 3000], due: [0, 2_000_000, 2_000_000, 2_000_000, 3_000_000],
      period: .nanoseconds(3_750_000)),
    Case(
      testDescription: "twice as fast", pace: pace { $0.speed = 2 },
      stamps: [0, 1, 3, day * 2], due: [0, 500, 1500, 86_400_000_000_000],
      period: .nanoseconds(86_400_000_000_000 + 28_800_000_000_000)),
    Case(
      testDescription: "a third as fast, and nothing adds up", pace: pace { $0.speed = 1.0 / 3 },
      stamps: [0, 1, 2, 1_000_000], due: [0, 3000, 6000, 3_000_000_000],
      period: .nanoseconds(4_000_000_000)),
    Case(
      testDescription: "a fixed interval", pace: pace { $0.interval = .milliseconds(8) },
      stamps: [10, 10, 5, 99_000_000], due: [0, 8_000_000, 16_000_000, 24_000_000],
      period: .milliseconds(32)),
    Case(
      testDescription: "as fast as it goes", pace: pace { $0.isInstant = true },
      stamps: [0, 99, 1_000_000], due: [0, 0, 0], period: .zero),
    Case(
      testDescription: "from and to are the trace's time, both included, and it begins at once",
      pace: pace {
        $0.from = .seconds(1)
        $0.to = .seconds(2)
      },
      stamps: [100, 1_000_099, 1_500_100, 2_000_100, 2_000_101],
      due: [nil, nil, 0, 500_000_000, nil], period: .seconds(1)),
    Case(
      testDescription: "a part that begins within a microsecond begins with the next",
      pace: pace { $0.from = .nanoseconds(1001) },
      stamps: [0, 1, 2, 3], due: [nil, nil, 0, 1000], period: .nanoseconds(2000)),
    Case(
      testDescription: "a part of an instant replay",
      pace: pace {
        $0.isInstant = true
        $0.from = .microseconds(2)
        $0.to = .microseconds(3)
      },
      stamps: [0, 1, 2, 3, 4], due: [nil, nil, 0, 0, nil]),
    Case(
      testDescription: "a part that ends before it begins has nothing",
      pace: pace {
        $0.from = .seconds(2)
        $0.to = .seconds(1)
      },
      stamps: [0, 1_500_000, 3_000_000], due: [nil, nil, nil], period: .milliseconds(1)),
    Case(
      testDescription: "longer pauses are cut to the limit, others are as they are",
      pace: pace { $0.pauseLimit = .seconds(1) },
      stamps: [0, 500_000, 5_500_000, 6_500_000, 7_500_001],
      due: [0, 500_000_000, 1_500_000_000, 2_500_000_000, 3_500_000_000],
      period: .nanoseconds(4_375_000_000)),
    Case(
      testDescription: "a pause is cut on the trace's time, and then played at the speed",
      pace: pace {
        $0.pauseLimit = .seconds(1)
        $0.speed = 2
      },
      stamps: [0, 5_000_000, 5_200_000], due: [0, 500_000_000, 600_000_000],
      period: .milliseconds(900)),
    Case(
      testDescription: "the largest stamps there are",
      stamps: [.min, 0, .max], due: [0, .max, .max],
      period: .nanoseconds(Int64.max)),
    Case(testDescription: "one report", stamps: [5], due: [0], period: .milliseconds(1)),
  ]

  @Test("each event is due at its time", arguments: cases)
  func places(_ wanted: Case) {
    let (due, period) = places(wanted.stamps.map { ($0, 0) }, wanted.pace)
    #expect(due == wanted.due.map { $0.map { .nanoseconds($0) } })
    #expect(period == wanted.period)
  }

  @Test("each device has its own clock, and no event is due before the one in front of it")
  func devices() {
    // The second device's stamps are 400 us earlier than the stamps before them.
    let (due, _) = places(
      [(1000, 0), (600, 1), (2000, 0), (1600, 1), (2600, 1), (2500, 0)], HIDTracePace())
    #expect(due == [0, 0, 1000, 1000, 1600, 1600].map { Duration.microseconds($0) })
  }

  @Test("a hundred thousand reports are scheduled without drift, at several speeds")
  func drift() throws {
    for speed in [1.0, 3.0, 0.7] {
      var schedule = HIDTraceSchedule(Self.pace { $0.speed = speed })
      var last = HIDTraceSchedule.Place.skipped
      for number in 0..<100_000 as Range<Int64> {
        last = schedule.place(
          HIDTraceEvent(microseconds: number * 1000, kind: .input(HIDReportBytes())))
      }
      let exact = (99_999_000_000 / speed).rounded()
      #expect(last == .due(.nanoseconds(Int64(exact))))
    }
  }

  @Test("an event of the host has a time, even before the first report, and does not end a pause")
  func host() {
    var schedule = HIDTraceSchedule(Self.pace { $0.pauseLimit = .seconds(1) })
    let events: [(Int64, HIDTraceEvent.Kind, Duration)] = [
      (0, .opened, .zero), (700, .input(.init([1])), .microseconds(700)),
      (2_000_700, .output(.init([2])), .microseconds(1_000_700)),
      (3_000_700, .unplugged, .microseconds(1_000_700)),
      (3_000_800, .plugged, .microseconds(1_000_800)),
      (3_000_900, .lost(3), .microseconds(1_000_900)),
    ]
    for (stamp, kind, due) in events {
      #expect(schedule.place(HIDTraceEvent(microseconds: stamp, kind: kind)) == .due(due))
    }
    #expect(schedule.period == .microseconds(1_000_800 + 500_400))
  }
}
