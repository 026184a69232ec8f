// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// The part of a packet for which a parser waits.
public enum InputStickPacketParsingState: UInt, Sendable {
  /// The start of a packet.
  case tag = 0
  /// The header.
  case header = 1
  /// The payload.
  case payload = 2
  /// None: an error has ended the parsing.
  case disabled = 3
}

/// The effect of a byte on the parser.
public enum InputStickPacketParsingResult: UInt, Sendable {
  /// No packet has begun, ended or failed with this byte.
  case inProgress = 0
  /// A packet has begun.
  case started = 1
  /// A packet is complete.
  case done = 2
  /// The packet cannot be read, the watchdog has restarted the stick, or an earlier error has ended
  /// the parsing.
  case error = 3
}

/// A parser that finds packets in the bytes that a stick, a simulated InputStick, sends.
open class InputStickPacketParser: NSObject {
  /// The last complete packet; nil before the first packet, and after an error or a reset.
  open private(set) var parsedPacket: InputStickRxPacket!
  /// The reason of the last error since ``resetRxState()``; a complete packet does not change it.
  open private(set) var errorCode = InputStickErrorCode.INPUTSTICK_ERROR_NONE
  /// The number of consecutive bytes `AF` outside packets; more than 256 mean a watchdog reset.
  private var strayCount = 0
  private var reader = StickFrameReader(of: .stick)
  private var isDisabled = false
  private weak var manager: InputStickManager?

  /// Makes a parser.
  ///
  /// - Parameter manager: The manager that decrypts packets; nil if the parser need not read
  ///   encrypted packets.
  public init!(inputStickManager manager: InputStickManager!) { self.manager = manager }

  /// Resets the parser: it waits for the start of a packet.
  open func resetRxState() {
    reader.reset()
    strayCount = 0
    isDisabled = false
    errorCode = .INPUTSTICK_ERROR_NONE
    parsedPacket = nil
  }

  /// Parses the next byte.
  ///
  /// After an error that ends the parsing, each byte returns
  /// ``InputStickPacketParsingResult/error`` until ``resetRxState()`` is called. A wrong length
  /// does not end the parsing.
  @discardableResult open func parseResponseByte(
    _ responseByte: UInt8
  ) -> InputStickPacketParsingResult {
    guard !isDisabled else { return .error }
    let wasInside = reader.isInsidePacket
    guard let event = reader.take([responseByte]).first else {
      if !wasInside, !reader.isInsidePacket {
        strayCount = responseByte == 0xAF ? strayCount + 1 : 0
        if strayCount > 256 {
          strayCount = 0
          return fail(.INPUTSTICK_ERROR_HW_WATCHDOG_RESET)
        }
      }
      return !wasInside && reader.isInsidePacket ? .started : .inProgress
    }
    strayCount = 0
    switch event {
    case .damage: return fail(.INPUTSTICK_ERROR_PACKET_RX_LENGTH, disables: false)
    case .frame(let frame): return take(frame)
    }
  }

  private func take(_ frame: StickFrame) -> InputStickPacketParsingResult {
    do throws(StickDamage) {
      let packet: StickPacket
      if frame.isEncrypted {
        guard let manager, manager.encryptionEnabled,
          let payload = manager.encryptionManager.link.payload(of: frame)
        else { throw StickDamage.encryptionNotSetUp }
        packet = try StickPacket(payload: payload.span)
      } else {
        packet = try StickPacket(payload: frame.payload.span)
      }
      parsedPacket = InputStickRxPacket(packet, header: frame.bytes[1])
      return .done
    } catch {
      return fail(
        error == .encryptionNotSetUp
          ? .INPUTSTICK_ERROR_PACKET_RX_ENCR_NOT_ENABLED : .INPUTSTICK_ERROR_PACKET_RX_CRC)
    }
  }

  private func fail(
    _ code: InputStickErrorCode, disables: Bool = true
  ) -> InputStickPacketParsingResult {
    errorCode = code
    parsedPacket = nil
    isDisabled = disables
    return .error
  }
}
