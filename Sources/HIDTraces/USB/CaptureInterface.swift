// SPDX-License-Identifier: Apache-2.0

/// A HID interface of a device in a capture, from its descriptors or deduced from its traffic.
struct CaptureInterface {
  /// The index of the USB device in the capture.
  var device: Int
  var number: UInt8
  /// The interrupt endpoints that send to the host, with a bit for each number.
  var inputs: UInt16 = 0
  /// The interrupt endpoints that receive from the host, with a bit for each number.
  var outputs: UInt16 = 0
  var descriptor: USBDeviceRecord.ReportDescriptor?
  /// The number of the first packet with a report of the interface, or with a request for one; nil
  /// if there is none.
  var traffic: Int?
  /// True if all requests to the device belong to this interface, whatever interface they name.
  var isAlone = false

  /// True if the complete report descriptor of the interface was captured, or was given.
  var isDescribed: Bool { descriptor?.isWhole == true }
  /// The number of the packet with its report descriptor, or else of its first traffic; else 0.
  var line: Int { descriptor?.number ?? traffic ?? 0 }

  /// Returns the HID interfaces of a device.
  static func all(of record: USBDeviceRecord, at device: Int) -> [CaptureInterface] {
    guard let configuration = record.configuration else {
      return record.canHaveHID ? guessed(of: record, at: device, beside: []) : []
    }
    let known = configuration.interfaces.map { interface in
      var found = CaptureInterface(
        device: device, number: interface.number, inputs: interface.inputs,
        outputs: interface.outputs, descriptor: record.reportDescriptors[interface.number])
      found.findTraffic(in: record)
      return found
    }
    return configuration.isWhole ? known : known + guessed(of: record, at: device, beside: known)
  }

  /// Returns the interfaces of a device that are not in the captured part of its configuration.
  ///
  /// Interrupt endpoints are assigned to interfaces in order, because nearly all devices number
  /// both in the same order.
  private static func guessed(
    of record: USBDeviceRecord, at device: Int, beside known: [CaptureInterface]
  ) -> [CaptureInterface] {
    let taken = known.map(\.number)
    let claimed = known.reduce(0) { $0 | $1.inputs }
    let described = record.reportDescriptors.keys.filter { !taken.contains($0) }.sorted()
    let endpoints = record.inputs.keys.filter { claimed & bit($0) == 0 }.sorted()
    let requested = record.requested.keys.filter { !taken.contains($0) }.sorted()
    var numbers: [UInt8]
    if !described.isEmpty {
      numbers = described
    } else if endpoints.isEmpty {
      numbers = known.isEmpty ? requested : []
    } else if endpoints.count == 1, let number = requested.first {
      numbers = [number]
    } else {
      numbers = free(endpoints.count, beside: taken)
    }
    var found = numbers.map {
      CaptureInterface(device: device, number: $0, descriptor: record.reportDescriptors[$0])
    }
    if endpoints.count == numbers.count {
      for (place, endpoint) in endpoints.enumerated() { found[place].inputs = bit(endpoint) }
    } else {
      // The capture does not show which endpoint belongs to which described interface.
      found += zip(free(endpoints.count, beside: taken + described), endpoints).map {
        CaptureInterface(device: device, number: $0, inputs: bit($1))
      }
    }
    let isAlone = known.isEmpty && found.count == 1
    for endpoint in record.outputs.keys.sorted() {
      let bit = bit(endpoint)
      let place = isAlone ? 0 : found.firstIndex { $0.inputs & bit != 0 }
      if let place { found[place].outputs |= bit }
    }
    if isAlone { found[0].isAlone = true }
    for place in found.indices { found[place].findTraffic(in: record) }
    return found
  }

  /// Returns the lowest numbers that no interface has.
  private static func free(_ count: Int, beside taken: [UInt8]) -> [UInt8] {
    Array((UInt8.min...UInt8.max).filter { !taken.contains($0) }.prefix(count))
  }

  private static func bit(_ endpoint: UInt8) -> UInt16 { 1 << UInt16(endpoint & 0x0F) }

  private mutating func findTraffic(in record: USBDeviceRecord) {
    let sent = record.inputs.filter { inputs & Self.bit($0.key) != 0 }.map(\.value)
    let received = record.outputs.filter { outputs & Self.bit($0.key) != 0 }.map(\.value)
    let requests = record.requested.filter { $0.key == number || isAlone }.map(\.value)
    traffic = (sent + received + requests).min()
  }
}
