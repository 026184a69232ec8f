// SPDX-License-Identifier: Apache-2.0

/// The numbers of the commands to an InputStick (a *stick*), and of its notifications.
package enum StickCommand: UInt8, Sendable, CaseIterable {
  case identify = 0x01
  case led = 0x02
  case runBootloader = 0x03
  case runFirmware = 0x04
  case bootloaderInfo = 0x05
  case bootloaderErase = 0x06
  case bootloaderData = 0x07
  case bootloaderWrite = 0x08
  case firmwareInfo = 0x10
  case resetBuffers = 0x11
  case authenticate = 0x12
  case initConnection = 0x13
  case setValue = 0x14
  case restoreDefaults = 0x15
  /// A notification: the progress of restoring the defaults.
  case restoreStatus = 0x16
  case getValue = 0x17
  case setPIN = 0x18
  case usbResume = 0x19
  case usbPower = 0x1A
  case unlock = 0x1B
  case setName = 0x1C
  /// A notification: an error, from firmware 1.00 on.
  case errorNotification = 0x1E
  /// A notification: errors of the stick.
  ///
  /// Hardware with firmware before 1.00 sends a list of up to 11 codes. A simulated stick sends one
  /// code, with any firmware.
  case systemNotification = 0x1F
  case requestStatus = 0x20
  case keyboardReports = 0x21
  case consumerReports = 0x22
  case mouseReports = 0x23
  case gamepadReports = 0x24
  case mixedReports = 0x25
  case touchReports = 0x26
  case rawData = 0x27
  case rawPoll = 0x28
  case clearBuffers = 0x2A
  case writeEndpoint = 0x2B
  case shortKeyboardReports = 0x2C
  case keyStrokes = 0x2D
  case queue = 0x2E
  /// A notification: the status of USB, LEDs and buffers.
  case status = 0x2F
  case authenticateWithHMAC = 0x30
  case setStatusInterval = 0x31
  case getStatus = 0x32
  case generateKey = 0x33
  case testKey = 0x34
  case verifyKey = 0x35
  /// A notification: the progress of generating a key.
  case keyStatus = 0x36

  /// Makes the command with a number; nil for a number without a command.
  ///
  /// 0x40 to 0x4E mean 0x20 to 0x2E without a trailer (``StickFrame/trailer``), from firmware 1.01
  /// on.
  package init?(number: UInt8) {
    self.init(rawValue: Self.isWithoutTrailer(number) ? number - 0x20 : number)
  }

  /// The name in text and JSON, such as `keyboardReports`.
  package var name: String { Self.names[self, default: "\(self)"] }

  // Made once: to find the text of a case by reflection takes longer than to decrypt a packet.
  private static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0, "\($0)") })

  /// Returns whether a number means a command without a trailer: 0x40 to 0x4E.
  package static func isWithoutTrailer(_ number: UInt8) -> Bool { (0x40...0x4E).contains(number) }

  /// True if only the stick sends the packet; such a packet has no answer code.
  ///
  /// False for `rawData`, which both ends send, although a raw report of the stick has no answer
  /// code.
  package var isNotification: Bool {
    switch self {
    case .restoreStatus, .errorNotification, .systemNotification, .status, .keyStatus: true
    default: false
    }
  }

  /// True if the packet is in the clear even in an encrypted session.
  package var isNeverEncrypted: Bool {
    switch self {
    case .identify, .runBootloader, .runFirmware, .bootloaderInfo, .bootloaderErase,
      .bootloaderData, .bootloaderWrite, .firmwareInfo, .authenticate, .authenticateWithHMAC:
      true
    default: false
    }
  }

  /// True if a stick with a password refuses the command, with the answer `wrongKey`, before a
  /// client has authenticated.
  package var needsAuthentication: Bool {
    switch self {
    case .resetBuffers, .keyboardReports, .consumerReports, .mouseReports, .gamepadReports,
      .mixedReports, .touchReports, .rawData, .rawPoll, .clearBuffers, .writeEndpoint,
      .shortKeyboardReports, .keyStrokes, .queue:
      true
    default: false
    }
  }
}

/// The codes of answers.
package enum StickAnswer {
  package static let ok: UInt8 = 0x01
  package static let bufferOverflow: UInt8 = 0x03
  package static let invalidSetting: UInt8 = 0x05
  package static let unknownReport: UInt8 = 0x06
  package static let wrongKey: UInt8 = 0x20
  package static let noPassword: UInt8 = 0x21
  package static let unlockTooLate: UInt8 = 0x25
  /// The first code of PIN errors; the manufacturer's documents give the range 0x26 to 0x28, not
  /// the meaning of each.
  package static let pinLocked: UInt8 = 0x26
  package static let pinLength: UInt8 = 0x27
  package static let pinDigits: UInt8 = 0x28
  package static let invalidEndpoint: UInt8 = 0x2A
  package static let endpointBusy: UInt8 = 0x2B
  package static let reportTooLong: UInt8 = 0x2C
  package static let invalidParameter: UInt8 = 0xFE
  package static let unknownCommand: UInt8 = 0xFF
}
