// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import InputStickAPI
import Synchronization
import Testing

/// The packets that the client sends for each call, compared with those of the manufacturer's
/// library.
@Suite("calls of the InputStick client") struct StickClientCallTests {
  /// Faults of the manufacturer's library that hidsim's library does not have, by a part of the
  /// call.
  private static let exceptions = [
    "multiplier=2,flush": "it sends one report too few",
    "multiplier=3,flush": "it sends one report too few",
    "multiplier=4,flush": "it sends one report too few",
    "multiplier=5,flush": "it sends one report too few",
    "modifiers=0x01,speed=0": "it leaves held modifiers down",
    "modifiers=0x04,speed=0": "it leaves held modifiers down",
  ]

  private static let cases = InputStickCase.of("api", client: "ios")

  @Test(
    "each recorded call sends the recorded packets, except at the manufacturer's known faults",
    .enabled(if: !cases.isEmpty, "the recorded cases are not there"))
  func calls() throws {
    var checked = 0
    for known in Self.cases {
      let call = known.call ?? ""
      let bench = StickClientBench()
      defer { bench.end() }
      let password =
        known.session == "plain" ? nil : known.fw == 112 ? "p\u{e4}ss" : "abc123"
      bench.connect(known.fw ?? 0, password: password)
      #expect(bench.manager.connectionState == .ready, "\(known.case)")
      let session = InputStickSession.all.first {
        $0.client == "ios" && $0.session == known.session && $0.fw == known.fw
      }
      if let session {
        let sent = bench.events.filter { $0.kind == "tx" }.map(\.value)
        #expect(sent == session.handshakeTx, "\(known.case): the handshake")
      }
      bench.forgetEvents()
      guard StickClientCall(known).perform(bench.manager) else {
        Issue.record("\(known.case): this test does not know the call")
        continue
      }
      let sent = bench.events.filter { $0.kind == "tx" }.map(\.value)
      checked += 1
      if Self.exceptions.contains(where: { call.contains($0.key) }) {
        #expect(sent != known.tx, "\(known.case) is no exception any more")
      } else {
        #expect(sent == known.tx, "\(known.case)")
      }
    }
    #expect(checked == Self.cases.count)
  }

