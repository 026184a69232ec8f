// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDTraces

/// What a replay asserts of what hosts do.
struct AssertOptions: ParsableArguments {
  @Flag(
    name: .customLong("assert"),
    help: ArgumentHelp(
      "Fail (1) unless hosts do to the devices what the trace says they did.",
      discussion: """
        Output reports and reports that were set must come, in their order for each device, each near its time, and no \
        others. An output report is the same whether it was written or set.
        """))
  var isAsserting = false
  @Flag(
    help: "With --assert: reports that hosts asked for must be asked for again.")
  var assertGets = false
  @Flag(help: "With --assert: hosts may do more than the trace says.") var allowMore = false
  @Option(
    help: ArgumentHelp(
      "With --assert: how far from its time a report may come; 1s by default.", valueName: "time"))
  var within: TimeBound?
  @Option(
    help: ArgumentHelp(
      "With --assert: what not to compare, a control, a report, bytes of one; repeatable.",
      discussion: "As hidsim diff has it: 'output 2 bytes 7-9', led.scrollLock.", valueName: "what")
  )
  var ignore: [String] = []

  func validate() throws {
    let reason = "it says what --assert compares"
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
