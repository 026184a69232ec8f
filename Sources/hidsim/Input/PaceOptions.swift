// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTraces

/// The options for the speed of a replay, the part of the trace, and the number of rounds.
struct PaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The number of rounds; 0 is without end.", valueName: "number"))
  var loop = 1
  @Option(help: ArgumentHelp("The speed: 2 is twice as fast.", valueName: "factor"))
  var speed = 1.0
  @Option(
    help: ArgumentHelp(
      "Send a report every 8ms instead of at its recorded time.", valueName: "time"))
  var interval: TimeBound?
  @Flag(help: "Send as fast as the bus takes reports.") var instant = false
  @Option(help: ArgumentHelp("Start at this time of the trace: 1.5s.", valueName: "time"))
  var from: TimeBound?
  @Option(help: ArgumentHelp("End at this time of the trace: 10s.", valueName: "time"))
  var to: TimeBound?
  @Option(help: ArgumentHelp("Shorten longer pauses to this time: 2s.", valueName: "time"))
  var skipPauses: TimeBound?

  @Flag(
    help: ArgumentHelp(
      "Poll the clock for the last 0.1 ms before each report.",
      discussion: "Reports are then less than 1 us late, and a processor is busy."))
  var spin = false
  @Flag(
    help: ArgumentHelp(
      "Send with real-time priority.",
      discussion: """
        Reports are then less than 0.1 ms late on a busy machine, too. It needs CAP_SYS_NICE, or ulimit -r of 10 or \
        more. Without them hidsim says so, and sends without the priority.
        """))
  var realtime = false

  func validate() throws {
    guard loop >= 0 else { throw ValidationError("--loop \(loop): expected 0 or more") }
    guard speed > 0, speed.isFinite else {
      throw ValidationError("--speed \(speed): expected more than 0")
    }
    if let interval, interval.duration <= .zero {
      throw ValidationError("--interval \(interval): expected more than 0; use --instant instead")
    }
    try OptionRule.check(
      .excludes(
        "--instant", instant,
        [
          "--interval": interval != nil, "--speed": speed != 1, "--skip-pauses": skipPauses != nil,
          "--spin": spin, "--realtime": realtime,
        ], because: "--instant sends without waiting"),
      .excludes(
        "--interval", interval != nil,
        ["--speed": speed != 1, "--skip-pauses": skipPauses != nil],
        because: "--interval ignores the recorded times"))
    if let from, let to, to.duration < from.duration {
      throw ValidationError("--to \(to) is before --from \(from): expected a later time")
    }
  }

  /// True if reports are sent without regard to their recorded times.
  var isUntimed: Bool { instant || interval != nil }

  var pace: HIDTracePace {
    var pace = HIDTracePace()
    pace.loops = loop == 0 ? nil : loop
    pace.speed = speed
    pace.interval = interval?.duration
    pace.isInstant = instant
    pace.from = from?.duration ?? .zero
    pace.to = to?.duration
    pace.pauseLimit = skipPauses?.duration
    return pace
  }
}
