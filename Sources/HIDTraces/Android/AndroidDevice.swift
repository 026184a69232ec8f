// SPDX-License-Identifier: Apache-2.0

package import HIDText

/// A device as Android's `hid` program registers it.
package struct AndroidDevice: Sendable {
  /// The longest name that the kernel takes, in bytes: that of `UHID_CREATE2` without the final
  /// zero.
  package static let maximumNameByteCount = 127
  /// The longest serial number that the kernel takes, in bytes.
  package static let maximumSerialNumberByteCount = 63

  /// An output report, and the input report that answers it, each with its ID as first byte if it
  /// is numbered.
  package struct Output: Hashable, Sendable {
    package let output: [UInt8]
    package let response: [UInt8]
  }

  /// The name; nil if the command `register` has none.
  package var name: String?
  package var vendorID: UInt16
  package var productID: UInt16
  /// True if the device is on USB, false if it is on Bluetooth.
  package var isUSB: Bool
  /// The serial number; nil if the command `register` has none.
  package var serialNumber: String?
  /// The bytes of the report descriptor, which may be invalid.
  package var descriptor: [UInt8]
  package var descriptorLocation: HIDTextLocation
  /// The answers to get-report requests, by report ID; nil if the device never answers them.
  package var featureReports: [UInt8: [UInt8]]?
  package var outputs: [Output]
}

// MARK: - Reading

extension AndroidCommandReader {
  mutating func device(_ node: JSONNode) -> AndroidDevice? {
    guard let descriptorNode = problems.required("descriptor", of: node, "the device"),
      let descriptor = problems.bytes(descriptorNode, "the descriptor")
    else { return nil }
    let limit = HIDTraceReader.maximumDescriptorByteCount
    guard (1...limit).contains(descriptor.count) else {
      problems.add(
        "the descriptor is \(descriptor.count) bytes long; expected 1 to \(limit)",
        at: descriptorNode.location)
      return nil
    }
    return AndroidDevice(
      name: node["name"].flatMap {
        problems.text(
          $0, "the name", maximumByteCount: AndroidDevice.maximumNameByteCount)
      },
      vendorID: number("vid", node), productID: number("pid", node), isUSB: isUSB(node),
      serialNumber: node["uniq"].flatMap {
        problems.text(
          $0, "uniq", maximumByteCount: AndroidDevice.maximumSerialNumberByteCount,
          canBeEmpty: true)
      },
      descriptor: descriptor, descriptorLocation: descriptorNode.location,
      featureReports: node["feature_reports"].map { featureReports($0) },
      outputs: node["outputs"].map { outputs($0) } ?? [])
  }

  /// Reads the bus, in upper or lower case, and returns whether it is USB.
  ///
  /// A command without the key `bus` means Bluetooth: older commands do not have the key. For
  /// another value, adds a problem and returns false.
  private mutating func isUSB(_ node: JSONNode) -> Bool {
    guard let bus = node["bus"] else { return false }
    if case .string(let text) = bus.value {
      if text.lowercased() == "usb" { return true }
      if text.lowercased() == "bluetooth" { return false }
    }
    problems.unexpected("\"usb\" or \"bluetooth\"", bus)
    return false
  }

  private mutating func number(_ key: String, _ node: JSONNode) -> UInt16 {
    let number = node[key].flatMap { problems.integer($0, "\"\(key)\"", in: 0...0xFFFF) }
    return UInt16(truncatingIfNeeded: number ?? 0)
  }

  private mutating func featureReports(_ node: JSONNode) -> [UInt8: [UInt8]] {
    var reports: [UInt8: [UInt8]] = [:]
    for element in problems.elements(node, "the feature reports") ?? [] {
      guard problems.object(element, "a feature report", keys: ["id", "data"]) != nil,
        let data = bytes("data", element)
      else { continue }
      let id = element["id"].flatMap { problems.integer($0, "\"id\"", in: 0...255) }
      reports[UInt8(truncatingIfNeeded: id ?? 0)] = data
    }
    return reports
  }

  private mutating func outputs(_ node: JSONNode) -> [AndroidDevice.Output] {
    var outputs: [AndroidDevice.Output] = []
    for element in problems.elements(node, "the outputs") ?? [] {
      guard
        problems.object(element, "an output", keys: ["description", "output", "response"]) != nil,
        let output = bytes("output", element), let response = bytes("response", element)
      else { continue }
      outputs.append(AndroidDevice.Output(output: output, response: response))
    }
    return outputs
  }
}
