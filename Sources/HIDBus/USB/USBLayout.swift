// SPDX-License-Identifier: Apache-2.0

/// The descriptors of a real USB device, in place of those that hidsim derives.
///
/// The numbers of the interfaces, the addresses of the endpoints and the indices of the strings are
/// those of the device.
package struct USBLayout: Hashable, Sendable {
  /// A request for a descriptor.
  package struct Request: Hashable, Sendable {
    /// 0x80 for a descriptor of the device, 0x81 for one of an interface.
    package var requestType: UInt8
    /// The type of the descriptor in the upper byte, and its index in the lower one.
    package var value: UInt16
    /// The number of the interface, or the language of a string.
    package var index: UInt16

    package init(requestType: UInt8, value: UInt16, index: UInt16) {
      self.requestType = requestType
      self.value = value
      self.index = index
    }
  }

  /// The reason why descriptors are not those of a device that hidsim can plug.
  package struct Fault: Error, Hashable, Sendable {
    /// The fault, as a clause.
    package let message: String
  }

  /// A HID interface.
  package struct Interface: Hashable, Sendable {
    package let number: UInt8
    /// The subclass and the protocol.
    package let subclass: UInt8
    package let protocolCode: UInt8
    /// The index of the string of the interface; 0 for none.
    package let string: UInt8
    /// The HID descriptor; empty if the device has none.
    package fileprivate(set) var hid: [UInt8] = []
    /// The version of the HID specification in the HID descriptor; nil without one.
    package var hidVersion: UInt16? {
      hid.count >= 4 ? UInt16(hid[2]) | UInt16(hid[3]) << 8 : nil
    }
    /// The interrupt endpoint for input reports; nil only while the descriptors are read.
    package fileprivate(set) var input: Endpoint?
    /// The interrupt endpoint for output reports; nil if there is none.
    package fileprivate(set) var output: Endpoint?
  }

  /// An interrupt endpoint.
  package struct Endpoint: Hashable, Sendable {
    package let address: UInt8
    package let packetByteCount: Int
    package let interval: UInt8
  }

  /// The device descriptor, 18 bytes.
  package let device: [UInt8]
  /// The configuration descriptor with those of its interfaces.
  package let configuration: [UInt8]
  /// The HID interfaces whose reports hidsim sends, in the order of the device's definition.
  package let interfaces: [Interface]
  /// The answers to requests for other descriptors.
  package let answers: [Request: [UInt8]]
  /// The speed that the descriptors show; nil for one that they do not show.
  package let shownSpeed: USBSpeed?

  /// Reads the descriptors of a device.
  ///
  /// - Parameters:
  ///   - device: The device descriptor.
  ///   - configuration: The configuration descriptor with those of its interfaces.
  ///   - numbers: The numbers of the HID interfaces whose reports hidsim sends.
  ///   - answers: The answers to requests for other descriptors.
  /// - Throws: The first fault.
  package init(
    device: [UInt8], configuration: [UInt8], interfaces numbers: [UInt8],
    answers: [Request: [UInt8]]
  ) throws(Fault) {
    guard device.count == 18, device[0] == 18, device[1] == 1 else {
      throw Fault(message: "the device descriptor has \(device.count) bytes; expected 18")
    }
    // Linux refuses others at low, full and high speed.
    guard [8, 16, 32, 64].contains(device[7]) else {
      throw Fault(
        message:
          "endpoint 0 has packets of \(device[7]) bytes; expected 8, 16, 32 or 64, as USB 2 has")
    }
    guard device[17] > 0 else {
      throw Fault(message: "the device descriptor declares no configuration")
    }
    var reading = Reading()
    try reading.take(configuration)
    var interfaces: [Interface] = []
    for number in numbers {
      guard let interface = reading.interfaces.first(where: { $0.number == number }) else {
        throw Fault(message: "the configuration has no HID interface \(number)")
      }
      guard interface.input != nil else {
        throw Fault(message: "interface \(number) has no interrupt endpoint for input reports")
      }
      interfaces.append(interface)
    }
    let addresses = interfaces.flatMap { [$0.input?.address, $0.output?.address] }
      .compactMap(\.self)
    guard Set(numbers).count == numbers.count, Set(addresses).count == addresses.count else {
      throw Fault(message: "two HID interfaces have the same number or endpoint")
    }
    self.device = device
    self.configuration = configuration
    self.interfaces = interfaces
    self.answers = answers
    shownSpeed = reading.speed(controlPacket: device[7])
  }

  /// The value of the configuration.
  package var configurationValue: UInt8 { configuration[5] }
  /// True if the device has a power supply of its own.
  package var isSelfPowered: Bool { configuration[7] & 0x40 != 0 }
  /// True if the device can wake a host that sleeps.
  package var wakesHosts: Bool { configuration[7] & 0x20 != 0 }

  /// The approximate memory of the descriptors, in bytes.
  package var byteCount: Int {
    answers.values.reduce(configuration.count + 64) { $0 + $1.count + 64 }
  }

  /// Returns the answer to a request; nil if it is not known.
  ///
  /// A string that is not known in a language is that of another language.
  package func answer(_ request: Request) -> [UInt8]? {
    if let answer = answers[request] { return answer }
    if request.requestType == 0x80, request.value == 0x0100 { return device }
    if request.requestType == 0x80, request.value == 0x0200 { return configuration }
    guard request.requestType == 0x80, request.value >> 8 == 3, request.value & 0xFF != 0 else {
      return nil
    }
    return answers.filter { $0.key.requestType == 0x80 && $0.key.value == request.value }
      .min { $0.key.index < $1.key.index }?.value
  }

  /// Returns the speed: that of the packets, or else that of the periods in a host's transfers.
  ///
  /// It is full speed if neither shows it.
  ///
  /// A host counts the period of an endpoint in microframes at high speed, and in frames else, as a
  /// power of two.
  ///
  /// Source: usb_fill_int_urb and usb_submit_urb of Linux 6.12.
  ///
  /// - Parameter intervals: The periods in the host's transfers, by the addresses of the endpoints.
  package func speed(intervals: [UInt8: UInt32]) -> USBSpeed {
    if let shownSpeed { return shownSpeed }
    for endpoint in interfaces.flatMap({ [$0.input, $0.output] }).compactMap(\.self) {
      guard let period = intervals[endpoint.address], endpoint.interval > 2 else { continue }
      if period == 1 << (min(UInt32(endpoint.interval), 16) - 1) { return .high }
    }
    return .full
  }

  /// The addresses of the endpoints of the HID interfaces, in order.
  package var endpointAddresses: [UInt8] {
    interfaces.flatMap { [$0.input?.address, $0.output?.address] }.compactMap(\.self)
  }

  /// The state between two descriptors.
  private struct Reading {
    var interfaces: [Interface] = []
    private var current: Int?
    /// The number of interfaces, whatever their class.
    private var settingCount = 0
    /// The largest number of interfaces that Linux takes.
    private static let maximumInterfaceCount = 32
    /// The longest packet of an endpoint that is not isochronous.
    private var longestPacket = 0
    private var hasOnlySlowEndpoints = true

    private typealias DescriptorType = USBDeviceDescription.DescriptorType

    mutating func take(_ configuration: [UInt8]) throws(Fault) {
      guard configuration.count >= 9, configuration[0] == 9,
        configuration[1] == DescriptorType.configuration,
        Int(configuration[2]) | Int(configuration[3]) << 8 == configuration.count
      else { throw Fault(message: "the configuration descriptor is incomplete") }
      var rest = configuration.dropFirst(9)
      while let length = rest.first {
        guard length >= 2, Int(length) <= rest.count else {
          throw Fault(
            message: "the length at byte \(rest.startIndex) of the configuration is \(length)")
        }
        take(descriptor: Array(rest.prefix(Int(length))))
        guard settingCount <= Self.maximumInterfaceCount else {
          throw Fault(
            message: "the configuration has more than \(Self.maximumInterfaceCount) interfaces")
        }
        rest = rest.dropFirst(Int(length))
      }
    }

    private mutating func take(descriptor fields: [UInt8]) {
      switch fields[1] {
      case DescriptorType.interface where fields.count >= 9:
        current = nil
        guard fields[3] == 0 else { return }
        settingCount += 1
        guard fields[5] == 3 else { return }
        current = interfaces.count
        interfaces.append(
          Interface(
            number: fields[2], subclass: fields[6], protocolCode: fields[7], string: fields[8]))
      case DescriptorType.hid where fields.count >= 9:
        if let current, interfaces[current].hid.isEmpty { interfaces[current].hid = fields }
      case DescriptorType.endpoint where fields.count >= 7: takeEndpoint(fields)
      default: break
      }
    }

    private mutating func takeEndpoint(_ fields: [UInt8]) {
      let (address, kind) = (fields[2], fields[3] & 3)
      let packet = (Int(fields[4]) | Int(fields[5]) << 8) & 0x7FF
      if kind != 1 { longestPacket = max(longestPacket, packet) }
      if kind != 3 || packet > 8 || fields[6] < 10 { hasOnlySlowEndpoints = false }
      guard let current, kind == 3, address & 0x0F != 0, address & 0x70 == 0 else { return }
      let endpoint = Endpoint(address: address, packetByteCount: packet, interval: fields[6])
      if address & 0x80 != 0 {
        if interfaces[current].input == nil { interfaces[current].input = endpoint }
      } else if interfaces[current].output == nil {
        interfaces[current].output = endpoint
      }
    }

    /// Returns the speed that the packets show; nil if they fit full speed and high speed.
    func speed(controlPacket: UInt8) -> USBSpeed? {
      if longestPacket > USBSpeed.full.longestPacket { return .high }
      if controlPacket == 8, hasOnlySlowEndpoints { return .low }
      return controlPacket == 64 ? nil : .full
    }
  }
}
