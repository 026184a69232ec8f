// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Testing

@testable import HIDBus

@Suite("Settings of a USB device") struct USBSettingsTests {
  /// An input report of three bytes, and an output report of two.
  private static let descriptor: [UInt8] = [
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
    0x95, 0x03, 0x09, 0x02, 0x81, 0x02, 0x95, 0x02, 0x09, 0x03, 0x91, 0x02, 0xC0,
  ]
  /// A vendor's interface with a bulk endpoint, as the second of the device.
  private static let extra: [UInt8] = [
    0x09, 0x04, 0x01, 0x00, 0x01, 0xFF, 0x01, 0x02, 0x00, 0x05, 0x24, 0x00, 0x10, 0x01,
    0x07, 0x05, 0x82, 0x02, 0x40, 0x00, 0x00,
  ]

  private func device(
    _ settings: USBSettings = USBSettings(), _ interface: USBInterfaceSettings = .init()
  ) throws -> USBDeviceDescription {
    let identity = HIDDeviceIdentity(
      name: "hidsim tablet", vendorID: 0x1209, productID: 0x006E, versionNumber: 0x0110,
      countryCode: 0, transport: .usb, manufacturer: "hidsim", serialNumber: "K-1")
    return try USBDeviceDescription(
      identity, settings,
      interfaces: [(try HIDReportDescriptor(parsing: Self.descriptor), interface)])
  }

  @Test("without settings all values are derived")
  func derived() throws {
    let device = try device()
    #expect(device.speed == .full && device.usbVersion == 0x0200 && device.maximumPower == 100)
    #expect(device.product == "tablet" && device.deviceClass == (0, 0, 0))
    #expect(!device.isSelfPowered && !device.wakesHosts)
    let interface = try #require(device.interfaces.first)
    #expect(interface.boot == .none && interface.name.isEmpty)
    #expect(interface.input == .init(packetByteCount: 8, interval: 1))
    #expect(interface.output == .init(packetByteCount: 8, interval: 1))
  }

