// SPDX-License-Identifier: Apache-2.0

import CoreHID
import CoreHaptics
import HIDReportDescriptor

/// The motors and the charge of an Xbox controller on Bluetooth.
///
/// Source: drivers/hid/hid-microsoft.c of Linux 6.12, and the report descriptor of the controller,
/// for the output report. The bits of the charge are those that public drivers read.
final class XboxOutputs: ControllerOutputs {
  private static let outputID: UInt8 = 3
  private static let inputID: UInt8 = 4

  private let motors: Motors?
  private let writer: SettingsWriter
  private let handed: Handed<(battery: GCDeviceBattery?, haptics: GCDeviceHaptics?)>

  var battery: GCDeviceBattery? { handed.value.battery }
  var haptics: GCDeviceHaptics? { handed.value.haptics }

  init(_ client: HIDDeviceClient, _ descriptor: HIDReportDescriptor) {
    func has(_ type: HIDReportType, _ id: UInt8, _ byteCount: Int) -> Bool {
      descriptor.report(type, id: HIDReportID(rawValue: id))?.byteCount == byteCount
    }
    let strengths = Slot(MotorStrengths())
    // A pulse lasts 2.55 s, so it is repeated before it ends.
    let writer = SettingsWriter(client, repeatedEach: .seconds(2)) { _ in
      let current = strengths.value
      return (Self.report(current), current != MotorStrengths())
    }
    self.writer = writer
    motors =
      has(.output, Self.outputID, 9)
      ? Motors([.left, .right, .leftTrigger, .rightTrigger]) { newStrengths in
        strengths.value = newStrengths
        writer.update()
      } : nil
    handed = Handed(
      value: (
        has(.input, Self.inputID, 2) ? GCDeviceBattery() : nil, motors.map { GCDeviceHaptics($0) }
      ))
  }

  func end() {
    motors?.end()
    writer.end()
  }

  private static func report(_ strengths: MotorStrengths) -> [UInt8] {
    let magnitudes = [
      strengths.leftTrigger, strengths.rightTrigger, strengths.left, strengths.right,
    ]
    // All four motors; each magnitude from 0 to 100; one pulse of 2.55 s without a delay.
    let percents = magnitudes.map { UInt8((Int($0) * 100 + 127) / 255) }
    return [outputID, 0x0F] + percents + [0xFF, 0, 0]
  }

  func take(_ report: Span<UInt8>) -> Bool {
    guard report.count >= 2, report[0] == Self.inputID else { return false }
    let byte = report[1]
    let isConnected = byte & 0x80 != 0
    battery?.update(
      isConnected ? Float(byte & 3) / 3 : 0,
      !isConnected ? .unknown : byte & 0x10 != 0 ? .charging : .discharging)
    return false
  }
}
