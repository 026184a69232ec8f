// SPDX-License-Identifier: Apache-2.0

public import HIDBus
public import HIDSimulator
import HIDText
public import IOLoop
import Synchronization

/// A session that performs scripts on devices, and keeps the state of the devices between scripts.
///
/// Pressed controls, contacts and the clients of `host` commands stay from one script to the next.
/// ``end()`` releases and closes them. Scripts that drive the same device run one after the other;
/// scripts for different devices run in parallel. A script with only `wait`, `expect`, `test` and
/// `repeat` commands runs at once beside all others. A client in this process ends the wait of
/// `wait reader`, as another program does.
public final class HIDScriptSession: Sendable {
  /// The state that one script leaves to the next.
  private struct Rest: Sendable {
    var ledger: HostLedger
    var clients: [HIDScript.InterfaceReference: ScriptClient] = [:]
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
  /// The locks, one for each device, which let one script at a time drive the device.
  private let locks: [AsyncLock]

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - devices: The devices, plugged or not.
  ///   - bus: The bus into which they are plugged.
  ///   - log: The log of their events.
  ///   - base: The time that counts as 0 in messages, and in the scan times of touch frames.
  public init(
    devices: [SimulatedDevice], bus: HIDBus, log: HIDEventLog, base: MonotonicTime
  ) {
    self.devices = devices
    self.bus = bus
    self.log = log
    self.base = base
    rest = Mutex(Rest(ledger: HostLedger(begin: log.endIndex)))
    locks = devices.map { _ in AsyncLock() }
  }

  /// Performs the commands of a script.
  ///
  /// In a virtual time, the caller must have begun work.
  ///
  /// - Parameters:
  ///   - script: The script, its names not yet resolved.
  ///   - device: The index of the device for commands that name none, from 0; nil to choose the
  ///     device of each command as `HIDScript.resolved(for:)` does.
  /// - Throws: `HIDScriptError` if names, values or reports do not fit the devices;
  ///   `HIDScriptFailure` at the first line that fails; `HIDScriptStop` if the task is cancelled or
  ///   the session has ended; `HIDBusError` if there is no such device.
  public func perform(_ script: HIDScript, on device: Int? = nil) async throws {
    if let device, !devices.indices.contains(device) {
      throw HIDBusError(
        .invalidArgument,
        "there is no device \(device); the session has \(devices.count.counting("device")), "
          + "numbered from 0")
    }
    let statements = try script.resolved(for: devices.map(\.definition), on: device).statements
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
          // The state is kept after a failure, too: the commands before the failure took effect.
          defer { keep(run, of: driven) }
          try await perform(statements, by: &run)
        }
      }
    } catch is CancellationError {
      throw HIDScriptStop(
        file: statements.first?.file ?? script.name,
        location: statements.first?.location ?? HIDTextLocation(line: 1, column: 1))
    }
  }

  /// Stops the running scripts, releases all pressed controls and contacts, and closes the clients
  /// of `host` commands.
  ///
  /// Scripts that are performed later fail with `HIDScriptStop`. In a virtual time, the caller must
  /// have begun work.
  public func end() async {
    let tasks = running.withLock { running in
      running.isOver = true
      return running.tasks.values
    }
    for task in tasks { task.cancel() }
    // The release runs in another task: this task may be cancelled, and controls must be released
    // anyway.
    await Task { [self] in
      _ = try? await pass(Array(devices.indices)[...]) { await run().end(holding: false) }
    }.value
  }

  /// Returns the indices of the devices of all commands that are not observations.
  ///
  /// A command without a target, such as `sync`, counts for all devices.
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

  /// Runs a closure while no other script drives any of some devices.
  ///
  /// The indices are in ascending order, so that two scripts never wait for each other.
  private func pass(
    _ devices: ArraySlice<Int>, _ body: @Sendable () async throws -> Void
  ) async throws {
    guard let first = devices.first else { return try await body() }
    try await locks[first].withLock {
      try await pass(devices.dropFirst(), body)
    }
  }

  /// Runs a closure that the end of the session cancels; throws if the session has ended.
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
      run.clients = rest.clients
      return run
    }
  }

  private func keep(_ run: HIDScriptRun, of driven: Set<Int>) {
    rest.withLock { rest in
      rest.ledger.merge(run.ledger)
      rest.clients = rest.clients.filter { !driven.contains($0.key.device) }
      rest.clients.merge(run.clients.filter { driven.contains($0.key.device) }) { $1 }
    }
  }

  private func perform(
    _ statements: [HIDScript.Statement], by run: inout HIDScriptRun
  ) async throws {
    try await withTaskExecutorPreference(bus.deviceBus.executor) {
      try await run.perform(statements)
    }
  }
}

extension HIDScript.Command {
  /// True if the command changes neither a device nor a client: `wait`, `expect`, `test`, and
  /// `repeat` with only such commands.
  ///
  /// It is false for `sync` and `host expect`.
  var isObservation: Bool {
    switch self {
    case .wait, .waitForReader, .waitForOpen, .expect, .expectState, .expectEvent,
      .expectOnlyEvent, .expectNothing, .expectNothingElse, .expectAnything, .test:
      true
    case .repeated(_, let body): body.allSatisfy(\.command.isObservation)
    case .tap, .press, .release, .type, .report, .setState, .move, .click, .scroll, .axis, .set,
      .touch, .battery, .hostSet, .hostSetReport, .hostSend, .hostGet, .hostExpect, .unplug, .sync,
      .plug, .link, .answerOnce, .answerAlways, .answerUsually:
      false
    }
  }
}
