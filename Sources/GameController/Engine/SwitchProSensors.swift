// SPDX-License-Identifier: Apache-2.0

/// The calibration of a Switch Pro's accelerometer and gyroscope.
///
/// Source: drivers/hid/hid-nintendo.c of Linux 6.12.
struct SwitchProSensors: Sendable {
  /// The factor of a raw value, and what is taken from it before.
  private struct Axis: Sendable {
    let offset: Double
    let factor: Double
  }

  private let acceleration: [Axis]
  private let rotation: [Axis]

  /// The calibration of a controller whose memory was not read.
  init() { self.init(factory: nil, user: nil) }

  /// Reads the calibration of the user, where there is one, else that of the factory.
  ///
  /// - Parameters:
  ///   - factory: The 24 bytes at 0x6020 of the flash memory; nil if they were not read.
  ///   - user: The 26 bytes at 0x8026: two that mark a calibration, and then the same.
  init(factory: [UInt8]?, user: [UInt8]?) {
    let users = user.flatMap { $0.starts(with: [0xB2, 0xA1]) ? Array($0.dropFirst(2)) : nil }
    let bytes = users ?? factory ?? []
    /// Three axes: offsets at the byte `place`, scales six bytes later.
    func axes(_ place: Int, standard: Double, unit: Double, isShifted: Bool) -> [Axis] {
      (0..<3).map { axis in
        var (offset, scale) = (0.0, standard)
        if bytes.count >= 24 {
          func number(_ place: Int) -> Double {
            Double(Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8))
          }
          (offset, scale) = (number(place + 2 * axis), number(place + 6 + 2 * axis))
        }
        if scale == offset { (offset, scale) = (0, standard) }
        return Axis(offset: isShifted ? offset : 0, factor: scale / (scale - offset) / unit)
      }
    }
    // The driver subtracts no offset here.
    acceleration = axes(0, standard: 16384, unit: 4096, isShifted: false)
    rotation = axes(12, standard: 13371, unit: 14.247 * 180 / .pi, isShifted: true)
  }

  /// The motion at the last of the three moments of a report of 49 bytes or more.
  func motion(of report: Span<UInt8>) -> (GCAcceleration, GCRotationRate) {
    func value(_ index: Int, _ axis: Axis) -> Double {
      let place = 37 + 2 * index
      let raw = Int16(bitPattern: UInt16(report[place]) | UInt16(report[place + 1]) << 8)
      return (Double(raw) - axis.offset) * axis.factor
    }
    return (
      GCAcceleration(
        x: value(0, acceleration[0]), y: value(1, acceleration[1]), z: value(2, acceleration[2])),
      GCRotationRate(x: value(3, rotation[0]), y: value(4, rotation[1]), z: value(5, rotation[2]))
    )
  }
}
