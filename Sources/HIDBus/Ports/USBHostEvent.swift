// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// An event of a USB host that is not about a report: a request to the device, or the withdrawal of
/// a request.
///
/// Sources: USB 2.0, section 9.4; HID 1.11, section 7.2.
public enum USBHostEvent: Hashable, Sendable {
  /// The host has chosen the configuration with this number; 0 for none.
  ///
  /// The event concerns the whole device.
  case configuration(UInt8)
  /// The host has allowed the device to wake it, or has forbidden it.
  ///
  /// The event concerns the whole device.
  case remoteWakeup(isAllowed: Bool)
  /// The host has halted the endpoint with this address.
  case halt(endpoint: UInt8)
  /// The host has cleared the halt of the endpoint with this address.
  case clearHalt(endpoint: UInt8)
  /// The host has set the time after which the device sends an unchanged report again, in units of
  /// 4 ms; 0 for never.
  ///
  /// The ID is nil if the time is for all reports.
  case idle(HIDReportID?, rate: UInt8)
  /// The host has chosen the boot protocol, or the report protocol.
  case bootProtocol(Bool)
  /// The host has sent a request that the device's vendor defines, or a class request that the
  /// device has refused: the eight bytes of its setup packet, and its data.
  ///
  /// The event concerns the whole device.
  case request([UInt8], isAccepted: Bool)
  /// The host does not wait any more for the answer to the request with this ID.
  case withdrawal(HIDRequestID)

  /// True for a request of a class that the device has refused, not one of the device's vendor.
  package var isRefusedClassRequest: Bool {
    guard case .request(let setup, isAccepted: false) = self else { return false }
    return !Self.isOfVendor(setup)
  }

  /// Returns whether a setup packet is of a request that the device's vendor defines.
  package static func isOfVendor(_ setup: [UInt8]) -> Bool { (setup.first ?? 0) & 0x60 == 0x40 }

  /// The names of the events, as scripts and `--json` write them.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    /// See ``USBHostEvent/configuration(_:)``.
    case configuration
    /// See ``USBHostEvent/remoteWakeup(isAllowed:)``.
    case wakeup
    /// See ``USBHostEvent/halt(endpoint:)``.
    case halt
    /// See ``USBHostEvent/clearHalt(endpoint:)``.
    case clear
    /// See ``USBHostEvent/idle(_:rate:)``.
    case idle
    /// See ``USBHostEvent/bootProtocol(_:)``.
    case `protocol`
    /// See ``USBHostEvent/request(_:isAccepted:)``.
    case request
    /// See ``USBHostEvent/withdrawal(_:)``.
    case withdrawal

    /// True if the event concerns the whole device, not one of its interfaces.
    public var isOfDevice: Bool {
      self == .configuration || self == .wakeup || self == .request
    }
  }

  /// The name of the event.
  public var name: Name {
    switch self {
    case .configuration: .configuration
    case .remoteWakeup: .wakeup
    case .halt: .halt
    case .clearHalt: .clear
    case .idle: .idle
    case .bootProtocol: .protocol
    case .request: .request
    case .withdrawal: .withdrawal
    }
  }

  /// True if the event concerns the whole device, not one of its interfaces.
  public var isOfDevice: Bool { name.isOfDevice }
}

/// The way by which a USB host has sent a report.
public enum USBReportRoute: String, Hashable, Sendable {
  /// By an interrupt endpoint.
  case endpoint
  /// By a request on endpoint 0, the control endpoint.
  case control
}
