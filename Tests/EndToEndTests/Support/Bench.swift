// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

/// The bus that a test uses.
enum TestBus: String, CaseIterable, CustomTestStringConvertible {
  case loopback
  case kernel

  var testDescription: String { "\(self) bus" }

  /// The buses that can be used here, or only the one that `HIDSIM_TEST_BUS` names.
  static let available: [TestBus] = {
    let asked = ProcessInfo.processInfo.environment["HIDSIM_TEST_BUS"]
    if let bus = asked.flatMap(TestBus.init(rawValue:)) { return [bus] }
    return kernelIsThere ? [.loopback, .kernel] : [.loopback]
  }()
  static let kernelIsThere = access("/dev/uhid", R_OK | W_OK) == 0
  static let testsKernel = available.contains(.kernel)
  static let kernelReason: Comment =
    kernelIsThere
    ? "the kernel bus is not tested here"
    : "/dev/uhid cannot be opened: run the tests in scripts/vm"
}

/// The result of a program that has ended: its exit status, output and errors.
struct Finished: Sendable {
  let status: Int32
  let output: [String]
  let errors: [String]

  var errorText: String { errors.joined(separator: "\n") }
}

/// An environment for `hidsim` with a bus and a folder of its own.
///
/// On the loopback bus, the bus is its own, too. The environment ends all its processes with the
/// test.
final class Bench: Sendable {
  let bus: TestBus
  /// A new folder for files.
  let folder: URL
  private let processes = Mutex<[HidsimProcess]>([])

  private init(_ bus: TestBus) throws {
    self.bus = bus
    // A write to a program that has ended must return an error, and not end the tests.
    signal(SIGPIPE, SIG_IGN)
    folder = FileManager.default.temporaryDirectory.appending(
      path: "hidsim-e2e-\(UUID().uuidString)")
    for name in ["", "bus"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  /// Runs a test, and then ends all processes that it started and removes the folder, also if it
  /// throws.
  ///
  /// A test of a bus that is not available is cancelled. Before Swift 6.3, a test cannot be
  /// cancelled, and passes.
  static func run(_ bus: TestBus, _ body: (Bench) async throws -> Void) async throws {
    guard TestBus.available.contains(bus) else {
      #if compiler(>=6.3)
        try Test.cancel("the \(bus.testDescription) is not tested here")
      #else
        return
      #endif
    }
    let bench = try Bench(bus)
    defer { try? FileManager.default.removeItem(at: bench.folder) }
    do {
      try await withTaskCancellationHandler {
        try await body(bench)
      } onCancel: {
        // The time limit was reached: when the processes end, the test stops waiting.
        bench.killAll()
      }
      await bench.end()
    } catch {
      for process in bench.processes.withLock({ $0 }) {
        print("== \(process.words.joined(separator: " "))\n\(process.transcript.suffix(4000))")
      }
      await bench.end()
      throw error
    }
  }

  private func killAll() {
    for process in processes.withLock({ $0 }) {
      process.signal(SIGKILL)
      process.signal(SIGCONT)
    }
  }

  private func end() async {
    killAll()
    for process in processes.withLock({ $0 }) { _ = try? await process.status }
  }

  // MARK: Programs

  /// The path of `hidsim`, beside the test bundle.
  static let binary = product("hidsim")

  /// The path of a client of CoreHID that takes commands from standard input.
  static let client = product("CoreHIDClient")

  private static func product(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: name).path
  }

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures").path

  /// Returns the path of a file of the checkout.
  static func checkout(_ path: String) -> String {
    URL(filePath: fixtures).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: path).path
  }

  static let descriptors = URL(filePath: fixtures).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Descriptors").path

  var busFolder: URL { folder.appending(path: "bus") }

  private var environment: [String: String] {
    ["HIDSIM_BUS": bus.rawValue, "HIDSIM_BUS_DIR": busFolder.path]
  }

  /// Starts any program, in an environment where `hidsim` uses this bench's bus.
  func start(program: String, _ arguments: [String]) async throws -> HidsimProcess {
    let process = try await HidsimProcess.start(program, arguments, environment: environment)
    processes.withLock { $0.append(process) }
    return process
  }

  /// Starts `hidsim`.
  func start(_ arguments: String...) async throws -> HidsimProcess {
    try await start(program: Self.binary, arguments)
  }

  /// Runs `hidsim` to its end, with `input` as its standard input.
  func finish(_ arguments: String..., input: String = "") async throws -> Finished {
    try await finish(program: Self.binary, arguments, input: input)
  }

  func finish(
    program: String, _ arguments: [String], input: String = ""
  ) async throws -> Finished {
    let process = try await start(program: program, arguments)
    // A program that has already ended does not read its input.
    if !input.isEmpty { try? await process.write(input) }
    try? await process.closeInput()
    let status = try await process.status
    return Finished(status: status, output: process.output.lines, errors: process.errors.lines)
  }

  /// Returns the simulated devices of this bus that `hidsim list` prints.
  func devices() async throws -> [Event] {
    try await finish("list", "--json").output.compactMap(Event.init)
      .filter { $0.physicalPath?.contains("hidsim-") == true }
  }

  /// Writes a file into the bench's folder.
  ///
  /// - Returns: The path of the file.
  func file(_ name: String, _ text: String) throws -> String {
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  /// Returns the files in the bus directory, except the counter of device numbers.
  func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: busFolder.path)
      .filter { $0 != "hidsim.counter" }.sorted()
  }

  /// Starts `hidsim run FILE --json` with more arguments, and waits until the device can be used.
  func plug(_ arguments: String...) async throws -> (run: HidsimProcess, node: String) {
    let run = try await start(program: Self.binary, ["run"] + arguments + ["--json"])
    let plugged = try await run.event("plugged")
    return (run, try #require(plugged.node))
  }

  /// Ends a run with SIGINT, the signal of Ctrl-C, and expects exit status 0.
  func end(_ run: HidsimProcess, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    run.signal(SIGINT)
    #expect(try await run.status == 0, sourceLocation: sourceLocation)
  }
}

/// Waits until `isSo` returns true, by polling; the time limit of the test ends the wait otherwise.
func eventually(_ isSo: () throws -> Bool) async throws {
  while try !isSo() { try await Task.sleep(for: .milliseconds(1)) }
}
