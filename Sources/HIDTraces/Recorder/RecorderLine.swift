// SPDX-License-Identifier: Apache-2.0

/// What one line of hid-recorder's text says.
enum RecorderLine {
  /// The lines after this one are about another device: `D:`.
  case device(Int)
  case descriptor([UInt8])
  case name(String)
  case physicalPath(String)
  case identity(HIDTraceDevice.Identity)
  /// `#! unidentified`: the identity before it is none.
  case unidentified
  /// `#! hidsim trace 1`: the `#!` lines after this one are ours.
  case version
  case serialNumber(String)
  case versionNumber(UInt16)
  case report(HIDTraceInitialReport)
  case event(microseconds: Int64, HIDTraceEvent.Kind)

  /// Whether it is about what a device is.
  var isHeader: Bool {
    switch self {
    case .descriptor, .name, .physicalPath, .identity, .unidentified, .serialNumber,
      .versionNumber, .report:
      true
    case .device, .version, .event: false
    }
  }
}
