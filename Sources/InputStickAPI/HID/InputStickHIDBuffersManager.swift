// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The buffers of reports: keyboard, mouse, and consumer, which touch screen and gamepad share.
open class InputStickHIDBuffersManager: NSObject {
  /// The manager.
  open private(set) weak var manager: InputStickManager!
  private let keyboard: InputStickHIDTransactionBuffer
  private let mouse: InputStickHIDTransactionBuffer
  private let consumer: InputStickHIDTransactionBuffer
  private var firmwareVersion: UInt = 0

  /// Makes empty buffers.
  public init!(inputStickManager: InputStickManager!) {
    keyboard = InputStickHIDTransactionBuffer(
      inputStickManager: inputStickManager, with: .keyboard)
    mouse = InputStickHIDTransactionBuffer(inputStickManager: inputStickManager, with: .mouse)
    consumer = InputStickHIDTransactionBuffer(
      inputStickManager: inputStickManager, with: .consumer)
    super.init()
    manager = inputStickManager
  }

  /// Whether nothing waits here, and the host has taken everything.
  open var allBuffersEmpty: Bool {
    keyboardBufferEmpty && mouseBufferEmpty && consumerBufferEmpty
  }

  /// Removes what waits, here and in the stick, which then releases what is pressed.
  open func clearHIDBuffers() {
    for buffer in [keyboard, mouse, consumer] { buffer.clear() }
    if !allBuffersEmpty { clear(0x07) }
  }

  /// Has the stick empty its buffers, from firmware 1.00 on.
  private func clear(_ interfaces: UInt8) {
    guard firmwareVersion >= 100 else { return }
    manager?.send(InputStickTxPacket(cmd: .CmdHIDClear, withParam: interfaces))
  }

  /// Starts anew with the capacities of a firmware; nothing waits.
  open func updateFirmwareVersion(_ firmwareVersion: UInt) {
    self.firmwareVersion = firmwareVersion
    let isOld = firmwareVersion < 100
    keyboard.setup(withCapacity: isOld ? 32 : 128, maxReportsPerPacket: isOld ? 32 : 64)
    mouse.setup(withCapacity: isOld ? 32 : 64, maxReportsPerPacket: 32)
    consumer.setup(withCapacity: isOld ? 32 : 64, maxReportsPerPacket: 32)
  }

  /// Takes a status of the stick.
  open func update(_ buffersState: InputStickHIDBuffersState!) {
    guard let state = buffersState else { return }
    keyboard.updateWithNumberOfReportsSent(
      toHost: state.keyboardReportsSentToHost, isEmpty: state.keyboardBufferEmpty)
    mouse.updateWithNumberOfReportsSent(
      toHost: state.mouseReportsSentToHost, isEmpty: state.mouseBufferEmpty)
    consumer.updateWithNumberOfReportsSent(
      toHost: state.consumerReportsSentToHost, isEmpty: state.consumerBufferEmpty)
  }

  // MARK: Keyboard

  /// Whether nothing waits for the keyboard here, and the host has taken everything.
  open var keyboardBufferEmpty: Bool { keyboard.bufferEmpty }
  /// Whether nothing waits for the keyboard here.
  open var keyboardLocalBufferEmpty: Bool { keyboard.localBufferEmpty }

  /// Removes what waits for the keyboard, here and in the stick.
  open func clearKeyboardBuffer() {
    keyboard.clear()
    if !keyboard.bufferEmpty { clear(0x01) }
  }

  /// Removes what waits for the keyboard here.
  open func clearKeyboardLocalBuffer() { keyboard.clear() }

  /// Adds a report; it is lost unless the manager is ready.
  open func addKeyboardHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    keyboard.add(report, flush: flush)
  }

  /// Adds a transaction, which the buffer takes over; it is lost unless the manager is ready.
  open func addKeyboardHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    keyboard.add(transaction, flush: flush)
  }

  /// Sends what the stick has room for.
  open func flushKeyboardBuffer() { keyboard.flush() }

  // MARK: Mouse

  /// Whether nothing waits for the mouse here, and the host has taken everything.
  open var mouseBufferEmpty: Bool { mouse.bufferEmpty }
  /// Whether nothing waits for the mouse here.
  open var mouseLocalBufferEmpty: Bool { mouse.localBufferEmpty }

  /// Removes what waits for the mouse, here and in the stick.
  open func clearMouseBuffer() {
    mouse.clear()
    if !mouse.bufferEmpty { clear(0x02) }
  }

  /// Removes what waits for the mouse here.
  open func clearMouseLocalBuffer() { mouse.clear() }

  /// Adds a report; it is lost unless the manager is ready.
  open func addMouseHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    mouse.add(report, flush: flush)
  }

  /// Adds a transaction, which the buffer takes over; it is lost unless the manager is ready.
  open func addMouseHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    mouse.add(transaction, flush: flush)
  }

  /// Sends what the stick has room for.
  open func flushMouseBuffer() { mouse.flush() }

  // MARK: Consumer

  /// Whether nothing waits for the consumer here, and the host has taken everything.
  open var consumerBufferEmpty: Bool { consumer.bufferEmpty }
  /// Whether nothing waits for the consumer here.
  open var consumerLocalBufferEmpty: Bool { consumer.localBufferEmpty }

  /// Removes what waits for the consumer, here and in the stick.
  open func clearConsumerBuffer() {
    consumer.clear()
    if !consumer.bufferEmpty { clear(0x04) }
  }

  /// Removes what waits for the consumer here.
  open func clearConsumerLocalBuffer() { consumer.clear() }

  /// Adds a report; it is lost unless the manager is ready.
  open func addConsumerHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    consumer.add(report, flush: flush)
  }

  /// Adds a transaction, which the buffer takes over; it is lost unless the manager is ready.
  open func addConsumerHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    consumer.add(transaction, flush: flush)
  }

  /// Sends what the stick has room for.
  open func flushConsumerBuffer() { consumer.flush() }
}
