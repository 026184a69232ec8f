// SPDX-License-Identifier: Apache-2.0

public import HIDSystem
import HIDText
import HIDWire
public import IOLoop
import Synchronization

/// Scripts of a line or more on devices that stay as each of them leaves them.
///
/// What is pressed stays down, fingers stay where they are, and clients of `host` commands stay open, until ``end()``.
/// Scripts for the same device that are asked for at the same time are carried out in turn, those for different devices
/// side by side; those that only wait for what hosts do, and expect it, keep nobody waiting. A reader that is waited for
/// may be one in this process.
public final class HIDScriptSession: Sendable {
  /// What one script leaves to the next.
  private struct Rest: Sendable {
    var ledger: HostLedger
    var fingers: [HIDScript.InterfaceReference: HIDScriptRun.Fingers] = [:]
    var hosts: [HIDScript.InterfaceReference: HostView] = [:]
  }

  private struct Running: Sendable {
    var isOver = false
    var last = 0
    var tasks: [Int: Task<Void, any Error>] = [:]
  }

  private let devices: [SimulatedDevice]
  private let bus: HIDBus
  private let log: HIDEventLog
  private let base: MonotonicTime
  private let rest: Mutex<Rest>
  private let running = Mutex(Running())
  /// One for each device: who drives it.
  private let turnstiles: [Turnstile]

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
    self.log = log
    self.base = base
    rest = Mutex(Rest(ledger: HostLedger(begin: log.endIndex)))
    turnstiles = devices.map { _ in Turnstile() }
  }

  /// Carries out the commands of a script.
  ///
  /// - Parameters:
  ///   - script: The script, its names not yet looked up.
  ///   - device: The position of the device that those are for which name none, from 0; nil for the first that can do it.
  /// - Throws: `HIDScriptError` for names that mean nothing, `HIDScriptFailure` at the first line that fails,
  ///   `HIDScriptStop` where the task is cancelled or the session has ended.
  public func perform(_ script: HIDScript, on device: Int? = nil) async throws {
    var script = script
    if let device {
      guard devices.indices.contains(device) else {
        throw HIDWireError(
          .invalidArgument,
          "there is no device \(device); the session has \(devices.count.counting("device")), "
            + "numbered from 0")
      }
      script.statements = Self.statements(script.statements, for: name(of: device))
    }
    let statements = try script.resolved(for: devices.map(\.definition)).statements
    let driven = drivenDevices(statements)
    do {
      try await cancelledAtEnd { [self] in
        guard !driven.isEmpty else {
          var run = run()
          defer { rest.withLock { $0.ledger.merge(run.ledger) } }
          return try await perform(statements, by: &run)
        }
        try await pass(driven.sorted()[...]) {
          var run = run()
          // Where it fails, too: what has been done stays so.
          defer { keep(run, of: driven) }
          try await perform(statements, by: &run)
        }
      }
    } catch is CancellationError {
      throw HIDScriptStop(
        file: script.name,
        location: statements.first?.location ?? HIDTextLocation(line: 1, column: 1))
    }
  }

  /// Stops the scripts that are being carried out, lets go of all that is down, and closes the clients of `host` commands.
  public func end() async {
    let tasks = running.withLock { running in
      running.isOver = true
      return running.tasks.values
    }
    for task in tasks { task.cancel() }
    try? await pass(Array(devices.indices)[...]) { await run().end(holding: false) }
  }

  /// What scripts call a device: its name, and which of those it is that have it.
  private func name(of device: Int) -> String {
    let name = devices[device].definition.name
    return "\(name)#\(devices[...device].count { $0.definition.name == name })"
  }

  private static func statements(
    _ statements: [HIDScript.Statement], for device: String
  ) -> [HIDScript.Statement] {
    statements.map { statement in
      var statement = statement
      if case .repeated(let count, let body) = statement.command {
        statement.command = .repeated(count, Self.statements(body, for: device))
      } else if statement.target == nil {
        statement.target = HIDScript.Name(text: device, location: statement.location)
      }
      return statement
    }
  }

  /// The devices that some commands change.
  private func drivenDevices(_ statements: [HIDScript.Statement]) -> Set<Int> {
    statements.reduce(into: []) { driven, statement in
      if case .repeated(_, let body) = statement.command {
        return driven.formUnion(drivenDevices(body))
      }
      guard !statement.command.isObservation else { return }
      let references = statement.interface.map { [$0] } ?? statement.scope
      driven.formUnion(references.isEmpty ? Set(devices.indices) : Set(references.map(\.device)))
    }
  }

  // MARK: One after the other

  /// Runs something that nothing else runs beside that drives one of some devices: in ascending order, so that no two wait
  /// for each other.
  private func pass(
    _ devices: ArraySlice<Int>, _ body: @Sendable () async throws -> Void
  ) async throws {
    guard let first = devices.first else { return try await body() }
    try await turnstiles[first].pass {
      try await pass(devices.dropFirst(), body)
    }
  }

  /// Runs something that the session's end cancels, and nothing once that has come.
  private func cancelledAtEnd(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let begun = running.withLock { running -> (number: Int, task: Task<Void, any Error>)? in
      guard !running.isOver else { return nil }
      running.last += 1
      let task = Task { try await body() }
      running.tasks[running.last] = task
      return (running.last, task)
    }
    guard let (number, task) = begun else { throw CancellationError() }
    defer { running.withLock { $0.tasks[number] = nil } }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func run() -> HIDScriptRun {
    rest.withLock { rest in
      var run = HIDScriptRun(
        script: HIDScript(name: "", statements: []), devices: devices, bus: bus, log: log,
        base: base, ledger: rest.ledger, countsOwnReaders: true)
      run.fingers = rest.fingers
      run.hosts = rest.hosts
      return run
    }
  }

  private func keep(_ run: HIDScriptRun, of driven: Set<Int>) {
    rest.withLock { rest in
      rest.ledger.merge(run.ledger)
      rest.fingers = rest.fingers.filter { !driven.contains($0.key.device) }
      rest.fingers.merge(run.fingers.filter { driven.contains($0.key.device) }) { $1 }
      rest.hosts = rest.hosts.filter { !driven.contains($0.key.device) }
      rest.hosts.merge(run.hosts.filter { driven.contains($0.key.device) }) { $1 }
    }
  }

  private func perform(
    _ statements: [HIDScript.Statement], by run: inout HIDScriptRun
  ) async throws {
    try await withTaskExecutorPreference(bus.peripherals.executor) {
      try await run.perform(statements)
    }
  }
}

extension HIDScript.Command {
  /// Whether it changes nothing, not even what the next command meets.
  var isObservation: Bool {
    switch self {
    case .wait, .waitForReader, .waitForOpen, .expect, .expectState, .expectNothing,
      .expectNothingElse, .expectAnything:
      true
    default: false
    }
  }
}
