// SPDX-License-Identifier: Apache-2.0

import InputStick
import Testing

@Suite("packets of the InputStick") struct StickPacketTests {
  private static let isPresent = !InputStickCase.all.isEmpty

  @Test(
    "a password gives the recorded key",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func keys() throws {
    for known in InputStickCase.of("kdf") {
      #expect(
        known.key == hex(try StickKey(password: known.password ?? "").bytes), "\(known.case)")
    }
    #expect(hex(try StickKey(password: "abc123").bytes) == "E99A18C428CB38D5F260853678922E03")
  }

  @Test("packets equal the examples in the manufacturer's documents")
  func papers() throws {
    #expect(
      StickPacket(0x04).payload.map(hex) == "78D3FD10040000000000000000000000")
    #expect(StickPacket(0x11).payload.map(hex)?.hasPrefix("EC6867FC") == true)
    let a = StickPacket(0x21, 3, bytes("000000000000000000000400000000000000000000000000"))
    #expect(a.payload.map(hex)?.hasPrefix("D0DF4810") == true)
    let key = try StickKey(password: "abc123")
    let vector = bytes("8727463E91056D7AA85C6632FF7C30CB")
    var link = StickLink(key: key)
    let answer = link.authenticate(
      StickPacket(
        0x12, 1,
        vector + bytes("790EBE67113DE95D624209E0D2A9F9B3")
          + bytes("BFC4377D45D2EDD52FA701E66C6690AB")), hmacKey: [])
    #expect(answer.parameter == StickAnswer.ok)
    #expect(hex(answer.data) == "FB7B7D9BF51BB64757A2C48E28FA97D5")
    var frame = StickFrame(payload: bytes("143DD0E9CD62DD137270233E3270BA86"))
    frame.isEncrypted = true
    #expect(try link.packet(of: frame).command == 0x11)
    #expect(
      hex(link.frame(of: StickPacket(0x11, 1), isAnswer: true).bytes)
        == "55C11E207513FD013F0CA41EE6710B68C44F")
  }

  /// Returns the stick's end of the link after the handshake of a session, and the packets that
  /// could not be read.
  private static func link(of session: InputStickSession) -> (StickLink, [String]) {
    var link = StickLink(key: session.key.flatMap { StickKey(bytes($0)) })
    var problems: [String] = []
    for packet in session.handshakeTx {
      _ = take(packet, &link, hmacKey: session.hmacKey.map(bytes) ?? [], &problems)
    }
    return (link, problems)
  }

  /// Reads a packet of a client, and answers it if it is an authentication.
  private static func take(
    _ text: String, _ link: inout StickLink, hmacKey: [UInt8], _ problems: inout [String]
  ) -> StickPacket? {
    var reader = StickFrameReader(of: .client)
    let events = reader.take(bytes(text))
    guard events.count == 1, case .frame(let frame) = events[0], !reader.isInsidePacket else {
      problems.append("\(text): \(events)")
      return nil
    }
    do throws(StickDamage) {
      let packet = try link.packet(of: frame)
      if packet.command == 0x12 || packet.command == 0x30 {
        let answer = link.authenticate(packet, hmacKey: hmacKey)
        if answer.parameter != StickAnswer.ok { problems.append("\(text): refused") }
      }
      return packet
    } catch {
      problems.append("\(text): \(error)")
      return nil
    }
  }

  /// Returns the fault of a published library that a case shows; nil if there is none.
  static func fault(of known: InputStickCase) -> String? {
    let call = known.call ?? ""
    if known.client == "android", let match = call.firstMatch(of: /keyboard\.type\(.*,(\d+)\)$/),
      let speed = Int(match.1), 3 * speed > 32
    {
      return "a transaction that is split is sent as reports of 8 bytes, and has 2 bytes a report"
    }
    if known.client == "android", let match = call.firstMatch(of: /touch\.click\((\d+)/),
      let count = Int(match.1), 1 + 2 * count > 32
    {
      return "a transaction that is split is sent as consumer reports"
    }
    return nil
  }

  @Test(
    "the stick reads every recorded packet of both clients, and decrypts encrypted ones",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func calls() throws {
    var count = 0
    for known in InputStickCase.of("api") {
      let session = try #require(
        InputStickSession.all.first {
          $0.client == known.client && $0.session == known.session && $0.fw == known.fw
        }, "\(known.case)")
      var (link, problems) = Self.link(of: session)
      for (index, text) in (known.tx ?? []).enumerated() {
        let packet = Self.take(
          text, &link, hmacKey: session.hmacKey.map(bytes) ?? [], &problems)
        count += 1
        guard let packet else { continue }
        if let clear = known.clear, clear.indices.contains(index) {
          #expect(
            packet.payload.map(hex)?.dropFirst(8) == clear[index].dropFirst(8), "\(known.case)")
        }
        #expect(StickCommand(number: packet.command) != nil, "\(known.case): \(packet.command)")
        do throws(StickReports.Refusal) {
          _ = try StickReports.reports(of: packet)
        } catch  where Self.fault(of: known) == nil {
          problems.append("\(known.case): reports refused with \(error.code)")
        } catch {}
      }
      #expect(problems == [], "\(known.case)")
    }
    #expect(count > 500, "\(count) packets")
  }

  /// The cases in which the published client differs on purpose.
  private static let exceptions: [String: String] = [
    "ios/stream/48": "256 bytes 0xAF are meant as a watchdog's reset, and give an empty packet"
  ]

  @Test(
    "a client finds the packets in a stick's bytes, up to the first error",
    .enabled(if: isPresent, "the recorded cases are not there"))
  func streams() {
    for known in InputStickCase.of("stream", client: "ios")
    where Self.exceptions[known.case] == nil {
      var reader = StickFrameReader(of: .stick)
      var found: [String] = []
      loop: for (index, byte) in bytes(known.bytes ?? "").enumerated() {
        switch reader.take([byte]).first {
        case nil: break
        case .damage?:
          found.append("\(index) error 0x0414")
          break loop
        case .frame(let frame)?:
          if frame.isEncrypted {
            found.append("\(index) error 0x0416")
            break loop
          }
          guard let packet = try? StickPacket(payload: frame.payload.span) else {
            found.append("\(index) error 0x0411")
            break loop
          }
          // In the published client, 0x16 is no notification, although it has no answer code.
          let isNotification = [0x1E, 0x1F, 0x2F, 0x36].contains(packet.command)
          let data = isNotification ? [packet.parameter] + packet.data : packet.data
          let code = isNotification ? StickAnswer.ok : packet.parameter
          found.append(
            "\(index) cmd=\(hex([packet.command])) resp=\(hex([code])) "
              + "notification=\(isNotification ? 1 : 0) \(hex(data))")
        }
      }
      var expected: [String] = []
      for case .packet(let index, let title, let data) in known.packets ?? [] {
        expected.append("\(index) \(title) \(data)")
        if title == "error" { break }
      }
      #expect(found == expected, "\(known.case)")
    }
  }

  @Test("a copy of a link encrypts the next packets as the original does")
  func copies() throws {
    let key = try StickKey(password: "abc123")
    var stick = StickLink(key: key)
    var client = StickClientLink()
    let request = client.authentication(key, withHMAC: true) { [UInt8](repeating: 5, count: $0) }
    let answer = stick.authenticate(request, hmacKey: [UInt8](0...31))
    let isAuthenticated = client.authenticated(by: answer)
    try #require(isAuthenticated)
    let packet = StickPacket(0x21, 1, [1, 2, 3])
    _ = client.frame(of: packet, wantsAnswer: true)
    var other = client
    let frames = (0..<3).map { _ in client.frame(of: packet, wantsAnswer: true)?.bytes }
    #expect(Set(frames).count == 3, "each packet of a stream is encrypted differently")
    for frame in frames { #expect(other.frame(of: packet, wantsAnswer: true)?.bytes == frame) }
  }

  @Test("random bytes are skipped or read as packets of bounded size")
  func random() throws {
    var random = SystemRandomNumberGenerator()
    for sender in [StickFrameReader.Sender.client, .stick] {
      var reader = StickFrameReader(of: sender)
      var link = try StickLink(key: StickKey(password: "x"))
      for _ in 0..<200_000 {
        let byte: UInt8 = Bool.random(using: &random) ? 0x55 : .random(in: 0...255, using: &random)
        guard case .frame(let frame)? = reader.take([byte]).first else { continue }
        #expect((1...63).contains(frame.payload.count / 16) && frame.payload.count % 16 == 0)
        guard let packet = try? link.packet(of: frame) else { continue }
        _ = try? StickReports.reports(of: packet)
      }
    }
  }
}
