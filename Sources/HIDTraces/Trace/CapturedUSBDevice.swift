// SPDX-License-Identifier: Apache-2.0

/// A USB device of a capture, as far as the capture has its descriptors.
package struct CapturedUSBDevice: Hashable, Sendable {
  /// A descriptor that the host has read, as the device sent it.
  package struct Descriptor: Hashable, Sendable {
    /// The type of the request: 0x80 to the device, 0x81 to an interface.
    package var requestType: UInt8
    /// The type of the descriptor in the upper byte, and its index in the lower one.
    package var value: UInt16
    /// The number of the interface, or the language of a string.
    package var index: UInt16
    package var bytes: [UInt8]

    package init(requestType: UInt8, value: UInt16, index: UInt16, bytes: [UInt8]) {
      self.requestType = requestType
      self.value = value
      self.index = index
      self.bytes = bytes
    }
  }

  /// The index of the device among those of the capture.
  package var index: Int
  /// The product's text; else the vendor ID and the product ID.
  package var name: String
  /// The descriptors in the order in which the host read them first.
  package var descriptors: [Descriptor]
  /// The periods of the interrupt endpoints in the host's transfers, by their addresses.
  ///
  /// They are in frames, or at high speed in microframes. Only captures of usbmon have them.
  package var intervals: [UInt8: UInt32]
  /// The value of the configuration that the host chose; nil if the capture does not have it.
  package var configurationValue: UInt8?

  package init(
    index: Int, name: String, descriptors: [Descriptor], intervals: [UInt8: UInt32] = [:],
    configurationValue: UInt8? = nil
  ) {
    self.index = index
    self.name = name
    self.descriptors = descriptors
    self.intervals = intervals
    self.configurationValue = configurationValue
  }
}

/// The place of a device of a trace in a USB device of a capture.
package struct CapturedUSBInterface: Hashable, Sendable {
  package var device: CapturedUSBDevice
  /// The number of the interface.
  package var number: UInt8

  package init(device: CapturedUSBDevice, number: UInt8) {
    self.device = device
    self.number = number
  }
}
