// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor

/// The parts of a controller other than its controls, and the reports that the program sends to it.
protocol ControllerOutputs: AnyObject, Sendable {
  var light: GCDeviceLight? { get }
  var battery: GCDeviceBattery? { get }
  var motion: GCMotion? { get }
  var haptics: GCDeviceHaptics? { get }

  /// Starts the exchange with the controller; call it after the reading of its reports has started.
  ///
  /// - Parameter calibrate: Called with the ranges of the left and the right stick when the
  ///   controller has sent them; maybe several times with the same ranges.
  func begin(calibrate: @escaping @Sendable ([StickCalibration]) -> Void)

  /// Lights the lamps of a player; no lamps for `indexUnset`.
  func show(_ player: GCControllerPlayerIndex)

  /// Reads the charge, the motion and the answers to commands from an input report.
  ///
  /// Call it on the thread that reads the device.
  ///
  /// - Returns: True if the report has changed the motion.
  func take(_ report: Span<UInt8>) -> Bool

  /// Returns the touches of the touchpad; nil if the report has no touchpad data.
  func touches(in report: Span<UInt8>) -> (first: Touch, second: Touch)?

  /// Ends the exchange and disconnects the haptic engines after the controller was disconnected.
  ///
  /// Later changes of the lamps, the light and the motors send nothing.
  func end()
}

/// A position on a touchpad.
///
/// Both values are from -1 (left, bottom) to 1 (right, top). Both are 0 without a touch.
struct Touch: Hashable, Sendable, BitwiseCopyable {
  let x: Float
  let y: Float
}

extension ControllerOutputs {
  var light: GCDeviceLight? { nil }
  var motion: GCMotion? { nil }
  func begin(calibrate: @escaping @Sendable ([StickCalibration]) -> Void) {}
  func show(_ player: GCControllerPlayerIndex) {}
  func touches(in report: Span<UInt8>) -> (first: Touch, second: Touch)? { nil }
}

/// The measured ranges of a stick, in raw values.
struct StickCalibration: Hashable, Sendable {
  struct Axis: Hashable, Sendable {
    let first: Int64
    let centre: Int64
    let last: Int64
  }

  let x: Axis
  let y: Axis
}

extension ControllerKind {
  /// Makes the outputs of a controller; nil for a kind of which hidsim knows only the controls.
  func outputs(
    _ client: HIDDeviceClient, _ descriptor: HIDReportDescriptor
  ) async -> (any ControllerOutputs)? {
    switch self {
    case .dualSense: await PlayStationOutputs(client, .dualSense)
    case .dualSenseBluetooth: await PlayStationOutputs(client, .dualSenseBluetooth)
    case .dualShock4: await PlayStationOutputs(client, .dualShock4)
    case .dualShock4Bluetooth: await PlayStationOutputs(client, .dualShock4Bluetooth)
    case .switchPro: SwitchProOutputs(client)
    case .xbox: XboxOutputs(client, descriptor)
    case .generic: nil
    }
  }
}
