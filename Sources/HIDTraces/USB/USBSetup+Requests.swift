// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension USBSetup {
  /// A descriptor that a host reads.
  enum Descriptor {
    case device
    case configuration
    case string(index: UInt8, language: UInt16)
    case report(interface: UInt8)
  }

  /// A report that a host reads or writes on the control pipe.
  struct ReportRequest {
    var isGet: Bool
    /// The type; nil if the number is not that of a type.
    var type: HIDReportType?
    /// The ID; nil for unnumbered reports.
    var id: HIDReportID?
    var interface: UInt8
  }

  /// The descriptor that the host reads; nil for other descriptors and other requests.
  ///
  /// Source: USB 2.0, section 9.4.3; HID 1.11, section 7.1.1.
  var descriptor: Descriptor? {
    guard request == 6 else { return nil }
    switch (requestType, type) {
    case (0x80, 1): return .device
    case (0x80, 2): return .configuration
    case (0x80, 3): return number == 0 ? nil : .string(index: number, language: index)
    case (0x81, 0x22): return .report(interface: interface)
    default: return nil
    }
  }

  /// True if the host reads any descriptor of the device or of an interface.
  var readsDescriptor: Bool { request == 6 && (requestType == 0x80 || requestType == 0x81) }

  /// True if the host chooses a configuration, whose value is ``number``.
  var isSetConfiguration: Bool { requestType == 0x00 && request == 9 }

  /// The report that is read or written; nil for other requests.
  ///
  /// It is a class request to an interface, which need not be a HID interface.
  ///
  /// Source: HID 1.11, section 7.2.
  var reportRequest: ReportRequest? {
    let isGet: Bool
    switch (requestType, request) {
    case (0xA1, 0x01): isGet = true
    case (0x21, 0x09): isGet = false
    default: return nil
    }
    let types: [HIDReportType] = [.input, .output, .feature]
    return ReportRequest(
      isGet: isGet, type: (1...3).contains(type) ? types[Int(type) - 1] : nil,
      id: HIDReportID(rawValue: number), interface: interface)
  }

  /// True for a class request to the device, an endpoint or a port, instead of an interface.
  ///
  /// Hubs and Bluetooth adapters receive class requests of this kind, and HID devices do not.
  var isForeignToHID: Bool { requestType & 0x60 == 0x20 && requestType & 0x1F != 1 }
}
