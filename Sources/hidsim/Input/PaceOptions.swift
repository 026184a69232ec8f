// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTraces

/// How fast a recording is replayed, which part of it, and how often.
struct PaceOptions: ParsableArguments {
  @Option(help: "How often the recording is replayed: 10; 0 for again and again.")
  var loop = 1
  @Option(help: "How many times as fast as recorded: 2, 0.5.") var speed = 1.0
  @Option(help: "How far apart reports are, instead of as recorded: 8ms.")
  var interval: TimeBound?
  @Flag(help: "As fast as the bus takes the reports, whatever their times.") var instant = false
  @Option(help: "Begin at this time of the recording, at once: 1.5s.") var from: TimeBound?
  @Option(help: "End at this time of the recording: 10s.") var to: TimeBound?
  @Option(help: "Cut pauses that are longer than this to it: 2s.") var skipPauses: TimeBound?

  @Flag(
    help: ArgumentHelp(
      "Look at the clock for the last 0.1 ms before each report, instead of sleeping.",
      discussion: "Reports are late by less than a microsecond then, for more work."))
  var spin = false
  @Flag(
    help: ArgumentHelp(
      "Send before anything else runs on this machine.",
      discussion: """
        Reports are less than 0.1 ms late then on a busy machine, too. It takes CAP_SYS_NICE, or a limit \
        (ulimit -r) of at least 10; where it may not be, a line says so.
        """))
  var realtime = false

  func validate() throws {
    guard loop >= 0 else { throw ValidationError("--loop \(loop): expected 0 or more") }
    guard speed > 0, speed.isFinite else {
      throw ValidationError("--speed \(speed): expected more than 0")
    }
    if let interval, interval.duration <= .zero {
      throw ValidationError("--interval 0: that is --instant")
    }
    try OptionRule.check(
      .excludes(
        "--instant", instant,
        [
          "--interval": interval != nil, "--speed": speed != 1, "--skip-pauses": skipPauses != nil,
          "--spin": spin, "--realtime": realtime,
        ], because: "--instant waits for no time"),
      .excludes(
        "--interval", interval != nil,
        ["--speed": speed != 1, "--skip-pauses": skipPauses != nil],
        because: "reports do not go out at their recorded times"))
    if let from, let to, to.duration < from.duration {
      throw ValidationError("--to is before --from")
    }
  }

  /// Whether reports go out at other times than recorded, or at none.
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
