// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HIDSimulator
import HIDSystem
import HIDText
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// One script of a suite, with its devices, on a bus of its own.
struct ScriptTest: Sendable {
  /// How a test ended.
  struct Result: Sendable {
    var report: HIDScriptReport
    /// What a person needs to know where it failed: what went wrong, what happened, what the program wrote.
    var details = ""
    /// How long it took, in milliseconds.
    var milliseconds = 0

    var passed: Bool { report.passed }
  }

  /// How much of what the program wrote, in bytes.
  private static let shownByteCount = 64 << 10

  let path: String
  let variables: [String: String]
  let command: [String]
  let bus: HIDBusKind
  let timeline: RunCommand.Time
  let bound: TimeBound
  let isLive: Bool
  let isStrict: Bool

  /// Runs the test to its end, or to that of its time.
  func run() async -> Result {
    let start = MonotonicTime.now
    var result: Result
    do {
      let script = try InputFiles.script(path, variables: variables)
      let definitions = try TestScripts.devices(of: script)
      let resolved = try script.lookedUp(on: definitions)
      result = try await run(resolved, definitions)
    } catch {
      let words =
        error is CancellationError
        ? "it was stopped before its devices were plugged"
        : Failure(any: error)?.description ?? "\(error)"
      result = Result(report: HIDScriptReport(of: path, broken: words), details: words)
    }
    result.milliseconds = Int(MonotonicTime.now.microseconds(since: start)) / 1000
    return result
  }

  private func run(
    _ script: HIDScript, _ definitions: [HIDDeviceDefinition]
  ) async throws -> Result {
    switch bus {
    case .loopback:
      return try await HIDBus.isolated {
        guard let bus = HIDBus.current else { throw Failure(.unavailable, "there is no bus") }
        return try await run(script, definitions, on: bus)
      }
    case .kernel:
      let bus = try HIDBus(.kernel, isLive: isLive)
      let turn = try await KernelTurn.take(for: definitions)
      defer { turn.end() }
      return try await run(script, definitions, on: bus)
    }
  }

  private func run(
    _ script: HIDScript, _ definitions: [HIDDeviceDefinition], on bus: HIDBus
  ) async throws -> Result {
    let output = command.isEmpty ? nil : try TemporaryFile.make()
    defer { try? output?.close() }
    let session = RunSession(
      definitions, on: bus, printer: nil, keepsInput: true,
      timeline: timeline == .virtual ? .virtual() : .real)
    let complaints = Complaints()
    var work = RunWork(script: script, command: command, commandOutput: output, bound: bound)
    work.endsBeforeBound = true
    work.complain = { complaints.add($0) }
    let outcome = try await session.run { [work] in await work.serve(session, nil) }
    let verdict = outcome.judged(by: session.log.totals, isStrict: isStrict, isCutShort: false)
    var result = Result(report: outcome.report ?? HIDScriptReport(of: script))
    if let complaint = verdict.complaint { complaints.add(complaint) }
    guard verdict.status != 0 else { return result }
    let words = verdict.words ?? "it failed"
    if complaints.isEmpty { complaints.add(words) }
    if result.report.passed { result.report.fail(words) }
    result.details = [
      complaints.text,
      HIDEventText.lastLines(of: session.log, base: session.base, title: "what happened"),
      output.map(Self.contents) ?? "",
    ].filter { !$0.isEmpty }.joined(separator: "\n")
    return result
  }

  // MARK: What the program writes

  /// The end of what the program wrote.
  private static func contents(of file: FileDescriptor) -> String {
    guard let length = try? file.seek(offset: 0, from: .end), length > 0 else { return "" }
    let start = max(0, length - Int64(shownByteCount))
    var bytes = [UInt8](repeating: 0, count: Int(length - start))
    let count =
      (try? bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: start, into: $0) })
      ?? 0
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head = start > 0 ? "the end of what the command wrote:" : "what the command wrote:"
    return ([head] + lines.drop { $0.isEmpty }.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// What is to be told of a test, once it is over.
private final class Complaints: Sendable {
  private let lines = Mutex<[String]>([])

  var isEmpty: Bool { lines.withLock { $0.isEmpty } }
  var text: String { lines.withLock { $0.joined(separator: "\n") } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
