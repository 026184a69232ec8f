// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTraces

/// What a replay asserts of what hosts do.
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

  /// An assertion that expects nothing yet; nil where none is asked for.
  ///
  /// - Parameter isTimed: Whether events have times of their own.
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
