// SPDX-License-Identifier: Apache-2.0

/// The state of a USB device: what its host has set, and the transfers and reports that wait.
package struct USBDeviceState: Hashable, Sendable {
  /// An interrupt endpoint of a HID interface.
  package struct Endpoint: Hashable, Sendable {
    /// The address; bit 7 is set if the host reads from the endpoint.
    package var address: UInt8
    /// The largest packet, in bytes.
    package var packetByteCount: Int
    /// The time between two packets that the endpoint declares.
    package var period: Duration
    /// True while the host has halted the endpoint.
    package var isHalted: Bool
    /// The number of transfers that the host has submitted to get input reports, and that the
    /// device has not completed.
    ///
    /// It is 0 for an endpoint to which the host writes.
    package var waitingTransferCount = 0
    /// The number of input reports that the host has not taken.
    package var waitingReportCount = 0

    /// True if the host reads from the endpoint.
    package var isInput: Bool { address & 0x80 != 0 }
  }

  /// A HID interface.
  package struct Interface: Hashable, Sendable {
    /// The number by which hosts name the interface.
    package var number: UInt8
    /// True if the host has chosen the boot protocol.
    package var isBoot: Bool
    /// The time after which the device sends an unchanged report again; zero for never.
    package var idleTime: Duration
    /// The times of the reports that have another one than ``idleTime``, by report ID.
    package var otherIdleTimes: [UInt8: Duration]
    /// The number of input reports that hosts have lost because they took none for a second.
    package var lostCount: Int
    /// The endpoints, input before output.
    package var endpoints: [Endpoint]
  }

  /// The name of the device, such as `1-1`: by which hosts import a served device; at the kernel
  /// for any other.
  package var place = ""
  /// True if the device is served to hosts, and not plugged into the kernel of this machine.
  package var isServed = false
  package var speed: USBSpeed
  /// True while a host has the device.
  package var isConnected = false
  /// The number of the configuration that the host has chosen; 0 for none.
  package var configuration: UInt8
  /// True while the host allows the device to wake it.
  package var mayWakeHost: Bool
  /// True while the host has suspended the device; nil if that is not known.
  ///
  /// USB/IP does not report it to the device. The kernel of this machine shows it in sysfs, if it
  /// has power management.
  package var isSuspended: Bool?
  package var interfaces: [Interface]
}
