// SPDX-License-Identifier: Apache-2.0

/// The parts of a USB device that differ from those that its HID interfaces give it.
package struct USBSettings: Hashable, Sendable {
  /// The class of a device.
  package struct Class: Hashable, Sendable {
    package var code: UInt8
    package var subclass: UInt8
    package var protocolCode: UInt8

    package init(code: UInt8, subclass: UInt8, protocolCode: UInt8) {
      self.code = code
      self.subclass = subclass
      self.protocolCode = protocolCode
    }
  }

  /// The speed; nil for the one that fits the longest report.
  package var speed: USBSpeed?
  /// The version of USB in binary-coded decimal; nil for 2.00.
  package var usbVersion: UInt16?
  /// The class of the device; nil if each interface has its own.
  package var deviceClass: Class?
  /// The product's string; nil for the device's name without the manufacturer at its start, and
  /// empty for none.
  package var product: String?
  /// The current that the device takes from the bus, in milliamperes: an even number up to 500; nil
  /// for 100.
  package var maximumPower: Int?
  /// True if the device has a power supply of its own.
  package var isSelfPowered = false
  /// True if the device can wake a host that sleeps.
  package var wakesHosts = false
  /// Strings by their indices, each with at most 126 UTF-16 code units.
  package var strings: [UInt8: String] = [:]
  /// The bytes of strings that are no text, such as the numbers in those of tablets, by their
  /// indices; at most 253 each, without the length and the type.
  package var rawStrings: [UInt8: [UInt8]] = [:]
  /// The answers to requests of vendors; the first that matches a request applies.
  package var requests: [USBVendorRequest] = []
  /// The descriptors of further interfaces, which are not HID; `USBExtraInterface` checks them.
  package var extraInterfaces: [[UInt8]] = []
  /// The descriptors of a real device, in place of those that the other settings give.
  ///
  /// It is nil for none. Device files do not have it.
  package var layout: USBLayout?

  package init() {}

  /// The approximate memory that the strings, the requests and the extra interfaces take, in bytes.
  package var byteCount: Int {
    let answers = requests.reduce(0) { sum, request in
      if case .data(let bytes) = request.answer { sum + bytes.count + 64 } else { sum + 64 }
    }
    return answers + strings.values.reduce(0) { $0 + $1.utf8.count + 64 }
      + rawStrings.values.reduce(0) { $0 + $1.count + 64 }
      + extraInterfaces.reduce(0) { $0 + $1.count + 32 } + (layout?.byteCount ?? 0)
  }

  /// The greatest current, in milliamperes.
  package static let greatestPower = 500
  /// The greatest number of extra interfaces.
  package static let maximumExtraInterfaceCount = 15
}

/// The parts of a USB interface that differ from those that its report descriptor gives it.
package struct USBInterfaceSettings: Hashable, Sendable {
  /// The way of output reports to the device.
  package enum Output: Hashable, Sendable {
    /// Control transfers.
    case control
    /// An endpoint; nil for the values that fit the reports.
    case endpoint(interval: UInt8?, packetByteCount: Int?)
  }

  package var boot = USBInterfaceDescription.Boot.none
  /// The version of the HID specification in binary-coded decimal.
  package var hidVersion = USBInterfaceDescription.usualHIDVersion
  /// The field `bInterval` of the endpoint for input reports; nil for 1 ms, at low speed 10 ms.
  package var interval: UInt8?
  /// The largest packet of the endpoint for input reports, in bytes; nil for the smallest that
  /// fits.
  package var packetByteCount: Int?
  /// The way of output reports; nil for an endpoint if any are declared besides those of lamps.
  package var output: Output?
  /// The text of the interface; it has no string if the text is empty.
  package var name = ""

  package init() {}
}

/// The answer of a USB device to requests of a vendor, which no class of devices defines.
package struct USBVendorRequest: Hashable, Sendable {
  package enum Answer: Hashable, Sendable {
    /// The device sends these bytes, or takes those of the host.
    case data([UInt8])
    /// The device refuses the request.
    case stall
  }

  /// The fields of the requests that match; nil matches any value.
  package var requestType: UInt8?
  package var request: UInt8?
  package var value: UInt16?
  package var index: UInt16?
  package var answer: Answer

  package init(
    requestType: UInt8? = nil, request: UInt8? = nil, value: UInt16? = nil, index: UInt16? = nil,
    answer: Answer
  ) {
    self.requestType = requestType
    self.request = request
    self.value = value
    self.index = index
    self.answer = answer
  }

  /// The types of requests of vendors to the device or an interface.
  package static let requestTypes: [UInt8] = [0x40, 0x41, 0xC0, 0xC1]

  /// Returns whether the answer is for a request.
  package func matches(_ setup: USBSetupPacket) -> Bool {
    func agrees<Number: Equatable>(_ wanted: Number?, _ number: Number) -> Bool {
      wanted.map { $0 == number } ?? true
    }
    return agrees(requestType, setup.requestType) && agrees(request, setup.request)
      && agrees(value, setup.value) && agrees(index, setup.index)
  }
}
