// SPDX-License-Identifier: Apache-2.0

/// A simulated stick: what it answers a client, and which reports it has for the host.
///
/// It is a value: bytes and events go in, ``Output`` comes out, and the owner has the link, the bus
/// and the clock.
package struct StickModel: Sendable {
  /// An action that the owner carries out.
  package enum Output: Hashable, Sendable {
    /// Send bytes to the client.
    case send([UInt8])
    /// Write a report to an interface at once, past its queue.
    case write(StickReport)
    /// Connect the device to the host, or disconnect it.
    case attach(Bool)
    /// Disconnect the device from the host for 3 s.
    case reattach
    /// Wake the host up.
    case resume
    /// A time has to pass between two status notifications.
    case statusInterval(Duration)
  }

  /// The state of the device on USB, as the status has it.
  package enum USBState: UInt8, Sendable {
    case unconnected = 0
    case attached = 1
    case powered = 2
    case suspended = 3
    case addressed = 4
    case configured = 5
  }

  /// The firmware that is simulated.
  package let firmware: StickFirmware
  /// The name of the Bluetooth device.
  package private(set) var name: String
  /// The state of the device on USB; the owner sets it.
  package var usbState = USBState.unconnected
  /// The byte of the host's last output report to the keyboard.
  package var leds: UInt8 = 0
  /// The 32 bytes that a client of command 0x30 receives for its authentication codes.
  package var hmacKey: [UInt8]
  /// Whether a client has asked the stick to run: only then are there status notifications.
  package private(set) var isRunning = false
  package private(set) var queues: StickQueues
  private var link: StickLink
  private var reader = StickFrameReader(of: .client)
  private var lastMixedID: UInt8 = 0
  private var received: UInt32 = 0
  private var sent: UInt32 = 0
  /// Whether the link was made within 30 s of power-up.
  private let isUnlocked: Bool

  /// Makes a stick with a client on its link.
  ///
  /// - Parameters:
  ///   - firmware: The firmware.
  ///   - key: The key of the password; nil without a password.
  ///   - name: The name of the Bluetooth device.
  ///   - hmacKey: 32 bytes.
  ///   - isUnlocked: Whether the client may set a password.
  package init(
    _ firmware: StickFirmware, key: StickKey? = nil, name: String = "InputStick",
    hmacKey: [UInt8], isUnlocked: Bool = true
  ) {
    self.firmware = firmware
    self.name = name
    self.hmacKey = hmacKey
    self.isUnlocked = isUnlocked
    queues = StickQueues(firmware)
    link = StickLink(key: key)
  }

  /// Starts with a new client: the session ends, and the packet that was begun is forgotten.
  package mutating func clientConnected() {
    link.reset()
    reader.reset()
    isRunning = false
    lastMixedID = 0
  }

  /// Takes bytes of the client.
  package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Output] {
    var outputs: [Output] = []
    for byte in bytes {
      received &+= 1
      switch reader.take(byte) {
      case nil: break
      case .damage?: outputs += systemError(0xE1)
      case .frame(let frame)?:
        do throws(StickDamage) {
          outputs += answer(try link.packet(of: frame), wantsAnswer: frame.wantsAnswer)
        } catch {
          // E2 is the code of the papers for a packet that was dropped.
          outputs += systemError(0xE2)
        }
      }
    }
    return outputs
  }

  /// The status notification, which the owner sends at each interval while the stick runs.
  package mutating func status() -> [Output] {
    guard isRunning else { return [] }
    func isEmpty(_ interface: StickReport.Interface) -> UInt8 {
      queues.count(interface) == 0 ? 1 : 0
    }
    let data: [UInt8] = [
      leds, 1, isEmpty(.keyboard), 1, isEmpty(.mouse), isEmpty(.consumer),
      queues.takeSent(.keyboard), queues.takeSent(.mouse), queues.takeSent(.consumer), 0xFF,
    ]
    return send(StickPacket(StickCommand.status.rawValue, usbState.rawValue, data), isAnswer: false)
  }

  /// Takes the next report of an interface, which the host polls; nil if none waits.
  package mutating func poll(_ interface: StickReport.Interface) -> StickReport? {
    guard usbState == .configured else { return nil }
    return queues.next(interface)
  }

  // MARK: Commands

  private mutating func answer(_ packet: StickPacket, wantsAnswer: Bool) -> [Output] {
    guard let command = StickCommand(number: packet.command),
      firmware.knows(command, number: packet.command), !command.isNotification
    else { return reply(packet, StickAnswer.unknownCommand, wantsAnswer) }
    if command.needsAuthentication, !link.isAuthenticated {
      return reply(packet, StickAnswer.wrongKey, wantsAnswer)
    }
    switch command {
    case .runFirmware:
      link.reset()
      isRunning = true
      return reply(packet, StickAnswer.ok, wantsAnswer) + [.statusInterval(firmware.statusInterval)]
    case .firmwareInfo:
      return wantsAnswer
        ? send(StickPacket(packet.command, StickAnswer.ok, information), isAnswer: true) : []
    case .authenticate, .authenticateWithHMAC:
      // The answer to a right key belongs to the old session: it is in the clear.
      return send(link.authenticate(packet, hmacKey: hmacKey), isAnswer: true)
    case .setStatusInterval:
      guard packet.parameter > 0 else {
        return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
      }
      return reply(packet, StickAnswer.ok, wantsAnswer)
        + [.statusInterval(.milliseconds(100 * Int(packet.parameter)))]
    case .resetBuffers:
      for interface in StickReport.Interface.allCases { queues.clear(interface) }
      return reply(packet, StickAnswer.ok, wantsAnswer)
    case .clearBuffers: return clear(packet, wantsAnswer)
    case .usbPower: return power(packet, wantsAnswer)
    case .usbResume:
      return reply(packet, StickAnswer.ok, wantsAnswer) + (usbState == .suspended ? [.resume] : [])
    case .setValue: return setValue(packet, wantsAnswer)
    case .setName:
      let bytes = packet.data.prefix { $0 != 0 }
      guard !bytes.isEmpty else { return reply(packet, StickAnswer.invalidSetting, wantsAnswer) }
      name = String(decoding: bytes, as: UTF8.self)
      return reply(packet, StickAnswer.ok, wantsAnswer)
    case .writeEndpoint: return write(packet, wantsAnswer)
    case .requestStatus, .getStatus: return status()
    case .keyboardReports, .consumerReports, .mouseReports, .gamepadReports, .mixedReports,
      .touchReports, .shortKeyboardReports, .keyStrokes:
      return queue(packet, command, wantsAnswer)
    case .rawData: return raw(packet, wantsAnswer)
    default: return reply(packet, StickAnswer.ok, wantsAnswer)
    }
  }

  private mutating func queue(
    _ packet: StickPacket, _ command: StickCommand, _ wantsAnswer: Bool
  ) -> [Output] {
    if command == .mixedReports {
      // The same number again is the same packet again.
      if packet.parameter != 0, packet.parameter == lastMixedID {
        return reply(packet, StickAnswer.ok, wantsAnswer)
      }
      lastMixedID = packet.parameter
    }
    do throws(StickReports.Refusal) {
      let reports = try StickReports.reports(of: packet) ?? []
      guard queues.fits(reports) else {
        return reply(packet, StickAnswer.bufferOverflow, wantsAnswer)
      }
      queues.add(reports)
      return reply(packet, StickAnswer.ok, wantsAnswer)
    } catch {
      return reply(packet, error.code, wantsAnswer)
    }
  }

  private mutating func raw(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    let report = StickReport(.raw, Array(packet.data.prefix(64)))
    guard report.bytes.count == 64 else {
      return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
    }
    guard queues.fits([report]) else {
      return reply(packet, StickAnswer.bufferOverflow, wantsAnswer)
    }
    queues.add([report])
    return reply(packet, StickAnswer.ok, wantsAnswer)
  }

  /// The command 0x2A: empties queues, and releases what is held.
  private mutating func clear(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    var outputs: [Output] = []
    for (bit, interface, byteCount) in [
      (1, StickReport.Interface.keyboard, 8), (2, .mouse, 4), (4, .consumer, 3),
    ] where packet.parameter & UInt8(bit) != 0 && queues.count(interface) > 0 {
      queues.clear(interface)
      // A consumer report has its ID first.
      let id: [UInt8] = interface == .consumer ? [1] : []
      let zeros = [UInt8](repeating: 0, count: byteCount - id.count)
      outputs.append(.write(StickReport(interface, id + zeros)))
    }
    return outputs + reply(packet, StickAnswer.ok, wantsAnswer)
  }

  private mutating func write(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    let interfaces: [UInt8: StickReport.Interface] = [1: .keyboard, 2: .mouse, 3: .consumer]
    guard let interface = interfaces[packet.parameter] else {
      return reply(packet, StickAnswer.invalidEndpoint, wantsAnswer)
    }
    let count = Int(packet.data.first ?? 0)
    guard count > 0, count <= 8, packet.data.count > count else {
      return reply(packet, StickAnswer.reportTooLong, wantsAnswer)
    }
    guard queues.count(interface) == 0, usbState == .configured else {
      return reply(packet, StickAnswer.endpointBusy, wantsAnswer)
    }
    let report = StickReport(interface, Array(packet.data[1...count]))
    return [.write(report)] + reply(packet, StickAnswer.ok, wantsAnswer)
  }

  private mutating func power(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    let output: Output
    switch packet.parameter {
    case 0: output = .attach(false)
    case 1: output = .attach(true)
    case 2: output = .reattach
    default: return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
    }
    return reply(packet, StickAnswer.ok, wantsAnswer) + [output]
  }

  /// The command 0x14: parameter 1 sets the password's key, or removes it.
  private mutating func setValue(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    guard packet.parameter == 1, packet.data.count >= 16 else {
      return reply(packet, StickAnswer.invalidSetting, wantsAnswer)
    }
    guard link.key == nil ? isUnlocked : link.isAuthenticated else {
      return reply(packet, StickAnswer.unlockTooLate, wantsAnswer)
    }
    let bytes = Array(packet.data.prefix(16))
    let outputs = reply(packet, StickAnswer.ok, wantsAnswer)
    link.key = bytes.allSatisfy { $0 == 0xFF } ? nil : StickKey(bytes)
    return outputs
  }

  /// The answer to 0x10, without the code.
  private var information: [UInt8] {
    var data = [UInt8](repeating: 0, count: 36)
    data[0] = 0x42  // the type, "B"
    data[1] = UInt8(firmware.number / 100)
    data[2] = UInt8(firmware.number % 100)
    data[6] = usbState == .unconnected ? 0 : 1
    data[7] = usbState.rawValue
    data[8] = 8  // the start was without error
    data[16] = link.encrypts ? 1 : 0
    data[17] = (isUnlocked ? 0x08 : 0) | (link.isAuthenticated ? 0x10 : 0)
    data[18] = link.key == nil ? 0 : 1
    for (offset, value) in [(28, received), (32, sent)] {
      for index in 0..<4 {
        data[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index))
      }
    }
    return data
  }

  // MARK: Packets to the client

  private mutating func reply(
    _ packet: StickPacket, _ code: UInt8, _ wantsAnswer: Bool
  ) -> [Output] {
    guard wantsAnswer else { return [] }
    return send(StickPacket(packet.command, code), isAnswer: true)
  }

  private mutating func send(_ packet: StickPacket, isAnswer: Bool) -> [Output] {
    let bytes = link.frame(of: packet, isAnswer: isAnswer).bytes
    sent &+= UInt32(truncatingIfNeeded: bytes.count)
    return [.send(bytes)]
  }

  /// The notification 0x1F of an error.
  private mutating func systemError(_ code: UInt8) -> [Output] {
    isRunning
      ? send(StickPacket(StickCommand.systemNotification.rawValue, code), isAnswer: false) : []
  }
}
