// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// A packet to the stick.
open class InputStickTxPacket: NSObject {
  /// The most data of a packet, in bytes.
  private static let capacity: UInt = 266

  /// How many bytes of data can be added.
  open private(set) var remainingBytes = InputStickTxPacket.capacity
  /// The command.
  open var command: InputStickCmd
  /// The parameter of the command.
  open var param: UInt8
  /// The data: numbers of one byte each.
  open var data: NSMutableArray!
  /// Whether the stick has to answer.
  open var requiresResponse = false

  /// Makes a packet with the parameter 0.
  public convenience init!(cmd: InputStickCmd) { self.init(cmd: cmd, withParam: 0) }

  /// Makes a packet.
  public init!(cmd: InputStickCmd, withParam param: UInt8) {
    command = cmd
    self.param = param
    data = NSMutableArray()
  }

  /// Adds a byte.
  ///
  /// - Returns: Whether there was room for it.
  @discardableResult open func addByte(_ byte: UInt8) -> Bool {
    guard remainingBytes > 0 else { return false }
    data.add(NSNumber(value: byte))
    remainingBytes -= 1
    return true
  }

  /// Adds bytes, all or none.
  ///
  /// - Returns: Whether there was room for them.
  @discardableResult open func addBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Bool {
    guard let bytes, length <= remainingBytes else { return length == 0 }
    for index in 0..<Int(length) { addByte(bytes[index]) }
    return true
  }

  /// Makes the payload in the clear: CRC, command, parameter, data, zeros to a multiple of 16
  /// bytes.
  open func getData() -> NSMutableData! {
    NSMutableData(data: Data(packet.payload ?? []))
  }

  /// The content; data beyond the longest packet is left out.
  var packet: StickPacket {
    let bytes = (data ?? []).prefix(StickPacket.maximumDataByteCount).map {
      ($0 as? NSNumber)?.uint8Value ?? 0
    }
    return StickPacket(command.rawValue, param, bytes)
  }

  func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { addByte(byte) } }
}
