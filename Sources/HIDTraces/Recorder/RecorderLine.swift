// SPDX-License-Identifier: Apache-2.0

/// The content of one line of hid-recorder's text.
enum RecorderLine {
  /// `D:`: the following lines belong to the device with this number.
  case device(Int)
  case descriptor([UInt8])
  case name(String)
  case physicalPath(String)
  case identity(HIDTraceDevice.Identity)
  /// `#! unidentified`: the device has no identity, and its `I:` line before this line is ignored.
  case unidentified
  /// `#! hidsim trace 1`: the following `#!` lines are hidsim's.
  case version
  case serialNumber(String)
  case versionNumber(UInt16)
  case report(HIDTraceInitialReport)
  case event(microseconds: Int64, HIDTraceEvent.Kind)
}
