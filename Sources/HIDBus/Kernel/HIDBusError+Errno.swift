// SPDX-License-Identifier: Apache-2.0

import SystemPackage

/// The conversion of the kernel's errors to errors of a bus.
extension HIDBusError {
  /// Returns the error of a call on `/dev/uhid`, or of watching it (`ENOSPC`).
  static func uhid(_ errno: Errno, _ action: String) -> HIDBusError {
    let advice: (Kind, String) =
      switch errno {
      case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
        (
          .unavailable,
          """
          /dev/uhid or its driver is missing: run \"sudo modprobe uhid\", use \"hidsim vm\", or \
          use --bus loopback\(help)
          """
        )
      case .permissionDenied, .notPermitted:
        (
          .permissionDenied,
          """
          run as root, or install scripts/70-hidsim.rules and join the group hidsim\(help)
          """
        )
      case .invalidArgument: (.invalidArgument, "the kernel refuses this data")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace,
        .resourceTemporarilyUnavailable:
        (.limitReached, remedy(for: errno))
      default: (.other, "")
      }
    return HIDBusError(
      advice.0, "\(action) through /dev/uhid: \(errno)" + (advice.1.isEmpty ? "" : "; \(advice.1)"),
      errorNumber: errno.rawValue)
  }

  /// Returns the error of a call on a hidraw node.
  static func hidraw(_ errno: Errno, _ action: String, _ node: String) -> HIDBusError {
    let advice: (Kind, String) =
      switch errno {
      case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
        (.gone, "the device is gone")
      case .permissionDenied, .notPermitted:
        (
          .permissionDenied,
          """
          run as root; for a device of hidsim, you can instead install scripts/70-hidsim.rules and \
          join the group hidsim\(help)
          """
        )
      case .invalidArgument: (.invalidArgument, "the kernel refuses these bytes")
      case .ioError:
        (.ioError, "the device refused, did not answer within 5 s, or is gone")
      case .brokenPipe: (.ioError, "the device does not accept this report")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory,
        .resourceTemporarilyUnavailable:
        (.limitReached, remedy(for: errno))
      case .timedOut: (.timedOut, "no answer came in time")
      default: (.other, "")
      }
    return HIDBusError(
      advice.0, "\(action) \(node): \(errno)" + (advice.1.isEmpty ? "" : "; \(advice.1)"),
      errorNumber: errno.rawValue)
  }

  /// Returns the error of a call that a client's ``BlockingLane`` did not start.
  static func interrupted(
    _ reason: BlockingLane.Interruption, _ action: String, _ node: String
  ) -> HIDBusError {
    switch reason {
    case .timedOut: hidraw(.timedOut, action, node)
    case .stopped: HIDBusError(.gone, "\(action) \(node): the port was closed")
    case .noThread: hidraw(.resourceTemporarilyUnavailable, action, node)
    }
  }
}
