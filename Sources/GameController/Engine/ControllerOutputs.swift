// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// The parts of a controller besides its controls, and what the program sends to it.
protocol ControllerOutputs: AnyObject, Sendable {
  var light: GCDeviceLight? { get }
  var battery: GCDeviceBattery { get }
  var motion: GCMotion? { get }

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

  /// Ends the exchange: the controller has gone. Later calls of ``show(_:)`` send nothing.
  func end()
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
  func outputs(_ client: HIDDeviceClient) async -> (any ControllerOutputs)? {
    switch self {
    case .dualSense: await DualSenseOutputs(client, isBluetooth: false)
    case .dualSenseBluetooth: await DualSenseOutputs(client, isBluetooth: true)
    case .switchPro: SwitchProOutputs(client)
    case .generic, .dualShock4, .xbox: nil
    }
  }
}
