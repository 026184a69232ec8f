// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Sessions of scripts", .timeLimit(.minutes(1)))
struct HIDScriptSessionTests {
  private func makeSession(on stage: Stage) -> HIDScriptSession {
    HIDScriptSession(devices: [stage.device], bus: stage.bus, log: stage.log, base: stage.base)
  }

  @Test("a script that an ended session stops names the file of its first command")
  func includedFile() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    let session = makeSession(on: stage)
    await session.end()
    let script = try HIDScript.parse(Array("include b\ntap a".utf8), name: "dir/a") { _ in
      Array("\ntap b".utf8)
    }
    let stop = await #expect(throws: HIDScriptStop.self) { try await session.perform(script) }
    #expect(stop?.description == "dir/b:2:1")
  }

  @Test("a session that ends in a cancelled task releases the pressed controls")
  func cancelledEnd() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    let session = makeSession(on: stage)
    try await stage.plugged {
      try await session.perform(HIDScript.parse(Array("press a".utf8), name: "s"))
      let end = Task {
        while !Task.isCancelled { await Task.yield() }
        await session.end()
      }
      end.cancel()
      await end.value
      #expect(stage.inputs == [[0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]])
    }
  }
}
