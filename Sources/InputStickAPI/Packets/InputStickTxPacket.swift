// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import InputStick

/// A packet to the stick: the simulated InputStick that the client is connected to.
open class InputStickTxPacket: NSObject {
  /// The largest amount of data in a packet, in bytes.
  private static let capacity: UInt = 266

  /// The number of bytes that can still be added.
  ///
  /// Changes of ``data`` itself do not change it.
  open private(set) var remainingBytes = InputStickTxPacket.capacity
  /// The command.
  open var command: InputStickCmd
  /// The parameter of the command.
  open var param: UInt8
  /// The data: an `NSNumber` for each byte.
  open var data: NSMutableArray!
  /// True if the stick has to answer.
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
  /// - Returns: True if there was room for it.
  @discardableResult open func addByte(_ byte: UInt8) -> Bool {
    guard remainingBytes > 0 else { return false }
    data.add(NSNumber(value: byte))
    remainingBytes -= 1
    return true
  }

  /// Adds bytes, all or none.
  ///
  /// - Returns: True if all of them were added.
  @discardableResult open func addBytes(
    _ bytes: UnsafeMutablePointer<UInt8>!, withLength length: UInt
  ) -> Bool {
    guard let bytes, length <= remainingBytes else { return length == 0 }
    for index in 0..<Int(length) { addByte(bytes[index]) }
    return true
  }

  /// Returns the payload in the clear: CRC, command, parameter, data, and zeros up to a multiple of
  /// 16 bytes.
  open func getData() -> NSMutableData! {
    NSMutableData(data: Data(packet.payload ?? []))
  }

  /// The content of the packet; data beyond the longest packet is left out.
  var packet: StickPacket {
    let bytes = (data ?? []).prefix(StickPacket.maximumDataByteCount).map {
      ($0 as? NSNumber)?.uint8Value ?? 0
    }
    return StickPacket(command.rawValue, param, bytes)
  }

  func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { addByte(byte) } }
}
