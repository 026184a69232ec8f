// SPDX-License-Identifier: Apache-2.0

import CLinux
import DequeModule
import Glibc
import HIDReportDescriptor
import Synchronization

/// A receiver of the steps of transfers between USB devices and their hosts.
///
/// The calls come on the loop of the simulated devices, and must return soon.
package protocol USBTransferSink: AnyObject, Sendable {
  /// Records one step of a transfer.
  func record(_ step: USBTransferStep)

  /// Returns a number for the next device that is plugged into this machine.
  func nextDeviceNumber() -> UInt8
}

/// The beginning or the end of a transfer, with the values that Linux's usbmon records.
package struct USBTransferStep: Hashable, Sendable {
  /// The kind of a transfer, with its number in usbmon.
  package enum Kind: UInt8, Sendable { case isochronous, interrupt, control, bulk }

  /// True for the end of the transfer.
  package var isEnd: Bool
  /// The number that connects both steps of a transfer.
  package var id: UInt64
  /// The time in microseconds since 1970.
  package var microseconds: Int64
  package var bus: UInt16
  package var device: UInt8
  /// The number of the endpoint, with bit 7 set if the device sends the data.
  package var endpoint: UInt8
  package var kind: Kind
  /// The request at the beginning of a control transfer; else nil.
  package var setup: USBSetupPacket?
  /// 0, or a negative error number of Linux.
  package var status: Int32
  /// The number of bytes that the host takes or sends; at the end, the number that was sent.
  package var byteCount: Int
  /// The bytes that were sent by the side that makes this step.
  package var data: [UInt8]
  package var flags: UInt32
  package var interval: UInt32

  package init(
    isEnd: Bool, id: UInt64, microseconds: Int64, bus: UInt16, device: UInt8, endpoint: UInt8,
    kind: Kind, setup: USBSetupPacket?, status: Int32, byteCount: Int, data: [UInt8],
    flags: UInt32, interval: UInt32
  ) {
    self.isEnd = isEnd
    self.id = id
    self.microseconds = microseconds
    self.bus = bus
    self.device = device
    self.endpoint = endpoint
    self.kind = kind
    self.setup = setup
    self.status = status
    self.byteCount = byteCount
    self.data = data
    self.flags = flags
    self.interval = interval
  }
}

/// A tap that makes steps of transfers from the USB/IP messages of one device.
///
/// It connects each reply with its transfer: the replies of USB/IP name only its number.
struct USBTransferTap: Sendable {
  private let sink: any USBTransferSink
  private let bus: UInt16
  private let device: UInt8
  private let kinds: [USBTransferStep.Kind]
  /// The upper half of the IDs: hosts number their transfers from 1 again.
  private var connection = Self.nextConnection()
  /// The beginnings of the transfers that have not ended, by their numbers, without their data.
  private var pending: [UInt32: USBTransferStep] = [:]
  /// The transfers that the host withdraws, in the order of its messages, in which they are
  /// answered.
  private var withdrawn: Deque<UInt32> = []

  private static let connectionCount = Atomic<UInt32>(0)

  /// The status of a transfer before its end: `-EINPROGRESS`.
  private static let inProgress: Int32 = -115
  /// The status of a transfer that a driver has withdrawn: `-ENOENT`.
  private static let killed: Int32 = -2

  private static func nextConnection() -> UInt64 {
    UInt64(connectionCount.wrappingAdd(1, ordering: .relaxed).newValue) << 32
  }

  /// Makes the tap of a device.
  ///
  /// - Parameters:
  ///   - description: The device, whose endpoints have the kinds of transfers.
  ///   - bus: The number of the USB bus.
  ///   - device: The number of the device on the bus, 1 to 127.
  ///   - sink: The recorder.
  init(
    of description: USBDeviceDescription, bus: UInt16, device: UInt8, to sink: any USBTransferSink
  ) {
    self.sink = sink
    self.bus = bus
    self.device = device
    kinds = Self.kinds(of: description.configurationDescriptor)
  }

  /// Returns the kinds of the transfers by the numbers of the endpoints, 16 for each direction.
  private static func kinds(of configuration: [UInt8]) -> [USBTransferStep.Kind] {
    var kinds = [USBTransferStep.Kind](repeating: .interrupt, count: 32)
    (kinds[0], kinds[16]) = (.control, .control)
    for fields in USBDescriptorList(configuration[...]) {
      guard fields[1] == USBDeviceDescription.DescriptorType.endpoint, fields.count >= 4,
        fields[2] & 0x0F != 0
      else { continue }
      let place = Int(fields[2] & 0x0F) + (fields[2] & 0x80 != 0 ? 16 : 0)
      kinds[place] = [.control, .isochronous, .bulk, .interrupt][Int(fields[3] & 3)]
    }
    return kinds
  }

  /// Records a message of the host.
  mutating func take(_ request: USBIPRequest) {
    switch request {
    case .unlink(_, let target): withdrawn.append(target)
    case .submit(let transfer):
      let kind = kinds[Int(transfer.endpoint & 0x0F) + (transfer.isFromDevice ? 16 : 0)]
      // The kernel takes the direction of a control transfer from its request.
      let setup = transfer.setup
      let isIn =
        kind == .control ? setup.isFromDevice && setup.length > 0 : transfer.isFromDevice
      var step = USBTransferStep(
        isEnd: false, id: connection | UInt64(transfer.sequence), microseconds: Self.now, bus: bus,
        device: device, endpoint: transfer.endpoint | (isIn ? 0x80 : 0), kind: kind,
        setup: kind == .control ? setup : nil, status: Self.inProgress, byteCount: transfer.length,
        data: Array(transfer.data), flags: transfer.flags,
        interval: kind == .interrupt || kind == .isochronous ? transfer.interval : 0)
      sink.record(step)
      step.data = []
      pending[transfer.sequence] = step
    }
  }

  /// Records a message of the device.
  mutating func take(_ reply: USBIPReply) {
    switch reply {
    case .submit(let sequence, let status, let count, let data):
      end(sequence, status, count, data)
    case .unlink(_, let status):
      guard let target = withdrawn.popFirst(), status == USBIP.Status.unlinked else { return }
      end(target, Self.killed, 0, [])
    }
  }

  private mutating func end(_ sequence: UInt32, _ status: Int32, _ count: Int, _ data: [UInt8]) {
    guard var step = pending.removeValue(forKey: sequence) else { return }
    step.isEnd = true
    step.microseconds = Self.now
    step.setup = nil
    step.status = status
    step.byteCount = count
    step.data = data
    sink.record(step)
  }

  /// Ends the transfers of a connection that is over, as the host does without the device.
  mutating func endConnection() {
    for sequence in pending.keys.sorted() { end(sequence, USBIP.Status.shutdown, 0, []) }
    withdrawn = []
    connection = Self.nextConnection()
  }

  /// The time in microseconds since 1970.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
