// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDBus
import HIDReportDescriptor

/// The commands that act as the host.
extension HIDScriptRun {
  mutating func host(_ statement: Statement) async throws -> ScriptClient {
    let reference = try reference(statement)
    let interface = devices[reference.device].interfaces[reference.interface]
    if let host = clients[reference] {
      guard let record = interface.record, record.id != host.device else { return host }
      // The device unplugged itself and is plugged again, so it must be opened again.
      await host.close()
      clients[reference] = nil
    }
    let host = try await ScriptClient.open(interface, on: bus)
    clients[reference] = host
    return host
  }

  mutating func hostGet(
    _ report: HIDScript.Report, _ expected: HIDScript.HostAnswer?, _ statement: Statement
  ) async throws {
    let host = try await host(statement)
    let start = log.endIndex
    let answer: [UInt8]?
    do throws(HIDBusError) {
      answer = try await host.get(report.type, report.id)
    } catch {
      guard error.kind == .ioError, expected != nil else { throw error }
      answer = nil
    }
    switch (expected, answer) {
    case (nil, _), (.error, nil): return
    case (.bytes(let pattern), let answer?) where pattern.matches(answer): return
    case (.bytes(let pattern), let answer):
      throw failure(
        statement,
        "expected the answer \(pattern), and got \(answer?.hexText ?? "an error")",
        since: start)
    case (.error, let answer?):
      throw failure(statement, "expected an error, and got \(answer.hexText)", since: start)
    }
  }

  mutating func hostSet(
    _ type: HIDReportType, _ bytes: [UInt8], _ expectsError: Bool, _ statement: Statement
  ) async throws {
    let host = try await host(statement)
    let start = log.endIndex
    do throws(HIDBusError) {
      try await host.set(type, bytes)
    } catch {
      if expectsError, error.kind == .ioError { return }
      throw error
    }
    guard expectsError else { return }
    throw failure(statement, "expected an error, and the report was accepted", since: start)
  }

  mutating func hostExpect(
    _ control: HIDScript.Control, _ value: HIDScript.Value, _ bound: Duration?,
    _ statement: Statement
  ) async throws {
    let element = try element(control, statement)
    let descriptor = try interface(statement).definition.descriptor
    let start = log.endIndex
    let seen = await (try host(statement)).wait(for: element, until: deadline(bound)) {
      value.accepts($0, for: element, in: descriptor)
    }
    if seen.willDo { return }
    try Task.checkCancellation()
    throw failure(
      statement,
      """
      the host expected \(control.name) \(value.text)\(bound.map { " within \($0.text)" } ?? ""), \
      and sees \(descriptor.shown(element, seen.value))
      """, since: start, listing: \.isInput)
  }
}
