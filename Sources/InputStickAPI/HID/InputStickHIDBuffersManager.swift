// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The buffers of keyboard, mouse and consumer reports; touch reports wait in the consumer buffer.
///
/// Reports wait here, in the memory of the program, until the stick, the simulated InputStick that
/// the client is connected to, has room for them. A buffer is empty when no report waits here, and
/// the host has taken all sent reports. Sent reports count as taken, too, when the stick has held
/// no report in several statuses: they were lost or removed.
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

  /// True if all three buffers are empty.
  open var allBuffersEmpty: Bool {
    keyboardBufferEmpty && mouseBufferEmpty && consumerBufferEmpty
  }

  /// Removes the waiting reports, here and in the stick.
  ///
  /// The stick removes its reports only from firmware 1.00 on, and only if the host has not yet
  /// taken all reports that were sent. Of each interface whose reports it has removed, it then
  /// releases the keys, the mouse buttons or the media keys.
  open func clearHIDBuffers() {
    for buffer in [keyboard, mouse, consumer] { buffer.clear() }
    if !allBuffersEmpty { clear(0x07) }
  }

  /// Asks the stick to empty its buffers, from firmware 1.00 on.
  private func clear(_ interfaces: UInt8) {
    guard firmwareVersion >= 100 else { return }
    manager?.send(InputStickTxPacket(cmd: .CmdHIDClear, withParam: interfaces))
  }

  /// Removes all reports that wait here, and sets the capacities of a firmware version.
  open func updateFirmwareVersion(_ firmwareVersion: UInt) {
    self.firmwareVersion = firmwareVersion
    let isOld = firmwareVersion < 100
    keyboard.setup(withCapacity: isOld ? 32 : 128, maxReportsPerPacket: isOld ? 32 : 64)
    mouse.setup(withCapacity: isOld ? 32 : 64, maxReportsPerPacket: 32)
    consumer.setup(withCapacity: isOld ? 32 : 64, maxReportsPerPacket: 32)
  }

  /// Updates the buffers with a status of the stick, and sends reports for which there is room.
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

  /// True if no keyboard report waits here, and the host has taken all that were sent.
  open var keyboardBufferEmpty: Bool { keyboard.bufferEmpty }
  /// True if no keyboard report waits here.
  open var keyboardLocalBufferEmpty: Bool { keyboard.localBufferEmpty }

  /// Removes the waiting keyboard reports, here and in the stick, like ``clearHIDBuffers()``.
  open func clearKeyboardBuffer() {
    keyboard.clear()
    if !keyboard.bufferEmpty { clear(0x01) }
  }

  /// Removes the keyboard reports that wait here.
  open func clearKeyboardLocalBuffer() { keyboard.clear() }

  /// Adds a report, which is lost unless the manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addKeyboardHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    keyboard.add(report, flush: flush)
  }

  /// Adds a transaction, which the caller must not use again; its reports are lost unless the
  /// manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addKeyboardHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    keyboard.add(transaction, flush: flush)
  }

  /// Sends waiting reports for which the stick has room.
  open func flushKeyboardBuffer() { keyboard.flush() }

  // MARK: Mouse

  /// True if no mouse report waits here, and the host has taken all that were sent.
  open var mouseBufferEmpty: Bool { mouse.bufferEmpty }
  /// True if no mouse report waits here.
  open var mouseLocalBufferEmpty: Bool { mouse.localBufferEmpty }

  /// Removes the waiting mouse reports, here and in the stick, like ``clearHIDBuffers()``.
  open func clearMouseBuffer() {
    mouse.clear()
    if !mouse.bufferEmpty { clear(0x02) }
  }

  /// Removes the mouse reports that wait here.
  open func clearMouseLocalBuffer() { mouse.clear() }

  /// Adds a report, which is lost unless the manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addMouseHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    mouse.add(report, flush: flush)
  }

  /// Adds a transaction, which the caller must not use again; its reports are lost unless the
  /// manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addMouseHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    mouse.add(transaction, flush: flush)
  }

  /// Sends waiting reports for which the stick has room.
  open func flushMouseBuffer() { mouse.flush() }

  // MARK: Consumer

  /// True if no consumer report waits here, and the host has taken all that were sent.
  open var consumerBufferEmpty: Bool { consumer.bufferEmpty }
  /// True if no consumer report waits here.
  open var consumerLocalBufferEmpty: Bool { consumer.localBufferEmpty }

  /// Removes the waiting consumer reports, here and in the stick, like ``clearHIDBuffers()``.
  open func clearConsumerBuffer() {
    consumer.clear()
    if !consumer.bufferEmpty { clear(0x04) }
  }

  /// Removes the consumer reports that wait here.
  open func clearConsumerLocalBuffer() { consumer.clear() }

  /// Adds a report, which is lost unless the manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addConsumerHIDReport(_ report: InputStickHIDReport!, flush: Bool) {
    consumer.add(report, flush: flush)
  }

  /// Adds a transaction, which the caller must not use again; its reports are lost unless the
  /// manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func addConsumerHIDTransaction(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    consumer.add(transaction, flush: flush)
  }

  /// Sends waiting reports for which the stick has room.
  open func flushConsumerBuffer() { consumer.flush() }
}
