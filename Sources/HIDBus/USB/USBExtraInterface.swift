// SPDX-License-Identifier: Apache-2.0

/// The check of the descriptors of an interface that is not HID.
///
/// The bytes are an interface descriptor and what follows it in the configuration descriptor:
/// descriptors of a class, endpoints, and alternate settings of the same interface. An interface
/// association can stand before it.
///
/// Source: USB 2.0, sections 9.6.5 and 9.6.6.
package struct USBExtraInterface {
  /// A fault of the bytes.
  package struct Fault: Error, Hashable, Sendable {
    /// The fault as "expected …, found …", or "byte 3: …".
    package let message: String
  }

  /// The longest descriptors of an interface, in bytes.
  package static let maximumByteCount = 4_096

  /// The addresses of the endpoints, sorted.
  package private(set) var endpoints: [UInt8] = []

  private typealias DescriptorType = USBDeviceDescription.DescriptorType

  /// Reads descriptors.
  ///
  /// - Parameters:
  ///   - bytes: The descriptors.
  ///   - number: The number that the interface must have.
  /// - Throws: The first fault of the bytes.
  package init(_ bytes: [UInt8], number: Int) throws(Fault) {
    guard bytes.count <= Self.maximumByteCount else {
      throw Fault(
        message: "expected at most \(Self.maximumByteCount) bytes, found \(bytes.count)")
    }
    var reading = Reading(number: number)
    var rest = bytes[...]
    while let length = rest.first {
      let start = rest.startIndex
      guard length >= 2, Int(length) <= rest.count else {
        throw Fault(
          message: "byte \(start): expected the length of a descriptor, 2 to \(rest.count), "
            + "found \(length)")
      }
      try reading.take(rest.prefix(Int(length)))
      rest = rest.dropFirst(Int(length))
    }
    try reading.endSetting(at: bytes.count)
    guard reading.settingCount > 0 else {
      throw Fault(message: "expected an interface descriptor, found none")
    }
    endpoints = reading.endpoints.sorted()
  }

  /// The state between two descriptors.
  private struct Reading {
    let number: Int
    var settingCount = 0
    var endpoints: Set<UInt8> = []
    /// The number of endpoints that the last interface descriptor declares.
    private var declared = 0
    private var found: Set<UInt8> = []

    init(number: Int) { self.number = number }

    mutating func take(_ descriptor: ArraySlice<UInt8>) throws(Fault) {
      let fields = Array(descriptor)
      let start = descriptor.startIndex
      let type = fields[1]
      switch type {
      case DescriptorType.association where settingCount == 0: break
      case DescriptorType.interface: try takeInterface(fields, at: start)
      case _ where settingCount == 0:
        throw Fault(
          message: "byte \(start): expected an interface descriptor (type 4), found type \(type)")
      case DescriptorType.device, DescriptorType.configuration, DescriptorType.association:
        throw Fault(
          message: "byte \(start): expected a descriptor of the interface, found type \(type)")
      case DescriptorType.endpoint: try takeEndpoint(fields, at: start)
      default: break
      }
    }

    private mutating func takeInterface(_ fields: [UInt8], at start: Int) throws(Fault) {
      try endSetting(at: start)
      guard fields.count >= 9 else {
        throw Fault(
          message: "byte \(start): expected an interface descriptor of 9 bytes, found "
            + "\(fields.count)")
      }
      guard Int(fields[2]) == number else {
        throw Fault(
          message: "byte \(start + 2): expected the interface number \(number), found "
            + "\(fields[2])")
      }
      guard Int(fields[3]) == settingCount else {
        throw Fault(
          message: "byte \(start + 3): expected the alternate setting \(settingCount), found "
            + "\(fields[3])")
      }
      settingCount += 1
      declared = Int(fields[4])
    }

    private mutating func takeEndpoint(_ fields: [UInt8], at start: Int) throws(Fault) {
      guard fields.count >= 7 else {
        throw Fault(
          message: "byte \(start): expected an endpoint descriptor of 7 bytes, found "
            + "\(fields.count)")
      }
      let address = fields[2]
      guard address & 0x70 == 0, address & 0x0F != 0, found.insert(address).inserted else {
        throw Fault(
          message: "byte \(start + 2): expected the address of another endpoint of the "
            + "interface, found \(address)")
      }
      endpoints.insert(address)
    }

    /// Checks the number of endpoints of the setting that ends.
    mutating func endSetting(at end: Int) throws(Fault) {
      guard found.count == declared else {
        throw Fault(
          message: "byte \(end): expected \(declared) endpoint descriptors before it, found "
            + "\(found.count)")
      }
      found = []
    }
  }
}
