// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus

extension HIDDeviceError {
  /// Makes the client's error for a failure of a bus; no other code converts between the two.
  init(_ error: HIDBusError) {
    self =
      switch error.kind {
      case .unavailable: error.errorNumber == 0 ? .notReady : Self.ofErrno(error.errorNumber)
      case .permissionDenied: .notPrivileged
      case .limitReached: .noResources
      case .notStarted, .gone: .notReady
      case .timedOut: .timeout
      case .ioError: .ioError
      case .invalidArgument: .badArgument
      case .reportMismatch(.long): .messageTooLarge
      case .reportMismatch: .badArgument
      case .busy: .exclusiveAccess
      case .protocolViolation: .deviceError
      case .other: Self.ofErrno(error.errorNumber)
      }
  }

  private static func ofErrno(_ number: Int32) -> HIDDeviceError {
    switch number {
    case EACCES, EPERM: .notPrivileged
    case EBUSY: .exclusiveAccess
    case ETIMEDOUT: .timeout
    case ENODEV, ENXIO, ENOENT: .notReady
    case EIO, EPIPE: .ioError
    case EINVAL: .badArgument
    case EMSGSIZE, EOVERFLOW: .messageTooLarge
    case ENOMEM, EMFILE, ENFILE, ENOSPC: .noResources
    case ENOTTY, EOPNOTSUPP: .unsupported
    case ECANCELED: .aborted
    default: .unknown(number)
    }
  }
}
