// SPDX-License-Identifier: Apache-2.0

/// A reader of a controller's motion in its input reports.
struct MotionReader: Sendable {
  /// The bias that is subtracted from a raw value, and the factor that then multiplies it.
  fileprivate struct Axis: Sendable {
    let bias: Double
    let factor: Double
  }

  private let reportID: UInt8
  /// The byte offsets of the rotation and the acceleration, each of which is three 16-bit values.
  private let places: (rotation: Int, acceleration: Int)
  private let axes: (rotation: [Axis], acceleration: [Axis])

  private static let byteCount = 6

  private init(
    reportID: UInt8, places: (rotation: Int, acceleration: Int),
    axes: (rotation: [Axis], acceleration: [Axis])
  ) {
    (self.reportID, self.places, self.axes) = (reportID, places, axes)
  }

  /// Returns the motion in an input report; nil if the report has another ID or is too short.
  func motion(of report: Span<UInt8>) -> (GCAcceleration, GCRotationRate)? {
    guard report.count >= max(places.rotation, places.acceleration) + Self.byteCount,
      report[0] == reportID
    else { return nil }
    func value(_ place: Int, _ axes: [Axis], _ index: Int) -> Double {
      let offset = place + 2 * index
      let raw = Self.number(report[offset], report[offset + 1])
      return (raw - axes[index].bias) * axes[index].factor
    }
    func acceleration(_ index: Int) -> Double {
      value(places.acceleration, axes.acceleration, index)
    }
    func rotation(_ index: Int) -> Double { value(places.rotation, axes.rotation, index) }
    return (
      GCAcceleration(x: acceleration(0), y: acceleration(1), z: acceleration(2)),
      GCRotationRate(x: rotation(0), y: rotation(1), z: rotation(2))
    )
  }

  /// Returns a signed number of 16 bits, lowest byte first.
  private static func number(_ low: UInt8, _ high: UInt8) -> Double {
    Double(Int16(bitPattern: UInt16(low) | UInt16(high) << 8))
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> Double {
    number(bytes[place], bytes[place + 1])
  }
}

extension MotionReader {
  /// Makes a reader for a DualSense or DualShock 4 from its calibration; nil if that is not valid.
  ///
  /// A calibration is not valid if it is too short, has another report ID, or has an empty range.
  ///
  /// Source: drivers/hid/hid-playstation.c of Linux 6.12.
  ///
  /// - Parameters:
  ///   - calibration: The feature report, with its ID.
  ///   - layout: The reports of the controller.
  init?(calibration: [UInt8], _ layout: PlayStationLayout) {
    guard calibration.count >= 35, calibration[0] == layout.calibrationID else { return nil }
    func number(_ place: Int) -> Double { Self.number(calibration, at: place) }
    let speed = number(19) + number(21)
    var rotation: [Axis] = []
    var acceleration: [Axis] = []
    for axis in 0..<3 {
      let bias = number(1 + 2 * axis)
      let limits = layout.calibrationLimits[axis]
      let range = abs(number(limits.plus) - bias) + abs(number(limits.minus) - bias)
      let (plus, minus) = (number(23 + 4 * axis), number(25 + 4 * axis))
      guard range > 0, plus != minus else { return nil }
      // Like the driver, subtract no bias from the speeds: the controller has already done it.
      rotation.append(Axis(bias: 0, factor: speed / range * .pi / 180))
      acceleration.append(Axis(bias: (plus + minus) / 2, factor: 2 / (plus - minus)))
    }
    let place = layout.input + layout.gyroscope
    self.init(
      reportID: layout.inputID, places: (rotation: place, acceleration: place + Self.byteCount),
      axes: (rotation, acceleration))
  }

  /// Makes a reader for a Switch Pro Controller from its calibration.
  ///
  /// The user's calibration is used if there is one, else the factory's, else the driver's default.
  /// An axis whose offset and scale are equal also has the default.
  ///
  /// A report has three samples of the motion; the last sample is used.
  ///
  /// Source: drivers/hid/hid-nintendo.c of Linux 6.12.
  ///
  /// - Parameters:
  ///   - factory: The 24 bytes at 0x6020 of the flash memory; nil if they were not read.
  ///   - user: The 26 bytes at 0x8026: two bytes that mark a calibration, then 24 bytes as in
  ///     `factory`. It is nil if they were not read.
  init(switchPro factory: [UInt8]?, user: [UInt8]?) {
    let users = user.flatMap { $0.starts(with: [0xB2, 0xA1]) ? Array($0.dropFirst(2)) : nil }
    let bytes = users ?? factory ?? []
    /// Returns three axes, with offsets at byte `place` and scales six bytes later.
    func axes(_ place: Int, standard: Double, unit: Double, isShifted: Bool) -> [Axis] {
      (0..<3).map { axis in
        var (offset, scale) = (0.0, standard)
        if bytes.count >= 24 {
          offset = Self.number(bytes, at: place + 2 * axis)
          scale = Self.number(bytes, at: place + 6 + 2 * axis)
        }
        if scale == offset { (offset, scale) = (0, standard) }
        return Axis(bias: isShifted ? offset : 0, factor: scale / (scale - offset) / unit)
      }
    }
    self.init(
      reportID: 0x30, places: (rotation: 43, acceleration: 37),
      axes: (
        rotation: axes(12, standard: 13371, unit: 14.247 * 180 / .pi, isShifted: true),
        // Like the driver, subtract no offset from the acceleration.
        acceleration: axes(0, standard: 16384, unit: 4096, isShifted: false)
      ))
  }
}