  @Test("an attempt that waits for a stick ends when the client connects to another stick")
  func secondAttempt() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.manager.connectToInputStick(withIdentifier: "another stick")
    bench.environment.discover(
      StickAdvertisement(identifier: StickClientBench.identifier, name: "InputStick", rssi: -50))
    bench.connect(110)
    #expect(bench.manager.connectionState == .ready)
    bench.environment.step(to: bench.environment.now + 6000)
    #expect(bench.manager.connectionState == .ready)
  }

  @Test("a client that connects to another stick has no stick until the new link is there")
  func secondLink() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110)
    #expect(bench.manager.connectedInputStickIdentifier == StickClientBench.identifier)
    bench.environment.state.withLock { $0.connectTimes = nil }
    bench.manager.connectToInputStick(withIdentifier: "another stick")
    bench.environment.discover(
      StickAdvertisement(identifier: "another stick", name: "InputStick", rssi: -50))
    #expect(bench.manager.connectedInputStickIdentifier == nil)
    bench.environment.loseLink()
    #expect((bench.manager.lastError as NSError?)?.code == 0x102, "it was never connected")
  }

  @Test("a stick that a scan found is stored with its Bluetooth name, also after the scan's end")
  func nameAfterScan() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.environment.state.withLock { $0.addresses = ["tcp:4000"] }
    bench.manager.connectionManager.startBluetoothPeripheralScan(withTimeout: true)
    bench.environment.discover(
      StickAdvertisement(identifier: "tcp:4000", name: "Desk", rssi: -50))
    bench.manager.connectionManager.stopBluetoothPeripheralScan()
    bench.manager.connectToInputStick(withIdentifier: "tcp:4000")
    bench.environment.step(to: bench.environment.now + 65)
    #expect(bench.manager.connectedInputStickBluetoothName == "Desk")
    #expect(bench.manager.addConectedDeviceToDatabase()?.name == "Desk")
  }

  @Test("a search for a stick closes the link to the connected one")
  func search() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110)
    bench.manager.connectToInputStick(withIdentifier: "another stick")
    #expect(bench.manager.connectedInputStickIdentifier == nil)
    #expect(!bench.manager.connectionManager.connected)
    bench.connect(110)
    #expect(bench.manager.connectionState == .ready)
    bench.manager.connectToNearsetStoredInputStick()
    #expect(bench.manager.connectedInputStickIdentifier == nil)
    #expect(!bench.manager.connectionManager.connected)
  }

  @Test("the LEDs are off from the start of a connection until the new stick has reported them")
  func ledsOfNewLink() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110)
    // A status: configured by the host, Caps Lock on, all buffers empty.
    let status: [UInt8] = [0, 0, 0, 0, 0x2F, 5, 2, 1, 1, 1, 1, 1, 0, 0, 0, 0xFF]
    bench.manager.processPacket(InputStickRxPacket(data: Data(status), header: 0))
    #expect(bench.manager.keyboardHandler.capsLockOn)
    bench.manager.connectToInputStick(withIdentifier: "another stick")
    #expect(!bench.manager.keyboardHandler.capsLockOn)
  }

  @Test("a packet at the start of a new link is not encrypted with the key of the old link")
  func firstPacketOfNewLink() throws {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110, password: "abc123")
    #expect(bench.manager.encryptionEnabled)
    bench.startLink()
    #expect(bench.manager.connectionState == .initializing)
    #expect(!bench.manager.encryptionManager.hmacEnabled)
    bench.manager.send(InputStickTxPacket(cmd: .CmdUSBPower, withParam: 1))
    let sent = try #require(bench.events.last { $0.kind == "tx" })
    #expect(bytes(sent.value) == clientPacket(0x1A, 1, wantsAnswer: false))
  }

  @Test("a password that is removed before a new stick has answered leaves the old stick its key")
  func keyOfOldStick() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110, password: "abc123")
    #expect(bench.manager.connectionState == .ready)
    bench.startLink(to: "another stick")
    #expect(bench.manager.connectedInputStickIdentifier == "another stick")
    bench.manager.updateDevicePassword(nil, savePlainText: false)
    let old = bench.manager.deviceDB.getDataForDevice(withIdentifier: StickClientBench.identifier)
    #expect(old?.key != nil)
  }

  @Test("a password that is still missing at another answer to 0x10 is missing, and not invalid")
  func stillWithoutKey() {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.startLink()
    // The recorded answer of firmware 1.00 with a password.
    let answer = bytes(
      "5583AA5BC94B1001420100020000010508000000000000000008010000000000002134000000"
        + "002400000024000000000000")
    bench.environment.receive(answer)
    bench.environment.receive(answer)
    // The recorded answer to a wrong password.
    bench.manager.updateDevicePassword("wrong", savePlainText: false)
    bench.environment.receive(bytes("55846D9C79EF3020" + String(repeating: "00", count: 58)))
    #expect(
      bench.events.filter { $0.kind == "keyDialog" }.map(\.value) == [
        "keyMissing -> 1 (protectionStatus=3)", "keyMissing -> 1 (protectionStatus=3)",
        "keyInvalid -> 1 (protectionStatus=4)",
      ])
  }

  @Test("the log converts bytes to hex text, and hex text to bytes")
  func log() {
    #expect(InputStickLog.hexString(from: Data([0, 0x1B, 0xFF])) == "0x00 0x1B 0xFF ")
    #expect(InputStickLog.hexString(from: nil) == "")
    #expect(InputStickLog.data(fromHexString: "001bFF") == Data([0, 0x1B, 0xFF]))
    #expect(InputStickLog.data(fromHexString: "1xg27") == Data([0, 0]))
    #expect(InputStickLog.data(fromHexString: nil) == Data())
    let packet = InputStickTxPacket(cmd: .CmdUSBPower, withParam: 2)
    // Without a packet, no line is printed.
    InputStickLog.print(packet)
    InputStickLog.print(InputStickRxPacket(data: Data("100% %@".utf8), header: 1))
    InputStickLog.print(nil as InputStickRxPacket?)
  }
}

/// A recorded call, made with this library.
struct StickClientCall {
  private let known: InputStickCase
  private let call: String

  init(_ known: InputStickCase) {
    self.known = known
    call = known.call ?? ""
  }

