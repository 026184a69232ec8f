// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDSimulator
import InputStick
import Testing

@Suite("the simulated InputStick") struct StickModelTests {
  private static let isPresent = !InputStickCase.all.isEmpty

  /// Creates a stick that a host has configured.
  private static func stick(_ firmware: Int, key: StickKey? = nil, hmacKey: [UInt8] = []) throws
    -> StickModel
  {
    let hmacKey = hmacKey.isEmpty ? [UInt8](0x80...0x9F) : hmacKey
    var stick = StickModel(
      try #require(StickFirmware(firmware)), key: key, hmacKey: hmacKey)
    stick.usbState = .configured
    return stick
  }

  /// Returns the packets that some outputs send.
  private static func frames(_ outputs: [StickModel.Output]) -> [StickFrame] {
    var reader = StickFrameReader(of: .stick)
    return outputs.flatMap { output -> [StickFrame] in
      guard case .send(let bytes) = output else { return [] }
      return reader.take(bytes).compactMap {
        guard case .frame(let frame) = $0 else { return nil }
        return frame
      }
    }
  }

  private static func packets(_ outputs: [StickModel.Output]) -> [StickPacket] {
    frames(outputs).compactMap { try? StickPacket(payload: $0.payload.span) }
  }

  /// Takes all reports that wait for the host.
  private static func drain(_ stick: inout StickModel) -> [StickReport] {
    var reports: [StickReport] = []
    for interface in StickReport.Interface.allCases {
      while let report = stick.poll(interface) { reports.append(report) }
    }
    return reports
  }

  @Test("the handshake runs the firmware, sends its information, and starts the status packets")
  func handshake() throws {
    var stick = try Self.stick(110)
    #expect(stick.status() == [], "no status before a client has asked")
    let run = stick.receive(clientPacket(0x04))
    #expect(Self.packets(run).map(\.parameter) == [StickAnswer.ok])
    #expect(run.contains(.statusInterval(.milliseconds(100))))
    let information = try #require(Self.packets(stick.receive(clientPacket(0x10))).first)
    #expect(hex(information.data.prefix(9)) == "42010A000000010508")
    #expect(information.data[18] == 0, "no password")
    #expect(
      stick.receive(clientPacket(0x31, 4)).contains(.statusInterval(.milliseconds(400))))
    let status = try #require(Self.packets(stick.status()).first)
    #expect(status.command == 0x2F && status.parameter == 5)
    #expect(hex(status.data.prefix(10)) == "000101010101000000FF")
  }

  @Test(
    "a PIN with five digits or a letter is refused, and a valid one restarts the Bluetooth module")
  func pin() throws {
    var stick = try Self.stick(110)
    _ = stick.receive(clientPacket(0x04))
    func set(_ count: UInt8, _ digits: String) -> [StickModel.Output] {
      stick.receive(clientPacket(0x18, count, Array(digits.utf8)))
    }
    #expect(Self.packets(set(5, "12345")).map(\.parameter) == [StickAnswer.pinLength])
    #expect(Self.packets(set(4, "12a4")).map(\.parameter) == [StickAnswer.pinDigits])
    #expect(stick.pin == nil)
    let outputs = set(6, "123456")
    #expect(Self.packets(outputs).map(\.parameter) == [StickAnswer.ok])
    #expect(outputs.last == .restartLink)
    #expect(stick.pin == "123456")
    // With a password, only an authenticated client can set a PIN.
    var locked = try Self.stick(110, key: StickKey(password: "abc123"))
    let refused = locked.receive(clientPacket(0x18, 4, Array("1234".utf8)))
    #expect(Self.packets(refused).map(\.parameter) == [StickAnswer.pinLocked])
  }

  @Test(
    "ten correct LED states restore the defaults, and a wrong state or a minute ends the attempt")
  func restore() throws {
    var stick = try Self.stick(110, key: StickKey(password: "abc123"))
    _ = stick.receive(clientPacket(0x04))
    func start() throws -> UInt8 {
      let outputs = stick.receive(clientPacket(0x15, 1))
      #expect(outputs.contains(.restoreSecond))
      let status = try #require(Self.packets(outputs).last)
      #expect(status.command == 0x16 && status.parameter == 1)
      #expect(hex(status.data.prefix(2)) == "000A", "no step of ten")
      return status.data[2]
    }
    // The first data byte of a notification is the packet's parameter.
    func wrong(_ leds: UInt8) -> UInt8 { leds ^ 7 }
    let first = try start()
    let ended = Self.packets(stick.setLEDs(wrong(first)))
    #expect(ended.map(\.parameter) == [2])

    _ = try start()
    var last: StickPacket?
    for second in 1...60 {
      let outputs = stick.restoreSecond()
      last = Self.packets(outputs).last
      #expect(outputs.contains(.restoreSecond) == (second < 60))
    }
    #expect(last?.parameter == 0)
    #expect(stick.restoreSecond() == [])

    var wanted = try start()
    for step in 1...10 {
      let outputs = stick.setLEDs(wanted)
      let status = try #require(Self.packets(outputs).first)
      #expect(status.data[0] == UInt8(step))
      #expect(outputs.contains(.restartLink) == (step == 10))
      wanted = status.data[2]
    }
    stick.clientConnected()
    _ = stick.receive(clientPacket(0x04))
    let information = try #require(Self.packets(stick.receive(clientPacket(0x10))).first)
    #expect(information.data[18] == 0, "no password any more")
  }

