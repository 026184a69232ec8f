// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import CoreHaptics

/// The strengths that an engine has sent, in hundredths, and the calls of handlers, in order.
private final class Record: Sendable {
  private let entries = Mutex<[String]>([])

  func note(_ entry: String) { entries.withLock { $0.append(entry) } }
  var all: [String] { entries.withLock { $0 } }

  func makeEngine() -> CHHapticEngine {
    CHHapticEngine { strength in self.note("\(Int((strength * 100).rounded()))") }
  }

  /// Waits until the record contains an entry; the time limit of the test ends the wait otherwise.
  func wait(for entry: String) async throws { try await wait { $0.contains(entry) } }

  func wait(_ isSo: ([String]) -> Bool) async throws {
    while !isSo(all) { try await Task.sleep(for: .milliseconds(1)) }
  }
}

@Suite("Haptic engines", .timeLimit(.minutes(1)))
struct EngineTests {
  private func pattern(_ intensity: Float, for duration: Double = 100) throws -> CHHapticPattern {
    let event = CHHapticEvent(
      eventType: .hapticContinuous,
      parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
      relativeTime: 0, duration: duration)
    return try CHHapticPattern(events: [event], parameters: [])
  }

  @Test(
    "the strongest of several players sets the motors, and stopping the engine ends all players")
  func players() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    let weak = try engine.makePlayer(with: pattern(0.3))
    let strong = try engine.makePlayer(with: pattern(0.8))
    try weak.start(atTime: CHHapticTimeImmediate)
    try await record.wait(for: "30")
    try strong.start(atTime: 0)
    try await record.wait(for: "80")
    strong.isMuted = true
    try await record.wait { $0 == ["30", "80", "30"] }
    strong.isMuted = false
    try await record.wait { $0.count == 4 }
    try strong.stop(atTime: 0)
    try await record.wait { $0 == ["30", "80", "30", "80", "30"] }
    try weak.sendParameters(
      [
        CHHapticDynamicParameter(
          parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
      ], atTime: 0)
    try await record.wait(for: "15")
    engine.isMutedForHaptics = true
    try await record.wait { $0.last == "0" }
    engine.isMutedForHaptics = false
    try await record.wait { $0.last == "15" }
    try await engine.stop()
    // The motors are off when `stop` returns.
    #expect(record.all == ["30", "80", "30", "80", "30", "15", "0", "15", "0"])
    let error = #expect(throws: CHHapticError.self) { try weak.start(atTime: 0) }
    #expect(error?.code == .engineNotRunning)
    #expect(throws: CHHapticError.self) { try weak.start(atTime: .nan) }
  }

