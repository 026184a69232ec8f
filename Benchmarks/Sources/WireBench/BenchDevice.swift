// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus

/// The measured device: one unnumbered input report of 8 bytes on a vendor page.
enum BenchDevice {
  static let reportByteCount = 8

  static func description(on bus: HIDBus) throws -> HIDDeviceDescription {
    let bytes: [UInt8] = [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF,
      0x00, 0x75, 0x08, 0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0xC0,
    ]
    return HIDDeviceDescription(
      identity: HIDDeviceIdentity(name: "hidsim bench", vendorID: 0x1209, productID: 1),
      physicalPath: HIDPhysicalPath(deviceID: bus.allocateDeviceID(), interface: 0),
      descriptor: try HIDReportDescriptor(parsing: bytes))
  }

  /// The number of reports in one batch, which is the number that hidraw keeps for a reader.
  static let batchCount = 63

  static var batch: HIDReportBatch {
    var batch = HIDReportBatch()
    for number in 0..<batchCount {
      batch.append([UInt8(number), 0, 0, 0, 0, 0, 0, 0])
    }
    return batch
  }
}

/// A handler that answers nothing, and reports each open of its device in ``opened``.
final class Listener: HIDDeviceHandler {
  let opened: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (opened, continuation) = AsyncStream.makeStream() }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events {
      if case .open = record.event { continuation.yield() }
    }
  }
}
