// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop
import UnixSignals

extension RunCommand {
  /// Lets the program at standard input and standard output drive.
  func stream(_ definitions: [HIDDeviceDefinition], on bus: HIDBus) async throws {
    let session = RunSession(
      definitions, on: bus, printer: nil, keepsInput: showsInput, trace: try traceFile(),
      isRedacted: redact)
    let signals = await UnixSignalsSequence.ofAnEnd()
    let output = StreamOutput(
      session.log, base: session.base,
      events: StreamEvents(isOn: true, showsInput: showsInput))
    let connection = StreamConnection(
      session.hub, output: output, file: "standard input", readFile: InputFiles.devices(named:))
    connection.greet()
    let writing = Task {
      while let lines = await output.take() {
        Output.shared.write(lines)
        await Output.shared.settle()
      }
    }
    let following = Task { await output.follow() }
    func end() async {
      await following.value
      output.end()
      await writing.value
    }
    do {
      _ = try await session.run {
        let input = try StandardInput.chunks()
        await untilEnded(bound, signals: signals) { await connection.run(input) }
      }
    } catch {
      await end()
      throw error
    }
    await end()
    let totals = session.log.totals
    let failures = connection.failureCount
    let passes = !strict || Strict.passes(totals)
    let outcome =
      session.isCutShort
      ? RunSession.cutShortWords
      : failures > 0 ? "\(failures.counting("command")) failed" : passes ? nil : "strict: failed"
    EventPrinter(json: true, toStandardError: false, showsInput: showsInput).summary(
      totals, bus: bus.kind, at: MonotonicTime.now.microseconds(since: session.base),
      outcome: outcome)
    let traceStatus = session.tellTrace()
    if traceStatus != 0 { throw ExitCode(traceStatus) }
    if failures > 0 || !passes { throw ExitCode(1) }
  }

  /// Plays streams of Android's `hid` program, one after the other.
  func playAndroid() async throws {
    let contents = try files.map { file in
      (name: file, bytes: file == "-" ? nil : try InputFiles.stream(file))
    }
    try checkOutputs()
    let bus = try busOptions.bus(isLive: live, fidelity: fidelityOption.choice.fidelity)
    let session = RunSession(
      [], on: bus, printer: nil, keepsInput: false, trace: try traceFile(), isRedacted: redact)
    let signals = await UnixSignalsSequence.ofAnEnd()
    let android = AndroidSession(
      session.hub, tell: { Output.shared.print($0) }, rest: { await Output.shared.settle() },
      complain: { Output.shared.complain($0) })
    _ = try await session.run {
      let input = try StandardInput.chunks()
      await untilEnded(bound, signals: signals) {
        for (name, bytes) in contents {
          if let bytes {
            await android.run(AsyncStream<[UInt8]>.one(bytes), file: name)
          } else {
            await android.run(input, file: "standard input")
          }
        }
      }
    }
    let traceStatus = session.tellTrace()
    if traceStatus != 0 { throw ExitCode(traceStatus) }
    let passes = !strict || Strict.passes(session.log.totals)
    if android.failureCount > 0 || !passes { throw ExitCode(1) }
  }
}

extension AsyncStream where Element: Sendable {
  /// A stream of one element.
  fileprivate static func one(_ element: Element) -> Self {
    AsyncStream { continuation in
      continuation.yield(element)
      continuation.finish()
    }
  }
}
