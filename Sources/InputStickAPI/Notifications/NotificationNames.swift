// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The key of the state in a notification of the connection: an `NSNumber` with the number of an
/// ``InputStickConnectionState``.
public let InputStickNotificationConnectionStateKey: String! = "ConnectionState"
/// The key of the error code in a notification of the connection: an `NSNumber` with the number of
/// an ``InputStickErrorCode``, 0 without an error.
public let InputStickNotificationConnectionErrorCodeKey: String! = "ErrorCode"
/// The key of the sticks that were found, in a notification of a scan: an `NSArray` of
/// ``InputStickPeripheralInfo``.
public let InputStickNotificationPeripheralsListKey: String! = "PeripheralsList"
/// The key of the ``InputStickHIDBuffersState`` in a notification of a status.
public let InputStickNotificationHIDBuffersStateKey: String! = "BuffersState"
/// The key of the ``InputStickKeyboardLEDsState`` in a notification of the LEDs.
public let InputStickNotificationKeyboardLEDsKey: String! = "KeyboardLEDs"
/// The key of the ``InputStickRxPacket`` in a notification of a packet.
public let InputStickNotificationPacketKey: String! = "PacketKey"

/// The names of the notifications, which are those of the InputStickAPI library for iOS.
extension Notification.Name {
  package static let stickConnection = Self("DidUpdateInputStickConnectionStateNotificationName")
  static let stickList = Self("DidUpdateInputStickPeripheralsNotificationName")
  static let stickScanStart = Self("DidStartInputStickPeripheralScanNotificationName")
  static let stickScanFinish = Self("DidFinishInputStickPeripheralScanNotificationName")
  static let stickScanTimeout = Self("DidTimeoutInputStickPeripheralScanNotificationName")
  package static let stickBuffers = Self("DidUpdateInputStickHIDBuffersNotificationName")
  static let stickLEDs = Self("didUpdateInputStickKeyboardLEDsNotificationName")
  static let stickKeyboardEmpty = Self("DidEmptyInputStickKeyboardBufferNotificationName")
  static let stickMouseEmpty = Self("DidEmptyInputStickMouseBufferNotificationName")
  static let stickConsumerEmpty = Self("DidEmptyInputStickConsumerBufferNotificationName")
  static let stickKeyboardLocalEmpty = Self("DidEmptyInputStickKeyboardLocalBufferNotificationName")
  static let stickMouseLocalEmpty = Self("DidEmptyInputStickMouseLocalBufferNotificationName")
  static let stickConsumerLocalEmpty = Self("DidEmptyInputStickConsumerLocalBufferNotificationName")
  static let stickPacket = Self("DidReceiveInputStickPacketName")
}

/// Functions that post the notifications of the library.
extension NotificationCenter {
  /// Posts a new state of the connection.
  public func postDidUpdateInputStickConnectionState(_ state: NSNumber!, errorCode: NSNumber!) {
    post(
      name: .stickConnection, object: state,
      userInfo: [
        InputStickNotificationConnectionStateKey as String: state as Any,
        InputStickNotificationConnectionErrorCodeKey as String: errorCode as Any,
      ])
  }
  /// Posts the sticks that a scan has found.
  public func postDidUpdateInputStickPeripheralsList(_ foundPeripherals: NSMutableArray!) {
    let list = NSArray(array: foundPeripherals.map { Array($0) } ?? [])
    post(
      name: .stickList, object: list,
      userInfo: [InputStickNotificationPeripheralsListKey as String: list])
  }
  /// Posts that a scan has begun.
  public func postDidStartInputStickPeripheralScan() { post(name: .stickScanStart, object: nil) }
  /// Posts that a scan has ended.
  public func postDidFinishInputStickPeripheralScan() { post(name: .stickScanFinish, object: nil) }
  /// Posts that a scan has reached its time limit.
  public func postDidTimeoutInputStickPeripheralScan() {
    post(name: .stickScanTimeout, object: nil)
  }
  /// Posts a status of the buffers.
  public func postDidUpdateInputStickHIDBuffersState(
    withModel hidBuffersState: InputStickHIDBuffersState!
  ) {
    post(
      name: .stickBuffers, object: nil,
      userInfo: [InputStickNotificationHIDBuffersStateKey as String: hidBuffersState as Any])
  }
  /// Posts the LEDs of the Lock keys.
  public func postDidUpdateInputStickKeyboardLEDs(
    withValue keyboardLEDsState: InputStickKeyboardLEDsState!
  ) {
    post(
      name: .stickLEDs, object: keyboardLEDsState,
      userInfo: [InputStickNotificationKeyboardLEDsKey as String: keyboardLEDsState as Any])
  }
  /// Posts that the host has taken all keyboard reports.
  public func postDidEmptyInputStickKeyboardBuffer() {
    post(name: .stickKeyboardEmpty, object: nil)
  }
  /// Posts that the host has taken all mouse reports.
  public func postDidEmptyInputStickMouseBuffer() { post(name: .stickMouseEmpty, object: nil) }
  /// Posts that the host has taken all reports of the consumer interface.
  public func postDidEmptyInputStickConsumerBuffer() {
    post(name: .stickConsumerEmpty, object: nil)
  }
  /// Posts that no keyboard reports wait in this library.
  public func postDidEmptyInputStickKeyboardLocalBuffer() {
    post(name: .stickKeyboardLocalEmpty, object: nil)
  }
  /// Posts that no mouse reports wait in this library.
  public func postDidEmptyInputStickMouseLocalBuffer() {
    post(name: .stickMouseLocalEmpty, object: nil)
  }
  /// Posts that no reports of the consumer interface wait in this library.
  public func postDidEmptyInputStickConsumerLocalBuffer() {
    post(name: .stickConsumerLocalEmpty, object: nil)
  }
  /// Posts a packet from the stick.
  public func postDidReceiveInputStickPacket(_ packet: InputStickRxPacket!) {
    post(
      name: .stickPacket, object: packet,
      userInfo: [InputStickNotificationPacketKey as String: packet as Any])
  }
}
