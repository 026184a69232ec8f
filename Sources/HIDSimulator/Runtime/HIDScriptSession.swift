// SPDX-License-Identifier: Apache-2.0

public import HIDSystem
import HIDWire
public import IOLoop
import Synchronization

/// Scripts of a line or more, one after the other, on devices that stay as each of them leaves them.
///
/// What is pressed stays down, fingers stay where they are, and clients of `host` commands stay open, until ``end()``.
/// Scripts that are asked for at the same time are carried out in turn; those that only wait for what hosts do, and
/// expect it, keep nobody waiting. A reader that is waited for may be one in this process.
public final class HIDScriptSession: Sendable {
  private let devices: [SimulatedDevice]
  private let bus: HIDBus
  private let state: Mutex<HIDScriptRun>
  private let turnstile = Turnstile()

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - devices: The devices, plugged or not.
  ///   - bus: The bus they are plugged into.
  ///   - log: Where it is written down what happens to them.
  ///   - base: The time that times in messages count from.
  public init(
    devices: [SimulatedDevice], bus: HIDBus, log: HIDEventLog, base: MonotonicTime
  ) {
    self.devices = devices
    self.bus = bus
    let script = HIDScript(name: "", statements: [])
    state = Mutex(
      HIDScriptRun(
        script: script, devices: devices, bus: bus, log: log, base: base, countsOwnReaders: true))
  }

  /// Carries out the commands of a script.
  ///
  /// - Parameters:
  ///   - script: The script, its names not yet looked up.
  ///   - device: The name of the device or interface that those are for which name none; nil for the first that can do it.
  /// - Throws: `HIDScriptError` for names that mean nothing, `HIDScriptFailure` at the first line that fails,
  ///   `HIDScriptStop` where the task is cancelled.
  public func perform(_ script: HIDScript, on device: String? = nil) async throws {
    var script = script
    for index in script.statements.indices where script.statements[index].target == nil {
      script.statements[index].target = device.map {
        HIDScript.Name(text: $0, location: script.statements[index].location)
      }
    }
    let statements = try script.resolved(for: devices.map(\.definition)).statements
    if statements.allSatisfy(\.command.isObservation) {
      var run = state.withLock { $0 }
      try await perform(statements, by: &run)
      return
    }
    try await turnstile.pass {
      var run = state.withLock { $0 }
      // Where it fails, too: what has been done stays so.
      defer { state.withLock { $0 = run } }
      try await perform(statements, by: &run)
    }
  }

  private func perform(
    _ statements: [HIDScript.Statement], by run: inout HIDScriptRun
  ) async throws {
    try await withTaskExecutorPreference(bus.peripherals.executor) {
      try await run.perform(statements)
    }
  }

  /// Lets go of all that is down, and closes the clients of `host` commands.
  public func end() async {
    await turnstile.pass {
      let run = state.withLock { $0 }
      await run.end(holding: false)
    }
  }
}

extension HIDScript.Command {
  /// Whether it changes nothing, not even what the next command meets.
  fileprivate var isObservation: Bool {
    switch self {
    case .wait, .waitForReader, .waitForOpen, .expect, .expectState, .expectNothing: true
    default: false
    }
  }
}
