// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSystem
import HIDText
import HIDWire
import IOLoop
import Synchronization

/// One program that drives the devices of a run by a stream of commands.
///
/// Commands are carried out one after the other, in their order; answers to requests, and what stops commands, at once, when they
/// are read; scripts that wait beside what follows.
package final class StreamConnection: Sendable {
  /// The version of the protocol.
  package static let version = 1
  /// How many bytes the commands that wait take at most, about, before no more are read.
  private static let capacity = 16 << 20
  /// How many scripts wait beside what follows at a time; one more is waited for.
  private static let besideCapacity = 256

  let hub: DeviceHub
  let output: StreamOutput
  /// Finds the devices of a file by its name.
  let readFile: @Sendable (String) throws -> [HIDDeviceDefinition]
  private let file: String
  private let queue = BoundedQueue<StreamRequest>(capacity: StreamConnection.capacity)
  let progress = StreamProgress()
  /// Whether the end of the input stops what is not done with.
  private let endsWithInput = Atomic(false)
  /// How many scripts wait beside what follows.
  private let beside = Atomic(0)
  /// Whether the program has ended the stream.
  private let hasEnded = Atomic(false)
  /// How many values were no commands, or could not be carried out.
  private let failures = Atomic(0)
  /// The events of hosts that the scripts of this client have consumed.
  let ledger: Mutex<HostLedger>
  /// Which connection of the process it is, from 1.
  let number: Int
  private static let count = Atomic(0)

  /// Makes a connection.
  ///
  /// - Parameters:
  ///   - file: What messages call the stream.
  ///   - readFile: Reads the devices of a file; what it throws is told.
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

  /// How many values were no commands, or could not be carried out.
  ///
  /// Commands that end because ``run(_:)`` is cancelled are not counted.
  package var failureCount: Int { failures.load(ordering: .relaxed) }

  /// The first line: who speaks, and what times are.
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

  /// Takes every command that is whole.
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

  /// Does what is not to wait for what stands before it.
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

  /// Sends reports, and with them those that follow: they go out together.
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

  /// Sends the reports of some commands at once; where that is refused, one command after the other.
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
        // Where none was sent, each is sent or refused by itself.
        if error.isRefusal {
          await perform(request)
          continue
        }
        if case .report(let reports) = request.command { sent -= reports.count }
        tell(request, sent >= 0 ? .success(nil) : .failure(error))
      }
    }
  }

  /// Does something, and tells how it went.
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
  /// A client that has read the result can no longer stop the command.
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
      // Without a stop, the cancellation is that of the whole stream.
      if isStopped || !Task.isCancelled { failures.add(1, ordering: .relaxed) }
      put(failure, name: request.name, token: request.token, at: request.location)
    }
  }

  /// Tells of a value that is no command: an object for each mistake.
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
  /// How much memory the command takes, about.
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
  /// How much memory the device takes, about: its descriptors are read, its behaviours and reports kept.
  fileprivate var byteCount: Int {
    interfaces.reduce(0) { sum, interface in
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
