// SPDX-License-Identifier: Apache-2.0
public import HIDBus
public import HIDSimulator
public import IOLoop

/// A runner for scripts, which performs their device commands and their host commands.
public struct HIDScriptRunner: Sendable {
  private let script: HIDScript
  private let devices: [SimulatedDevice]
  private let bus: HIDBus
  private let log: HIDEventLog
  private let base: MonotonicTime
  /// The index of the first event that can count as unexpected.
  ///
  /// A program that starts together with the script may act before the script's first line.
  private let begin: Int
  private let expectsAll: Bool

  /// Creates a runner.
  ///
  /// Reports and requests that hosts send after this call count for `expect nothing`, except those
  /// of a driver that takes the device.
  ///
  /// - Parameters:
  ///   - script: The script, resolved for the definitions of the devices.
  ///   - devices: The plugged devices, in the order in which the script was resolved for them.
  ///   - bus: The bus into which they are plugged.
  ///   - log: The log of their events.
  ///   - base: The time that counts as 0 in messages, and in the scan times of touch frames.
  ///   - expectsAll: True to make the script fail at its end if a report or request of the host met
  ///     no expectation.
  public init(
    _ script: HIDScript, devices: [SimulatedDevice], bus: HIDBus, log: HIDEventLog,
    base: MonotonicTime, expectsAll: Bool = false
  ) {
    self.script = script
    self.devices = devices
    self.bus = bus
    self.log = log
    self.base = base
    self.expectsAll = expectsAll
    begin = log.endIndex
  }

  /// Runs the script to its end, and then releases all pressed controls and contacts unless the
  /// script says `hold`.
  ///
  /// After an error they are released even if the script says `hold`. A script with only `wait`,
  /// `expect`, `test` and `repeat` commands releases nothing. The clients of `host` commands are
  /// closed in any case. Virtual time moves only during the run.
  ///
  /// - Throws: `HIDScriptFailure` at the first line that fails, or at the end of a script that
  ///   expects all events; `HIDScriptStop` when the task is cancelled before that.
  public func run() async throws {
    if let error = await play().error { throw error }
  }

  /// Runs the script like ``run()``, and returns a report of its tests.
  ///
  /// - Returns: The error that ``run()`` would throw, and the results of the tests.
  public func play() async -> (error: (any Error)?, report: HIDScriptReport) {
    var ledger = HostLedger(begin: begin)
    return await play(by: &ledger)
  }

  /// Runs the script like ``play()``, in parallel with other scripts for the same devices.
  ///
  /// - Parameter ledger: The host events that the other scripts have consumed; the events that this
  ///   script consumes are added.
  func play(by ledger: inout HostLedger) async -> (error: (any Error)?, report: HIDScriptReport) {
    log.timeline.beginWork()
    log.timeline.start()
    defer {
      log.timeline.stop()
      log.timeline.endWork()
    }
    var run = HIDScriptRun(
      script: script, devices: devices, bus: bus, log: log, base: base, ledger: ledger)
    run.expectsAll = expectsAll
    // Controls that other scripts have pressed must stay pressed.
    let doesNothing = script.statements.allSatisfy(\.command.isObservation)
    defer { ledger = run.ledger }
    do {
      try await withTaskExecutorPreference(bus.deviceBus.executor) {
        try await run.performAll()
      }
    } catch {
      // The release runs in another task: this task may be cancelled, and controls must be released
      // anyway.
      let last = run
      await Task { await last.end(holding: doesNothing) }.value
      return (error, run.tests.report)
    }
    await run.end(holding: script.holdsAtEnd || doesNothing)
    return (nil, run.tests.report)
  }
}
