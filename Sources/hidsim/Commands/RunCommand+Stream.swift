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
    let session = RunSession(definitions, on: bus, printer: nil, keepsInput: showsInput)
    let signals = await UnixSignalsSequence.ofAnEnd()
    let output = StreamOutput(
      session.log, base: session.base,
      events: StreamEvents(isOn: true, showsInput: showsInput))
    let connection = StreamConnection(
      session.hub, output: output, file: "standard input", readFile: InputFiles.devices(named:))
    connection.greet()
    let writing = Task {
      while let lines = await output.take() { await StandardOutput.write(lines) }
    }
    let following = Task { await output.follow() }
    func end() async {
      await following.value
      output.end()
      await writing.value
    }
    do {
      _ = try await session.run {
        await untilEnded(bound, signals: signals) {
          await connection.run(StandardInput.chunks())
        }
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
      failures > 0 ? "\(failures.counting("command")) failed" : passes ? nil : "strict: failed"
    EventPrinter(json: true, toStandardError: false, showsInput: showsInput).summary(
      totals, bus: bus.kind, at: MonotonicTime.now.microseconds(since: session.base),
      outcome: outcome)
    if failures > 0 || !passes { throw ExitCode(1) }
  }
}
