// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// A keyboard for tests: presses Shift, and says what its lamps do.
struct TestKeyboard {
  let device: HIDVirtualDevice
  let lamps: AsyncStream<UInt8>

  init?() async {
    let properties = HIDVirtualDevice.Properties(
      descriptor: Self.descriptor, vendorID: 0x1209, productID: 0x0001, transport: .usb,
      product: "test keyboard")
    guard let device = HIDVirtualDevice(properties: properties) else { return nil }
    let (lamps, continuation) = AsyncStream<UInt8>.makeStream()
    self.device = device
    self.lamps = lamps
    await device.activate(delegate: Delegate(lamps: continuation))
  }

  func setShift(_ isDown: Bool) async throws {
    try await device.dispatchInputReport(
      data: Data([isDown ? 0x02 : 0x00, 0, 0, 0, 0, 0, 0, 0]), timestamp: .now)
  }

  private struct Delegate: HIDVirtualDeviceDelegate {
    let lamps: AsyncStream<UInt8>.Continuation

    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, data: Data
    ) async throws {
      if let byte = data.first { lamps.yield(byte) }
    }

    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, maxSize: Int
    ) async throws -> Data { Data(count: maxSize) }
  }

  /// The boot keyboard of HID 1.11, appendix B.1.
  private static let descriptor = Data([
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x05, 0x75, 0x01,
    0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02, 0x95, 0x01, 0x75, 0x03, 0x91, 0x01, 0x95, 0x06,
    0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00, 0xc0,
  ])
}
