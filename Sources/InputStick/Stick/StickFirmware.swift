// SPDX-License-Identifier: Apache-2.0

/// A version of the firmware of an InputStick, with the differences between versions.
package struct StickFirmware: Hashable, Sendable, CustomStringConvertible {
  /// The major version times 100, and the minor version: 110 is 1.10.
  package let number: Int

  /// Makes a version from its number; nil unless the version is 0.91 to 1.12.
  package init?(_ number: Int) {
    guard (91...112).contains(number) else { return nil }
    self.number = number
  }

  /// The version as the manufacturer writes it: `1.10`, `0.98`.
  package var description: String {
    "\(number / 100).\(number % 100 < 10 ? "0" : "")\(number % 100)"
  }

  /// The newest version that runs on every hardware: 1.10.
  package static let latest = StickFirmware(unchecked: 110)

  private init(unchecked number: Int) { self.number = number }

  /// Returns the number of reports that the stick can hold for an interface.
  package func capacity(_ interface: StickReport.Interface) -> Int {
    switch interface {
    case .keyboard: number < 100 ? 32 : 128
    case .mouse, .consumer: number < 100 ? 32 : 64
    case .raw: 2
    }
  }

  /// Returns whether this version has a command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - number: The number in the packet, which can mean the command without a trailer.
  package func knows(_ command: StickCommand, number: UInt8) -> Bool {
    if StickCommand.isWithoutTrailer(number) { return self.number >= 101 }
    switch command {
    case .gamepadReports, .setPIN: return self.number >= 97
    case .mixedReports, .touchReports, .rawData, .rawPoll, .restoreDefaults:
      return self.number >= 98
    case .getValue: return self.number >= 99 && self.number < 111
    case .clearBuffers, .authenticateWithHMAC, .setStatusInterval, .getStatus, .errorNotification:
      return self.number >= 100
    case .queue, .generateKey, .testKey, .verifyKey, .keyStatus: return self.number >= 101
    default: return true
    }
  }

  /// The time between two status notifications until a client sets another: 100 ms.
  package var statusInterval: Duration { .milliseconds(100) }
}
