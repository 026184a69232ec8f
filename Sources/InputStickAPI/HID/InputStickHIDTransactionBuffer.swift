// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The reports that wait for room in a buffer of the stick.
///
/// The credit is the room that is left there: a packet takes its reports from it, and a status of
/// the stick returns those that the host has taken. Nothing overtakes what waits.
open class InputStickHIDTransactionBuffer: NSObject {
  /// After how many statuses of an empty buffer the credit is all again: packets were lost then.
  private static let emptyStatusLimit = 5

  /// The manager.
  open private(set) weak var manager: InputStickManager!
  /// The transactions that wait to be sent: ``InputStickHIDTransaction``.
  open private(set) var queue: NSMutableArray! = NSMutableArray()
  /// How many reports the stick has room for.
  open private(set) var freeSpace: UInt = 32
  /// How many reports the stick's buffer holds.
  open private(set) var capacity: UInt = 32
  /// How many reports a packet has at most.
  open private(set) var maxReportsPerPacket: UInt = 32
  /// Whether nothing waits here, and the host has taken everything.
  open var bufferEmpty: Bool { localBufferEmpty && freeSpace == capacity }
  /// Whether nothing waits here.
  open var localBufferEmpty: Bool { queue.count == 0 }

  private let interface: InputStickHIDInterface
  private var emptyStatusCount = 0
  /// Whether something was sent since the last time that everything was taken.
  private var hasSent = false

  /// Makes an empty buffer.
  public init!(
    inputStickManager manager: InputStickManager!, with interface: InputStickHIDInterface
  ) {
    self.interface = interface
    super.init()
    self.manager = manager
  }

  /// Starts anew with the capacities of a firmware; nothing waits.
  open func setup(withCapacity capacity: UInt, maxReportsPerPacket maxReports: UInt) {
    queue.removeAllObjects()
    self.capacity = capacity
    freeSpace = capacity
    maxReportsPerPacket = max(1, maxReports)
    emptyStatusCount = 0
    hasSent = false
  }

  /// Adds a report; it is lost unless the manager is ready.
  open func add(_ report: InputStickHIDReport!, flush: Bool) {
    guard let report, let transaction = InputStickHIDTransaction(cmd: report.packetCmd) else {
      return
    }
    transaction.add(report)
    add(transaction, flush: flush)
  }

  /// Adds a transaction; it is lost unless the manager is ready.
  ///
  /// One that is longer than a packet is divided.
  open func add(_ transaction: InputStickHIDTransaction!, flush: Bool) {
    guard let transaction, manager?.inputStickReady == true else { return }
    while transaction.reportsCount > maxReportsPerPacket {
      queue.add(transaction.split(by: maxReportsPerPacket) as InputStickHIDTransaction)
    }
    queue.add(transaction)
    if flush { self.flush() }
  }

  /// Sends what the stick has room for.
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

  /// Takes how many reports the host has taken since the last status, and whether none are left
  /// there.
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

  /// Removes what waits.
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
