// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import InputStick
import InputStickAPI
import Synchronization

/// Checks that the client of the InputStick reads any stored sticks, and takes any bytes of a
/// stick.
@c(LLVMFuzzerTestOneInput)
public func stickClient(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  guard let first = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  let defaults = defaults
  for key: String in [
    InputStickDatabaseKey, InputStickMostRecentDeviceKey, InputStickAutoConnectFailedKey,
  ] {
    defaults.removeObject(forKey: key)
  }
  if first < 0x40 {
    checkStore(rest, defaults)
  } else {
    let key = first & 1 == 0 ? nil : try? StickKey(password: "abc123")
    let stick =
      first < 0x80
      ? nil
      : StickModel(
        StickFirmware(91 + Int(first) % 22) ?? .latest, key: key, hmacKey: [UInt8](0x80...0x9F))
    checkLink(rest, stick, key, defaults)
  }
  return 0
}

// One object for all inputs: to make one takes milliseconds. Only one thread uses it.
nonisolated(unsafe) private let defaults = VolatileDefaults()

/// Checks that sticks that were read, stored and read again have the same stored bytes.
private func checkStore(_ bytes: [UInt8], _ defaults: VolatileDefaults) {
  defaults.set(Data(bytes), forKey: InputStickDatabaseKey)
  let first = InputStickManager(storingIn: defaults, environment: Environment())
  let database: InputStickDeviceDB = first.deviceDB
  expect(database.numberOfStoredDevices <= bytes.count, "more sticks than bytes")
  database.storeDatabase()
  let stored = defaults.data(forKey: InputStickDatabaseKey)
  let second = InputStickManager(storingIn: defaults, environment: Environment())
  let again: InputStickDeviceDB = second.deviceDB
  expect(again.numberOfStoredDevices == database.numberOfStoredDevices, "another number of sticks")
  again.storeDatabase()
  expect(defaults.data(forKey: InputStickDatabaseKey) == stored, "other bytes when stored again")
  _ = database.getNextAvailableName("InputStick")
  database.swapDevice(from: 0, to: 1, updateDatabase: false)
  database.deleteDevice(with: 0)
  for case let device as InputStickDeviceData in database.deviceDbArray {
    _ = (device.hasPasswordProtectionIssue(), device.shouldDisplayFirmwareUpdateMessage())
    _ = device.firmwareVersionString()
  }
}

/// Checks that reports wait only while there is a link, and that a closed link leaves no timer.
///
/// - Parameter stick: A stick whose answers the bytes damage; `nil` for a stick that sends the
///   bytes.
private func checkLink(
  _ bytes: [UInt8], _ stick: StickModel?, _ key: StickKey?, _ defaults: VolatileDefaults
) {
  let environment = Environment()
  let manager = InputStickManager(storingIn: defaults, environment: environment)
  if let key {
    _ = manager.deviceDB.createDevice(withIdentifier: "stick", withPreferredName: "InputStick")
    manager.deviceDB.getDataForDevice(withIdentifier: "stick").key = Data(key.bytes)
  }
  manager.connectToInputStick(withIdentifier: "stick")
  environment.tell(.connected)
  environment.tell(.ready(pieceByteCount: .max))
  var stick = stick
  stick?.usbState = .configured
  var steps = FuzzSteps(bytes)
  while let step = steps.next() {
    var sent: [UInt8] = []
    if stick != nil {
      for case .send(let answer) in stick?.receive(environment.takeWritten()) ?? [] {
        sent += answer
      }
      for case .send(let answer) in stick?.status() ?? [] { sent += answer }
      while stick?.poll(.keyboard) != nil {}
      if step & 7 == 7, !sent.isEmpty { sent[Int(steps.byte()) % sent.count] ^= 1 << (step >> 5) }
    } else {
      sent = steps.bytes(Int(step >> 2) + 1)
    }
    environment.tell(.received(sent))
    switch step & 3 {
    case 0: manager.keyboardHandler.typeText("Aa")
    case 1: environment.pass(Int(step) * 16)
    case 2:
      manager.mouseHandler.sendCustomReport(withButtons: step, x: 1, y: 2, scroll: 3, flush: true)
    default: break
    }
    let room = manager.connectionState == .ready || manager.buffersManager.keyboardLocalBufferEmpty
    expect(room || manager.connectionState != .disconnected, "reports wait without a link")
  }
  environment.tell(.closed)
  expect(manager.connectionState == .disconnected, "connected without a link")
  environment.pass(60_000)
  expect(environment.isQuiet, "a timer runs without a link")
}

/// A clock, timers and a link, which the input of the fuzzer controls.
private final class Environment: StickEnvironment {
  private struct State {
    var now = 0
    var timers: [(number: Int, due: Int, body: @Sendable () -> Void)] = []
    var lastTimer = 0
    var randomCount = 0
    var written: [UInt8] = []
    var event: (@Sendable (StickLinkEvent) -> Void)?
  }

  private let state = Mutex(State())

  var unixTime: Int { 1_700_000_000 + state.withLock { $0.now } / 1000 }
  /// True if no timer waits.
  var isQuiet: Bool { state.withLock { $0.timers.isEmpty } }

  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.lastTimer += 1
      state.timers.append((state.lastTimer, state.now + delay, body))
      return state.lastTimer
    }
    return { [weak self] in
      self?.state.withLock { state in state.timers.removeAll { $0.number == number } }
    }
  }

  /// Advances the clock, and runs the timers that are due by then.
  func pass(_ milliseconds: Int) {
    let end = state.withLock { $0.now + milliseconds }
    while true {
      let next = state.withLock { state -> (@Sendable () -> Void)? in
        guard let next = state.timers.filter({ $0.due <= end }).min(by: { $0.due < $1.due }) else {
          state.now = end
          return nil
        }
        state.timers.removeAll { $0.number == next.number }
        state.now = next.due
        return next.body
      }
      guard let next else { return }
      next()
    }
  }

  func randomBytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      // The bytes of the recorded cases: the vector, the proof and the challenge.
      let first = UInt8(0x10 + [0, 0x30, 0x40][state.randomCount % 3])
      state.randomCount += 1
      return (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }
  }

  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void) {}
  func stopScan() {}
  func canConnect(to identifier: String) -> Bool { true }

  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport {
    state.withLock { $0.event = event }
    return Link(self)
  }

  /// Delivers an event of the link to the client.
  func tell(_ event: StickLinkEvent) { state.withLock { $0.event }?(event) }

  /// Takes the bytes that the client has written.
  func takeWritten() -> [UInt8] {
    state.withLock { state in
      defer { state.written = [] }
      return state.written
    }
  }

  private final class Link: StickTransport {
    private let environment: Environment

    init(_ environment: Environment) { self.environment = environment }

    func write(_ bytes: [UInt8]) {
      environment.state.withLock { state in
        // Without a stick, no code takes these bytes.
        if state.written.count < 1 << 16 { state.written += bytes }
      }
    }

    func close() { environment.state.withLock { $0.event = nil } }
  }
}