  @Test("a raw report of the host reaches the client, and later statuses include raw reports")
  func raw() throws {
    var stick = try Self.stick(110)
    #expect(stick.takeRaw([1]) == [], "nothing before a client has begun")
    _ = stick.receive(clientPacket(0x04))
    #expect(Self.frames(stick.status()).first?.payload.count == 16)
    let packet = try #require(Self.packets(stick.takeRaw([7, 8, 9])).first)
    #expect(packet.command == 0x27 && packet.parameter == 7)
    #expect(hex(packet.data.prefix(3)) == "080900")
    #expect(Self.frames(stick.status()).first?.payload.count == 32)
    _ = stick.receive(clientPacket(0x27, 0, [UInt8](repeating: 5, count: 64)))
    #expect(stick.poll(.raw)?.bytes == [UInt8](repeating: 5, count: 64))
    let status = try #require(Self.packets(stick.status()).first)
    #expect(hex(status.data[10...11]) == "0101", "empty, and one report taken")
  }

  @Test("packets on the link are recorded, also one that cannot be read")
  func packets() throws {
    var stick = try Self.stick(110)
    _ = stick.receive(clientPacket(0x04))
    var broken = clientPacket(0x10)
    broken[3] ^= 1
    _ = stick.receive(broken)
    let notes = stick.takePackets()
    #expect(notes.map(\.direction) == [.received, .sent, .received, .sent])
    #expect(notes.map(\.command) == ["runFirmware", "runFirmware", nil, "systemNotification"])
    #expect(notes[2].problem == "its CRC is wrong")
    #expect(notes[0].content?.count == 12)
    #expect(stick.takePackets().isEmpty)
  }

  @Test("the stick drops, corrupts or refuses one packet for each fault that is set")
  func faults() throws {
    var stick = try Self.stick(110)
    _ = stick.receive(clientPacket(0x04))
    stick.faults.dropped = .init(1)
    #expect(stick.receive(clientPacket(0x10)) == [])
    #expect(!stick.receive(clientPacket(0x10)).isEmpty)
    stick.faults.corrupted = .init(1)
    #expect(Self.packets(stick.receive(clientPacket(0x10))).isEmpty, "the CRC is wrong")
    #expect(!Self.packets(stick.receive(clientPacket(0x10))).isEmpty)
    stick.faults.overflowing = .init(1)
    let refused = Self.packets(stick.receive(clientPacket(0x2C, 1, [0, 4])))
    #expect(refused.map(\.parameter) == [StickAnswer.bufferOverflow])
    #expect(stick.queues.count(.keyboard) == 0)
    _ = stick.receive(clientPacket(0x2C, 1, [0, 4]))
    #expect(stick.queues.count(.keyboard) == 1)
  }

