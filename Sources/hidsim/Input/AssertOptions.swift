// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTraces

/// The options that compare the actions of the hosts with a trace during a replay.
struct AssertOptions: ParsableArguments {
  @Flag(
    name: .customLong("assert"),
    help: ArgumentHelp(
      "Fail (1) unless hosts do to the devices what the trace has.",
      discussion: """
        Each device must get the output and feature reports of the trace, in the same order, each near its time, and no \
        others. It does not matter whether an output report was written or set.
        """))
  var isAsserting = false
  @Flag(
    help: "With --assert: expect the requests for reports, too.")
  var assertGets = false
  @Flag(help: "With --assert: accept more than the trace has.") var allowMore = false
  @Option(
    help: ArgumentHelp(
      "With --assert: the largest difference of times. (default: 1s)", valueName: "time"))
  var within: TimeBound?
  @Option(
    help: ArgumentHelp(
      "With --assert: leave out a control, a report, or bytes of one.",
      discussion: "Repeatable; as in hidsim diff: 'output 2 bytes 7-9', led.scrollLock.",
      valueName: "what")
  )
  var ignore: [String] = []

  func validate() throws {
    let reason = "it changes what --assert compares"
    try OptionRule.check(
      .needs("--assert-gets", assertGets, "--assert", isAsserting, because: reason),
      .needs("--allow-more", allowMore, "--assert", isAsserting, because: reason),
      .needs("--within", within != nil, "--assert", isAsserting, because: reason),
      .needs("--ignore", !ignore.isEmpty, "--assert", isAsserting, because: reason))
  }

  /// Makes an assertion that has no expected events yet; returns nil without `--assert`.
  ///
  /// - Parameter isTimed: True if the events have times of their own. Else the assertion ignores
  ///   times.
  func assertion(of devices: [HIDTraceDevice], isTimed: Bool) throws -> HIDTraceAssertion? {
    guard isAsserting else { return nil }
    let tolerance = within?.duration ?? .seconds(1)
    return try HIDTraceAssertion(
      HIDTraceAssertion.Options(
        tolerance: isTimed ? Int64(tolerance / .microseconds(1)) : nil, assertsGets: assertGets,
        allowsMore: allowMore),
      except: try ignore.map { try HIDTraceExclusion($0) }, of: devices)
  }
}
