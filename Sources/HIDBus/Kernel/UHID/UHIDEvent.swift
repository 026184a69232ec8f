// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor

typealias UHIDLayout = chid_uhid_layout

/// The messages of `/dev/uhid`, in both directions.
///
/// Fields are in host byte order.
///
/// Source: `linux/uhid.h`.
enum UHIDEvent {
  /// The greatest length of a message, and the length of each message that the kernel writes, in
  /// bytes.
  static let byteCount = Int(chid_uhid_event_size.rawValue)
  /// The greatest length of a physical path, with the zero at its end, in bytes.
  static let physicalPathCapacity = 64
  /// The greatest length of a report and of a descriptor: `UHID_DATA_MAX`,
  /// `HID_MAX_DESCRIPTOR_SIZE`.
  static let longestData = 4096

  /// Returns the message that creates a device (`UHID_CREATE2`); texts that are too long are cut.
  static func create(_ device: HIDDeviceDescription) -> [UInt8] {
    let descriptor = device.descriptor.bytes
    let identity = device.identity
    var event = [UInt8](repeating: 0, count: Int(chid_create2_rd_data.rawValue))
    event.store(UInt32(UHID_CREATE2.rawValue), at: 0)
    event.store(text: identity.name, at: chid_create2_name, capacity: 128)
    event.store(
      text: device.physicalPath.description, at: chid_create2_phys, capacity: physicalPathCapacity)
    event.store(text: identity.serialNumber, at: chid_create2_uniq, capacity: 64)
    event.store(UInt16(clamping: descriptor.count), at: Int(chid_create2_rd_size.rawValue))
    event.store(identity.transport.busType, at: Int(chid_create2_bus.rawValue))
    event.store(identity.vendorID, at: Int(chid_create2_vendor.rawValue))
    event.store(identity.productID, at: Int(chid_create2_product.rawValue))
    event.store(device.kernelVersion, at: Int(chid_create2_version.rawValue))
    event.store(identity.countryCode, at: Int(chid_create2_country.rawValue))
    return event + descriptor
  }

  /// The message that removes the device (`UHID_DESTROY`).
  static let destroy: [UInt8] = {
    var event = [UInt8](repeating: 0, count: 4)
    event.store(UInt32(UHID_DESTROY.rawValue), at: 0)
    return event
  }()

  /// The number of bytes before the data of an input report (`UHID_INPUT2`): type and length.
  static let inputHeaderByteCount = Int(chid_input2_data.rawValue)