  @Test(
    "the reports of a packet are queued whole or not at all, and credits count the reports taken")
  func credits() throws {
    var stick = try Self.stick(98)
    _ = stick.receive(clientPacket(0x04))
    func queue(_ count: Int) -> UInt8? {
      let data = [UInt8](repeating: 0, count: 2 * count)
      return Self.packets(stick.receive(clientPacket(0x2C, UInt8(count), data))).first?.parameter
    }
    func sent() -> UInt8? { Self.packets(stick.status()).first?.data[6] }
    // The example in the protocol's documents: 32, 29, 23, and then 5 more.
    #expect(queue(3) == StickAnswer.ok)
    #expect(queue(6) == StickAnswer.ok)
    for _ in 0..<5 { #expect(stick.poll(.keyboard) != nil) }
    #expect(sent() == 5)
    #expect(sent() == 0)
    #expect(queue(29) == StickAnswer.bufferOverflow)
    #expect(stick.queues.count(.keyboard) == 4, "nothing of it was queued")
    #expect(queue(28) == StickAnswer.ok)
    #expect(stick.queues.count(.keyboard) == 32)
  }

  @Test("a mixed packet that is sent twice is queued once, also if it was refused at first")
  func repeatedMixedPacket() throws {
    var stick = try Self.stick(110)
    _ = stick.receive(clientPacket(0x04))
    let packet = clientPacket(0x25, 7, [0x02, 0, 4])
    stick.faults.overflowing = .init(1)
    let answers = (1...3).map { _ in Self.packets(stick.receive(packet)).first?.parameter }
    #expect(answers == [StickAnswer.bufferOverflow, StickAnswer.ok, StickAnswer.ok])
    #expect(stick.queues.count(.keyboard) == 1)
  }

  @Test("a stick with a password refuses reports until a client has authenticated")
  func password() throws {
    let key = try StickKey(password: "abc123")
    var stick = try Self.stick(98, key: key)
    _ = stick.receive(clientPacket(0x04))
    let press = clientPacket(0x2C, 1, [0, 4])
    #expect(Self.packets(stick.receive(press)).first?.parameter == StickAnswer.wrongKey)
    // The proof was made with another key.
    let vector = [UInt8](0x10...0x1F)
    let wrong = clientPacket(0x12, 0, vector + vector + vector)
    #expect(Self.packets(stick.receive(wrong)).first?.parameter == StickAnswer.wrongKey)
    let made = StickCipher(.encryption, key, initialVector: vector)
    var cipher = try #require(made)
    let encryptedProof = cipher.update(bytes("4DEA88584445464748494A4B4C4D4E4F")[...])
    let proof = try #require(encryptedProof)
    let right = clientPacket(0x12, 0, vector + proof + [UInt8](0x50...0x5F))
    #expect(Self.packets(stick.receive(right)).first?.parameter == StickAnswer.ok)
    let payload = cipher.update((StickPacket(0x2C, 1, [0, 4]).payload ?? [])[...])
    var frame = StickFrame(payload: try #require(payload))
    frame.isEncrypted = true
    _ = stick.receive(frame.bytes)
    #expect(Self.drain(&stick).map(\.bytes) == [[0, 0, 4, 0, 0, 0, 0, 0]])
    stick.clientConnected()
    #expect(
      Self.packets(stick.receive(clientPacket(0x11))).first?.parameter == StickAnswer.wrongKey,
      "a new link has no session")
  }

  @Test(
    "text from the published clients arrives as the keys of that text",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func typing() throws {
    var count = 0
    for known in InputStickCase.of("api") {
      guard let call = known.call, let strokes = known.strokes,
        let match = call.firstMatch(of: /type(?:Text)?\(\"((?:[^\"\\]|\\.)*)\"/),
        StickPacketTests.fault(of: known) == nil
      else { continue }
      let session = try #require(
        InputStickSession.all.first {
          $0.client == known.client && $0.session == known.session && $0.fw == known.fw
        })
      var stick = try Self.stick(
        session.fw, key: session.key.flatMap { StickKey(bytes($0)) },
        hmacKey: session.hmacKey.map(bytes) ?? [])
      for packet in session.handshakeTx { _ = stick.receive(bytes(packet)) }
      var reports: [StickReport] = []
      for packet in known.tx ?? [] {
        #expect(
          !Self.packets(stick.receive(bytes(packet))).contains {
            $0.command == StickCommand.systemNotification.rawValue
          }, "\(known.case)")
        reports += Self.drain(&stick)
      }
      // A key is typed when it goes down: the previous report has another key, or none.
      var keys: [[UInt8]] = []
      var before: UInt8 = 0
      for report in reports {
        let key = report.bytes[2]
        if key != 0, key != before { keys.append([report.bytes[0], key]) }
        before = key
      }
      // The keys of the text, by the tables of the case.
      var expected: [UInt8] = []
      for unit in Self.unescaped(String(match.1)).utf16 {
        let digits = String(unit, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: 4 - digits.count) + digits
        guard let entry = strokes[name] ?? nil else { continue }
        if let dead = UInt8(entry[3], radix: 16), dead != 0 { expected.append(dead) }
        if let key = UInt8(entry[1], radix: 16) { expected.append(key) }
      }
      // A client without credit, or one that must not flush, keeps the rest of the text.
      let typed = keys.map { $0[1] }
      #expect(typed == Array(expected.prefix(typed.count)), "\(known.case)")
      let speed = call.firstMatch(of: /(\d+)\D*$/).flatMap { Int($0.1) } ?? 10
      if !call.contains("no flush"),
        3 * max(1, speed) * expected.count <= stick.firmware.capacity(.keyboard)
      {
        #expect(typed.count == expected.count, "\(known.case)")
      }
      count += 1
    }
    #expect(count > 50, "\(count) texts")
  }

  /// Returns the text of a call, which has the escapes of JSON.
  private static func unescaped(_ text: String) -> String {
    (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? text
  }

  @Test("random packets do not fill the report queues beyond their capacity")
  func random() throws {
    var random = SystemRandomNumberGenerator()
    var stick = try Self.stick(112, key: StickKey(password: "x"))
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...40, using: &random)
      let data = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let bytes = clientPacket(
        .random(in: 0...0x50, using: &random), .random(in: 0...40, using: &random), data,
        wantsAnswer: Bool.random(using: &random))
      _ = stick.receive(bytes)
      if Bool.random(using: &random) { _ = stick.status() }
      for interface in StickReport.Interface.allCases {
        #expect(stick.queues.count(interface) <= stick.firmware.capacity(interface))
      }
      if Int.random(in: 0..<50, using: &random) == 0 { _ = Self.drain(&stick) }
    }
  }
}
