// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
package import HIDSimulator
import HIDText
import IOLoop
import Synchronization

/// A connection to one program that drives the devices of a run by a stream of commands.
///
/// Commands are carried out one after the other, in their order. Answers to requests, and commands
/// that stop others, are carried out when they are read. A script with only `wait`, `expect`,
/// `test` and `repeat` commands can run in parallel to the commands after it.
package final class StreamConnection: Sendable {
  /// The version of the protocol.
  package static let version = 1
  /// The approximate memory of waiting commands, in bytes, at which the connection stops reading.
  private static let capacity = 16 << 20
  /// The maximum number of scripts in parallel to later commands; a further script blocks these
  /// commands.
  private static let besideCapacity = 256

  let hub: DeviceHub
  let output: StreamOutput
  /// Called with the name of a file to read its devices.
  let readFile: @Sendable (String) throws -> [HIDDeviceDefinition]
  private let file: String
  private let queue = BoundedQueue<StreamRequest>(capacity: StreamConnection.capacity)
  let progress = StreamProgress()
  /// True if the end of the input stops the pending commands.
  private let endsWithInput = Atomic(false)
  /// The number of scripts that run in parallel to later commands.
  private let beside = Atomic(0)
  /// True if the program has ended the stream.
  private let hasEnded = Atomic(false)
  /// The number of values that were not commands, and of commands that failed.
  private let failures = Atomic(0)
  /// The events of hosts that this client's scripts and its commands `consume` count as expected.
  let ledger: Mutex<HostLedger>
  /// The number of the connection in this process, from 1.
  let number: Int
  private static let count = Atomic(0)

  /// Makes a connection.
  ///
  /// - Parameters:
  ///   - file: The name of the stream in messages.
  ///   - readFile: Reads the devices of a file; the client gets the error that it throws.
  package init(
    _ hub: DeviceHub, output: StreamOutput, file: String,
    readFile: @escaping @Sendable (String) throws -> [HIDDeviceDefinition]
  ) {
    self.hub = hub
    self.output = output
    self.file = file
    self.readFile = readFile
    let begin = hub.log.endIndex
    ledger = Mutex(HostLedger(begin: begin, from: begin))
    number = Self.count.add(1, ordering: .relaxed).newValue
  }

  /// The number of values that were not commands, and of commands that failed.
  ///
  /// Commands that end because ``run(_:)`` is cancelled are not counted.
  package var failureCount: Int { failures.load(ordering: .relaxed) }

  /// Writes the first line: the version of the protocol, the bus and the clock.
  package func greet() {
    var line = JSONLine()
    line.add("event", "hello")
    line.add("protocol", .integer(Self.version))
    line.add("bus", .string("\(hub.bus.kind)"))
    line.add("reason", .string(hub.bus.reason))
    line.add("clock", "monotonic")
    line.add("base", .integer(hub.base.nanoseconds / 1000))
    output.put(line)
  }

  /// Reads commands and carries them out, until the stream ends or the task is cancelled.
  ///
  /// Commands that were read before the end of the input are still carried out, unless the program
  /// has sent the command `end`. Requests of hosts are no longer delegated to this program when the
  /// method returns.
  package func run<Chunks: AsyncSequence>(_ chunks: Chunks) async
  where Chunks.Element == [UInt8], Chunks.Failure == Never, Chunks: Sendable {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await self.read(chunks)
        if self.hasEnded.load(ordering: .relaxed) || self.endsWithInput.load(ordering: .relaxed) {
          _ = self.progress.stop(token: nil)
        }
        self.queue.end()
      }
      group.addTask { await self.work() }
      await withTaskCancellationHandler {
        await group.waitForAll()
      } onCancel: {
        queue.end()
      }
    }
    for interface in hub.devices.flatMap(\.interfaces) { interface.endDelegation(of: number) }
  }

  // MARK: Reading

  private func read<Chunks: AsyncSequence>(_ chunks: Chunks) async
  where Chunks.Element == [UInt8], Chunks.Failure == Never {
    var framer = StreamFramer(file: file)
    for await chunk in chunks {
      framer.append(chunk)
      take(&framer)
      guard !hasEnded.load(ordering: .relaxed), await queue.room() else { return }
    }
    framer.finish()
    take(&framer)
  }

  /// Takes all commands that have arrived completely.
  private func take(_ framer: inout StreamFramer) {
    var requests: [StreamRequest] = []
    while !hasEnded.load(ordering: .relaxed), let frame = framer.next() {
      switch frame {
      case .bad(let problem): refuse([problem], name: nil, token: nil)
      case .value(let node):
        do throws(StreamCommandError) {
          var request = try StreamCommandReader.read(node, file: file)
          if request.isImmediate {
            performAtOnce(request)
          } else {
            request.number = progress.add(token: request.token)
            requests.append(request)
          }
        } catch {
          refuse(error.problems, name: error.name, token: error.token)
        }
      }
    }
    queue.put(requests, weight: requests.reduce(0) { $0 + $1.byteCount })
  }

  /// Carries out a command that does not wait for the commands before it.
  private func performAtOnce(_ request: StreamRequest) {
    switch request.command {
    case .cancel(let token):
      let count = progress.stop(token: token)
      guard count > 0 || token == nil else {
        let failure = StreamFailure(
          message: "no command with this token waits or runs", help: "it may have ended")
        return tell(request, .failure(failure))
      }
      tell(request, .success(nil))
    case .end(let withInput):
      if withInput {
        endsWithInput.store(true, ordering: .relaxed)
      } else {
        hasEnded.store(true, ordering: .relaxed)
      }
      tell(request, .success(nil))
    default: answer(request)
    }
  }

  // MARK: Working

  private func work() async {
    await withDiscardingTaskGroup { group in
      while let requests = await queue.take() {
        var rest = requests[...]
        while let request = rest.popFirst() {
          if Task.isCancelled { return }
          switch request.command {
          case .report(let first):
            await send(first, request, &rest)
          case .script(_, isBeside: true)
          where beside.load(ordering: .relaxed) < Self.besideCapacity:
            beside.add(1, ordering: .relaxed)
            group.addTask {
              await self.carryOut(request)
              self.beside.subtract(1, ordering: .relaxed)
            }
          default: await carryOut(request)
          }
        }
      }
    }
  }

  /// Carries out a command that can be stopped.
  private func carryOut(_ request: StreamRequest) async {
    await progress.run(request.number) { await self.perform(request) }
  }

  /// Sends the reports of a command together with those of the next commands, as long as these send
  /// reports of the same device.
  ///
  /// No further command is added once there are 4,096 reports.
  private func send(
    _ first: [[UInt8]], _ request: StreamRequest, _ rest: inout ArraySlice<StreamRequest>
  ) async {
    var together = [request]
    var reports = first
    while let more = rest.first, case .report(let list) = more.command,
      more.device == request.device, reports.count < 4096
    {
      reports += list
      together.append(more)
      rest.removeFirst()
    }
    await send(reports, together)
  }

  /// Sends the reports of some commands together; if the device refuses them or one of the commands
  /// was stopped, carries out one command after the other.
  private func send(_ reports: [[UInt8]], _ requests: [StreamRequest]) async {
    guard let first = requests.first else { return }
    guard requests.count > 1, !requests.contains(where: { progress.isStopped($0.number) }) else {
      for request in requests { await perform(request) }
      return
    }
    do throws(StreamFailure) {
      try await send(reports, first.device)
      for request in requests { tell(request, .success(nil)) }
    } catch {
      var sent = error.sent
      for request in requests {
        // No report was sent, so each command is carried out by itself.
        if error.isRefusal {
          await perform(request)
          continue
        }
        if case .report(let reports) = request.command { sent -= reports.count }
        tell(request, sent >= 0 ? .success(nil) : .failure(error))
      }
    }
  }

  /// Carries out the body of a command unless the command was stopped, and writes its result.
  func attempt(
    _ request: StreamRequest, _ body: () async throws(StreamFailure) -> JSONLine?
  ) async {
    do throws(StreamFailure) {
      if progress.isStopped(request.number) { throw StreamFailure(message: "stopped") }
      tell(request, .success(try await body()))
    } catch {
      tell(request, .failure(error))
    }
  }

  /// Ends a command, and writes its result.
  ///
  /// A command that succeeds without a token and without data has no result line. A client that has
  /// read the result can no longer stop the command.
  func tell(_ request: StreamRequest, _ result: Result<JSONLine?, StreamFailure>) {
    let isStopped = progress.isStopped(request.number)
    progress.remove(request.number)
    switch result {
    case .success(nil) where request.token == nil: break
    case .success(let facts):
      var line = JSONLine()
      line.add("result", .string(request.name))
      line.add("token", .optional(request.token) { $0 })
      line.add("time", .integer(MonotonicTime.now.microseconds(since: hub.base)))
      if let facts { line.add(contentsOf: facts) }
      output.put(line)
    case .failure(let failure):
      // If the command was not stopped, a cancelled task means that the whole stream was cancelled.
      if isStopped || !Task.isCancelled { failures.add(1, ordering: .relaxed) }
      put(failure, name: request.name, token: request.token, at: request.location)
    }
  }

  /// Writes an error for each problem of a value that is not a command, and counts one failure.
  private func refuse(_ problems: [HIDTextProblem], name: String?, token: JSONText?) {
    failures.add(1, ordering: .relaxed)
    for problem in problems {
      let failure = StreamFailure(message: problem.message, help: problem.help)
      put(failure, name: name, token: token, at: problem.location)
    }
  }

  private func put(
    _ failure: StreamFailure, name: String?, token: JSONText?, at location: HIDTextLocation
  ) {
    var line = JSONLine()
    line.add("error", .string(failure.message))
    line.add("command", .optional(name) { .string($0) })
    line.add("token", .optional(token) { $0 })
    line.add("time", .integer(MonotonicTime.now.microseconds(since: hub.base)))
    line.add("line", .integer(location.line))
    line.add("column", .integer(location.column))
    line.add("help", .optional(failure.help) { .string($0) })
    if failure.isUnmet { line.add("unmet", .bool(true)) }
    if !failure.instead.isEmpty {
      line.add("instead", .array(failure.instead.map { .string($0) }))
    }
    output.put(line)
  }
}

