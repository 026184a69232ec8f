// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus

/// The options that choose a bus to plug devices into.
struct PlugBusOptions: ParsableArguments {
  @OptionGroup var choice: BusOptions
  @OptionGroup var fidelityOption: FidelityOption
  @Flag(
    help: ArgumentHelp(
      "Let simulated input reach the desktop.",
      discussion: """
        Without it hidsim keeps simulated input from the desktop of a user who is logged in on this machine.
        """)) var live = false

  func validate() throws {
    try OptionRule.check(choice.excludesLive(live), fidelityOption.isExcluded(by: choice))
  }

  /// Makes the bus that devices are plugged into, and prints a note if it ignores `--fidelity`.
  ///
  /// - Throws: A failure if the bus cannot be used: status 77 if it is not available or not
  ///   permitted, or 1 instead with `HIDSIM_REQUIRE`; 71 if a limit is reached; 64 if `HIDSIM_BUS`
  ///   names no bus; 1 after any other error.
  func bus() throws -> HIDBus {
    let bus = try choice.bus(isLive: live, fidelity: fidelityOption.choice.fidelity)
    if let note = fidelityOption.note(for: bus.kind) { Output.shared.note(note) }
    return bus
  }
}

/// The options that record a run.
struct RunRecordingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Record what happens to the devices as a trace.",
      discussion: """
        On the USB bus a name that ends with .pcapng records the transfers as a capture of USB packets, for Wireshark \
        and hidsim.
        """, valueName: "file"),
    completion: Completion.files)
  var record: String?
  @Flag(help: "Overwrite the file of --record.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Leave typed text and serial numbers out of the trace.",
      discussion: "hidsim help record lists what the trace keeps."))
  var redact = false

  func validate() throws {
    if record == "-" {
      throw ValidationError("--record -: standard output is in use; write the trace to a file")
    }
    try OptionRule.check(
      .needs(
        "--force", force, "--record", record != nil,
        because: "--force overwrites the file of --record"),
      .needs(
        "--redact", redact, "--record", record != nil,
        because: "--redact leaves typed text out of the trace"),
      .excludes(
        "--redact", redact,
        ["--record with a name that ends with .pcapng": RecordingFile.namesCapture(record)],
        because: "a capture of USB packets has all bytes"))
  }

  /// Registers the files that the command writes, and checks that the run can be recorded.
  ///
  /// Refuses an output that is also an input or another output. Refuses to record to a regular file
  /// that exists, unless `--force` is given.
  ///
  /// - Parameter outputs: The other files that the command writes.
  func check(beside outputs: [CommandFiles.Output] = []) throws {
    try CommandFiles.shared.claim(outputs + [.init("--record", record)])
    try RecordingFile.check(record, isForced: force)
  }

  /// Opens the file of `--record`; nil without it.
  ///
  /// - Parameter bus: The bus of the devices. Only the USB bus has captures of USB packets.
  func file(on bus: HIDBusKind) throws -> RecordingFile? {
    if bus != .usb { try RecordingFile.checkNoCapture(record) }
    return try record.map { try RecordingFile($0, isForced: force) }
  }
}

/// The options that end a run, and that make it fail.
struct EndingOptions: ParsableArguments {
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "End after a time: 5s, 500ms.",
      discussion: """
        The time begins when the devices are ready. hidsim waits as long for each interface to become ready, \
        but at least 5 s and at most 30 s.
        """,
      valueName: "time"))
  var bound: TimeBound?
  @Flag(
    help: ArgumentHelp(
      "Fail (1) on losses and on what hardware would not accept.", discussion: Strict.help))
  var strict = false
}
