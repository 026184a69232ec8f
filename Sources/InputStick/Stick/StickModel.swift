// SPDX-License-Identifier: Apache-2.0

package import HIDSimulator

/// The logic of a stick (a simulated InputStick): its answers to a client, and its reports for the
/// host.
///
/// It is a value without input and output. Its owner has the link, the bus and the clock. The owner
/// passes bytes and events, and carries out each ``Output``.
package struct StickModel: Sendable {
  /// An action that the owner has to carry out.
  package enum Output: Hashable, Sendable {
    /// Send bytes to the client.
    case send([UInt8])
    /// Send a report of an interface to the host at once, before the reports of its queue.
    case write(StickReport)
    /// Connect the device to the host, or disconnect it.
    case attach(Bool)
    /// Disconnect the device from the host for 3 s.
    case reattach
    /// Wake up the host.
    case resume
    /// Send status notifications with this time between them.
    case statusInterval(Duration)
    /// Call ``StickModel/restoreSecond()`` in a second, and drop an earlier call that still waits.
    case restoreSecond
    /// Disconnect the client after a second: the Bluetooth module restarts.
    case restartLink
  }

  /// The state of the device on USB, with the numbers of the status notification.
  package enum USBState: UInt8, Sendable {
    case unconnected = 0
    case attached = 1
    case powered = 2
    case suspended = 3
    case addressed = 4
    case configured = 5
  }

  /// The Bluetooth name of a stick that has no other name.
  package static let defaultName = "InputStick"

  /// The version of the simulated firmware.
  package let firmware: StickFirmware
  /// The name of the Bluetooth device.
  package private(set) var name: String
  /// The state of the device on USB; the owner sets it.
  package var usbState = USBState.unconnected
  /// The byte of the host's last output report to the keyboard.
  package private(set) var leds: UInt8 = 0
  /// The PIN of the Bluetooth device: 4 or 6 digits; nil for none.
  package private(set) var pin: String?
  /// The time since the stick was made, in milliseconds; the owner sets it.
  package var uptime: UInt32 = 0
  /// The packets that the stick treats wrongly on purpose.
  package var faults = StickFaults()
  /// The 32 bytes that a client of command 0x30 receives for its authentication codes.
  package var hmacKey: [UInt8]
  /// True if the client has sent `runFirmware` since it connected and since the stick restarted.
  ///
  /// The stick sends status, raw and error notifications only then.
  package private(set) var isRunning = false
  package private(set) var queues: StickQueues
  private var link: StickLink
  private var reader = StickFrameReader(of: .client)
  private var lastMixedID: UInt8 = 0
  private var received: UInt32 = 0
  private var sent: UInt32 = 0
  /// True if a client may set a password and a PIN while the stick has no password.
  ///
  /// A real stick allows that if the link was made within 30 s of power-up.
  private let isUnlocked: Bool
  private var restoring: StickRestore?
  /// True if the raw interface was used since the client connected; the status then has a second
  /// block.
  private var usesRaw = false
  private var notes: [HIDLinkPacket] = []

  /// Makes a stick on whose link no client has authenticated.
  ///
  /// - Parameters:
  ///   - firmware: The version of the firmware.
  ///   - key: The key of the password; nil without a password.
  ///   - name: The name of the Bluetooth device.
  ///   - hmacKey: The 32 bytes of the key for authentication codes.
  ///   - isUnlocked: True if a client may set a password and a PIN while the stick has no password.
  package init(
    _ firmware: StickFirmware, key: StickKey? = nil, name: String = Self.defaultName,
    hmacKey: [UInt8], isUnlocked: Bool = true
  ) {
    self.firmware = firmware
    self.name = name
    self.hmacKey = hmacKey
    self.isUnlocked = isUnlocked
    queues = StickQueues(firmware)
    link = StickLink(key: key)
  }

  /// Resets the link for a new client: the session ends, and an incomplete packet is discarded.
  ///
  /// A running ``StickRestore`` ends, and ``isRunning`` becomes false.
  package mutating func clientConnected() {
    link.reset()
    reader.reset()
    isRunning = false
    lastMixedID = 0
    restoring = nil
    usesRaw = false
  }

  /// Restarts the stick, as a restart of its processor does.
  ///
  /// The queues, the session and its settings are lost; the password, the name and the PIN stay.
  package mutating func restart() {
    clientConnected()
    for interface in StickReport.Interface.allCases { queues.clear(interface) }
    (received, sent) = (0, 0)
  }

  /// Removes and returns the packets that were sent and received since the last call.
  ///
  /// Packets that a fault drops, and packets without a valid length, are left out. Sent packets are
  /// those before a fault changes their bytes.
  package mutating func takePackets() -> [HIDLinkPacket] {
    defer { notes = [] }
    return notes
  }

  /// Stores the LEDs that the host has set, and advances a running ``StickRestore``.
  package mutating func setLEDs(_ leds: UInt8) -> [Output] {
    self.leds = leds
    guard var restoring else { return [] }
    let outputs = restoreNotification(restoring.take(leds: leds))
    self.restoring = restoring.isRunning ? restoring : nil
    return outputs + restoredOutputs(restoring)
  }

  /// Sends an output report of the raw interface to the client, if the firmware runs and knows such
  /// reports.
  package mutating func takeRaw(_ report: [UInt8]) -> [Output] {
    guard isRunning, firmware.knows(.rawData, number: StickCommand.rawData.rawValue) else {
      return []
    }
    usesRaw = true
    let bytes = report.prefix(64) + [UInt8](repeating: 0, count: max(0, 64 - report.count))
    return send(
      StickPacket(StickCommand.rawData.rawValue, bytes[bytes.startIndex], Array(bytes.dropFirst())),
      isAnswer: false)
  }

  /// Processes bytes from the client.
  package mutating func receive(_ bytes: [UInt8]) -> [Output] {
    var outputs: [Output] = []
    var rest = bytes[...]
    received &+= UInt32(truncatingIfNeeded: rest.count)
    while let event = reader.next(&rest) {
      switch event {
      case .damage: outputs += systemError(0xE1)
      case .frame(let frame):
        if faults.dropped.take() { continue }
        do throws(StickDamage) {
          let packet = try link.packet(of: frame)
          note(.received, packet, frame)
          outputs += answer(packet, wantsAnswer: frame.wantsAnswer)
        } catch {
          notes.append(
            HIDLinkPacket(
              .received, command: nil, content: nil, bytes: frame.bytes,
              isEncrypted: frame.isEncrypted, problem: error.words))
          // E2 is the code of the manufacturer's documents for a packet that was dropped.
          outputs += systemError(0xE2)
        }
      }
    }
    return outputs
  }

  /// Makes the status notification; nothing unless the firmware runs.
  ///
  /// The notification has the numbers of reports that the host has taken since the previous one.
  /// The owner calls this at each interval of the status.
  package mutating func status() -> [Output] {
    guard isRunning else { return [] }
    func isEmpty(_ interface: StickReport.Interface) -> UInt8 {
      queues.count(interface) == 0 ? 1 : 0
    }
    var data: [UInt8] = [
      leds, 1, isEmpty(.keyboard), 1, isEmpty(.mouse), isEmpty(.consumer),
      queues.takeSent(.keyboard), queues.takeSent(.mouse), queues.takeSent(.consumer), 0xFF,
    ]
    if usesRaw { data += [isEmpty(.raw), queues.takeSent(.raw)] }
    return send(StickPacket(StickCommand.status.rawValue, usbState.rawValue, data), isAnswer: false)
  }

  /// Removes and returns the next report of an interface that the host polls; nil if none waits, or
  /// the host has not configured the device, or has suspended it.
  ///
  /// In the last two cases the reports wait.
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
      // The answer is in the clear, since these commands are never encrypted.
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
    case .setPIN: return setPIN(packet, wantsAnswer)
    case .unlock:
      return reply(packet, isUnlocked ? StickAnswer.ok : StickAnswer.unlockTooLate, wantsAnswer)
    case .restoreDefaults: return restore(packet, wantsAnswer)
    case .getValue:
      // The USB configuration has no published content: 18 zeros.
      guard packet.parameter == 2 else {
        return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
      }
      return wantsAnswer
        ? send(
          StickPacket(packet.command, StickAnswer.ok, [UInt8](repeating: 0, count: 18)),
          isAnswer: true) : []
    case .requestStatus, .getStatus: return status()
    case .keyboardReports, .consumerReports, .mouseReports, .gamepadReports, .mixedReports,
      .touchReports, .shortKeyboardReports, .keyStrokes:
      return queue(packet, command, wantsAnswer)
    case .rawData: return raw(packet, wantsAnswer)
    case .rawPoll:
      usesRaw = true
      return reply(packet, StickAnswer.ok, wantsAnswer)
    // The effects of these commands are not published: a client that wants an answer gets "unknown
    // command".
    case .queue, .generateKey, .testKey, .verifyKey:
      return reply(packet, StickAnswer.unknownCommand, wantsAnswer)
    default: return reply(packet, StickAnswer.ok, wantsAnswer)
    }
  }

  private mutating func queue(
    _ packet: StickPacket, _ command: StickCommand, _ wantsAnswer: Bool
  ) -> [Output] {
    if command == .mixedReports {
      // A packet with the number of the previous packet repeats that packet, unless that was
      // refused. 0 means "without a number".
      if packet.parameter != 0, packet.parameter == lastMixedID {
        return reply(packet, StickAnswer.ok, wantsAnswer)
      }
      lastMixedID = 0
    }
    do throws(StickReports.Refusal) {
      let reports = try StickReports.reports(of: packet) ?? []
      guard !faults.overflowing.take(), queues.fits(reports) else {
        return reply(packet, StickAnswer.bufferOverflow, wantsAnswer)
      }
      queues.add(reports)
      if command == .mixedReports { lastMixedID = packet.parameter }
      return reply(packet, StickAnswer.ok, wantsAnswer)
    } catch {
      return reply(packet, error.code, wantsAnswer)
    }
  }

  private mutating func raw(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    usesRaw = true
    let report = StickReport(.raw, Array(packet.data.prefix(64)))
    guard report.bytes.count == 64 else {
      return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
    }
    guard !faults.overflowing.take(), queues.fits([report]) else {
      return reply(packet, StickAnswer.bufferOverflow, wantsAnswer)
    }
    queues.add([report])
    return reply(packet, StickAnswer.ok, wantsAnswer)
  }

  /// Carries out the command 0x2A: empties the queues that its parameter selects, and releases the
  /// keys and buttons of those that had reports.
  ///
  /// Of the consumer interface, it releases only the consumer control keys (ID 1).
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

  /// Carries out the command 0x14: parameter 1 sets the key of the password, or removes it.
  private mutating func setValue(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    guard packet.parameter == 1, packet.data.count >= 16 else {
      return reply(packet, StickAnswer.invalidSetting, wantsAnswer)
    }
    guard link.key == nil ? isUnlocked : link.isAuthenticated else {
      return reply(packet, StickAnswer.unlockTooLate, wantsAnswer)
    }
    let bytes = Array(packet.data.prefix(16))
    let removesKey = bytes.allSatisfy { $0 == 0xFF }
    let key = removesKey ? nil : StickKey(bytes)
    // A machine without OpenSSL has no keys.
    guard removesKey || key != nil else {
      return reply(packet, StickAnswer.invalidSetting, wantsAnswer)
    }
    let outputs = reply(packet, StickAnswer.ok, wantsAnswer)
    link.key = key
    return outputs
  }

  /// Carries out the command 0x18, which sets the PIN; the parameter is the number of digits.
  private mutating func setPIN(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    guard link.key == nil ? isUnlocked : link.isAuthenticated else {
      return reply(packet, StickAnswer.pinLocked, wantsAnswer)
    }
    guard packet.parameter == 4 || packet.parameter == 6 else {
      return reply(packet, StickAnswer.pinLength, wantsAnswer)
    }
    let digits = packet.data.prefix(Int(packet.parameter))
    guard digits.count == packet.parameter, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return reply(packet, StickAnswer.pinDigits, wantsAnswer)
    }
    pin = String(decoding: digits, as: UTF8.self)
    return reply(packet, StickAnswer.ok, wantsAnswer) + [.restartLink]
  }

  /// Carries out the command 0x15, which starts or cancels a ``StickRestore``.
  private mutating func restore(_ packet: StickPacket, _ wantsAnswer: Bool) -> [Output] {
    switch packet.parameter {
    case 0:
      guard restoring != nil else { return reply(packet, StickAnswer.ok, wantsAnswer) }
      restoring = nil
      return reply(packet, StickAnswer.ok, wantsAnswer) + restoreNotification(StickRestore.ended)
    case 1:
      let restore = StickRestore(leds: leds)
      restoring = restore
      return reply(packet, StickAnswer.ok, wantsAnswer) + restoreNotification(restore.status) + [
        .restoreSecond
      ]
    default: return reply(packet, StickAnswer.invalidParameter, wantsAnswer)
    }
  }

  /// Counts one second of a running ``StickRestore``.
  package mutating func restoreSecond() -> [Output] {
    guard var restoring else { return [] }
    let status = restoring.second()
    self.restoring = restoring.isRunning ? restoring : nil
    return restoreNotification(status) + (restoring.isRunning ? [.restoreSecond] : [])
  }

  private mutating func restoredOutputs(_ restoring: StickRestore) -> [Output] {
    guard restoring.isComplete else { return [] }
    link.key = nil
    pin = nil
    name = Self.defaultName
    return [.restartLink]
  }

  /// Makes the notification 0x16; nothing without a status.
  private mutating func restoreNotification(_ status: [UInt8]?) -> [Output] {
    guard let status else { return [] }
    return send(
      StickPacket(StickCommand.restoreStatus.rawValue, status[0], Array(status.dropFirst())),
      isAnswer: false)
  }

  /// The data of the answer to 0x10, after the answer code.
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
    for (offset, value) in [(24, uptime), (28, received), (32, sent)] {
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
    let frame = link.frame(of: packet, isAnswer: isAnswer)
    note(.sent, packet, frame)
    var bytes = frame.bytes
    // A wrong bit in the last block damages the CRC, or the decrypted data.
    if faults.corrupted.take() { bytes[bytes.count - 1] ^= 0x01 }
    if faults.truncated.take() { bytes.removeLast(bytes.count / 2) }
    sent &+= UInt32(truncatingIfNeeded: bytes.count)
    return [.send(bytes)]
  }

  private mutating func note(
    _ direction: HIDLinkPacket.Direction, _ packet: StickPacket, _ frame: StickFrame
  ) {
    notes.append(
      HIDLinkPacket(
        direction, command: StickCommand(number: packet.command)?.name,
        content: packet.content, bytes: frame.bytes,
        isEncrypted: frame.isEncrypted))
  }

  /// Makes the notification 0x1F of an error; nothing unless the firmware runs.
  private mutating func systemError(_ code: UInt8) -> [Output] {
    isRunning
      ? send(StickPacket(StickCommand.systemNotification.rawValue, code), isAnswer: false) : []
  }
}
