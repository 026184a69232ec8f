// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDBus

@Suite("Descriptors and control requests of a USB device") struct USBDescriptorTests {
  /// A keyboard as in HID 1.11, appendix E, but with one interface, HID 1.11 and USB 2.0.
  private static let keyboard: USBDeviceDescription = {
    var interface = USBInterfaceDescription(
      reportDescriptor: [UInt8](repeating: 0xC0, count: 63),
      input: .init(packetByteCount: 8, interval: 10))
    interface.boot = .keyboard
    var device = USBDeviceDescription(
      vendorID: 0xFFFF, productID: 1, versionNumber: 1, interfaces: [interface])
    device.speed = .low
    device.manufacturer = "hidsim"
    device.product = "Keyboard"
    device.wakesHosts = true
    return device
  }()

  @Test("a keyboard's descriptors are those of the HID specification")
  func bytes() {
    #expect(
      Self.keyboard.deviceDescriptor == [
        0x12, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x08, 0xFF, 0xFF, 0x01, 0x00, 0x01, 0x00, 0x01,
        0x02, 0x00, 0x01,
      ])
    #expect(
      Self.keyboard.configurationDescriptor == [
        0x09, 0x02, 0x22, 0x00, 0x01, 0x01, 0x00, 0xA0, 0x32,
        0x09, 0x04, 0x00, 0x00, 0x01, 0x03, 0x01, 0x01, 0x00,
        0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, 0x3F, 0x00,
        0x07, 0x05, 0x81, 0x03, 0x08, 0x00, 0x0A,
      ])
    #expect(Self.keyboard.qualifier == nil)
  }

  @Test("a second interface has its own number, endpoints and string")
  func composite() {
    var device = Self.keyboard
    device.speed = .high
    var second = USBInterfaceDescription(
      reportDescriptor: [0xC0], input: .init(packetByteCount: 64, interval: 4),
      output: .init(packetByteCount: 32, interval: 4))
    second.name = "raw"
    device.interfaces.append(second)
    #expect(
      device.configurationDescriptor[34...] == [
        0x09, 0x04, 0x01, 0x00, 0x02, 0x03, 0x00, 0x00, 0x03,
        0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, 0x01, 0x00,
        0x07, 0x05, 0x82, 0x03, 0x40, 0x00, 0x04, 0x07, 0x05, 0x02, 0x03, 0x20, 0x00, 0x04,
      ])
    #expect(device.configurationDescriptor[2...4] == [66, 0, 2])
    #expect(device.stringDescriptor(3) == [8, 3] + Array("r\0a\0w\0".utf8))
    #expect(device.qualifier == [10, 6, 0, 2, 0, 0, 0, 64, 1, 0])
  }

  @Test("strings are in UTF-16, and long ones are cut between characters")
  func strings() {
    var device = Self.keyboard
    device.product = String(repeating: "a", count: 125) + "\u{1F600}"
    device.strings[200] = "ä"
    #expect(device.stringDescriptor(0) == [4, 3, 9, 4])
    #expect(device.stringDescriptor(2)?.count == 252)
    #expect(device.stringDescriptor(200) == [4, 3, 0xE4, 0])
    #expect(device.stringDescriptor(3) == nil)
  }

  @Test("the period of an endpoint is in milliseconds, or at high speed in microframes")
  func periods() {
    #expect(USBSpeed.full.period(10) == .milliseconds(10))
    #expect(USBSpeed.high.period(1) == .microseconds(125))
    #expect(USBSpeed.high.period(4) == .milliseconds(1))
    #expect(USBSpeed.high.period(255) == USBSpeed.high.period(16))
    #expect(USBSpeed.low.period(0) == .milliseconds(1))
  }

  private func answer(
    _ model: inout USBControlModel, _ type: UInt8, _ request: UInt8, _ value: UInt16 = 0,
    _ index: UInt16 = 0, _ length: UInt16 = 0, _ data: [UInt8] = []
  ) -> (USBControlModel.Answer, [USBControlModel.Change]) {
    var changes: [USBControlModel.Change] = []
    let setup = USBSetupPacket(
      requestType: type, request: request, value: value, index: index, length: length)
    return (model.answer(setup, data, changes: &changes), changes)
  }

  @Test("a descriptor is cut to the length that the host takes, and a missing one is a stall")
  func descriptors() {
    var model = USBControlModel(Self.keyboard)
    let device = Self.keyboard.deviceDescriptor
    #expect(answer(&model, 0x80, 6, 0x0100, 0, 8).0 == .data(Array(device[..<8])))
    #expect(answer(&model, 0x80, 6, 0x0100, 0, 255).0 == .data(device))
    #expect(answer(&model, 0x81, 6, 0x2200, 0, 63).0 == .data(.init(repeating: 0xC0, count: 63)))
    #expect(answer(&model, 0x81, 6, 0x2200, 1, 63).0 == .stall)
    #expect(answer(&model, 0x80, 6, 0x0600, 0, 10).0 == .stall)
    #expect(answer(&model, 0x80, 6, 0x0309, 0x0409, 255).0 == .stall)
    #expect(answer(&model, 0x40, 1).0 == .stall)
  }

  @Test("the host configures the device, and a new configuration ends halts")
  func configuration() {
    var model = USBControlModel(Self.keyboard)
    #expect(answer(&model, 2, 3, 0, 0x81).0 == .stall)
    #expect(answer(&model, 0, 9, 1) == (.accepted, [.configured(true)]))
    #expect(answer(&model, 0x80, 8, 0, 0, 1).0 == .data([1]))
    #expect(answer(&model, 2, 3, 0, 0x81) == (.accepted, [.halted(endpoint: 0x81, true)]))
    #expect(answer(&model, 0x82, 0, 0, 0x81, 2).0 == .data([1, 0]))
    #expect(answer(&model, 2, 3, 0, 0x01).0 == .stall)
    #expect(answer(&model, 0, 9, 1).0 == .accepted)
    #expect(model.halted.isEmpty)
    #expect(answer(&model, 0, 9, 2).0 == .stall)
    #expect(answer(&model, 0, 3, 1) == (.accepted, [.wakeUp(isAllowed: true)]))
    #expect(answer(&model, 0x80, 0, 0, 0, 2).0 == .data([2, 0]))
    #expect(answer(&model, 0, 9, 0) == (.accepted, [.configured(false)]))
    #expect(model.mayWakeHost)
  }

  @Test("reports, idle rates and protocols are requests to the interface")
  func classRequests() throws {
    var model = USBControlModel(Self.keyboard)
    let three = try #require(HIDReportID(rawValue: 3))
    #expect(
      answer(&model, 0xA1, 1, 0x0303, 0, 8).0 == .getReport(interface: 0, .feature, three))
    #expect(
      answer(&model, 0x21, 9, 0x0200, 0, 1, [2]).0 == .setReport(interface: 0, .output, nil, [2]))
    #expect(answer(&model, 0x21, 9, 0x0400, 0, 1, [2]).0 == .stall)
    #expect(answer(&model, 0x21, 10, 0x7D00) == (.accepted, [.idle(interface: 0, nil, 0x7D)]))
    #expect(answer(&model, 0xA1, 2, 3, 0, 1).0 == .data([0x7D]))
    #expect(answer(&model, 0x21, 10, 0x0103) == (.accepted, [.idle(interface: 0, three, 1)]))
    #expect(model.idleRate(interface: 0, three) == 1)
    #expect(answer(&model, 0xA1, 3, 0, 0, 1).0 == .data([1]))
    #expect(answer(&model, 0x21, 11, 0) == (.accepted, [.bootProtocol(interface: 0, true)]))
    #expect(model.usesBootProtocol(interface: 0))
    #expect(answer(&model, 0x21, 11, 2).0 == .stall)
    model.reset()
    #expect(!model.usesBootProtocol(interface: 0) && model.idleRate(interface: 0, three) == 0)
  }
}
