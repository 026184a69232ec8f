// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import InputStickAPI
import Synchronization
import Testing

/// The client's reactions to a stick, a user and the time, compared with those of the
/// manufacturer's library.
@Suite("transcripts of the InputStick client") struct StickClientTranscriptTests {
  /// Faults of the manufacturer's library that hidsim's library does not have, by a part of the
  /// case's name.
  private static let exceptions = [
    "ios/usb/state-walk": "a timer that was replaced ends a link that works",
    "ios/usb/stale-timer": "a timer that was replaced ends a link that works",
    "ios/parser/watchdog-257-AF-bytes": "it does not see the watchdog",
    "mouse42x2-then-empty-status-resync-at-5": "it says twice that the buffer is empty",
    "ios/link/reconnect-drops-queue": "it says after a new connection that the old buffer is empty",
  ]

  private static let cases = InputStickCase.of("transcript", client: "ios")

  @Test(
    "the client acts as in each recorded transcript, except at the manufacturer's known faults",
    .enabled(if: !cases.isEmpty, "the recorded cases are not there"))
  func transcripts() throws {
    for known in Self.cases {
      let (expected, found) = StickClientTranscript(known).play()
      if let fault = Self.exceptions.first(where: { known.case.contains($0.key) }) {
        #expect(expected != found, "\(known.case) is no exception any more: \(fault.value)")
        continue
      }
      if expected != found {
        let place = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let index = place ?? min(expected.count, found.count)
        func text(_ events: [StickClientBench.Event]) -> String {
          events.dropFirst(index).prefix(3).map { "\($0)".prefix(150) }.joined(separator: " | ")
        }
        Issue.record(
          "\(known.case), event \(index): expected \(text(expected)), found \(text(found))")
      }
    }
  }
}

/// A recorded transcript, played with this library.
private final class StickClientTranscript {
  private typealias Event = StickClientBench.Event
  private let known: InputStickCase
  private let events: [InputStickCase.TranscriptEvent]
  /// The number of reports so far.
  ///
  /// Each report contains its number.
  private var reportCount = 0

  /// The kinds of events that are compared: the actions of the client.
  private static let kinds: Set = [
    "tx", "ble", "state", "localEmpty", "empty", "leds", "keyDialog", "errorDialog",
    "firmwareUpdateDialog", "usbResumeDialog", "scan",
  ]

  init(_ known: InputStickCase) {
    self.known = known
    events = known.ev ?? []
  }

  /// Plays the transcript.
  ///
  /// - Returns: The events of the manufacturer's library, and those of hidsim's library.
  func play() -> (expected: [StickClientBench.Event], found: [StickClientBench.Event]) {
    let bench = StickClientBench()
    defer { bench.end() }
    let environment = bench.environment
    let startsReady = events.first?.value.hasPrefix("connect") != true
    bench.showsPieces = events.contains { $0.kind == "ble" }
    if bench.showsPieces, let maximum = known.case.firstMatch(of: /max(\d+)/) {
      environment.state.withLock { $0.pieceByteCount = Int(maximum.1) ?? .max }
    }
    if known.case.contains("hangs") {
      environment.state.withLock { $0.connectTimes = nil }
    }
    if startsReady {
      let isEncrypted =
        known.session?.hasPrefix("encrypted") == true || known.case.contains("protected")
        || known.case.contains("encrypted-session")
      bench.connect(known.fw ?? 100, password: isEncrypted ? "abc123" : nil)
      bench.forgetEvents()
    } else {
      store(bench.manager)
    }
    var index = 0
    bench.asksForKey = { [events] in
      // The answer is that of the user in the recording.
      events[index...].first { $0.kind == "keyDialog" }?.value.contains("-> 1") == true
    }
    while index < events.count {
      let event = events[index]
      environment.step(to: event.time)
      perform(event, bench)
      index += 1
    }
    // By now, all timers that were due at the time of the last event have been called.
    let expected = events.filter { Self.kinds.contains($0.kind) }
      .map { Event(time: $0.time, kind: $0.kind, value: $0.value) }
    return (expected, bench.events.filter { Self.kinds.contains($0.kind) })
  }

  /// Stores the sticks that were known at the start of the recording.
  private func store(_ manager: InputStickManager) {
    let db: InputStickDeviceDB = manager.deviceDB
    func add(_ identifier: String, password: String?) {
      db.createDevice(withIdentifier: identifier, withPreferredName: "InputStick")
      if let password {
        db.getDataForDevice(withIdentifier: identifier).key = InputStickEncryptionManager.md5(
          from: password)
      }
    }
    let name = known.case
    if name.contains("stored-key-wrong") {
      add(StickClientBench.identifier, password: "old")
    } else if name.contains("key-but-unprotected") {
      add(StickClientBench.identifier, password: "abc123")
    } else if name.contains("/protected") || name.contains("/auth/answer")
      || name.contains("bad-challenge") || name.contains("encrypted")
    {
      let isUmlaut = known.fw == 112 && name.contains("umlaut")
      add(StickClientBench.identifier, password: isUmlaut ? "p\u{e4}ss" : "abc123")
    } else if name.contains("/link/") {
      add(StickClientBench.identifier, password: nil)
      if name.contains("nearest") {
        add("AAAAAAAA-0000-0000-0000-000000000000", password: nil)
      }
      db.setMostRecentlyUsedDeviceIdentifierTo(StickClientBench.identifier)
    }
  }

