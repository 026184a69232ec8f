// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// The pairing of the devices of two traces.
struct TracePairing: Sendable {
  /// The indices of the devices that both traces have, in the order of the first trace.
  private(set) var pairs: [(first: Int, second: Int)] = []
  /// The indices of the devices that only the first trace has.
  private(set) var missing: [Int]
  /// The indices of the devices that only the second trace has.
  private(set) var added: [Int]

  /// Pairs devices in several steps.
  ///
  /// - First: devices with the same descriptor, identity, serial number and name.
  /// - Then: devices with the same descriptor and identity.
  /// - Then: devices with the same descriptor.
  /// - Last: the remaining devices by order if both traces have the same number of devices,
  ///   otherwise by identity.
  init(_ first: [HIDTraceDevice], _ second: [HIDTraceDevice]) {
    missing = Array(first.indices)
    added = Array(second.indices)
    pair(first, second) { $0.descriptor == $1.descriptor && $0.isSame($1) && $0.name == $1.name }
    pair(first, second) { $0.descriptor == $1.descriptor && $0.identity == $1.identity }
    pair(first, second) { $0.descriptor == $1.descriptor }
    if first.count == second.count {
      pairs += zip(missing, added).map { (first: $0, second: $1) }
      missing = []
      added = []
    } else {
      pair(first, second) { $0.identity != nil && $0.identity == $1.identity }
    }
    pairs.sort { $0.first < $1.first }
  }

  private mutating func pair(
    _ first: [HIDTraceDevice], _ second: [HIDTraceDevice],
    _ isPair: (HIDTraceDevice, HIDTraceDevice) -> Bool
  ) {
    missing.removeAll { one in
      guard let place = added.firstIndex(where: { isPair(first[one], second[$0]) }) else {
        return false
      }
      pairs.append((first: one, second: added.remove(at: place)))
      return true
    }
  }
}

extension HIDTraceDevice {
  fileprivate func isSame(_ other: HIDTraceDevice) -> Bool {
    identity == other.identity && serialNumber == other.serialNumber
  }

  /// Returns the properties that both traces have of one device and that differ.
  func aspects(_ other: HIDTraceDevice) -> [HIDDescriptorDifference.Aspect] {
    func words(_ identity: Identity) -> String {
      [identity.busType, identity.vendorID, identity.productID].map { $0.hexDigits() }
        .joined(separator: ":")
    }
    let said = [
      ("name", name, other.name),
      ("ids", identity.map(words), other.identity.map(words)),
      ("serial number", serialNumber, other.serialNumber),
      ("version", versionNumber?.hexDigits(), other.versionNumber?.hexDigits()),
    ]
    return said.compactMap { name, before, after in
      guard let before, let after, before != after else { return nil }
      return .init(name: name, before: before, after: after)
    }
  }
}

extension [HIDTraceDevice] {
  /// The label of each device: its name, or `device 1` and so on for a device without a name.
  ///
  /// Further devices with the same name have `#2` and so on after it.
  package var labels: [String] {
    var counts: [String: Int] = [:]
    return enumerated().map { place, device in
      let name = device.name ?? "device \(place + 1)"
      let number = counts[name, default: 0] + 1
      counts[name] = number
      return number == 1 ? name : "\(name)#\(number)"
    }
  }
}
