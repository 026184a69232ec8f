// SPDX-License-Identifier: Apache-2.0

/// Which device is meant by an address at any time, and what each says of itself.
///
/// An address belongs to another device once a device answers there with other descriptors, or was seen to go.
struct USBEnumeration {
  /// The most devices, one after the other at the same address or not.
  static let maximumDeviceCount = 4096

  private(set) var devices: [USBDeviceRecord] = []
  private var places: [USBAddress: Int] = [:]
  private var reportDescriptorCount = 0

  /// The place of the device that has an address now; a new one if nothing was heard of it before.
  ///
  /// - Throws: What is too much.
  mutating func place(of address: USBAddress) throws(USBLimit) -> Int {
    if let place = places[address] { return place }
    return try begin(USBDeviceRecord(at: address))
  }

  /// Takes note of a packet of an interrupt endpoint.
  mutating func take(_ packet: USBPacket, at place: Int) {
    if packet.isIn, packet.step == .completion {
      if packet.outcome == .gone { devices[place].isGone = true }
      if packet.outcome == .done, packet.byteCount > 0,
        devices[place].inputs[packet.endpoint] == nil
      {
        devices[place].inputs[packet.endpoint] = packet.number
      }
    } else if !packet.isIn, packet.step == .submission, packet.byteCount > 0,
      devices[place].outputs[packet.endpoint] == nil
    {
      devices[place].outputs[packet.endpoint] = packet.number
    }
  }

  /// Takes note of what a control transfer begins with.
  mutating func take(_ setup: USBSetup, number: Int, at place: Int) {
    if setup.isForeignToHID { devices[place].isForeign = true }
    guard let request = setup.reportRequest, request.type != nil,
      devices[place].requested[request.interface] == nil
    else { return }
    devices[place].requested[request.interface] = number
  }

  /// Takes note of a control transfer that has ended.
  ///
  /// - Returns: What is odd about it.
  /// - Throws: What is too much.
  mutating func take(_ transfer: USBControlTransfer) throws(USBLimit) -> USBOddity? {
    guard transfer.end?.outcome == .done else { return nil }
    let place = try place(of: devices[transfer.device].address)
    if transfer.setup.isSetConfiguration { devices[place].chosen = transfer.setup.number }
    switch transfer.setup.descriptor {
    case .device: try takeDevice(transfer, place)
    case .configuration: return try takeConfiguration(transfer, place)
    case .string(let index, let language): try takeString(transfer, index, language, place)
    case .report(let interface): return try takeReport(transfer, interface, place)
    case nil: break
    }
    return nil
  }

  @discardableResult
  private mutating func begin(_ record: USBDeviceRecord) throws(USBLimit) -> Int {
    guard devices.count < Self.maximumDeviceCount else { throw .devices }
    devices.append(record)
    places[record.address] = devices.count - 1
    return devices.count - 1
  }

  private mutating func takeDevice(
    _ transfer: USBControlTransfer, _ place: Int
  ) throws(USBLimit) {
    guard let found = USBDeviceDescriptor(transfer.data) else { return }
    let known = devices[place]
    guard known.isGone || known.descriptor.map({ $0 != found }) == true else {
      devices[place].descriptor = found
      return
    }
    var record = USBDeviceRecord(at: known.address)
    record.descriptor = found
    try begin(record)
  }

  private mutating func takeConfiguration(
    _ transfer: USBControlTransfer, _ place: Int
  ) throws(USBLimit) -> USBOddity? {
    guard let found = USBConfiguration(transfer.data) else { return nil }
    // Hosts read the first bytes alone to learn how many there are.
    guard found.isWhole || !transfer.isWhole else { return nil }
    if devices[place].take(found) {
      var record = USBDeviceRecord(at: devices[place].address)
      record.descriptor = devices[place].descriptor
      _ = record.take(found)
      try begin(record)
    }
    return transfer.isWhole ? nil : .configurationCut
  }

  private mutating func takeString(
    _ transfer: USBControlTransfer, _ index: UInt8, _ language: UInt16, _ place: Int
  ) throws(USBLimit) {
    // Hosts read two bytes first to learn how many there are.
    guard let descriptor = devices[place].descriptor, transfer.isWhole,
      transfer.data.count >= Int(transfer.data.first ?? 0),
      let text = USBString.text(transfer.data)
    else { return }
    if index == descriptor.productString, devices[place].product == nil {
      devices[place].product = text
    }
    guard index == descriptor.serialString else { return }
    let found = USBDeviceRecord.SerialNumber(text: text, language: language)
    guard let known = devices[place].serialNumber else {
      devices[place].serialNumber = found
      return
    }
    guard known.language == language, known.text != text else { return }
    // Another one of the same kind; what came before its serial number is as that of the first.
    var record = USBDeviceRecord(at: devices[place].address)
    record.descriptor = descriptor
    record.product = devices[place].product
    record.configurations = devices[place].configurations
    record.serialNumber = found
    try begin(record)
  }

  private mutating func takeReport(
    _ transfer: USBControlTransfer, _ interface: UInt8, _ place: Int
  ) throws(USBLimit) -> USBOddity? {
    guard transfer.byteCount > 0 else { return nil }
    guard transfer.byteCount <= HIDTraceReader.maximumDescriptorByteCount else {
      return .reportDescriptorTooLong
    }
    let found = USBDeviceRecord.ReportDescriptor(
      bytes: transfer.data, byteCount: transfer.byteCount, number: transfer.dataNumber)
    guard let known = devices[place].reportDescriptors[interface] else {
      guard reportDescriptorCount < HIDTraceReader.maximumDeviceCount else {
        throw .reportDescriptors
      }
      reportDescriptorCount += 1
      devices[place].reportDescriptors[interface] = found
      return nil
    }
    if found.bytes.count > known.bytes.count, found.bytes.starts(with: known.bytes) {
      devices[place].reportDescriptors[interface] = found
    } else if !known.bytes.starts(with: found.bytes) {
      return .reportDescriptorChanged(since: known.number)
    }
    return nil
  }
}

/// More than any capture of real devices has.
enum USBLimit: Error {
  case devices
  case reportDescriptors

  var message: String {
    switch self {
    case .devices:
      "belongs to one device more than the \(USBEnumeration.maximumDeviceCount) "
        + "that a capture can have"
    case .reportDescriptors:
      "holds one report descriptor more than the \(HIDTraceReader.maximumDeviceCount) "
        + "that a capture can have"
    }
  }
}

/// What is odd about a transfer, without making the capture unusable.
enum USBOddity {
  case configurationCut
  case reportDescriptorTooLong
  case reportDescriptorChanged(since: Int)
}
