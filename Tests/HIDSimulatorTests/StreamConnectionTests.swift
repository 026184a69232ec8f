// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Connections of programs that drive devices", .timeLimit(.minutes(1)))
struct StreamConnectionTests {
  @Test("a request that is delegated to another program is not answered, and still waits")
  func foreignAnswer() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    let hub = DeviceHub([stage.device.definition], on: stage.bus, log: stage.log)
    let device = hub.devices[0]
    device.delegate(HIDDelegation(deadline: .seconds(600)))
    try await device.plug(into: stage.bus)
    let client = try await stage.bus.clients.open(try #require(device.records.first))
    let asking = Task {
      try await client.getReport(.feature, HIDReportID(rawValue: 3), timeout: nil)
    }
    #expect(await stage.wait { if case .request = $0 { true } else { false } })
    let numbers = stage.kinds.compactMap { kind in
      if case .request(let request) = kind { request.number } else { nil }
    }
    let number = try #require(numbers.first)
    let output = StreamOutput(stage.log, base: stage.base, events: StreamEvents(isOn: false))
    let connection = StreamConnection(hub, output: output, file: "s") { _ in [] }
    let command = "{\"command\": \"answer\", \"request\": \(number), \"error\": true}\n"
    await connection.run(
      AsyncStream<[UInt8]> { continuation in
        continuation.yield(Array(command.utf8))
        continuation.finish()
      })
    let line = String(decoding: try #require(await output.take()), as: UTF8.self)
    #expect(line.contains("request \(number) is delegated to another program"))
    #expect(device.answer(number, with: .report([3, 1, 2, 4])))
    #expect(try await asking.value == [3, 1, 2, 4])
    client.close()
    await device.unplug()
  }
}
