// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import SystemPackage

/// An open hidraw node, which closes its descriptor exactly once.
///
/// Everything but ``read(_:)`` may block for as long as another client's request is unanswered: it
/// belongs on a thread of its own.
struct HIDRawDescriptor: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  /// Takes ownership of an open hidraw descriptor.
  init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// Opens a node for reading and writing, without blocking reads.
  init(path: String) throws(Errno) {
    while true {
      let result = clinux_open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0)
      if result >= 0 {
        descriptor = FileDescriptor(rawValue: result)
        return
      }
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
  }

  deinit { _ = Glibc.close(descriptor.rawValue) }

  /// The descriptor, to wait on while this one lives.
  var pollDescriptor: FileDescriptor { descriptor }

  /// Reads the bytes of the report descriptor, as the kernel's drivers left it.
  ///
  /// The corresponding ioctls are `HIDIOCGRDESCSIZE` and `HIDIOCGRDESC`.
  borrowing func reportDescriptor() throws(Errno) -> [UInt8] {
    var size: Int32 = 0
    _ = try control(chid_HIDIOCGRDESCSIZE(), &size)
    var descriptor = hidraw_report_descriptor()
    descriptor.size = UInt32(clamping: min(Int(size), Int(HID_MAX_DESCRIPTOR_SIZE)))
    _ = try control(chid_HIDIOCGRDESC(), &descriptor)
    return withUnsafeBytes(of: &descriptor.value) { Array($0.prefix(Int(size))) }
  }

  /// Reads the bus, vendor and product of the device.
  ///
  /// The corresponding ioctl is `HIDIOCGRAWINFO`.
  borrowing func info() throws(Errno) -> (bus: UInt32, vendorID: UInt16, productID: UInt16) {
    var info = hidraw_devinfo()
    _ = try control(chid_HIDIOCGRAWINFO(), &info)
    return (
      info.bustype,
      UInt16(bitPattern: info.vendor),  // signed in C, not in HID
      UInt16(bitPattern: info.product)
    )
  }

  /// Reads the device's name (`HIDIOCGRAWNAME`), up to 255 bytes.
  borrowing func name() throws(Errno) -> String { try text(chid_HIDIOCGRAWNAME(256)) }

  /// Reads the device's physical path (`HIDIOCGRAWPHYS`), up to 255 bytes.
  borrowing func physicalPath() throws(Errno) -> String { try text(chid_HIDIOCGRAWPHYS(256)) }

  /// Reads the device's serial number (`HIDIOCGRAWUNIQ`), up to 255 bytes.
  borrowing func uniq() throws(Errno) -> String { try text(chid_HIDIOCGRAWUNIQ(256)) }

  private borrowing func text(_ request: CUnsignedLong) throws(Errno) -> String {
    var buffer = InlineArray<256, UInt8>(repeating: 0)
    _ = try control(request, &buffer)
    return withUnsafeBytes(of: &buffer) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Writes a report: its number first, 0 when un-numbered.
  ///
  /// - Throws: `EINVAL` for fewer than 2 bytes, `EINTR` when the caller's time is up.
  borrowing func write(_ report: [UInt8]) throws(Errno) {
    let count = report.withUnsafeBytes {
      Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
  }

  /// Sets a report by ioctl: its number first, 0 when un-numbered. Not retried: a signal ends it.
  ///
  /// The corresponding ioctls are `HIDIOCSFEATURE`, `HIDIOCSINPUT`, `HIDIOCSOUTPUT`.
  borrowing func setReport(_ type: HIDReportType, _ report: [UInt8]) throws(Errno) {
    let length = UInt32(clamping: report.count)
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

  /// Gets a report by ioctl. Not retried: a signal ends it.
  ///
  /// - Parameters:
  ///   - number: The report's number, 0 when un-numbered.
  ///   - capacity: How many bytes to make room for, 2 to 16,383 (the ioctl's 14 bits).
  /// - Returns: The device's answer as the kernel hands it on.
  ///
  /// The corresponding ioctls are `HIDIOCGFEATURE`, `HIDIOCGINPUT`, `HIDIOCGOUTPUT`.
  borrowing func getReport(
    _ type: HIDReportType, number: UInt8, capacity: Int
  ) throws(Errno) -> [UInt8] {
    var report = [UInt8](repeating: 0, count: min(max(capacity, 2), 16_383))
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

  private borrowing func control<Argument: BitwiseCopyable>(
    _ request: CUnsignedLong, _ argument: inout Argument
  ) throws(Errno) -> Int32 {
    while true {
      let result = withUnsafeMutablePointer(to: &argument) {
        clinux_ioctl(descriptor.rawValue, request, $0)
      }
      if result >= 0 { return result }
      let error = Errno(rawValue: errno)
      guard error == .interrupted else { throw error }
    }
  }
}
