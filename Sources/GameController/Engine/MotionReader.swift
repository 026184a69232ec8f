// SPDX-License-Identifier: Apache-2.0

/// Reads the motion of a DualSense or DualShock 4 from its input reports.
///
/// Source: drivers/hid/hid-playstation.c of Linux 6.12.
struct MotionReader: Sendable {
  /// The factor of a raw value and what is taken from it before.
  private struct Axis: Sendable {
    let bias: Double
    let factor: Double

    func value(_ raw: Int16) -> Double { (Double(raw) - bias) * factor }
  }

  private static let byteCount = 12
  private let reportID: UInt8
  private let place: Int
  private let rotation: [Axis]
  private let acceleration: [Axis]

  /// Reads a calibration: a feature report with its ID; nil if it makes no sense.
  ///
  /// - Parameters:
  ///   - calibration: The report.
  ///   - layout: The reports of the controller.
  init?(calibration: [UInt8], _ layout: PlayStationLayout) {
    reportID = layout.inputID
    place = layout.input + layout.gyroscope
    guard calibration.count >= 35, calibration[0] == layout.calibrationID else { return nil }
    func number(_ offset: Int) -> Double {
      Double(Int16(bitPattern: UInt16(calibration[offset]) | UInt16(calibration[offset + 1]) << 8))
    }
    let speed = number(19) + number(21)
    var rotation: [Axis] = []
    var acceleration: [Axis] = []
    for axis in 0..<3 {
      let bias = number(1 + 2 * axis)
      let speeds = layout.calibrationSpeeds[axis]
      let range = abs(number(speeds.plus) - bias) + abs(number(speeds.minus) - bias)
      let (plus, minus) = (number(23 + 4 * axis), number(25 + 4 * axis))
      guard range > 0, plus != minus else { return nil }
      // The driver takes no bias from the speeds: the controller has done that.
      rotation.append(Axis(bias: 0, factor: speed / range * .pi / 180))
      acceleration.append(Axis(bias: (plus + minus) / 2, factor: 2 / (plus - minus)))
    }
    self.rotation = rotation
    self.acceleration = acceleration
  }

  /// The motion in an input report; nil if it is another one, or too short.
  func motion(of report: Span<UInt8>) -> (GCAcceleration, GCRotationRate)? {
    guard report.count >= place + Self.byteCount, report[0] == reportID else { return nil }
    func raw(_ index: Int) -> Int16 {
      let offset = place + 2 * index
      return Int16(bitPattern: UInt16(report[offset]) | UInt16(report[offset + 1]) << 8)
    }
    return (
      GCAcceleration(
        x: acceleration[0].value(raw(3)), y: acceleration[1].value(raw(4)),
        z: acceleration[2].value(raw(5))),
      GCRotationRate(
        x: rotation[0].value(raw(0)), y: rotation[1].value(raw(1)), z: rotation[2].value(raw(2)))
    )
  }
}