  private func perform(_ event: InputStickCase.TranscriptEvent, _ bench: StickClientBench) {
    let manager = bench.manager
    switch event.kind {
    case "rx": bench.environment.receive(bytes(event.value))
    case "discovered":
      let words = event.value.split(separator: " ")
      bench.environment.discover(
        StickAdvertisement(
          identifier: String(words[0]), name: "InputStick",
          rssi: Int(words[1].dropFirst("rssi=".count)) ?? 0))
    case "note" where event.value.contains("x AF"):
      let count = Int(event.value.prefix { $0 != " " }) ?? 0
      bench.environment.receive([UInt8](repeating: 0xAF, count: count))
    case "call": call(event.value, manager, bench)
    default: break
    }
  }

  private func number(_ word: String, _ text: String) -> Int? {
    guard let range = text.range(of: word) else { return nil }
    return Int(text[range.upperBound...].prefix { $0.isNumber })
  }

  private func call(_ text: String, _ manager: InputStickManager, _ bench: StickClientBench) {
    let words = text.split(separator: " ").map(String.init)
    let flush = text.contains("flush=1")
    switch words[0] {
    case "connectToInputStickWithIdentifier":
      manager.connectToInputStick(withIdentifier: StickClientBench.identifier)
    case "connectToLastInputStick": manager.connectToLastInputStick()
    case "connectToNearsetStoredInputStick": manager.connectToNearsetStoredInputStick()
    case "retryConnectionAttempt": manager.retryConnectionAttempt()
    case "updateDevicePassword":
      let password = words[1] == "nil" ? nil : words[1]
      manager.updateDevicePassword(password, savePlainText: true)
    case "sendUSBResumeRequest": manager.sendUSBResumeRequest()
    case "flushMouse": manager.buffersManager.flushMouseBuffer()
    case "flushConsumerBuffer": manager.buffersManager.flushConsumerBuffer()
    case "mouse": add(.mouse(), number("n=", text) ?? 0, flush, manager)
    case "keyboardShort": add(.shortKeyboard(), number("n=", text) ?? 0, flush, manager)
    case "mouse.move": manager.mouseHandler.moveCursorBy(x: 1, y: 1)
    case "typeText":
      if let speed = Int(words.last ?? ""), text.contains("55 chars") {
        type("The quick brown fox jumps over the lazy dog 0123456789", speed, manager)
      } else if text.contains("Hello World") {
        type("Hello World", 1, manager)
      } else {
        type("Hello", 1, manager)
      }
    case "click": manager.mouseHandler.click(withButtons: 1, numberOfPress: UInt(words[2]) ?? 1)
    case "mouse.click":
      for _ in 0..<2 { manager.mouseHandler.click(withButtons: 1, numberOfPress: 14) }
    case "consumer,touch,consumer":
      manager.consumerHandler.consumerAction(withUsage: .ConsumerActionVolumeUp)
      manager.touchScreenHandler.clickAt(x: 1, y: 1, numberOfTimes: 1)
      manager.consumerHandler.consumerAction(withUsage: .ConsumerActionVolumeDown)
    case "no":
      func touch(_ place: UInt, _ y: UInt) {
        manager.touchScreenHandler.sendCustomReport(
          withTipSwitch: false, inRange: true, x: place, y: y, flush: false)
      }
      touch(0, 0)
      touch(1, 1)
      manager.consumerHandler.sendCustomReport(
        with: .consumerReportID, lsbUsage: 0xE9, msbUsage: 0, flush: false)
      touch(9, 9)
    case "link": bench.environment.loseLink()
    case "custom":
      let packet = InputStickTxPacket(cmd: .CmdRunFirmware)
      packet?.requiresResponse = true
      manager.send(packet)
    case "autoConnect":
      manager.disconnectFromInputStick()
      _ = manager.autoConnectLastInputStick()
    case "50":
      for step in 0..<50 { manager.mouseHandler.moveCursorBy(x: Int8(step), y: Int8(-step)) }
    case "16":
      for key in 4..<19 { manager.keyboardHandler.pressAndReleaseModifiers(0, withKey: UInt8(key)) }
      manager.keyboardHandler.pressAndReleaseModifiers(2, withKey: 4)
      manager.keyboardHandler.pressAndReleaseModifiers(0, withKey: 5)
    default: break
    }
  }

  private func type(_ text: String, _ speed: Int, _ manager: InputStickManager) {
    manager.keyboardHandler.typeText(
      text, withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(withCode: "en-US"),
      typingSpeed: UInt(speed))
  }

  /// Adds a transaction of `count` reports.
  private func add(
    _ transaction: InputStickHIDTransaction, _ count: Int, _ flush: Bool,
    _ manager: InputStickManager
  ) {
    for _ in 0..<count {
      let isMouse = transaction.packetCmd == .CmdHIDDataMouse
      reportCount += 1
      var bytes = [0, UInt8(truncatingIfNeeded: reportCount)] + (isMouse ? [0, 0] : [])
      transaction.add(
        isMouse
          ? InputStickHIDReport.mouseReport(withBytes: &bytes)
          : InputStickHIDReport.shortKeyboardReport(withBytes: &bytes))
    }
    if transaction.packetCmd == .CmdHIDDataMouse {
      manager.buffersManager.addMouseHIDTransaction(transaction, flush: flush)
    } else {
      manager.buffersManager.addKeyboardHIDTransaction(transaction, flush: flush)
    }
  }
}
