// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import HIDUsages

/// The controls in reports that the report descriptors do not describe.
extension ControllerKind {
  /// Returns the descriptor with added fields for the controls that it does not declare.
  ///
  /// - Returns: The unchanged descriptor if one of the fields does not fit into its report, or if
  ///   there is no such report.
  func completed(_ descriptor: HIDReportDescriptor) -> HIDReportDescriptor {
    let fields = addedFields
    let fits = fields.allSatisfy { field in
      guard let report = descriptor.report(.input, id: field.reportID) else { return false }
      return field.bitOffset + field.bitSize <= report.bitCount
    }
    return fits ? descriptor.adding(fields) : descriptor
  }

  private var addedFields: [HIDAddedField] {
    switch self {
    case .dualSenseBluetooth: Self.dualSenseFields
    case .dualShock4Bluetooth: Self.dualShock4Fields
    case .switchPro: Self.switchProFields
    case .generic, .dualShock4, .dualSense, .xbox: []
    }
  }

  /// The controls in the DualSense's report on Bluetooth.
  ///
  /// Source: drivers/hid/hid-playstation.c of Linux 6.12, input report 0x31.
  private static let dualSenseFields: [HIDAddedField] = {
    let axes: [HIDUsage] = [
      .genericDesktop(.x), .genericDesktop(.y), .genericDesktop(.z), .genericDesktop(.rz),
      .genericDesktop(.rx), .genericDesktop(.ry),
    ]
    var fields = axes.enumerated().map { index, usage in
      field(usage, 0x31, bit: 8 + 8 * index, bits: 8)
    }
    fields.append(field(.genericDesktop(.hatSwitch), 0x31, bit: 64, bits: 4))
    for number in 1...15 as ClosedRange<UInt16> {
      fields.append(field(.button(number), 0x31, bit: 67 + Int(number)))
    }
    return fields
  }()

  /// The controls in the DualShock 4's report on Bluetooth.
  ///
  /// Source: drivers/hid/hid-playstation.c of Linux 6.12, input report 0x11.
  private static let dualShock4Fields: [HIDAddedField] = {
    let axes: [(HIDUsage, Int)] = [
      (.genericDesktop(.x), 16), (.genericDesktop(.y), 24), (.genericDesktop(.z), 32),
      (.genericDesktop(.rz), 40), (.genericDesktop(.rx), 72), (.genericDesktop(.ry), 80),
    ]
    var fields = axes.map { usage, bit in field(usage, 0x11, bit: bit, bits: 8) }
    fields.append(field(.genericDesktop(.hatSwitch), 0x11, bit: 48, bits: 4))
    for number in 1...14 as ClosedRange<UInt16> {
      fields.append(field(.button(number), 0x11, bit: 51 + Int(number)))
    }
    return fields
  }()

  /// The controls in the report of a Switch Pro Controller.
  ///
  /// Source: drivers/hid/hid-nintendo.c of Linux 6.12, input report 0x30.
  private static let switchProFields: [HIDAddedField] = {
    // The 24 bits are bytes 3 to 5 of the report.
    var fields = (0..<24).compactMap { bit -> HIDAddedField? in
      switch bit {
      case 16: field(.genericDesktop(.dPadDown), 0x30, bit: 16 + bit)
      case 17: field(.genericDesktop(.dPadUp), 0x30, bit: 16 + bit)
      case 18: field(.genericDesktop(.dPadRight), 0x30, bit: 16 + bit)
      case 19: field(.genericDesktop(.dPadLeft), 0x30, bit: 16 + bit)
      // These bits are the side buttons of a Joy-Con, or have no meaning.
      case 4, 5, 14, 15, 20, 21: nil
      default: field(.button(UInt16(bit + 1)), 0x30, bit: 16 + bit)
      }
    }
    let axes: [HIDUsage] = [
      .genericDesktop(.x), .genericDesktop(.y), .genericDesktop(.z), .genericDesktop(.rz),
    ]
    fields += axes.enumerated().map { index, usage in
      field(usage, 0x30, bit: 40 + 12 * index, bits: 12)
    }
    return fields
  }()

  private static func field(
    _ usage: HIDUsage, _ report: UInt8, bit: Int, bits: Int = 1
  ) -> HIDAddedField {
    HIDAddedField(
      usage, type: .input, reportID: HIDReportID(rawValue: report), bitOffset: bit, bitSize: bits)
  }

  /// The check of a report's checksum, which the driver also makes; nil if reports have no
  /// checksum.
  var checksum: (@Sendable (Span<UInt8>) -> Bool)? {
    guard self == .dualSenseBluetooth || self == .dualShock4Bluetooth else { return nil }
    return { report in
      // The short report 1 has no checksum.
      guard !report.isEmpty, report[0] != 1 else { return true }
      guard report.count > 4 else { return false }
      let end = report.count - 4
      let checksum = Self.checksum(seed: 0xA1, report.extracting(0..<end))
      return (0..<4).allSatisfy {
        report[end + $0] == UInt8(truncatingIfNeeded: checksum >> (8 * $0))
      }
    }
  }

  /// Computes the CRC-32 of `seed`, 0xA1 for input and 0xA2 for output, and of a report's bytes.
  static func checksum(seed: UInt8, _ report: Span<UInt8>) -> UInt32 {
    var checksum = CRC32()
    let seed: InlineArray<1, UInt8> = [seed]
    checksum.add(seed.span)
    checksum.add(report)
    return checksum.value
  }
}
