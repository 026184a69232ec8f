// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor
import Synchronization

/// The light, lamps, charge and motion of a DualSense.
///
/// Source: drivers/hid/hid-playstation.c of Linux 6.12: output reports 2 and 0x31, input reports 1
/// and 0x31.
final class DualSenseOutputs: ControllerOutputs {
  /// The places in the reports, in bytes from the ID on.
  private struct Layout: Sendable {
    let outputID: UInt8
    let outputByteCount: Int
    /// Where the part begins that is the same on USB and on Bluetooth.
    let output: Int
    let inputID: UInt8
    let input: Int

    static let usb = Self(outputID: 2, outputByteCount: 48, output: 1, inputID: 1, input: 1)
    static let bluetooth = Self(
      outputID: 0x31, outputByteCount: 78, output: 3, inputID: 0x31, input: 2)

    // In the common part of an output report.
    static let flags = 1
    static let lightBarFlag: UInt8 = 1 << 2
    static let playerFlag: UInt8 = 1 << 4
    static let playerLamps = 43
    static let colour = 44
    // In the common part of an input report.
    static let charge = 52
    /// The lamps of players 1 to 4, symmetric about the middle one.
    static let lamps: [UInt8] = [0b00100, 0b01010, 0b10101, 0b11011]
  }

  private let layout: Layout
  /// The lamps that the program has set; nil until it has set some.
  private let lamps: Slot<UInt8?>
  private let changes: AsyncStream<Void>.Continuation
  private let handed: Handed<(light: GCDeviceLight, battery: GCDeviceBattery, motion: GCMotion?)>
  private let motionReader: MotionReader?

  var light: GCDeviceLight? { handed.value.light }
  var battery: GCDeviceBattery { handed.value.battery }
  var motion: GCMotion? { handed.value.motion }

  /// Asks for the calibration, which makes a DualSense on Bluetooth send its full reports.
  ///
  /// Without an answer the controller has no motion.
  init(_ client: HIDDeviceClient, isBluetooth: Bool) async {
    let layout = isBluetooth ? Layout.bluetooth : Layout.usb
    self.layout = layout
    let calibration = try? await client.dispatchGetReportRequest(
      type: .feature, id: HIDReportID(rawValue: 5))
    motionReader = calibration.flatMap {
      MotionReader(calibration: [UInt8]($0), of: layout.inputID, from: layout.input)
    }
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
      var number: UInt8 = 0
      for await _ in stream {
        // Each report has all that was set: a slow controller gets the newest colour and lamps.
        let report = Self.report(layout, number, colour.value, lamps.value)
        number = (number + 1) & 15
        // A controller that has gone takes nothing.
        try? await client.dispatchSetReportRequest(
          type: .output, id: HIDReportID(rawValue: layout.outputID), data: Data(report))
      }
    }
  }

  deinit { changes.finish() }

  func begin(calibrate: @escaping @Sendable ([StickCalibration]) -> Void) {}

  func end() { changes.finish() }

  private static func report(
    _ layout: Layout, _ number: UInt8, _ colour: [UInt8]?, _ lamps: UInt8?
  ) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: layout.outputByteCount)
    report[0] = layout.outputID
    if let colour {
      report[layout.output + Layout.flags] |= Layout.lightBarFlag
      let place = layout.output + Layout.colour
      report.replaceSubrange(place..<place + 3, with: colour)
    }
    if let lamps {
      report[layout.output + Layout.flags] |= Layout.playerFlag
      report[layout.output + Layout.playerLamps] = lamps
    }
    if layout.outputID == Layout.bluetooth.outputID {
      // The number of the report, and a tag that the controller wants.
      report[1] = number << 4
      report[2] = 0x10
      let end = report.count - 4
      let checksum = ControllerKind.checksum(seed: 0xA2, report.span.extracting(0..<end))
      for index in 0..<4 {
        report[end + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
      }
    }
    return report
  }

  func show(_ player: GCControllerPlayerIndex) {
    lamps.value =
      Layout.lamps.indices.contains(player.rawValue) ? Layout.lamps[player.rawValue] : 0
    changes.yield()
  }

  func take(_ report: Span<UInt8>) -> Bool {
    takeCharge(report)
    guard let motionReader, let motion, motion.sensorsActive,
      let (acceleration, rotation) = motionReader.motion(of: report)
    else { return false }
    return motion.update(acceleration, rotation)
  }

  private func takeCharge(_ report: Span<UInt8>) {
    let place = layout.input + Layout.charge
    guard report.count > place, report[0] == layout.inputID else { return }
    let byte = report[place]
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
