// SPDX-License-Identifier: Apache-2.0

import CoreHID
import CoreHaptics
import HIDReportDescriptor
import Synchronization

/// The light, lamps, motors, charge, motion and touchpad of a DualSense or DualShock 4.
final class PlayStationOutputs: ControllerOutputs {
  /// The values that each report contains; nil for a value that the program has not set, and for
  /// motors whose stop was sent.
  private struct Settings: Sendable {
    var colour: [UInt8]?
    var lamps: UInt8?
    var motors: MotorStrengths?
  }

  private let layout: PlayStationLayout
  private let settings: Slot<Settings>
  private let writer: SettingsWriter
  private let motors: Motors
  private let handed:
    Handed<
      (light: GCDeviceLight, battery: GCDeviceBattery, motion: GCMotion?, haptics: GCDeviceHaptics)
    >
  private let motionReader: MotionReader?

  var light: GCDeviceLight? { handed.value.light }
  var battery: GCDeviceBattery? { handed.value.battery }
  var motion: GCMotion? { handed.value.motion }
  var haptics: GCDeviceHaptics? { handed.value.haptics }

  /// Makes the outputs and requests the calibration, and then the firmware version of a DualSense.
  ///
  /// The version is not requested from an Edge, or if the first request fails.
  ///
  /// After the first request a controller on Bluetooth sends its full reports.
  ///
  /// If the calibration is missing or not valid, the controller has no motion.
  ///
  /// - Parameters:
  ///   - client: The controller.
  ///   - layout: The reports of the controller.
  init(_ client: HIDDeviceClient, _ layout: PlayStationLayout) async {
    self.layout = layout
    let isEdge = await client.productID == ControllerKind.edge
    let calibration = try? await client.dispatchGetReportRequest(
      type: .feature, id: HIDReportID(rawValue: layout.calibrationID))
    motionReader = calibration.flatMap {
      MotionReader(calibration: [UInt8]($0), layout)
    }
    var version: Int?
    if calibration != nil, !isEdge, let id = layout.firmwareID {
      let firmware = try? await client.dispatchGetReportRequest(
        type: .feature, id: HIDReportID(rawValue: id))
      version = firmware.flatMap { PlayStationLayout.version(ofFirmware: [UInt8]($0)) }
    }
    let motorFlags = layout.motorFlags(version, isEdge: isEdge)
    let settings = Slot(Settings())
    self.settings = settings
    // Set stopped motors to 0 only once: another program may use them afterwards.
    let rest =
      { wasMoving in
        settings.change { if !wasMoving, $0.motors == MotorStrengths() { $0.motors = nil } }
      } as @Sendable (Bool) -> Void
    // A DualShock 4 ends a vibration after five seconds, so the report is repeated.
    let writer = SettingsWriter(client, repeatedEach: .seconds(2), accepted: rest) { number in
      let current = settings.value
      let isMoving = current.motors.map { $0 != MotorStrengths() } ?? false
      return (Self.report(layout, motorFlags, number & 15, current), isMoving)
    }
    self.writer = writer
    let light = GCDeviceLight { newColour in
      settings.change { $0.colour = newColour }
      writer.update()
    }
    let motors = Motors([.left, .right]) { strengths in
      settings.change { $0.motors = strengths }
      writer.update()
    }
    self.motors = motors
    let motion = motionReader.map { _ in GCMotion { _ in } }
    handed = Handed(value: (light, GCDeviceBattery(), motion, GCDeviceHaptics(motors)))
  }

  func end() {
    motors.end()
    writer.end()
  }

