// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The captured data of a device, from the time it is plugged until it is unplugged.
struct USBDeviceRecord {
  /// A report descriptor, as far as it was captured.
  struct ReportDescriptor {
    var bytes: [UInt8]
    /// The number of bytes that the device sent.
    var byteCount: Int
    /// The number of the packet with the descriptor.
    var number: Int

    var isWhole: Bool { bytes.count >= byteCount }
  }
  /// A serial number in one of the device's languages.
  struct SerialNumber {
    var text: String
    var language: UInt16
  }
  /// A request for a descriptor.
  private struct Request: Hashable {
    var requestType: UInt8
    var value: UInt16
    var index: UInt16
  }
  private static let maximumConfigurationCount = 4
  /// The largest number of descriptors that are kept.
  private static let maximumAnswerCount = 512

  let address: USBAddress
  var descriptor: USBDeviceDescriptor?
  var product: String?
  var serialNumber: SerialNumber?
  var configurations: [USBConfiguration] = []
  /// The value of the configuration that the host chose last; nil if the capture does not have it.
  var chosen: UInt8?
  /// The report descriptors by the number of the interface.
  var reportDescriptors: [UInt8: ReportDescriptor] = [:]
  /// The interrupt endpoints that sent data, each with the number of the first packet with its
  /// data.
  var inputs: [UInt8: Int] = [:]
  /// The interrupt endpoints that received data, each with the number of the first packet with its
  /// data.
  var outputs: [UInt8: Int] = [:]
  /// The interfaces with valid report requests, each with the number of the packet of the first.
  var requested: [UInt8: Int] = [:]
  /// The descriptors as the device sent them, in the order in which the host read them first.
  private(set) var answers: [CapturedUSBDevice.Descriptor] = []
  private var answerPlaces: [Request: Int] = [:]
  /// The periods of the interrupt endpoints in the transfers of the host, by their addresses.
  var intervals: [UInt8: UInt32] = [:]
  /// True if a packet showed that the device was unplugged.
  var isGone = false
  /// True if a request showed that the device is not a HID device.
  var isForeign = false

  init(at address: USBAddress) { self.address = address }

  /// Keeps the longest answer to a request for a descriptor.
  ///
  /// - Parameter room: The largest number of bytes that the answer may take.
  /// - Returns: The number of bytes by which the kept answers have grown.
  mutating func keep(_ bytes: [UInt8], to setup: USBSetup, room: Int) -> Int {
    let request = Request(
      requestType: setup.requestType, value: setup.value, index: setup.index)
    if let place = answerPlaces[request] {
      let growth = bytes.count - answers[place].bytes.count
      guard growth > 0, growth <= room else { return 0 }
      answers[place].bytes = bytes
      return growth
    }
    guard answers.count < Self.maximumAnswerCount, bytes.count <= room else { return 0 }
    answerPlaces[request] = answers.count
    answers.append(
      CapturedUSBDevice.Descriptor(
        requestType: setup.requestType, value: setup.value, index: setup.index, bytes: bytes))
    return bytes.count
  }

  /// Takes the answers to requests for descriptors from another device of the same model.
  mutating func copyAnswers(from other: USBDeviceRecord) {
    answers = other.answers
    answerPlaces = other.answerPlaces
  }

  /// Removes the kept answer to a request for a descriptor, which is that of another device.
  ///
  /// - Returns: The number of bytes that the answer had.
  mutating func forget(_ setup: USBSetup) -> Int {
    let request = Request(
      requestType: setup.requestType, value: setup.value, index: setup.index)
    guard let place = answerPlaces[request] else { return 0 }
    defer { answers[place].bytes = [] }
    return answers[place].bytes.count
  }

  /// The configuration that the host chose, or else the first one; nil if none was captured.
  var configuration: USBConfiguration? {
    configurations.first { $0.value == chosen } ?? configurations.first
  }

  /// True if the device can have a HID interface, as far as is known.
  var canHaveHID: Bool { !isForeign && descriptor?.canHaveHID != false }

  /// The name for a device without a product name.
  var fallbackName: String {
    guard let descriptor else { return "usb device \(address.bus).\(address.device)" }
    return
      "usb device \(descriptor.vendorID.hexDigits()):\(descriptor.productID.hexDigits())"
  }

  /// Adds a configuration, or replaces an incomplete one; a fifth one is left out.
  ///
  /// - Returns: True if the configuration belongs to another device, because this device has a
  ///   different configuration with the same value.
  mutating func take(_ configuration: USBConfiguration) -> Bool {
    guard let place = configurations.firstIndex(where: { $0.value == configuration.value }) else {
      if configurations.count < Self.maximumConfigurationCount {
        configurations.append(configuration)
      }
      return false
    }
    if !configurations[place].isWhole {
      configurations[place] = configuration
    } else if configuration.isWhole, configurations[place] != configuration {
      return true
    }
    return false
  }

  /// Returns the device with its descriptors; nil without a whole device descriptor and
  /// configuration.
  ///
  /// - Parameter index: The index of the device in the capture.
  func captured(at index: Int) -> CapturedUSBDevice? {
    guard descriptor != nil, configuration?.isWhole == true else { return nil }
    return CapturedUSBDevice(
      index: index, name: product ?? fallbackName,
      descriptors: answers.filter { !$0.bytes.isEmpty }, intervals: intervals,
      configurationValue: configuration?.value)
  }
}
