// SPDX-License-Identifier: Apache-2.0

/// The numbers by which hosts name the interfaces and endpoints of a device.
extension USBDeviceDescription {
  /// Returns the index of the HID interface with an endpoint; nil if there is none.
  package func interface(ofEndpoint address: UInt8) -> Int? {
    if let layout {
      return layout.interfaces.firstIndex {
        $0.input?.address == address || $0.output?.address == address
      }
    }
    let index = Int(address & 0x0F) - 1
    guard address & 0x70 == 0, interfaces.indices.contains(index) else { return nil }
    return address & 0x80 != 0 || interfaces[index].output != nil ? index : nil
  }

  /// Returns the addresses of the endpoints of an interface, input before output.
  package func endpoints(ofInterface index: Int) -> [UInt8] {
    endpointAddresses.filter { interface(ofEndpoint: $0) == index }
  }

  /// Returns the index of the HID interface with a number; nil if there is none.
  package func interface(numbered number: UInt8) -> Int? {
    if let layout { return layout.interfaces.firstIndex { $0.number == number } }
    return interfaces.indices.contains(Int(number)) ? Int(number) : nil
  }

  /// Returns the number of the HID interface with an index.
  package func number(ofInterface index: Int) -> UInt8 {
    layout?.interfaces[index].number ?? UInt8(truncatingIfNeeded: index)
  }

  /// The value by which the host chooses the configuration.
  package var chosenConfiguration: UInt8 {
    layout?.configurationValue ?? Self.configurationValue
  }

  /// Replaces the derived descriptors by those of a real device.
  ///
  /// - Parameter layout: The descriptors, with as many HID interfaces as the device has.
  mutating func apply(_ layout: USBLayout) {
    func number(at index: Int) -> UInt16 {
      UInt16(layout.device[index]) | UInt16(layout.device[index + 1]) << 8
    }
    self.layout = layout
    usbVersion = number(at: 2)
    deviceClass = (layout.device[4], layout.device[5], layout.device[6])
    (vendorID, productID, versionNumber) = (number(at: 8), number(at: 10), number(at: 12))
    isSelfPowered = layout.isSelfPowered
    wakesHosts = layout.wakesHosts
    for (index, interface) in layout.interfaces.enumerated() {
      interfaces[index].boot =
        interface.subclass == 1
        ? USBInterfaceDescription.Boot(rawValue: interface.protocolCode) ?? .none : .none
      if let input = interface.input { interfaces[index].input = .init(input) }
      interfaces[index].output = interface.output.map(USBInterfaceDescription.Endpoint.init)
    }
  }
}

extension USBInterfaceDescription.Endpoint {
  fileprivate init(_ endpoint: USBLayout.Endpoint) {
    self.init(packetByteCount: endpoint.packetByteCount, interval: endpoint.interval)
  }
}
