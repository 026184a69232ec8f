// SPDX-License-Identifier: Apache-2.0

/// The devices of a capture: their addresses at any time, and their descriptors.
///
/// A different device descriptor, configuration or serial number at an address is that of a new
/// device. A device descriptor that is read after the device at the address was unplugged is also
/// that of a new device.
struct USBEnumeration {
  /// The largest number of devices, including devices that had the same address in turn.
  static let maximumDeviceCount = 4096

  private(set) var devices: [USBDeviceRecord] = []
  private var places: [USBAddress: Int] = [:]
  private var reportDescriptorCount = 0
  /// The number of bytes of answers that can still be kept, for all devices.
  private var answerRoom = 16 << 20

  /// Returns the index of the device that has an address now; adds a device for a new address.
  ///
  /// - Throws: `USBLimit` if there are too many devices.
  mutating func place(of address: USBAddress) throws(USBLimit) -> Int {
    if let place = places[address] { return place }
    return try begin(USBDeviceRecord(at: address))
  }

  /// Records a packet of an interrupt endpoint.
  mutating func take(_ packet: USBPacket, at place: Int) {
    if packet.step == .submission, packet.interval > 0 {
      devices[place].intervals[packet.endpoint] = packet.interval
    }
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

  /// Records the setup of a control transfer.
  mutating func take(_ setup: USBSetup, number: Int, at place: Int) {
    if setup.isForeignToHID { devices[place].isForeign = true }
    guard let request = setup.reportRequest, request.type != nil,
      devices[place].requested[request.interface] == nil
    else { return }
    devices[place].requested[request.interface] = number
  }

  /// Records a control transfer that has ended, and ignores one without success.
  ///
  /// - Returns: An unusual property of the transfer; nil if there is none.
  /// - Throws: `USBLimit` if there are too many devices or report descriptors.
  mutating func take(_ transfer: USBControlTransfer) throws(USBLimit) -> USBOddity? {
    guard transfer.end?.outcome == .done else { return nil }
    let place = try place(of: devices[transfer.device].address)
    // Number 0 chooses none, as a host does before it removes a device.
    if transfer.setup.isSetConfiguration, transfer.setup.number != 0 {
      devices[place].chosen = transfer.setup.number
    }
    let oddity: USBOddity?
    switch transfer.setup.descriptor {
    case .device: oddity = try takeDevice(transfer, place)
    case .configuration: oddity = try takeConfiguration(transfer, place)
    case .string(let index, let language):
      oddity = try takeString(transfer, index, language, place)
    case .report(let interface): oddity = try takeReport(transfer, interface, place)
    case nil: oddity = nil
    }
    try keepAnswer(transfer)
    return oddity
  }

  /// Keeps the answer to a request for a descriptor as the device sent it.
  private mutating func keepAnswer(_ transfer: USBControlTransfer) throws(USBLimit) {
    guard transfer.setup.readsDescriptor, transfer.isWhole, !transfer.data.isEmpty else { return }
    // The answer can be that of a new device at the address.
    let place = try place(of: devices[transfer.device].address)
    answerRoom -= devices[place].keep(transfer.data, to: transfer.setup, room: answerRoom)
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
  ) throws(USBLimit) -> USBOddity? {
    guard let found = USBDeviceDescriptor(transfer.data) else { return nil }
    let known = devices[place]
    guard known.isGone || known.descriptor.map({ $0 != found }) == true else {
      devices[place].descriptor = found
      return nil
    }
    var record = USBDeviceRecord(at: known.address)
    record.descriptor = found
    try begin(record)
    return nil
  }

  private mutating func takeConfiguration(
    _ transfer: USBControlTransfer, _ place: Int
  ) throws(USBLimit) -> USBOddity? {
    guard let found = USBConfiguration(transfer.data) else { return nil }
    // Hosts first read only the start of the descriptor, to learn its length.
    guard found.isWhole || !transfer.isWhole else { return nil }
    if devices[place].take(found) {
      var record = USBDeviceRecord(at: devices[place].address)
      record.descriptor = devices[place].descriptor
      copyAnswers(from: devices[place], to: &record, without: transfer.setup)
      _ = record.take(found)
      try begin(record)
    }
    return transfer.isWhole ? nil : .configurationCut
  }

  private mutating func takeString(
    _ transfer: USBControlTransfer, _ index: UInt8, _ language: UInt16, _ place: Int
  ) throws(USBLimit) -> USBOddity? {
    // Hosts first read two bytes, to learn the length.
    guard let descriptor = devices[place].descriptor, transfer.isWhole,
      transfer.data.count >= Int(transfer.data.first ?? 0),
      let text = USBString.text(transfer.data)
    else { return nil }
    if index == descriptor.productString, devices[place].product == nil {
      devices[place].product = text
    }
    guard index == descriptor.serialString else { return nil }
    let found = USBDeviceRecord.SerialNumber(text: text, language: language)
    guard let known = devices[place].serialNumber else {
      devices[place].serialNumber = found
      return nil
    }
    guard known.language == language, known.text != text else { return nil }
    // The serial number is that of another device of the same model. The data that were read
    // before the serial number are the same for both devices.
    var record = USBDeviceRecord(at: devices[place].address)
    record.descriptor = descriptor
    record.product = devices[place].product
    record.configurations = devices[place].configurations
    record.serialNumber = found
    copyAnswers(from: devices[place], to: &record, without: transfer.setup)
    try begin(record)
    return nil
  }

  private mutating func copyAnswers(
    from known: USBDeviceRecord, to record: inout USBDeviceRecord, without setup: USBSetup
  ) {
    let count = known.answers.reduce(0) { $0 + $1.bytes.count }
    guard count <= answerRoom else { return }
    record.copyAnswers(from: known)
    answerRoom -= count - record.forget(setup)
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

/// The error of a capture with more devices or report descriptors than any real one.
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

/// An unusual property of a transfer that does not make the capture unusable.
enum USBOddity {
  case configurationCut
  case reportDescriptorTooLong
  case reportDescriptorChanged(since: Int)
}
