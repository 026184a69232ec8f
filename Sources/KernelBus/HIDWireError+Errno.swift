// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDWire
import SystemPackage

/// The one place where the kernel's answers become errors of the wire.
extension HIDWireError {
  /// The error of a call on `/dev/uhid`.
  static func uhid(_ errno: Errno, _ action: String) -> HIDWireError {
    let advice: (Kind, String) =
      switch errno {
      case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
        (
          .unavailable,
          """
          the kernel has no uhid: load it with \"sudo modprobe uhid\", run inside \"hidsim vm\", \
          or use --bus loopback\(help)
          """
        )
      case .permissionDenied, .notPermitted:
        (
          .permissionDenied,
          """
          run as root, or install scripts/70-hidsim.rules and join its group\(help)
          """
        )
      case .invalidArgument: (.invalidArgument, "the kernel refuses what was written")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
        (.limitReached, "raise the limit on open files (ulimit -n)")
      default: (.other, "")
      }
    return HIDWireError(
      advice.0, "\(action) through /dev/uhid: \(errno)" + (advice.1.isEmpty ? "" : "; \(advice.1)"),
      errorNumber: errno.rawValue)
  }

  /// The error of a call on a hidraw node.
  static func hidraw(_ errno: Errno, _ action: String, _ node: String) -> HIDWireError {
    let advice: (Kind, String) =
      switch errno {
      case .noSuchFileOrDirectory, .noSuchAddressOrDevice, .operationNotSupportedByDevice:
        (.gone, "the device is gone")
      case .permissionDenied, .notPermitted:
        (
          .permissionDenied,
          "give yourself access to the node with scripts/70-hidsim.rules\(help)"
        )
      case .invalidArgument: (.invalidArgument, "the kernel refuses these bytes")
      case .ioError:
        (.ioError, "the device refused, did not answer within 5 s, or is gone")
      case .brokenPipe: (.ioError, "the device does not accept such reports")
      case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
        (.limitReached, "raise the limit on open files (ulimit -n)")
      case .resourceTemporarilyUnavailable:
        (.limitReached, "no more threads can be started: raise the limit on processes (ulimit -u)")
      case .timedOut: (.timedOut, "no answer came in time")
      default: (.other, "")
      }
    return HIDWireError(
      advice.0, "\(action) \(node): \(errno)" + (advice.1.isEmpty ? "" : "; \(advice.1)"),
      errorNumber: errno.rawValue)
  }

  /// The error of a call that a client's thread did not make.
  static func interrupted(
    _ reason: BlockingLane.Interruption, _ action: String, _ node: String
  ) -> HIDWireError {
    switch reason {
    case .timedOut: hidraw(.timedOut, action, node)
    case .stopped: HIDWireError(.gone, "\(action) \(node): the port was closed")
    case .noThread: hidraw(.resourceTemporarilyUnavailable, action, node)
    }
  }
}