  private static func report(
    _ layout: PlayStationLayout, _ motorFlags: [PlayStationLayout.Flag], _ number: UInt8,
    _ settings: Settings
  ) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: layout.outputByteCount)
    report[0] = layout.outputID
    func set(_ flag: PlayStationLayout.Flag) { report[layout.output + flag.place] |= flag.bits }
    if let colour = settings.colour {
      set(layout.colourFlag)
      let place = layout.output + layout.colour
      report.replaceSubrange(place..<place + 3, with: colour)
    }
    if let lamps = settings.lamps, let flag = layout.lampsFlag {
      set(flag)
      report[layout.output + PlayStationLayout.lamps] = lamps
    }
    if let motors = settings.motors {
      for flag in motorFlags { set(flag) }
      report[layout.output + layout.motors] = motors.right
      report[layout.output + layout.motors + 1] = motors.left
    }
    if layout.hasChecksum {
      let header = layout.header(number)
      report.replaceSubrange(1..<1 + header.count, with: header)
      let end = report.count - 4
      let checksum = ControllerKind.checksum(seed: 0xA2, report.span.extracting(0..<end))
      for index in 0..<4 {
        report[end + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
      }
    }
    return report
  }

  func show(_ player: GCControllerPlayerIndex) {
    guard layout.lampsFlag != nil else { return }
    let players = PlayStationLayout.playerLamps
    let lamps = players.indices.contains(player.rawValue) ? players[player.rawValue] : 0
    settings.change { $0.lamps = lamps }
    writer.update()
  }

  func take(_ report: Span<UInt8>) -> Bool {
    takeCharge(report)
    guard let motionReader, let motion, motion.sensorsActive,
      let (acceleration, rotation) = motionReader.motion(of: report)
    else { return false }
    return motion.update(acceleration, rotation)
  }

  func touches(in report: Span<UInt8>) -> (first: Touch, second: Touch)? {
    layout.touches(in: report)
  }

  private func takeCharge(_ report: Span<UInt8>) {
    let place = layout.input + layout.charge
    guard report.count > place, report[0] == layout.inputID else { return }
    let (state, tenths) = layout.charge(report[place])
    // The level is the middle of the tenth, at most 1.
    let level = state == .full ? 1 : min(Float(tenths) / 10 + 0.05, 1)
    battery?.update(level, state)
  }
}

/// The byte offsets in the reports of a DualSense or DualShock 4.
///
/// Source: drivers/hid/hid-playstation.c of Linux 6.12.
struct PlayStationLayout: Sendable {
  /// The bits that mark a part of an output report as valid.
  struct Flag: Sendable {
    let place: Int
    let bits: UInt8
  }

  let outputID: UInt8
  let outputByteCount: Int
  /// The offset of the part that is the same on USB and Bluetooth.
  let output: Int
  let inputID: UInt8
  let input: Int
  let calibrationID: UInt8
  /// True if reports end with a CRC-32, as on Bluetooth.
  let hasChecksum: Bool
  private let isDualSense: Bool

  static let dualSense = Self(
    outputID: 2, outputByteCount: 48, output: 1, inputID: 1, input: 1, calibrationID: 5,
    hasChecksum: false, isDualSense: true)
  static let dualSenseBluetooth = Self(
    outputID: 0x31, outputByteCount: 78, output: 3, inputID: 0x31, input: 2, calibrationID: 5,
    hasChecksum: true, isDualSense: true)
  static let dualShock4 = Self(
    outputID: 5, outputByteCount: 32, output: 1, inputID: 1, input: 1, calibrationID: 2,
    hasChecksum: false, isDualSense: false)
  static let dualShock4Bluetooth = Self(
    outputID: 0x11, outputByteCount: 78, output: 3, inputID: 0x11, input: 3, calibrationID: 5,
    hasChecksum: true, isDualSense: false)

  // MARK: Output reports, in their common part

  /// The offset of the right motor's byte; the left motor's byte follows.
  var motors: Int { isDualSense ? 2 : 3 }
  var colour: Int { isDualSense ? 44 : 5 }
  var colourFlag: Flag { isDualSense ? Flag(place: 1, bits: 1 << 2) : Flag(place: 0, bits: 1 << 1) }
  static let lamps = 43
  /// The flag of the player lamps; nil for a controller without them.
  var lampsFlag: Flag? { isDualSense ? Flag(place: 1, bits: 1 << 4) : nil }
  /// The lamps of players 1 to 4, symmetric about the middle one.
  static let playerLamps: [UInt8] = [0b00100, 0b01010, 0b10101, 0b11011]

