// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// A remapper that makes Caps Lock of a keyboard a second Control key.
///
/// It seizes the keyboard, and sends its keys to the system through a virtual keyboard. The LEDs of
/// the virtual keyboard set those of the real one. It is for keyboards with the reports of the boot
/// protocol: 8 bytes, without a report ID.
public actor Remapper {
  /// The end of the virtual keyboard's name, after the name of the real one.
  public static let suffix = " (remapped)"

  private let keyboard: HIDDeviceClient

  /// Makes a remapper for a keyboard.
  public init(_ keyboard: HIDDeviceClient) { self.keyboard = keyboard }

  /// Remaps until the keyboard is unplugged, or the task is cancelled.
  ///
  /// - Throws: `HIDDeviceError` if the keyboard cannot be seized, if no virtual keyboard can be
  ///   made, or if a report cannot be sent.
  public func run() async throws {
    try await keyboard.seizeDevice()
    let properties = HIDVirtualDevice.Properties(
      descriptor: await keyboard.descriptor, vendorID: 0x1209, productID: 0x0002,
      transport: .virtual,
      product: (await keyboard.product ?? "keyboard") + Self.suffix)
    guard let remapped = HIDVirtualDevice(properties: properties) else {
      throw HIDDeviceError.unsupported
    }
    await remapped.activate(delegate: Lamps(of: keyboard))
    let notifications = await keyboard.monitorNotifications(
      reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
    for try await notification in notifications {
      switch notification {
      case .inputReport(_, let report, let time):
        try await remapped.dispatchInputReport(data: Self.remapped(report), timestamp: time)
      case .deviceRemoved: return
      default: break
      }
    }
  }

  /// Returns the report with Left Control in place of Caps Lock.
  static func remapped(_ report: Data) -> Data {
    guard report.count == 8 else { return report }
    var bytes = [UInt8](report)
    for index in 2..<8 where bytes[index] == 0x39 {  // Keyboard Caps Lock
      bytes[index] = 0
      bytes[0] |= 0x01  // Keyboard Left Control
    }
    return Data(bytes)
  }
}

/// The delegate that passes all requests of the system, such as LED reports, on to the real
/// keyboard.
private struct Lamps: HIDVirtualDeviceDelegate {
  private let keyboard: HIDDeviceClient

  init(of keyboard: HIDDeviceClient) { self.keyboard = keyboard }

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) async throws {
    try await keyboard.dispatchSetReportRequest(type: type, id: id, data: data)
  }

  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: size_t
  ) async throws -> Data {
    try await keyboard.dispatchGetReportRequest(type: type, id: id)
  }
}
