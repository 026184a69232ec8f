// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor

/// The parts of a controller besides its controls, and what the program sends to it.
protocol ControllerOutputs: AnyObject, Sendable {
  var light: GCDeviceLight? { get }
  var battery: GCDeviceBattery? { get }
  var motion: GCMotion? { get }
  var haptics: GCDeviceHaptics? { get }

  /// Starts the exchange with the controller; called once its reports are read.
  ///
  /// - Parameter calibrate: Called when the controller has sent the ranges of its sticks: the left
  ///   and the right one.
  func begin(calibrate: @escaping @Sendable ([StickCalibration]) -> Void)

  /// Lights the lamps of a player.
  func show(_ player: GCControllerPlayerIndex)

  /// Reads the charge and the motion from an input report, on the thread that reads the device.
  ///
  /// - Returns: Whether the report has changed the motion.
  func take(_ report: Span<UInt8>) -> Bool

  /// Reads the touches of the touchpad; nil if the report has none.
  func touches(in report: Span<UInt8>) -> (first: Touch, second: Touch)?

  /// Ends the exchange: the controller has gone. Later calls of ``show(_:)`` send nothing.
  func end()
}

/// A place on a touchpad: both values from -1, left or below, to 1; 0 without a touch.
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
  /// Makes the rest of a controller; nil of a kind that hidsim knows by its controls alone.
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
