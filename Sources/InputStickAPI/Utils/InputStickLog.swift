// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Functions that write bytes, packets and settings to the log of the program with `NSLog`, and
/// that convert bytes to hexadecimal text and back.
open class InputStickLog: NSObject {
  /// Returns bytes as text: `0x00 0x1B `, with a space after each.
  open class func hexString(from data: Data!) -> String! {
    (data ?? Data()).map { text(of: $0) + " " }.joined()
  }

  /// Returns the bytes of a text of hexadecimal digits, two digits for a byte.
  ///
  /// A pair that is not a number becomes 0; a single digit at the end is left out.
  open class func data(fromHexString hex: String!) -> Data! {
    let digits = Array(hex ?? "")
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
      })
  }

  /// Writes bytes to the log.
  open class func printHexNSData(_ data: Data!) { log(hexString(from: data)) }

  /// Writes a title and bytes to the log.
  open class func printHexNSData(_ data: Data!, withTitle title: String!) {
    log("\(title ?? ""): \(hexString(from: data) ?? "")")
  }

  /// Writes a byte to the log.
  open class func printHexByte(_ byte: UInt8) { log(text(of: byte)) }

  /// Writes a title and a byte to the log.
  open class func printHexByte(_ byte: UInt8, withTitle title: String!) {
    log("\(title ?? ""): \(text(of: byte))")
  }

  /// Writes the entry of a stick, a simulated InputStick, to the log: its name, identifier and
  /// firmware, and whether a key is stored.
  open class func print(_ deviceData: InputStickDeviceData!) {
    guard let deviceData else { return }
    log("InputStick \(deviceData.name ?? ""), \(deviceData.identifier ?? "")")
    log("firmware \(deviceData.firmwareVersionString() ?? "")")
    log(deviceData.key == nil ? "no key is stored" : "a key is stored")
  }

  /// Writes preferences to the log.
  open class func print(_ preferences: InputStickPreferences!) {
    guard let preferences else { return }
    log("connect without the user: \(preferences.autoConnect)")
    log("keyboard layout: \(preferences.keyboardLayout?.layoutCode() ?? "none")")
    log("typing speed: \(preferences.typingSpeed)")
    log("mouse pad: \(preferences.touchScreenMode ? "touch screen" : "mouse")")
    log("tap to click: \(preferences.tapToClick), within \(preferences.tapInterval) ms")
    log("sensitivity of the mouse: \(preferences.mouseSensitivity) %")
    log("sensitivity of the wheel: \(preferences.scrollSensitivity) %")
    log("ratio of the mouse pad: \(preferences.mousepadRatio)")
  }

  /// Writes a packet from the stick to the log: its kind and header, the command, the answer code
  /// and the data.
  open class func print(_ packet: InputStickRxPacket!) {
    guard let packet else { return }
    let code = packet.isNotification ? [] : [packet.respCode]
    let data = Data([packet.command] + code) + (packet.data ?? Data())
    let kind = packet.isNotification ? "notification" : "answer"
    log("\(kind) of the stick, header \(text(of: packet.header)): \(hexString(from: data) ?? "")")
  }

  /// Writes a packet to the stick to the log: the command, the parameter, the data, and the zeros
  /// that fill the last block.
  open class func print(_ packet: InputStickTxPacket!) {
    guard let packet else { return }
    let data = Data((packet.getData() as Data).dropFirst(4))
    log("packet to the stick: \(hexString(from: data) ?? "")")
  }

  private class func text(of byte: UInt8) -> String {
    "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  // The fixed format keeps `%` in the text from being read as a format.
  private class func log(_ text: String) { NSLog("%@", text) }
}
