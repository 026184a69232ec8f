// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc
import Subprocess
import SystemPackage

/// A program that runs beside a test and exchanges lines with it.
///
/// Its standard error counts as its output.
final class Program {
  private typealias Running = Execution<CustomWriteInput, SequenceOutput, CombinedErrorOutput>

  private let name: String
  private let running: Running
  private var lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator
  /// The lines that the test has read so far.
  private var transcript: [String] = []

  private init(_ name: String, _ running: Running) {
    self.name = name
    self.running = running
    lines = running.standardOutput.strings().makeAsyncIterator()
  }

  /// Runs a program while a body runs; the program has ended when the call returns or throws.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - environment: The variables that the program gets besides those of the tests.
  ///   - body: The use of the program.
  static func run<Value: Sendable>(
    _ words: [String], environment: [String: String] = [:],
    _ body: (Program) async throws -> Value
  ) async throws -> Value {
    // A write to a program that has ended must fail; without this it would end the tests.
    signal(SIGPIPE, SIG_IGN)
    let result = try await Subprocess.run(
      executable(words[0]), arguments: Arguments(Array(words.dropFirst())),
      environment: .inherit.updating(
        Dictionary(
          uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) })),
      input: .inputWriter, output: .sequence, error: .combinedWithOutput
    ) { (running: Running) in
      defer { try? running.send(signal: .kill) }
      return try await body(Program(words.joined(separator: " "), running))
    }
    return result.closureResult
  }

  /// Runs a program without input to its end.
  ///
  /// - Returns: The exit status and the output. For a program that a signal ended, the status is
  ///   128 plus the signal's number.
  static func finish(_ words: [String]) async throws -> (status: Int32, output: String) {
    let result = try await Subprocess.run(
      executable(words[0]), arguments: Arguments(Array(words.dropFirst())),
      output: .string(limit: 1 << 20), error: .combinedWithOutput)
    let status =
      switch result.terminationStatus {
      case .exited(let status): Int32(status)
      case .signaled(let signal): 128 + Int32(signal)
      }
    return (status, result.standardOutput)
  }

  private static func executable(_ word: String) -> Executable {
    word.contains("/") ? .path(FilePath(word)) : .name(word)
  }

  // MARK: Lines

  /// Waits for the next line; `nil` if the program has ended.
  func line() async throws -> String? {
    guard let line = try await lines.next(isolation: nil) else { return nil }
    transcript.append(line)
    return line
  }

  /// Waits for a line that fits a condition, and skips the lines before it.
  @discardableResult
  func line(where isWanted: (String) -> Bool) async throws -> String {
    while let line = try await line() {
      if isWanted(line) { return line }
    }
    throw ProgramError(
      "\(name) ended without the line that was awaited:\n\(transcript.joined(separator: "\n"))")
  }

  /// Waits for an exact line, and skips the lines before it.
  func line(_ wanted: String) async throws { try await line { $0 == wanted } }

  /// Waits for a line that begins with a word, and skips the lines before it.
  ///
  /// - Returns: The whole line.
  func line(beginning word: String) async throws -> String {
    try await line { $0.hasPrefix(word) }
  }

  func write(_ line: String) async throws {
    _ = try await running.standardInputWriter.write(Array("\(line)\n".utf8))
  }

  /// Writes a line, and waits for the answer.
  ///
  /// - Returns: The next line that the program writes.
  func ask(_ line: String) async throws -> String {
    try await write(line)
    return try await self.line { _ in true }
  }

  // MARK: Ends

  func closeInput() async throws { try await running.standardInputWriter.finish() }

  func kill() throws { try running.send(signal: .kill) }
}

/// The failure of a program to do what a test needs.
struct ProgramError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Data {
  /// The bytes as hex words, which the programs of the tests read and write.
  var words: String { map { String(format: "%02x", $0) }.joined(separator: " ") }
}
