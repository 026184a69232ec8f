// SPDX-License-Identifier: Apache-2.0

/// The reason why a test cannot use a virtual device, or a control of it.
public enum HIDTestingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No device is plugged for the current test.
  case noDevice
  /// None of the devices that are plugged has the name.
  case noSuchDevice(String, plugged: [String])
  /// There is no such device file, or it cannot be read: its name, and the paths that were tried.
  case noSuchFile(String, lookedFor: [String])
  /// A device file or trace is wrong: a line for each problem, with its location if it is known.
  case wrongFile(String)
  /// The device file names no control for a button or stick of a gamepad: its name in
  /// GameController, and the names that were tried.
  case noSuchPadControl(String, lookedFor: [String])
  /// An axis of a stick has no usage of the page Generic Desktop, so that its range and direction
  /// are not known: the name of the stick in GameController, and the names of its axes.
  case rawPadControl(String, [String])
  /// This system cannot have virtual devices.
  case unavailable

  /// The reason why a test is skipped on a system without virtual devices.
  static let linuxOnly = "hidsim has virtual devices on Linux only"

  /// The message about the problem, with a remedy for some problems.
  public var description: String {
    switch self {
    case .noDevice:
      "no virtual device is plugged for this test: add .virtualDevice(\"keyboard.json\") to its @Test"
    case .noSuchDevice(let name, let plugged):
      "no virtual device \"\(name)\" is plugged for this test; found "
        + plugged.map { "\"\($0)\"" }.joined(separator: ", ")
    case .noSuchFile(let name, let places):
      "\(name): there is no such file; the paths tried are \(places.joined(separator: ", "))"
    case .wrongFile(let problems): problems
    case .noSuchPadControl(let name, let controls):
      "the device file names no control for \(name): expected "
        + controls.map { "\"\($0)\"" }.joined(separator: " or ") + " in its \"controls\""
    case .rawPadControl(let name, let axes):
      "the axes of \(name) are raw values without a usage: set them by name, as in "
        + "set(\"\(axes.first ?? "")\", to: 2048)"
    case .unavailable:
      "\(Self.linuxOnly): add .enabled(if: HIDTestBus.automatic.isAvailable) to the @Test"
    }
  }
}

/// An error that a test has thrown, with what happened to its virtual devices until then.
public struct HIDTestFailure: Error, CustomStringConvertible {
  /// The error that the test has thrown.
  public let underlying: any Error
  /// The last events of the devices: a title, and up to 40 events, one on each line.
  ///
  /// The devices of each trait, and of each call of
  /// ``withVirtualDevice(_:bus:filePath:isolation:_:)``, have a title of their own.
  public let traffic: String

  /// The error and the events.
  public var description: String { "\(underlying)\n\(traffic)" }
}