  /// Calls `body` with the answer to a get-report request (`UHID_GET_REPORT_REPLY`).
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - report: The report, cut so that the answer's data has 4,096 bytes at most; `nil` for an
  ///     error.
  ///   - needsNumber: True to put a 0 before a report that is not empty.
  ///   - body: Called with the message.
  static func withAnswerGet<Result>(
    _ request: HIDRequestID, _ report: [UInt8]?, needsNumber: Bool,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let header = Int(chid_get_report_reply_data.rawValue)
    let number = needsNumber && report?.isEmpty == false ? 1 : 0
    let count = min(report?.count ?? 0, longestData - number)
    return withUnsafeTemporaryAllocation(byteCount: header + number + count, alignment: 8) {
      event in
      event.store(UInt32(UHID_GET_REPORT_REPLY.rawValue), 0)
      event.store(request.rawValue, Int(chid_get_report_reply_id.rawValue))
      // The kernel turns every error into EIO for the caller (6.12).
      event.store(UInt16(report == nil ? EIO : 0), Int(chid_get_report_reply_err.rawValue))
      event.store(UInt16(number + count), Int(chid_get_report_reply_size.rawValue))
      if number > 0 { event.store(UInt8(0), header) }
      report?.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: event[(header + number)...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      return body(UnsafeRawBufferPointer(event))
    }
  }

  /// Returns the answer to a set-report request (`UHID_SET_REPORT_REPLY`).
  static func answerSet(_ request: HIDRequestID, accepted: Bool) -> [UInt8] {
    var event = [UInt8](repeating: 0, count: Int(chid_set_report_reply_end.rawValue))
    event.store(UInt32(UHID_SET_REPORT_REPLY.rawValue), at: 0)
    event.store(request.rawValue, at: Int(chid_set_report_reply_id.rawValue))
    event.store(UInt16(accepted ? 0 : EIO), at: Int(chid_set_report_reply_err.rawValue))
    return event
  }

  /// Decodes a message from the kernel; `nil` for a type that is not handled here, and for fewer
  /// than ``byteCount`` bytes.
  ///
  /// - Parameter event: The message, of ``byteCount`` bytes. A shorter message must be extended by
  ///   zeros.
  static func decode(_ event: UnsafeRawBufferPointer) -> HIDHostEvent? {
    guard event.count >= byteCount else { return nil }
    switch event.load32(0) {
    case UInt32(UHID_START.rawValue):
      return .start(
        HIDNumberedReports(rawValue: event.load64(Int(chid_start_dev_flags.rawValue))))
    case UInt32(UHID_STOP.rawValue): return .stop
    case UInt32(UHID_OPEN.rawValue): return .open
    case UInt32(UHID_CLOSE.rawValue): return .close
    case UInt32(UHID_OUTPUT.rawValue):
      return .output(
        bytes(
          event, from: chid_output_data, count: event.load16(Int(chid_output_size.rawValue))))
    case UInt32(UHID_GET_REPORT.rawValue):
      return .getReport(
        HIDRequestID(rawValue: event.load32(Int(chid_get_report_id.rawValue))),
        type(event[Int(chid_get_report_rtype.rawValue)]),
        HIDReportID(rawValue: event[Int(chid_get_report_rnum.rawValue)]))
    case UInt32(UHID_SET_REPORT.rawValue):
      return .setReport(
        HIDRequestID(rawValue: event.load32(Int(chid_set_report_id.rawValue))),
        type(event[Int(chid_set_report_rtype.rawValue)]),
        HIDReportID(rawValue: event[Int(chid_set_report_rnum.rawValue)]),
        bytes(
          event, from: chid_set_report_data,
          count: event.load16(Int(chid_set_report_size.rawValue))))
    default: return nil
    }
  }

  private static func bytes(
    _ event: UnsafeRawBufferPointer, from start: UHIDLayout, count: UInt16
  ) -> HIDReportBytes {
    let start = Int(start.rawValue)
    let count = min(Int(count), longestData)
    let bytes = UnsafeRawBufferPointer(rebasing: event[start..<start + count])
    return bytes.withMemoryRebound(to: UInt8.self) { HIDReportBytes(copying: $0.span) }
  }

  private static func type(_ code: UInt8) -> HIDReportType {
    switch UInt32(code) {
    case UInt32(UHID_OUTPUT_REPORT.rawValue): .output
    case UInt32(UHID_INPUT_REPORT.rawValue): .input
    default: .feature
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func load16(_ offset: Int) -> UInt16 {
    loadUnaligned(fromByteOffset: offset, as: UInt16.self)
  }
  fileprivate func load32(_ offset: Int) -> UInt32 {
    loadUnaligned(fromByteOffset: offset, as: UInt32.self)
  }
  fileprivate func load64(_ offset: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func store<Value: BitwiseCopyable>(_ value: Value, _ offset: Int) {
    storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }
}

extension HIDHostEvent {
  /// True if a driver was bound or unbound.
  var isOfDriver: Bool {
    switch self {
    case .start, .stop: true
    default: false
    }
  }

  /// True if a host waits for an answer.
  var isRequest: Bool {
    switch self {
    case .getReport, .setReport: true
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(
    _ value: Value, at offset: Int
  ) {
    withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: offset, as: Value.self) }
  }

  /// Stores a C string, cut between Unicode scalars so that its final zero fits.
  fileprivate mutating func store(text: String, at offset: UHIDLayout, capacity: Int) {
    var position = Int(offset.rawValue)
    let end = position + capacity - 1
    for scalar in text.unicodeScalars {
      guard let bytes = UTF8.encode(scalar), position + bytes.count <= end else { return }
      for byte in bytes {
        self[position] = byte
        position += 1
      }
    }
  }
}

extension HIDDeviceDescription {
  /// The version that the kernel's drivers and evdev nodes have of the device.
  ///
  /// It is the release number, except on USB: usbhid takes the version of the HID specification
  /// from the HID descriptor (6.12, `usbhid_parse`).
  fileprivate var kernelVersion: UInt32 {
    identity.transport == .usb ? UInt32(usbInterface.hidVersion) : identity.versionNumber
  }
}
