// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import Testing

@Suite("the simulated InputStick") struct StickModelTests {
  private static let isPresent = !InputStickCase.all.isEmpty

  /// A stick that a host has configured.
  private static func stick(_ firmware: Int, key: StickKey? = nil, hmacKey: [UInt8] = []) throws
    -> StickModel
  {
    let hmacKey = hmacKey.isEmpty ? [UInt8](0x80...0x9F) : hmacKey
    var stick = StickModel(
      try #require(StickFirmware(firmware)), key: key, hmacKey: hmacKey)
    stick.usbState = .configured
    return stick
  }

  /// The packets that some outputs send.
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
    frames(outputs).compactMap { try? StickPacket(payload: $0.payload) }
  }

  /// All that waits for the host.
  private static func drain(_ stick: inout StickModel) -> [StickReport] {
    var reports: [StickReport] = []
    for interface in StickReport.Interface.allCases {
      while let report = stick.poll(interface) { reports.append(report) }
    }
    return reports
  }

  @Test("the hand-shake: run the firmware, tell of it, start the status")
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

  @Test("reports are queued as a whole or not at all, and credits are what the host has taken")
  func credits() throws {
    var stick = try Self.stick(98)
    _ = stick.receive(clientPacket(0x04))
    func queue(_ count: Int) -> UInt8? {
      let data = [UInt8](repeating: 0, count: 2 * count)
      return Self.packets(stick.receive(clientPacket(0x2C, UInt8(count), data))).first?.parameter
    }
    func sent() -> UInt8? { Self.packets(stick.status()).first?.data[6] }
    // The example of the papers: 32, 29, 23, and back by 5.
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

  @Test("a stick with a password refuses reports until a client has authenticated")
  func password() throws {
    let key = StickKey(password: "abc123")
    var stick = try Self.stick(98, key: key)
    _ = stick.receive(clientPacket(0x04))
    let press = clientPacket(0x2C, 1, [0, 4])
    #expect(Self.packets(stick.receive(press)).first?.parameter == StickAnswer.wrongKey)
    // A proof of another key.
    let vector = [UInt8](0x10...0x1F)
    let wrong = clientPacket(0x12, 0, vector + vector + vector)
    #expect(Self.packets(stick.receive(wrong)).first?.parameter == StickAnswer.wrongKey)
    var cipher = StickCipher(key, initialVector: vector)
    let encryptedProof = cipher.encrypt(bytes("4DEA88584445464748494A4B4C4D4E4F"))
    let proof = try #require(encryptedProof)
    let right = clientPacket(0x12, 0, vector + proof + [UInt8](0x50...0x5F))
    #expect(Self.packets(stick.receive(right)).first?.parameter == StickAnswer.ok)
    let payload = cipher.encrypt(StickPacket(0x2C, 1, [0, 4]).payload ?? [])
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
    "what the published clients type arrives as the reports that they mean",
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
      // A key is typed when it goes down: the report before has another key, or none.
      var keys: [[UInt8]] = []
      var before: UInt8 = 0
      for report in reports {
        let key = report.bytes[2]
        if key != 0, key != before { keys.append([report.bytes[0], key]) }
        before = key
      }
      // What the tables of the case say of the text.
      var expected: [UInt8] = []
      for unit in Self.unescaped(String(match.1)).utf16 {
        let digits = String(unit, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: 4 - digits.count) + digits
        guard let entry = strokes[name] ?? nil else { continue }
        if let dead = UInt8(entry[3], radix: 16), dead != 0 { expected.append(dead) }
        if let key = UInt8(entry[1], radix: 16) { expected.append(key) }
      }
      // A client without credit, or that is not to flush, keeps the rest of the text.
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

  /// The text of a call: its escapes are those of JSON.
  private static func unescaped(_ text: String) -> String {
    (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? text
  }

  @Test("any bytes are answered in bounded memory: random packets")
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
