// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import IOLoop
import SystemPackage

/// An open hidraw node, which closes its descriptor exactly once.
///
/// Opening, writing and requests may block while a request of another client has no answer: call
/// them on a separate thread.
struct HIDRawDescriptor: ~Copyable, Sendable {
  /// The greatest number of bytes in an ioctl.
  ///
  /// The number of the ioctl has 14 bits for the length.
  static let longestRequest = 16_383

  private let descriptor: FileDescriptor

  /// Takes ownership of an open hidraw descriptor.
  init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Opens a node for reading and writing, without blocking reads.
  init(path: String) throws(Errno) {
    let result = try retryingOnInterrupt {
      clinux_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0)
    }
    descriptor = FileDescriptor(rawValue: result)
  }

  deinit {
    let descriptor = descriptor
    // Closing waits for the same lock as opening, so it is done on a separate thread, if one can be
    // started.
    Thread.run(name: "hidsim-close") { _ = Glibc.close(descriptor.rawValue) }
  }

  /// The descriptor, valid for waiting and reading while this value exists.
  var pollDescriptor: FileDescriptor { descriptor }

  /// Writes a report: its ID first, 0 if it is unnumbered.
  ///
  /// - Throws: The `Errno` of `write`, such as `EINVAL` for fewer than 2 bytes, or `EINTR` if a
  ///   signal interrupts the call.
  borrowing func write(_ report: [UInt8]) throws(Errno) {
    let count = report.withUnsafeBytes {
      Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Sets a report by ioctl: its ID first, 0 if it is unnumbered.
  ///
  /// The call is not repeated after a signal.
  ///
  /// - Parameter report: At most ``longestRequest`` bytes.
  ///
  /// The corresponding ioctls are `HIDIOCSFEATURE`, `HIDIOCSINPUT`, `HIDIOCSOUTPUT`.
  borrowing func setReport(_ type: HIDReportType, _ report: [UInt8]) throws(Errno) {
    precondition(report.count <= Self.longestRequest)
    let length = UInt32(report.count)
    let request =
      switch type {
      case .input: chid_HIDIOCSINPUT(length)
      case .output: chid_HIDIOCSOUTPUT(length)
      case .feature: chid_HIDIOCSFEATURE(length)
      }
    var report = report
    let result = report.withUnsafeMutableBytes {
      clinux_ioctl(descriptor.rawValue, request, $0.baseAddress)
    }
    guard result >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Gets a report by ioctl.
  ///
  /// The call is not repeated after a signal.
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - number: The report's ID, 0 if it is unnumbered.
  ///   - capacity: The number of bytes to reserve; a number outside 2…16,383 (the ioctl's 14
  ///     bits) is replaced by the nearest one.
  /// - Returns: The device's answer as the kernel passes it on.
  ///
  /// The corresponding ioctls are `HIDIOCGFEATURE`, `HIDIOCGINPUT`, `HIDIOCGOUTPUT`.
  borrowing func getReport(
    _ type: HIDReportType, number: UInt8, capacity: Int
  ) throws(Errno) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: min(max(capacity, 2), Self.longestRequest))
    report[0] = number
    let length = UInt32(clamping: report.count)
    let request =
      switch type {
      case .input: chid_HIDIOCGINPUT(length)
      case .output: chid_HIDIOCGOUTPUT(length)
      case .feature: chid_HIDIOCGFEATURE(length)
      }
    let count = report.withUnsafeMutableBytes {
      clinux_ioctl(descriptor.rawValue, request, $0.baseAddress)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
    return Array(report.prefix(Int(count)))
  }
}
