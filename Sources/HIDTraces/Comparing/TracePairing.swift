// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// Which devices of two traces are the same.
struct TracePairing: Sendable {
  /// The places of the devices that both have, in the order of the first trace.
  private(set) var pairs: [(first: Int, second: Int)] = []
  /// The places of those that only the first has.
  private(set) var missing: [Int]
  /// The places of those that only the second has.
  private(set) var added: [Int]

  /// Pairs devices: those that are the same in all, then by what they are, then what is left by order, where it is the same
  /// number, or by the ids.
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

  /// What two traces say of one device that is not the same; what only one of them says is left out.
  func aspects(_ other: HIDTraceDevice) -> [HIDDescriptorDifference.Aspect] {
    func words(_ identity: Identity) -> String {
      [identity.busType, identity.vendorID, identity.productID].map(\.fourDigits)
        .joined(separator: ":")
    }
    let said = [
      ("name", name, other.name),
      ("ids", identity.map(words), other.identity.map(words)),
      ("serial number", serialNumber, other.serialNumber),
      ("version", versionNumber?.fourDigits, other.versionNumber?.fourDigits),
    ]
    return said.compactMap { name, before, after in
      guard let before, let after, before != after else { return nil }
      return .init(name: name, before: before, after: after)
    }
  }
}

extension UInt16 {
  /// The number in four hexadecimal digits.
  package var fourDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension [HIDTraceDevice] {
  /// What people are told of each: its name, with `#2` and so on for twins.
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