  /// Returns the flags of the motors.
  ///
  /// - Parameters:
  ///   - version: The version of a DualSense's firmware; nil if it is not known.
  ///   - isEdge: True for a DualSense Edge.
  func motorFlags(_ version: Int?, isEdge: Bool) -> [Flag] {
    guard isDualSense else { return [Flag(place: 0, bits: 1)] }
    // From version 2.21 on, and on an Edge, the motors have a separate flag.
    guard isEdge || version.map({ $0 >= 0x0215 }) ?? false else {
      return [Flag(place: 0, bits: 0b11)]
    }
    return [Flag(place: 0, bits: 0b10), Flag(place: 38, bits: 1 << 2)]
  }

  /// Returns the bytes that follow the ID of an output report on Bluetooth.
  ///
  /// - Parameter number: The sequence number of the report, of which a DualSense gets the lowest
  ///   four bits. A DualShock 4 gets no number.
  func header(_ number: UInt8) -> [UInt8] {
    // DualSense: the number of the report, and a fixed tag. DualShock 4: flags for data and
    // checksum.
    isDualSense ? [number << 4, 0x10] : [0xC0]
  }

  // MARK: Feature reports

  /// The ID of the report with the firmware version; nil if the version is not needed.
  var firmwareID: UInt8? { isDualSense ? 0x20 : nil }

  /// Returns the version in the report of ``firmwareID``; nil if the report is too short.
  static func version(ofFirmware report: [UInt8]) -> Int? {
    report.count > 45 ? Int(report[44]) | Int(report[45]) << 8 : nil
  }

  /// The byte offsets of the gyroscope's limits in a calibration, for each axis.
  var calibrationLimits: [(plus: Int, minus: Int)] {
    !isDualSense && hasChecksum ? [(7, 13), (9, 15), (11, 17)] : [(7, 9), (11, 13), (15, 17)]
  }

  // MARK: Input reports, in their common part

  var gyroscope: Int { isDualSense ? 15 : 12 }
  var charge: Int { isDualSense ? 52 : 29 }

  /// Returns the state and the level in the charge byte of an input report.
  ///
  /// The level is in tenths of a full charge. It can be above 10: a DualShock 4 on a cable has 11
  /// when it is full, and more after an error.
  func charge(_ byte: UInt8) -> (GCDeviceBattery.State, UInt8) {
    let tenths = byte & 15
    let state: GCDeviceBattery.State =
      switch (isDualSense, byte >> 4) {
      case (true, 0): .discharging
      case (true, 1): .charging
      case (true, 2): .full
      case (true, _): .unknown
      // The bit of a DualShock 4 is set while a cable is connected.
      case (false, let bits) where bits & 1 == 0: .discharging
      case (false, _): tenths <= 10 ? .charging : tenths == 11 ? .full : .unknown
      }
    return (state, tenths)
  }

  /// Returns the touches in an input report; nil if the report has no touchpad data.
  func touches(in report: Span<UInt8>) -> (first: Touch, second: Touch)? {
    guard report.count > input + 32, report[0] == inputID else { return nil }
    var place = input + 32
    if !isDualSense {
      // The report has several samples, each with a time. Use the last one.
      let count = Int(report[place])
      guard count > 0 else { return nil }
      place += 1 + 9 * (count - 1) + 1
    }
    guard place + 8 <= report.count else { return nil }
    let height: Float = isDualSense ? 1080 : 942
    func touch(_ place: Int) -> Touch {
      guard report[place] & 0x80 == 0 else { return Touch(x: 0, y: 0) }
      let middle = UInt16(report[place + 2])
      let x = UInt16(report[place + 1]) | (middle & 15) << 8
      let y = middle >> 4 | UInt16(report[place + 3]) << 4
      // x grows to the right, and y grows upwards.
      return Touch(
        x: min(2 * Float(x) / 1919 - 1, 1), y: max(1 - 2 * Float(y) / (height - 1), -1))
    }
    return (touch(place), touch(place + 4))
  }
}