  @Test("a pattern ends by itself and calls its handler, also when its player is released")
  func ends() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    do {
      let player = try engine.makeAdvancedPlayer(with: pattern(0.5, for: 0.02))
      player.completionHandler = { _ in record.note("complete") }
      try player.start(atTime: 0)
    }
    try await record.wait(for: "complete")
    #expect(record.all == ["50", "0", "complete"])
    engine.stoppedHandler = { record.note("stopped \($0)") }
    engine.notifyWhenPlayersFinished { error in
      record.note("finished \(error == nil)")
      return .stopEngine
    }
    try await record.wait(for: "stopped notifyWhenFinished")
    #expect(throws: CHHapticError.self) {
      try engine.makePlayer(with: pattern(1)).start(atTime: 0)
    }
    try engine.playPattern(
      from: Data(#"{"Pattern": [{"Event": {"EventType": "HapticTransient"}}]}"#.utf8))
    try await record.wait { $0.suffix(2) == ["100", "0"] }
  }

  @Test("an advanced player waits for its time, loops, pauses and resumes")
  func advanced() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    let events = [0.2, 0.4].enumerated().map { index, intensity in
      CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [
          CHHapticEventParameter(parameterID: .hapticIntensity, value: Float(intensity))
        ],
        relativeTime: Double(index) * 0.01, duration: 0.01)
    }
    let player = try engine.makeAdvancedPlayer(
      with: CHHapticPattern(events: events, parameters: []))
    player.completionHandler = { _ in record.note("complete") }
    player.loopEnabled = true
    player.playbackRate = 2
    #expect(player.loopEnd == 0.02 && player.playbackRate == 2)
    let time = engine.currentTime + 0.03
    try player.start(atTime: time)
    try await record.wait(for: "20")
    #expect(engine.currentTime >= time)
    try await record.wait { $0.count { $0 == "40" } >= 3 }
    try player.pause(atTime: 0)
    try await record.wait { $0.last == "0" }
    try player.seek(toOffset: 0.005)
    try player.resume(atTime: 0)
    try await record.wait { $0.last != "0" }
    player.loopEnabled = false
    try await record.wait(for: "complete")
    #expect(record.all.suffix(2) == ["0", "complete"])
    try player.cancel()
    #expect(throws: CHHapticError.self) { try player.seek(toOffset: -1) }
  }

  @Test("a loop that is turned off ends after its current pass, and an invalid speed is ignored")
  func loops() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    let player = try engine.makeAdvancedPlayer(with: pattern(0.5, for: 0.05))
    player.playbackRate = -1
    player.playbackRate = .nan
    #expect(player.playbackRate == 1)
    player.completionHandler = { _ in record.note("complete") }
    player.loopEnabled = true
    // A loop of no length does not keep a processor busy, and can be stopped.
    player.loopEnd = 1e-300
    try player.start(atTime: 0)
    try await record.wait(for: "50")
    player.loopEnd = 0
    #expect(player.loopEnd == 0.05)
    let begin = engine.currentTime
    player.loopEnabled = false
    try await record.wait(for: "complete")
    // The position was still at the beginning of the pattern.
    #expect(engine.currentTime - begin > 0.04)
  }

  @Test("a handler can hold another player, and a paused player that is released is finished")
  func holds() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    var first: (any CHHapticAdvancedPatternPlayer)? = try engine.makeAdvancedPlayer(
      with: pattern(0.5, for: 0.01))
    var second: (any CHHapticPatternPlayer)? = try engine.makePlayer(with: pattern(0.7))
    first?.completionHandler = { [second] _ in try? second?.start(atTime: 0) }
    second = nil
    try first?.start(atTime: 0)
    try await record.wait(for: "70")
    // The last reference to the second player is released with the first one's handler.
    first = nil
    let paused = try engine.makeAdvancedPlayer(with: pattern(0.9))
    try paused.start(atTime: 0)
    try await record.wait(for: "90")
    try paused.pause(atTime: 0)
    try await record.wait { $0.last == "70" }
    try await engine.stop()
    engine.notifyWhenPlayersFinished { _ in
      record.note("finished")
      return .leaveEngineRunning
    }
    try await record.wait(for: "finished")
    try await engine.start()
    do {
      let other = try engine.makeAdvancedPlayer(with: pattern(0.2))
      try other.start(atTime: 0)
      try await record.wait(for: "20")
      try other.pause(atTime: 0)
      try await record.wait { $0.last == "0" }
    }
    engine.notifyWhenPlayersFinished { _ in
      record.note("finished again")
      return .leaveEngineRunning
    }
    try await record.wait(for: "finished again")
  }

  @Test("a slow handler delays no motor, and a player of a stopped engine refuses every action")
  func slow() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    let gate = DispatchSemaphore(value: 0)
    let short = try engine.makeAdvancedPlayer(with: pattern(0.5, for: 0.01))
    short.completionHandler = { _ in gate.wait() }
    try short.start(atTime: 0)
    try await record.wait { $0 == ["50", "0"] }
    let other = try engine.makeAdvancedPlayer(with: pattern(0.6, for: 0.01))
    try other.start(atTime: 0)
    try await record.wait { $0 == ["50", "0", "60", "0"] }
    gate.signal()
    try await engine.stop()
    let curve = CHHapticParameterCurve(
      parameterID: .hapticIntensityControl,
      controlPoints: [.init(relativeTime: 0, value: 1)], relativeTime: 0)
    for action in [
      { try other.start(atTime: 0) }, { try other.stop(atTime: 0) },
      { try other.pause(atTime: 0) }, { try other.resume(atTime: 0) },
      { try other.seek(toOffset: 0) }, { try other.sendParameters([], atTime: 0) },
      { try other.scheduleParameterCurve(curve, atTime: 0) },
    ] as [() throws -> Void] {
      #expect(throws: CHHapticError.self) { try action() }
    }
    try await engine.start()
    #expect(throws: CHHapticError.self) {
      try other.scheduleParameterCurve(curve, atTime: .infinity)
    }
  }

  @Test("a cancelled player drops its pending parameters")
  func cancelled() async throws {
    let record = Record()
    let engine = record.makeEngine()
    try await engine.start()
    let player = try engine.makePlayer(with: pattern(0.5))
    try player.sendParameters(
      [
        CHHapticDynamicParameter(
          parameterID: .hapticIntensityControl, value: 0, relativeTime: 0.02)
      ], atTime: 0)
    try player.cancel()
    try player.start(atTime: 0)
    let end = try engine.makePlayer(with: pattern(1))
    try end.start(atTime: engine.currentTime + 0.05)
    try await record.wait(for: "100")
    #expect(record.all == ["50", "100"])
  }

  @Test("an engine whose motors are disconnected stops, and does not start again")
  func disconnect() async throws {
    let record = Record()
    let engine = record.makeEngine()
    engine.stoppedHandler = { record.note("stopped \($0)") }
    try await engine.start()
    let player = try engine.makePlayer(with: pattern(1))
    try player.start(atTime: 0)
    try await record.wait(for: "100")
    engine.disconnect()
    try await record.wait(for: "stopped gameControllerDisconnect")
    #expect(record.all == ["100", "0", "stopped gameControllerDisconnect"])
    let error = await #expect(throws: CHHapticError.self) { try await engine.start() }
    #expect(error?.code == .resourceNotAvailable)
    await withCheckedContinuation { continuation in
      engine.start { error in
        record.note("start \(error != nil)")
        continuation.resume()
      }
    }
    #expect(record.all.last == "start true")
  }

  @Test("an engine that is released turns the motors off")
  func ended() async throws {
    let record = Record()
    var engine: CHHapticEngine? = record.makeEngine()
    try await engine?.start()
    let player = try engine?.makePlayer(with: pattern(0.6))
    try player?.start(atTime: 0)
    try await record.wait(for: "60")
    engine = nil
    try await record.wait { $0 == ["60", "0"] }
  }

  @Test("an engine for the machine itself is refused with a remedy")
  func none() throws {
    let error = #expect(throws: CHHapticError.self) { try CHHapticEngine() }
    #expect(error?.code == .notSupported)
    #expect(error?.localizedDescription.contains("createEngine(withLocality:)") == true)
    let capability = CHHapticEngine.capabilitiesForHardware()
    #expect(!capability.supportsHaptics && !capability.supportsAudio)
    let range = try capability.attributes(
      forEventParameter: .hapticIntensity, eventType: .hapticContinuous)
    #expect(range.minValue == 0 && range.maxValue == 1 && range.defaultValue == 1)
    #expect(throws: CHHapticError.self) {
      try capability.attributes(forDynamicParameter: .audioPanControl)
    }
  }
}
