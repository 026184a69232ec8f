// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDSimulator
import InputStick
import Testing

extension SimulatedStick {
  /// Creates a stick from `inputstick.json` for a loopback bus in a folder, and does not plug it.
  static func onLoopback(
    firmware: Int, password: String? = nil,
    pollInterval: Duration = SimulatedStick.defaultPollInterval, log: HIDEventLog, in folder: URL
  ) throws -> SimulatedStick {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Descriptors/inputstick.json")
    let definition = try HIDDeviceFile.parse(
      Array(try Data(contentsOf: file)), name: "inputstick.json", loading: { _ in [] })
    let model = try StickModel(
      try #require(StickFirmware(firmware)), key: password.map { try StickKey(password: $0) },
      hmacKey: [UInt8](0x80...0x9F))
    return try SimulatedStick(
      model, device: SimulatedDevice.make([definition], log: log)[0], log: log,
      bus: HIDBus(loopbackIn: try BusDirectory(path: folder.path)), pollInterval: pollInterval)
  }

  /// Creates a new folder for the bus of one test, which must remove it.
  static func makeBusFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "hidsim-stick-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }
}

extension HIDEventLog {
  /// Returns the input reports so far of the interface with a name.
  func inputReports(of interface: String) -> [[UInt8]] {
    var index = 0
    return read(from: &index).events.compactMap { event in
      guard case .input(let report) = event.kind, event.device.hasSuffix(interface) else {
        return nil
      }
      return report.bytes
    }
  }
}