  @Test("each setting replaces the derived value")
  func settings() throws {
    var settings = USBSettings()
    settings.speed = .high
    settings.usbVersion = 0x0110
    settings.deviceClass = .init(code: 0xEF, subclass: 2, protocolCode: 1)
    settings.product = "Pen"
    settings.maximumPower = 500
    settings.isSelfPowered = true
    settings.wakesHosts = true
    settings.strings = [200: "x"]
    var interface = USBInterfaceSettings()
    interface.boot = .mouse
    interface.interval = 7
    interface.packetByteCount = 5
    interface.output = .endpoint(interval: 8, packetByteCount: nil)
    interface.name = "pen"
    let device = try device(settings, interface)
    #expect(device.deviceDescriptor[2..<8] == [0x10, 0x01, 0xEF, 2, 1, 64])
    #expect(device.stringDescriptor(2) == [8, 3] + Array("P\0e\0n\0".utf8))
    #expect(device.stringDescriptor(4) == [8, 3] + Array("p\0e\0n\0".utf8))
    #expect(device.stringDescriptor(200) == [4, 3, 0x78, 0])
    #expect(
      device.configurationDescriptor == [
        0x09, 0x02, 0x29, 0x00, 0x01, 0x01, 0x00, 0xE0, 0xFA,
        0x09, 0x04, 0x00, 0x00, 0x02, 0x03, 0x01, 0x02, 0x04,
        0x09, 0x21, 0x11, 0x01, 0x00, 0x01, 0x22, 0x1B, 0x00,
        0x07, 0x05, 0x81, 0x03, 0x05, 0x00, 0x07, 0x07, 0x05, 0x01, 0x03, 0x08, 0x00, 0x08,
      ])
  }

  @Test("output by control transfers has no endpoint, and an empty product has no string")
  func omissions() throws {
    var settings = USBSettings()
    settings.product = ""
    var interface = USBInterfaceSettings()
    interface.output = .control
    let device = try device(settings, interface)
    #expect(device.interfaces.first?.output == nil)
    #expect(device.deviceDescriptor[14...16] == [1, 0, 2])
  }

  @Test("an endpoint of a low-speed device has a period of 10 ms")
  func lowSpeed() throws {
    var settings = USBSettings()
    settings.speed = .low
    let device = try device(settings)
    #expect(device.interfaces.first?.input == .init(packetByteCount: 8, interval: 10))
  }

  @Test("extra interfaces follow the HID interfaces in the configuration, and are counted")
  func extraInterfaces() throws {
    var settings = USBSettings()
    settings.extraInterfaces = [Self.extra]
    let bytes = try device(settings).configurationDescriptor
    #expect(bytes[2...4] == [UInt8(bytes.count), 0, 2])
    #expect(Array(bytes.suffix(Self.extra.count)) == Self.extra)
  }

  @Test("transfers to the endpoints of extra interfaces are stalls")
  func extraEndpoints() throws {
    var settings = USBSettings()
    settings.extraInterfaces = [Self.extra]
    var engine = USBTransferEngine(try device(settings))
    let now = MonotonicTime(nanoseconds: 1)
    let configure = USBSetupPacket(requestType: 0, request: 9, value: 1, index: 0, length: 0)
    for (sequence, endpoint, setup) in [
      (1, 0, configure), (2, 2, configure),
      (3, 0, USBSetupPacket(requestType: 2, request: 3, value: 0, index: 0x82, length: 0)),
    ] as [(UInt32, UInt8, USBSetupPacket)] {
      engine.receive(
        .submit(
          .init(
            sequence: sequence, endpoint: endpoint, isFromDevice: endpoint != 0, length: 0,
            setup: setup, data: HIDReportBytes())), at: now)
    }
    let replies = engine.takeReplies()
    #expect(
      replies == [
        .submit(sequence: 1, status: 0, count: 0, data: []),
        .submit(sequence: 2, status: -32, count: 0, data: []),
        .submit(sequence: 3, status: -32, count: 0, data: []),
      ])
  }

  @Test("the memory of settings includes all that can be long")
  func byteCount() {
    var settings = USBSettings()
    #expect(settings.byteCount == 0)
    settings.strings = [200: "ä"]
    #expect(settings.byteCount == 66)
    settings.rawStrings = [201: [1, 2, 3]]
    #expect(settings.byteCount == 133)
    settings.requests = [.init(answer: .data([UInt8](repeating: 0, count: 1_000)))]
    #expect(settings.byteCount == 1_197)
    settings.extraInterfaces = [Self.extra]
    #expect(settings.byteCount == 1_229 + Self.extra.count)
  }

  // MARK: Extra interfaces that are not well formed

  @Test("descriptors of an interface can have an association and alternate settings")
  func wellFormed() throws {
    let bytes: [UInt8] = [
      8, 11, 1, 1, 0xFF, 0, 0, 0, 9, 4, 1, 0, 0, 0xFF, 0, 0, 0, 9, 4, 1, 1, 2, 0xFF, 0, 0, 0,
      3, 0x30, 7, 7, 5, 0x83, 1, 0, 4, 1, 7, 5, 0x02, 2, 64, 0, 0,
    ]
    #expect(try USBExtraInterface(bytes, number: 1).endpoints == [0x02, 0x83])
  }

  @Test(
    "descriptors that a host would refuse are faults with their place",
    arguments: [
      ([], "expected an interface descriptor, found none"),
      ([9], "byte 0: expected the length of a descriptor, 2 to 1, found 9"),
      ([1, 4], "byte 0: expected the length of a descriptor, 2 to 2, found 1"),
      (
        [7, 5, 0x82, 2, 64, 0, 0], "byte 0: expected an interface descriptor (type 4), found type 5"
      ),
      (
        [8, 4, 1, 0, 0, 0xFF, 0, 0], "byte 0: expected an interface descriptor of 9 bytes, found 8"
      ),
      ([9, 4, 2, 0, 0, 0xFF, 0, 0, 0], "byte 2: expected the interface number 1, found 2"),
      ([9, 4, 1, 1, 0, 0xFF, 0, 0, 0], "byte 3: expected the alternate setting 0, found 1"),
      (
        [9, 4, 1, 0, 1, 0xFF, 0, 0, 0],
        "byte 9: expected 1 endpoint descriptors before it, found 0"
      ),
      (
        [9, 4, 1, 0, 1, 0xFF, 0, 0, 0, 6, 5, 0x82, 2, 64, 0],
        "byte 9: expected an endpoint descriptor of 7 bytes, found 6"
      ),
      (
        [9, 4, 1, 0, 1, 0xFF, 0, 0, 0, 7, 5, 0x80, 2, 64, 0, 0],
        "byte 11: expected the address of another endpoint of the interface, found 128"
      ),
      (
        [9, 4, 1, 0, 0, 0xFF, 0, 0, 0, 9, 2, 9, 0, 1, 1, 0, 0x80, 50],
        "byte 9: expected a descriptor of the interface, found type 2"
      ),
    ] as [([UInt8], String)])
  func faults(_ bytes: [UInt8], _ message: String) {
    #expect(throws: USBExtraInterface.Fault(message: message)) {
      try USBExtraInterface(bytes, number: 1)
    }
  }

  // MARK: Requests of vendors

  private func answer(
    _ model: inout USBControlModel, _ type: UInt8, _ request: UInt8, _ value: UInt16,
    _ index: UInt16, _ length: UInt16
  ) -> USBControlModel.Answer {
    var changes: [USBControlModel.Change] = []
    let setup = USBSetupPacket(
      requestType: type, request: request, value: value, index: index, length: length)
    let answer = model.answer(setup, [], changes: &changes)
    // Requests to a device or an interface are events.
    let isEvent = setup.recipient == .device || setup.recipient == .interface
    #expect(changes == (isEvent ? [.request(setup, [], isAccepted: answer != .stall)] : []))
    return answer
  }

  @Test("a class request that the device refuses is an event, and an answered one is none")
  func refusedClassRequests() throws {
    var model = USBControlModel(try device(USBSettings()))
    // GET_REPORT to the device, and of report type 0.
    for (type, value) in [(0xA0, 0x0301), (0xA1, 0x0001)] as [(UInt8, UInt16)] {
      #expect(answer(&model, type, 1, value, 0, 8) == .stall)
    }
    var changes: [USBControlModel.Change] = []
    let setup = USBSetupPacket(requestType: 0xA1, request: 1, value: 0x0100, index: 0, length: 8)
    #expect(model.answer(setup, [], changes: &changes) != .stall)
    #expect(changes == [])
  }

  @Test("the first request that matches answers, never with more than the host takes")
  func vendorRequests() throws {
    var settings = USBSettings()
    settings.requests = [
      .init(requestType: 0xC0, request: 1, value: 2, index: 3, answer: .data([1, 2, 3])),
      .init(requestType: 0xC1, request: 1, answer: .data([4])),
      .init(request: 1, index: 9, answer: .stall),
      .init(request: 1, answer: .data([5])),
      .init(requestType: 0x40, request: 2, answer: .data([])),
    ]
    var model = USBControlModel(try device(settings))
    #expect(answer(&model, 0xC0, 1, 2, 3, 64) == .data([1, 2, 3]))
    #expect(answer(&model, 0xC0, 1, 2, 3, 2) == .data([1, 2]))
    #expect(answer(&model, 0xC0, 1, 2, 3, 0) == .data([]))
    #expect(answer(&model, 0xC1, 1, 7, 0, 64) == .data([4]))
    #expect(answer(&model, 0xC0, 1, 2, 9, 64) == .stall)
    #expect(answer(&model, 0xC0, 1, 2, 4, 64) == .data([5]))
    #expect(answer(&model, 0x41, 1, 0, 0, 0) == .accepted)
    #expect(answer(&model, 0x40, 2, 0, 0, 0) == .accepted)
    #expect(answer(&model, 0xC0, 2, 0, 0, 8) == .stall)
    // Requests to an endpoint have no answers.
    #expect(answer(&model, 0xC2, 1, 2, 3, 64) == .stall)
  }

  @Test("no setup packet traps, and no answer is longer than the host takes")
  func anySetupPacket() throws {
    var settings = USBSettings()
    settings.extraInterfaces = [Self.extra]
    settings.requests = [.init(answer: .data([UInt8](repeating: 1, count: 100)))]
    var interface = USBInterfaceSettings()
    interface.boot = .keyboard
    var engine = USBTransferEngine(try device(settings, interface))
    let recipients: [UInt8] = [0, 1, 2, 3, 31]
    let numbers: [UInt16] = [
      0, 1, 2, 0x81, 0x82, 0x8F, 0xFF, 0x0100, 0x0200, 0x0301, 0x0600, 0x2100, 0x2200, 0xFFFF,
    ]
    var sequence: UInt32 = 0
    var longer = 0
    for kind in 0..<8 as Range<UInt8> {
      for type in recipients.map({ kind << 5 | $0 }) {
        for request in Array(0..<13) + [255] as [UInt8] {
          for (value, index) in numbers.flatMap({ value in numbers.map { (value, $0) } }) {
            let length: UInt16 = sequence.isMultiple(of: 2) ? 9 : .max
            sequence += 1
            engine.receive(
              .submit(
                .init(
                  sequence: sequence, endpoint: 0, isFromDevice: type & 0x80 != 0,
                  length: type & 0x80 != 0 ? Int(length) : 0,
                  setup: USBSetupPacket(
                    requestType: type, request: request, value: value, index: index,
                    length: length), data: HIDReportBytes())),
              at: MonotonicTime(nanoseconds: 1))
            for case .submit(_, _, let count, _) in engine.takeReplies() where count > length {
              longer += 1
            }
            for case .getReport(let token, _, _, _) in engine.takeEvents() {
              engine.answerGet(token, [])
            }
          }
        }
      }
    }
    #expect(longer == 0)
  }

  // MARK: The text

  @Test("the text of a device is that of lsusb -v, usbutils 014, without its own names")
  func text() throws {
    var settings = USBSettings()
    settings.usbVersion = 0x0110
    settings.wakesHosts = true
    settings.maximumPower = 98
    settings.extraInterfaces = [Self.extra]
    var interface = USBInterfaceSettings()
    interface.boot = .keyboard
    interface.name = "keys"
    interface.interval = 10
    interface.output = .control
    let expected = """
      Device Descriptor:
        bLength                18
        bDescriptorType         1
        bcdUSB               1.10
        bDeviceClass            0
        bDeviceSubClass         0
        bDeviceProtocol         0
        bMaxPacketSize0        64
        idVendor           0x1209
        idProduct          0x006e
        bcdDevice            1.10
        iManufacturer           1 hidsim
        iProduct                2 tablet
        iSerial                 3 K-1
        bNumConfigurations      1
        Configuration Descriptor:
          bLength                 9
          bDescriptorType         2
          wTotalLength       0x0037
          bNumInterfaces          2
          bConfigurationValue     1
          iConfiguration          0
          bmAttributes         0xa0
            (Bus Powered)
            Remote Wakeup
          MaxPower               98mA
          Interface Descriptor:
            bLength                 9
            bDescriptorType         4
            bInterfaceNumber        0
            bAlternateSetting       0
            bNumEndpoints           1
            bInterfaceClass         3
            bInterfaceSubClass      1
            bInterfaceProtocol      1
            iInterface              4 keys
              HID Device Descriptor:
                bLength                 9
                bDescriptorType        33
                bcdHID               1.11
                bCountryCode            0
                bNumDescriptors         1
                bDescriptorType        34
                wDescriptorLength      27
            Endpoint Descriptor:
              bLength                 7
              bDescriptorType         5
              bEndpointAddress     0x81  EP 1 IN
              bmAttributes            3
                Transfer Type            Interrupt
                Synch Type               None
                Usage Type               Data
              wMaxPacketSize     0x0008  1x 8 bytes
              bInterval              10
          Interface Descriptor:
            bLength                 9
            bDescriptorType         4
            bInterfaceNumber        1
            bAlternateSetting       0
            bNumEndpoints           1
            bInterfaceClass       255
            bInterfaceSubClass      1
            bInterfaceProtocol      2
            iInterface              0
            ** UNRECOGNIZED:  05 24 00 10 01
            Endpoint Descriptor:
              bLength                 7
              bDescriptorType         5
              bEndpointAddress     0x82  EP 2 IN
              bmAttributes            2
                Transfer Type            Bulk
                Synch Type               None
                Usage Type               Data
              wMaxPacketSize     0x0040  1x 64 bytes
              bInterval               0
      Device Status:     0x0000
        (Bus Powered)

      """
    #expect(try device(settings, interface).text == expected)
  }

  @Test("the text has no control characters, also if a string has them")
  func controlCharacters() throws {
    var settings = USBSettings()
    settings.rawStrings = [200: [0x1B, 0, 0x5B, 0, 0x41, 0, 0xFF]]
    settings.extraInterfaces = [[9, 4, 1, 0, 0, 0xFF, 0, 0, 200]]
    let device = try device(settings)
    #expect(device.stringDescriptor(200) == [9, 3, 0x1B, 0, 0x5B, 0, 0x41, 0, 0xFF])
    #expect(device.text.contains("      iInterface            200 ?[A\n"))
  }

  @Test("the text of a high-speed device of USB 2.00 has the device qualifier")
  func qualifierText() throws {
    var settings = USBSettings()
    settings.speed = .high
    settings.isSelfPowered = true
    let lines = try device(settings).text.split(separator: "\n").suffix(11)
    #expect(
      Array(lines) == [
        "Device Qualifier (for other device speed):", "  bLength                10",
        "  bDescriptorType         6", "  bcdUSB               2.00",
        "  bDeviceClass            0", "  bDeviceSubClass         0",
        "  bDeviceProtocol         0", "  bMaxPacketSize0        64",
        "  bNumConfigurations      1", "Device Status:     0x0001", "  Self Powered",
      ])
    settings.usbVersion = 0x0210
    #expect(try !device(settings).text.contains("Device Qualifier"))
  }
}
