// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
public import HIDSystem
import HIDText
import HIDUsageNaming
import HIDWire
public import IOLoop

/// Runs a script: what it says for the devices, and what it says for their host.
public struct HIDScriptRunner: Sendable {
  private let script: HIDScript
  private let devices: [SimulatedDevice]
  private let bus: HIDBus
  private let log: HIDEventLog
  private let base: MonotonicTime
  /// The index of the first event that counts for the script: a program that starts with the script
  /// may act before its first line.
  private let begin: Int
  private let expectsAll: Bool

  /// Makes a runner.
  ///
  /// Reports and requests that hosts send after this call count for `expect nothing`.
  ///
  /// - Parameters:
  ///   - script: The script, resolved for the definitions of the devices.
  ///   - devices: The devices, plugged, in the order the script was resolved for.
  ///   - bus: The bus they are plugged into.
  ///   - log: Where it is written down what happens to them.
  ///   - base: The time that times in messages count from.
  ///   - expectsAll: Whether the script fails at its end if a report or request of the host met no
  ///     expectation.
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

  /// Runs the script to its end, and then lets go of what is still pressed, unless it says `hold`.
  ///
  /// A virtual time moves meanwhile, and at no other time.
  ///
  /// - Throws: `HIDScriptFailure` at the first line that fails; `HIDScriptStop` when the task is cancelled before
  ///   the last line is done with.
  public func run() async throws {
    if let error = await play().error { throw error }
  }

  /// The same, with a report of the script's tests.
  ///
  /// - Returns: What `run` would throw, and how each test went.
  public func play() async -> (error: (any Error)?, report: HIDScriptReport) {
    var ledger = HostLedger(begin: begin)
    return await play(by: &ledger)
  }

  /// The same, beside other scripts for the same devices.
  ///
  /// - Parameter ledger: The events of hosts that they have consumed; this script adds its own.
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
    // What others hold down is theirs.
    let doesNothing = script.statements.allSatisfy(\.command.isObservation)
    defer { ledger = run.ledger }
    do {
      try await withTaskExecutorPreference(bus.peripherals.executor) {
        try await run.performAll()
      }
    } catch {
      // In a task of its own: this one may be cancelled, and keys are let go of all the same.
      let last = run
      await Task { await last.end(holding: doesNothing) }.value
      return (error, run.tests.report)
    }
    await run.end(holding: script.holdsAtEnd || doesNothing)
    return (nil, run.tests.report)
  }
}
