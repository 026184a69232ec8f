// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import InputStickAPI
import Testing

/// The parser and the store of the client, compared with those of the manufacturer's library.
@Suite("parser and store of the InputStick client") struct StickClientStoreTests {
  private static let isPresent = !InputStickCase.all.isEmpty

  /// The case in which the manufacturer's library does not detect the watchdog's reset.
  private static let exceptions: Set = ["ios/stream/48"]

  @Test(
    "the parser finds the recorded packets in the recorded streams, up to the first error",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func streams() {
    for known in InputStickCase.of("stream", client: "ios") {
      let parser: InputStickPacketParser = InputStickPacketParser(inputStickManager: nil)
      var found: [String] = []
      for (index, byte) in bytes(known.bytes ?? "").enumerated() {
        switch parser.parseResponseByte(byte) {
        case .inProgress, .started: continue
        case .done:
          let packet: InputStickRxPacket = parser.parsedPacket
          found.append(
            "\(index) cmd=\(hex([packet.command])) resp=\(hex([packet.respCode])) "
              + "notification=\(packet.isNotification ? 1 : 0) \(hex(packet.data))")
        case .error:
          found.append("\(index) error \(parser.errorCode.rawValue)")
        }
        // The library looks for the next packet only after a wrong length.
        if parser.errorCode != .INPUTSTICK_ERROR_NONE,
          parser.errorCode != .INPUTSTICK_ERROR_PACKET_RX_LENGTH
        {
          break
        }
      }
      let expected = (known.packets ?? []).map { packet -> String in
        guard case .packet(let index, let title, let data) = packet else { return "" }
        if title == "error" { return "\(index) error \(Int(data.dropFirst(2), radix: 16) ?? 0)" }
        return "\(index) \(title) \(data)"
      }
      if Self.exceptions.contains(known.case) {
        #expect(found != expected, "\(known.case) is no exception any more")
      } else {
        #expect(found == expected, "\(known.case)")
      }
    }
  }

  @Test(
    "a recorded store is read, and written back unchanged",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func stores() throws {
    for known in InputStickCase.of("devicedb") {
      let recorded = Data(bytes((known.bytes ?? "").replacing(" ", with: "")))
      let suite = "hidsim-test-\(UUID().uuidString)"
      let defaults = try #require(UserDefaults(suiteName: suite))
      defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
      defaults.set(recorded, forKey: "InputStickDeviceDB")
      let manager = InputStickManager(suiteName: suite, environment: SteppedEnvironment())
      let db: InputStickDeviceDB = manager.deviceDB
      db.storeDatabase()
      let written = UserDefaults(suiteName: suite)?.data(forKey: "InputStickDeviceDB")
      #expect(written == recorded, "\(known.case)")
      switch known.case {
      case "ios/db/three-name-clash":
        let names = db.deviceDbArray.compactMap { ($0 as? InputStickDeviceData)?.name }
        #expect(names.prefix(3) == ["InputStick", "InputStick-0", "InputStick-1"])
      case "ios/db/key-and-plaintext":
        let device = try #require(db.deviceDbArray.firstObject as? InputStickDeviceData)
        #expect(device.plainText == "abc123")
        #expect(device.key == InputStickEncryptionManager.md5(from: "abc123"))
      default: break
      }
    }
  }

  @Test("a reset of the parser forgets the bytes of a watchdog restart on the link before")
  func strayBytes() {
    let parser: InputStickPacketParser = InputStickPacketParser(inputStickManager: nil)
    for _ in 0..<200 { parser.parseResponseByte(0xAF) }
    parser.resetRxState()
    for _ in 0..<200 { parser.parseResponseByte(0xAF) }
    #expect(parser.errorCode == .INPUTSTICK_ERROR_NONE)
  }

  @Test("a stick without a key loses the text of its password when the key is removed")
  func removedKey() {
    let device: InputStickDeviceData = InputStickDeviceData(
      deviceDB: nil, withIdentifier: "a", withName: "b")
    device.plainText = "abc123"
    device.key = nil
    #expect(device.plainText == nil)
  }

  @Test("a reminder of newer firmware is suppressed for any time", arguments: [60, .max] as [UInt])
  func postponedReminder(seconds: UInt) throws {
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(98)
    let device: InputStickDeviceData = try #require(bench.manager.connectedInputStickDeviceData)
    #expect(device.firmwareVersion == 98)
    #expect(device.shouldDisplayFirmwareUpdateMessage())
    device.postponeFirmwareUpdateReminder(by: seconds)
    #expect(!device.shouldDisplayFirmwareUpdateMessage())
  }

  @Test(
    "a damaged store is read without a trap, and has a bounded number of sticks",
    arguments: 0..<200)
  func damaged(seed: Int) throws {
    var generator = SystemRandomNumberGenerator()
    var data = Data([0xD4, 0xC3, 0xB2, 0xA1, 0, 0, 0, 0])
    for _ in 0..<Int.random(in: 0..<60, using: &generator) {
      data.append(.random(in: 0...12, using: &generator))
    }
    if seed % 3 == 0 { data.append(Data(repeating: 0xFF, count: 16)) }
    let record: InputStickDeviceData = InputStickDeviceData(nsData: data.dropFirst(8))
    #expect(record.getData().count > 40)
    let suite = "hidsim-test-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: suite))
    defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
    defaults.set(data, forKey: "InputStickDeviceDB")
    let manager = InputStickManager(suiteName: suite, environment: SteppedEnvironment())
    #expect(manager.deviceDB.numberOfStoredDevices < 60)
  }
}
