// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor
import Synchronization

/// The light, lamps, charge and motion of a DualSense on USB.
///
/// Source: drivers/hid/hid-playstation.c of Linux 6.12, output report 2 and input report 1.
final class ControllerOutputs: Sendable {
  private enum Layout {
    static let reportByteCount = 48
    static let flags = 2
    static let lightBarFlag: UInt8 = 1 << 2
    static let playerFlag: UInt8 = 1 << 4
    static let playerLamps = 44
    static let colour = 45
    /// The lamps of players 1 to 4, symmetric about the middle one.
    static let lamps: [UInt8] = [0b00100, 0b01010, 0b10101, 0b11011]
    /// In input report 1.
    static let charge = 53
  }

  /// The lamps that the program has set; nil until it has set some.
  private let lamps: Slot<UInt8?>
  private let changes: AsyncStream<Void>.Continuation
  private let handed: Handed<(light: GCDeviceLight, battery: GCDeviceBattery, motion: GCMotion?)>
  private let motionReader: MotionReader?

  var light: GCDeviceLight { handed.value.light }
  var battery: GCDeviceBattery { handed.value.battery }
  var motion: GCMotion? { handed.value.motion }

  /// Makes the rest of a controller; nil if it is no DualSense.
  ///
  /// Without an answer to the request for its calibration it has no motion.
  init?(_ client: HIDDeviceClient, _ kind: ControllerKind) async {
    guard kind == .dualSense else { return nil }
    let calibration = try? await client.dispatchGetReportRequest(
      type: .feature, id: HIDReportID(rawValue: 5))
    motionReader = calibration.flatMap { MotionReader(calibration: [UInt8]($0)) }
    // The colour that the program has set is nil until it has set one.
    let (colour, lamps) = (Slot<[UInt8]?>(nil), Slot<UInt8?>(nil))
    self.lamps = lamps
    let (stream, changes) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    let light = GCDeviceLight { newColour in
      colour.value = newColour
      changes.yield()
    }
    let motion = motionReader.map { _ in GCMotion(needsActivation: true) }
    handed = Handed(value: (light, GCDeviceBattery(), motion))
    Task {
      for await _ in stream {
        // Each report has all that was set: a slow controller gets the newest colour and lamps.
        let report = Self.report(colour.value, lamps.value)
        // A controller that has gone takes nothing.
        try? await client.dispatchSetReportRequest(
          type: .output, id: HIDReportID(rawValue: 2), data: Data(report))
      }
    }
  }

  deinit { changes.finish() }

  private static func report(_ colour: [UInt8]?, _ lamps: UInt8?) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: Layout.reportByteCount)
    report[0] = 2
    if let colour {
      report[Layout.flags] |= Layout.lightBarFlag
      report.replaceSubrange(Layout.colour..<Layout.colour + 3, with: colour)
    }
    if let lamps {
      report[Layout.flags] |= Layout.playerFlag
      report[Layout.playerLamps] = lamps
    }
    return report
  }

  /// Lights the lamps of a player.
  func show(_ player: GCControllerPlayerIndex) {
    lamps.value =
      Layout.lamps.indices.contains(player.rawValue) ? Layout.lamps[player.rawValue] : 0
    changes.yield()
  }

  /// Takes the charge and the motion from an input report.
  ///
  /// - Returns: Whether there is another motion.
  func take(_ report: Span<UInt8>) -> Bool {
    takeCharge(report)
    guard let motionReader, let motion, motion.sensorsActive,
      let (acceleration, rotation) = motionReader.motion(of: report)
    else { return false }
    return motion.update(acceleration, rotation)
  }

  private func takeCharge(_ report: Span<UInt8>) {
    guard report.count > Layout.charge, report[0] == 1 else { return }
    let byte = report[Layout.charge]
    let state: GCDeviceBattery.State =
      switch byte >> 4 {
      case 0: .discharging
      case 1: .charging
      case 2: .full
      default: .unknown
      }
    // Tenths, of which the middle counts; 10 is full.
    let level = state == .full ? 1 : min(Float(byte & 15) / 10 + 0.05, 1)
    battery.update(level, state)
  }
}
