// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// A program that was started, usually `hidsim`, with pipes as all three standard files.
final class HidsimProcess: Sendable {
  private typealias Running = Execution<CustomWriteInput, SequenceOutput, SequenceOutput>

  /// The lines of standard output.
  let output = LineLog()
  let errors = LineLog()
  let words: [String]
  private let running: Running
  private let ending: Task<Int32, any Error>
  private let nextLine = Mutex(0)

  private init(words: [String], running: Running, ending: Task<Int32, any Error>) {
    self.words = words
    self.running = running
    self.ending = ending
  }

  /// Starts a program, and returns when it runs.
  static func start(
    _ program: String, _ arguments: [String], environment: [String: String]
  ) async throws -> HidsimProcess {
    let updates = environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) }
    let started = AsyncThrowingStream<HidsimProcess, any Error>.makeStream()
    // The task waits until `box` holds the task, because the `HidsimProcess` that the task creates
    // needs a reference to the task.
    let gate = AsyncStream<Void>.makeStream()
    let box = Box()
    let task = Task<Int32, any Error> {
      for await _ in gate.stream { break }
      do {
        let result = try await Subprocess.run(
          program.contains("/") ? .path(FilePath(program)) : .name(program),
          arguments: Arguments(arguments),
          environment: .inherit.updating(Dictionary(uniqueKeysWithValues: updates)),
          input: .inputWriter, output: .sequence, error: .sequence
        ) { (running: Running) in
          guard let own = box.take() else { return }
          let process = HidsimProcess(
            words: [program] + arguments, running: running, ending: own)
          started.continuation.yield(process)
          async let errors: Void = process.read(running.standardError, into: process.errors)
          await process.read(running.standardOutput, into: process.output)
          await errors
        }
        return switch result.terminationStatus {
        case .exited(let status): Int32(status)
        case .signaled(let signal): 128 + Int32(signal)
        }
      } catch {
        started.continuation.finish(throwing: error)
        throw error
      }
    }
    box.put(task)
    gate.continuation.finish()
    for try await process in started.stream { return process }
    throw EndToEndError("\(program) could not be started")
  }

  private final class Box: Sendable {
    private let task = Mutex<Task<Int32, any Error>?>(nil)
    func put(_ task: Task<Int32, any Error>) { self.task.withLock { $0 = task } }
    func take() -> Task<Int32, any Error>? { task.withLock { $0 } }
  }

  private func read(_ stream: SubprocessOutputSequence, into log: LineLog) async {
    do {
      for try await buffer in stream { log.append(buffer.withUnsafeBytes { Array($0) }) }
    } catch {
      log.append(Array("(reading failed: \(error))\n".utf8))
    }
    log.end()
  }

  /// The exit status of the program, once it has ended.
  ///
  /// It is 128 plus the number of the signal if a signal ended it.
  var status: Int32 { get async throws { try await ending.value } }

  /// The ID of the process.
  var processID: pid_t { running.processIdentifier.value }

  func signal(_ number: Int32) { _ = kill(processID, number) }

  /// Stops the process with SIGSTOP, and returns when all of its threads have stopped.
  func stop() async throws {
    signal(SIGSTOP)
    var told = siginfo_t()
    repeat {
      try await Task.sleep(for: .milliseconds(1))
      guard waitid(P_PID, id_t(processID), &told, WSTOPPED | WNOHANG | WNOWAIT) == 0 else {
        throw EndToEndError("\(words) cannot be stopped: it has ended")
      }
    } while told.si_signo != SIGCHLD
  }

  /// Writes to the program's standard input, and waits while the pipe is full.
  func write(_ text: String) async throws {
    let bytes = Array(text.utf8)
    let count = try await running.standardInputWriter.write(bytes)
    // The writer returns without an error if the program has ended.
    guard count == bytes.count else { throw EndToEndError("\(words[0]) does not read any more") }
  }

  func closeInput() async throws { try await running.standardInputWriter.finish() }

  /// Waits for the next line of standard output for which `isWanted` returns true, and skips those
  /// before it.
  ///
  /// - Throws: An error with the program's output, if it ended without such a line.
  @discardableResult
  func line(where isWanted: (String) -> Bool) async throws -> String {
    while true {
      let index = nextLine.withLock { $0 }
      guard let line = await output.line(at: index) else {
        throw EndToEndError(
          "\(words.joined(separator: " ")) ended without the line that was awaited:\n\(transcript)")
      }
      nextLine.withLock { $0 = index + 1 }
      if isWanted(line) { return line }
    }
  }

  /// Makes `hidsim drive` play a script, and waits for its result.
  func perform(script: String) async throws {
    let command = try JSONEncoder().encode(
      ["command": "script", "text": script, "token": "played"])
    try await write(String(decoding: command, as: UTF8.self) + "\n")
    // The line with the token is the result, or the error.
    let result = try await line { $0.contains("\"token\":\"played\"") }
    #expect(result.contains("\"result\":\"script\""), "\(result)")
  }

  /// Waits for the next event of `--json` with this name for which `isWanted` returns true.
  @discardableResult
  func event(_ name: String, where isWanted: (Event) -> Bool = { _ in true }) async throws -> Event
  {
    var found: Event?
    try await line { line in
      guard let event = Event(line), event.event == name, isWanted(event) else { return false }
      found = event
      return true
    }
    guard let found else { throw EndToEndError("no event \(name)") }
    return found
  }

  /// Waits for a line of standard error that contains a text.
  @discardableResult
  func note(containing text: String) async throws -> String {
    var index = 0
    while let line = await errors.line(at: index) {
      if line.contains(text) { return line }
      index += 1
    }
    throw EndToEndError("\(words.joined(separator: " ")) never noted \"\(text)\":\n\(transcript)")
  }

  /// All output and errors, for messages.
  var transcript: String { (output.lines + ["--"] + errors.lines).joined(separator: "\n") }
}

/// An error that ends a test.
struct EndToEndError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A line of `--json`, with the keys that tests use.
struct Event: Decodable, Sendable {
  var event: String
  var device: String?
  var time: Int?
  var index: Int?
  var bus: String?
  var node: String?
  var eventNodes: [String]?
  var name: String?
  var id: String?
  var driver: String?
  var physicalPath: String?
  var serialNumber: String?
  var ready: Int?
  var type: String?
  var report: Int?
  var bytes: String?
  var raw: String?
  var change: String?
  var changes: [String: Int]?
  var values: [String: Int]?
  var request: Int?
  var kind: String?
  var inputs: Int?
  var outputs: Int?
  var requests: Int?
  var lost: Int?
  var withoutReader: Int?
  var outcome: String?
  var message: String?

  /// Decodes a line; nil if it is not an event.
  init?(_ line: String) {
    guard let event = try? JSONDecoder().decode(Event.self, from: Data(line.utf8)) else {
      return nil
    }
    self = event
  }
}