extension StreamRequest {
  /// The approximate memory that the command takes, in bytes.
  fileprivate var byteCount: Int {
    switch command {
    case .report(let reports): reports.reduce(64) { $0 + $1.count + 32 }
    case .script(let script, _):
      [script.variables, script.files].joined().reduce(
        64 + script.name.utf8.count + script.text.utf8.count
      ) { $0 + $1.key.utf8.count + $1.value.utf8.count + 64 }
    case .plug(.device(let definition), _, _): 256 + definition.byteCount
    default: 256
    }
  }
}

extension HIDDeviceDefinition {
  /// The approximate memory that the device takes, in bytes.
  ///
  /// It includes the parsed descriptors, the behaviours, the reports and the settings of the USB
  /// device.
  fileprivate var byteCount: Int {
    interfaces.reduce(usb.byteCount) { sum, interface in
      let states = interface.states.reduce(0) { sum, state in
        if case .bytes(let count) = state.kind { sum + count + 256 } else { sum + 256 }
      }
      let reports = interface.initialReports.reduce(0) { $0 + $1.bytes.count + 64 }
      return sum + 32 * interface.descriptor.bytes.count + states + reports
        + 2048
        * (interface.behaviours.count + interface.switches.count + interface.switchRepeats.count)
        + 512 * interface.controls.count
        + interface.switches.reduce(0) { sum, row in
          row.entries.reduce(sum) { $0 + 128 + 128 * $1.controls.count }
        }
    }
  }
}