  /// A layout with the strokes of a case.
  private final class CaseLayout: NSObject, InputStickKeyboardLayoutProtocol {
    private let strokes: [String: [String]?]
    init(_ strokes: [String: [String]?]) { self.strokes = strokes }

    func keyModel(forCharacter character: Int32) -> InputStickKeyboardKeyModel! {
      let digits = String(character, radix: 16, uppercase: true)
      let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      guard let words = strokes[name] ?? nil, words.count == 4 else { return nil }
      let values = words.map { UInt8($0, radix: 16) ?? 0 }
      return InputStickKeyboardKeyModel(
        unicodeCharacter: UInt16(character), key: values[1], modifiers: values[0],
        deadkey: values[3], deadkeyModifiers: values[2])
    }

    func layoutCode() -> String! { "case" }
    func layoutCodeLowercase() -> String! { "case" }
    func layoutLanguageNativeName() -> String! { "" }
    func layoutLanguageEnglishName() -> String! { "" }
    func layoutCountryNativeName() -> String! { "" }
    func layoutCountryEnglishName() -> String! { "" }
    func layoutVariant() -> String! { "" }
    func layoutDisplayName() -> String! { "" }
    func keyboardType() -> InputStickKeyboardType { .KEYBOARD_ISO }
    func availableCharactersString() -> String! { "" }
    func availableCharactersLUT() -> [NSNumber]! { [] }
    func keyLabels() -> InputStickKeyLabels! { InputStickKeyLabels() }
  }

  /// Returns the number in the call after a word such as `speed=`.
  private func number(_ word: String) -> Int? {
    guard let range = call.range(of: word) else { return nil }
    return Self.number(String(call[range.upperBound...].prefix { !",)".contains($0) }))
  }

