// SPDX-License-Identifier: Apache-2.0

/// The reason why an operation on a device failed.
public enum HIDDeviceError: Error, Equatable, Sendable {
  /// The request was not sent: an earlier one timed out, or the task was cancelled.
  case aborted
  /// An argument is not valid, such as an empty report, or an ID for reports without one.
  case badArgument
  /// The device cannot be seized while this client has open streams or running requests.
  case busy
  /// The device failed in a way that no other case describes.
  case deviceError
  /// Another client has seized the device, another program has grabbed its evdev nodes, or the
  /// device accepts no more connections.
  case exclusiveAccess
  /// The device answered with an error, did not answer within the bus's own limit of 5 s, or, on
  /// the kernel's bus, was unplugged during the request.
  case ioError
  /// The data is longer than the descriptor declares, or than the bus takes.
  case messageTooLarge
  /// The device has no power.
  case noPower
  /// No resources are left, such as file descriptors, threads, memory, disk space or nodes.
  case noResources
  /// The operation is not permitted with these arguments.
  case notPermitted
  /// The caller may not use the device or the bus, or the device would type into the windows of a
  /// user.
  case notPrivileged
  /// The device is not plugged: it is not activated yet, did not start, or is gone.
  ///
  /// It is also the error of a bus that is missing.
  case notReady
  /// The device does not answer at all.
  case notResponding
  /// No answer came within the time that the caller gave, or within a limit of the call.
  case timeout
  /// The device or the bus cannot do this.
  case unsupported
  /// Any other error.
  ///
  /// On macOS the number is an `IOReturn`, on Linux an `errno`, or 0 if no call failed.
  case unknown(Int32)
}

extension HIDDeviceError: LocalizedError {
  /// A sentence that describes the error.
  public var errorDescription: String? {
    switch self {
    case .aborted: "The request was aborted."
    case .badArgument: "The device does not accept an argument of the call."
    case .busy: "The device is busy."
    case .deviceError: "The device failed."
    case .exclusiveAccess: "Another client has seized the device."
    case .ioError: "Input from or output to the device failed."
    case .messageTooLarge: "The data is too large for the device."
    case .noPower: "The device has no power."
    case .noResources: "There are not enough resources."
    case .notPermitted: "The operation is not permitted."
    case .notPrivileged: "The caller lacks the privilege."
    case .notReady: "The device is not ready."
    case .notResponding: "The device does not respond."
    case .timeout: "The device did not answer in time."
    case .unsupported: "The operation is not supported."
    case .unknown(let number): "An unknown error occurred (\(number))."
    }
  }
}
