// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The reports that wait for room in one buffer of the stick.
///
/// The stick is the simulated InputStick that the client is connected to. A status is a
/// notification that it sends, ``InputStickCmd/CmdHIDStatusNotification``.
///
/// The reports wait here, in the memory of the program. ``freeSpace`` is the room that is left in
/// the stick. Each sent report reduces it, and each report that the host has taken according to a
/// status increases it. Reports are sent in the order in which they were added.
open class InputStickHIDTransactionBuffer: NSObject {
  /// The number of consecutive statuses after which ``freeSpace`` becomes ``capacity`` again.
  ///
  /// In these statuses the stick's buffer is empty, the host has taken no report, and ``freeSpace``
  /// is below ``capacity``: packets were lost.
  private static let emptyStatusLimit = 5

  /// The manager.
  open private(set) weak var manager: InputStickManager!
  /// The transactions that wait to be sent, as ``InputStickHIDTransaction``.
  open private(set) var queue: NSMutableArray! = NSMutableArray()
  /// The number of reports for which the stick has room.
  open private(set) var freeSpace: UInt = 32
  /// The number of reports that the stick's buffer can hold.
  open private(set) var capacity: UInt = 32
  /// The largest number of reports in a packet.
  open private(set) var maxReportsPerPacket: UInt = 32
  /// True if no report waits here, and the host has taken all that were sent.
  open var bufferEmpty: Bool { localBufferEmpty && freeSpace == capacity }
  /// True if no report waits here.
  open var localBufferEmpty: Bool { queue.count == 0 }

  private let interface: InputStickHIDInterface
  private var emptyStatusCount = 0
  /// True if reports were sent since the buffer was last empty.
  private var hasSent = false

  /// Makes an empty buffer.
  public init!(
    inputStickManager manager: InputStickManager!, with interface: InputStickHIDInterface
  ) {
    self.interface = interface
    super.init()
    self.manager = manager
  }

  /// Removes all reports that wait here, and sets ``capacity`` and ``maxReportsPerPacket``.
  ///
  /// All room of the stick counts as free afterwards.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stick's buffer can hold.
  ///   - maxReports: The largest number of reports in a packet; 0 counts as 1.
  open func setup(withCapacity capacity: UInt, maxReportsPerPacket maxReports: UInt) {
    queue.removeAllObjects()
    self.capacity = capacity
    freeSpace = capacity
    maxReportsPerPacket = max(1, maxReports)
    emptyStatusCount = 0
    hasSent = false
  }

  /// Adds a report, which is lost unless the manager is ready.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func add(_ report: InputStickHIDReport!, flush: Bool) {
    guard let report, let transaction = InputStickHIDTransaction(cmd: report.packetCmd) else {
      return
    }
    transaction.add(report)
    add(transaction, flush: flush)
  }

  /// Adds a transaction, whose reports are lost unless the manager is ready.
  ///
  /// A transaction of more than ``maxReportsPerPacket`` reports is divided. If `flush` is false, it
  /// is not sent before the next status of the stick or the next flush.
  open func add(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    guard let transaction, manager?.inputStickReady == true else { return }
    while transaction.reportsCount > maxReportsPerPacket {
      queue.add(transaction.split(by: maxReportsPerPacket) as InputStickHIDTransaction)
    }
    queue.add(transaction)
    if flush { self.flush() }
  }

  /// Sends the waiting transactions, in order, up to the first one for which the stick has no room.
  open func flush() {
    while queue.count > 0, freeSpace > 0 {
      guard let first = queue.object(at: 0) as? InputStickHIDTransaction else { return }
      var room = min(freeSpace, maxReportsPerPacket)
      var reports: [InputStickHIDReport] = []
      var hasTaken = false
      while queue.count > 0, let next = queue.object(at: 0) as? InputStickHIDTransaction,
        next.packetCmd == first.packetCmd, next.reportsCount <= room
      {
        room -= next.reportsCount
        while let report = next.pollReport() { reports.append(report) }
        queue.removeObject(at: 0)
        hasTaken = true
      }
      guard hasTaken else { return }
      send(reports, first.packetCmd)
    }
  }

  private func send(_ reports: [InputStickHIDReport], _ command: InputStickCmd) {
    if !reports.isEmpty {
      let packet = InputStickTxPacket(cmd: command, withParam: UInt8(clamping: reports.count))
      for report in reports { packet?.add(report.content) }
      freeSpace -= UInt(reports.count)
      hasSent = true
      manager?.send(packet)
    }
    if localBufferEmpty { tellLocalEmpty() }
  }

  /// Updates the buffer with a status of the stick, and sends reports for which there is room.
  ///
  /// - Parameters:
  ///   - reportsCount: The number of reports that the host has taken since the previous status.
  ///   - isEmpty: True if the stick's buffer holds no reports.
  open func updateWithNumberOfReportsSent(toHost reportsCount: UInt, isEmpty: Bool) {
    freeSpace = min(capacity, freeSpace + reportsCount)
    if isEmpty, reportsCount == 0 {
      if freeSpace < capacity { emptyStatusCount += 1 }
      if emptyStatusCount >= Self.emptyStatusLimit {
        freeSpace = capacity
        emptyStatusCount = 0
      }
    } else {
      emptyStatusCount = 0
    }
    guard localBufferEmpty else { return flush() }
    if freeSpace == capacity, hasSent {
      hasSent = false
      tellEmpty()
    }
  }

  /// Removes the reports that wait here.
  open func clear() {
    guard !localBufferEmpty else { return }
    queue.removeAllObjects()
    tellLocalEmpty()
  }

  private func tellLocalEmpty() {
    let center = NotificationCenter.default
    switch interface {
    case .keyboard: center.postDidEmptyInputStickKeyboardLocalBuffer()
    case .mouse: center.postDidEmptyInputStickMouseLocalBuffer()
    case .consumer: center.postDidEmptyInputStickConsumerLocalBuffer()
    }
  }

  private func tellEmpty() {
    let center = NotificationCenter.default
    switch interface {
    case .keyboard: center.postDidEmptyInputStickKeyboardBuffer()
    case .mouse: center.postDidEmptyInputStickMouseBuffer()
    case .consumer: center.postDidEmptyInputStickConsumerBuffer()
    }
  }
}