  private static func number(_ text: String) -> Int? {
    text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  /// The numbers between the parentheses.
  private var numbers: [Int] {
    guard let open = call.firstIndex(of: "("), let close = call.firstIndex(of: ")") else {
      return []
    }
    return call[call.index(after: open)..<close].split(separator: ",").compactMap {
      Self.number(String($0))
    }
  }

  private var flushes: Bool { !call.contains("no flush") }

  /// Makes the call.
  ///
  /// - Returns: False if the call is not known.
  func perform(_ manager: InputStickManager) -> Bool {
    let name = String(call.prefix { !"( ".contains($0) })
    let numbers = numbers
    func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: numbers[index]) }
    func signed(_ index: Int) -> Int8 { Int8(truncatingIfNeeded: numbers[index]) }
    switch name {
    case "packet": packets(manager)
    case "keyboard.sendCustomReport":
      let modifiers = UInt8(number("mod=") ?? 0)
      let key = UInt8(number("key=") ?? 0)
      if let multiplier = number("multiplier=") {
        manager.keyboardHandler.sendCustomReport(
          withModifiers: modifiers, key: key, multiplier: UInt(multiplier), flush: flushes)
      } else {
        manager.keyboardHandler.sendCustomReport(
          withModifiers: modifiers, key: key, flush: flushes)
      }
    case "keyboard.pressAndRelease":
      if let speed = number("speed=") {
        manager.keyboardHandler.pressAndReleaseModifiers(
          byte(0), withKey: byte(1), typingSpeed: UInt(speed), flush: true)
      } else {
        manager.keyboardHandler.pressAndReleaseModifiers(byte(0), withKey: byte(1))
      }
    case "keyboard.typeText": type(manager)
    case "typeText":
      manager.keyboardHandler.typeText("a")
      if call.hasSuffix("clearKeyboardBuffer") {
        manager.buffersManager.clearKeyboardBuffer()
      } else {
        manager.buffersManager.clearKeyboardLocalBuffer()
      }
    case "buffers.addKeyboardHIDReport":
      var bytes: [UInt8] = [3, 0, 4, 5, 6, 7, 8, 9]
      manager.buffersManager.addKeyboardHIDReport(
        InputStickHIDReport.keyboardReport(withBytes: &bytes), flush: true)
    case "buffers.clearHIDBuffers": manager.buffersManager.clearHIDBuffers()
    case "mouse.move":
      manager.mouseHandler.moveCursorBy(x: signed(0), y: signed(1))
      if call.hasSuffix("clearHIDBuffers") { manager.buffersManager.clearHIDBuffers() }
      if call.hasSuffix("clearMouseBuffer") { manager.buffersManager.clearMouseBuffer() }
    case "mouse.scroll": manager.mouseHandler.scroll(signed(0))
    case "mouse.sendCustomReport":
      manager.mouseHandler.sendCustomReport(
        withButtons: InputStickMouseButtons.MouseButtonLeft.rawValue, x: signed(0), y: signed(1),
        scroll: signed(2), flush: true)
    case "mouse.click":
      if let multiplier = number("multiplier=") {
        manager.mouseHandler.click(
          withButtons: 1, numberOfPress: UInt(numbers[0]), multiplier: UInt(multiplier))
      } else {
        manager.mouseHandler.click(withButtons: 1, numberOfPress: UInt(numbers[0]))
      }
    case "consumer.consumerAction":
      guard let action = InputStickConsumerActions(rawValue: UInt(numbers[0])) else { return false }
      manager.consumerHandler.consumerAction(withUsage: action)
    case "consumerAction":
      manager.consumerHandler.consumerAction(withUsage: .ConsumerActionVolumeUp)
      manager.buffersManager.clearConsumerBuffer()
    case "consumer.systemAction":
      guard let action = InputStickSystemActions(rawValue: byte(0)) else { return false }
      manager.consumerHandler.systemAction(withUsage: action)
    case "consumer.sendCustomReport":
      guard let id = InputStickReportID(rawValue: byte(0)) else { return false }
      manager.consumerHandler.sendCustomReport(
        with: id, lsbUsage: byte(1), msbUsage: byte(2), flush: true)
    case "touch.move":
      manager.touchScreenHandler.moveTouchPointerTo(
        x: UInt(numbers[0]), y: UInt(numbers[1]), withButtonPressed: call.contains("down"))
    case "touch.click":
      manager.touchScreenHandler.clickAt(
        x: UInt(numbers[0]), y: UInt(numbers[1]), numberOfTimes: UInt(numbers[2]))
    case "touch.goOutOfRange":
      manager.touchScreenHandler.goOutOfRangeAt(x: UInt(numbers[0]), y: UInt(numbers[1]))
    case "touch.sendCustomReport":
      manager.touchScreenHandler.sendCustomReport(
        withTipSwitch: call.contains("(tip"), inRange: !call.contains("!inRange"),
        x: UInt(numbers[0]), y: UInt(numbers[1]), flush: true)
    case "gamepad.sendCustomReport":
      manager.gamepadHandler.sendCustomReport(
        withButtons: UInt(numbers[0]), axisX: signed(1), axisY: signed(2), axisZ: signed(3),
        axisRX: signed(4))
    case "usb.sendUSBResumeRequest": manager.sendUSBResumeRequest()
    default: return false
    }
    return true
  }

  private func type(_ manager: InputStickManager) {
    guard call != "keyboard.typeText(nil)" else { return manager.keyboardHandler.typeText(nil) }
    let quoted = call.split(separator: "\"", omittingEmptySubsequences: false)
    let text = quoted.count > 1 ? String(quoted[1]).replacing("\\u00e9", with: "\u{e9}") : ""
    let layout: (any InputStickKeyboardLayoutProtocol)? =
      call.contains("nil layout") ? nil : CaseLayout(known.strokes ?? [:])
    manager.keyboardHandler.typeText(
      text, withKeyboardLayout: layout, modifiers: UInt8(number("modifiers=") ?? 0),
      typingSpeed: UInt(number("speed=") ?? 1), flush: flushes)
    if call.hasSuffix("flushKeyboardBuffer") { manager.buffersManager.flushKeyboardBuffer() }
  }

  /// Sends packets with the content of the recorded ones.
  private func packets(_ manager: InputStickManager) {
    let clear = known.clear ?? (known.tx ?? []).map { String($0.dropFirst(4)) }
    for (whole, content) in zip(known.tx ?? [], clear) {
      let content = bytes(content)
      let packet = InputStickTxPacket(
        cmd: InputStickCmd(rawValue: content[4]) ?? .CmdIdentify, withParam: content[5])
      // The content includes the zeros that pad the last block.
      for byte in content[6...] { packet?.addByte(byte) }
      packet?.requiresResponse = bytes(whole)[1] & 0x80 != 0
      manager.send(packet)
    }
  }
}
