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

  /// What the program has set; nil before.
  private struct Wishes {
    var colour: [UInt8]?
    var lamps: UInt8?
  }

  private let wishes: Pending
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
    let wishes = Pending()
    self.wishes = wishes
    let (stream, changes) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    let light = GCDeviceLight { colour in
      wishes.state.withLock { $0.colour = colour }
      changes.yield()
    }
    let motion = motionReader.map { _ in GCMotion(needsActivation: true) }
    handed = Handed(value: (light, GCDeviceBattery(), motion))
    Task {
      for await _ in stream {
        // All that was set so far: a slow controller gets the newest colour and lamps.
        let now = wishes.state.withLock { $0 }
        // A controller that has gone takes nothing.
        try? await client.dispatchSetReportRequest(
          type: .output, id: HIDReportID(rawValue: 2), data: Data(Self.report(now)))
      }
    }
  }

  deinit { changes.finish() }

  /// The wishes, for the closures that outlive the initializer.
  private final class Pending: Sendable {
    let state = Mutex(Wishes())
  }

  private static func report(_ wishes: Wishes) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: Layout.reportByteCount)
    report[0] = 2
    if let colour = wishes.colour {
      report[Layout.flags] |= Layout.lightBarFlag
      report.replaceSubrange(Layout.colour..<Layout.colour + 3, with: colour)
    }
    if let lamps = wishes.lamps {
      report[Layout.flags] |= Layout.playerFlag
      report[Layout.playerLamps] = lamps
    }
    return report
  }

  /// Lights the lamps of a player.
  func show(_ player: GCControllerPlayerIndex) {
    let lamps =
      Layout.lamps.indices.contains(player.rawValue) ? Layout.lamps[player.rawValue] : 0
    wishes.state.withLock { $0.lamps = lamps }
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
