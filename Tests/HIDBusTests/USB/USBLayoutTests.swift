// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Testing

@testable import HIDBus

@Suite("The descriptors of a real USB device") struct USBLayoutTests {
  private static let device: [UInt8] = [
    18, 1, 0x10, 0x02, 0xEF, 2, 1, 64, 0x09, 0x12, 7, 0, 0x23, 0x01, 4, 9, 0, 1,
  ]

  private static func interface(
    _ number: UInt8, class code: UInt8 = 3, boot: UInt8 = 0, _ endpoints: [[UInt8]]
  ) -> [UInt8] {
    let hid: [UInt8] = code == 3 ? [9, 0x21, 0x10, 1, 33, 1, 0x22, 20, 0] : []
    return [9, 4, number, 0, UInt8(endpoints.count), code, boot == 0 ? 0 : 1, boot, 0] + hid
      + endpoints.joined()
  }

  private static func endpoint(
    _ address: UInt8, kind: UInt8 = 3, packet: UInt8 = 64, interval: UInt8 = 4
  ) -> [UInt8] {
    [7, 5, address, kind, packet, 0, interval]
  }

  private static func configuration(_ interfaces: [[UInt8]], value: UInt8 = 2) -> [UInt8] {
    let body = Array(interfaces.joined())
    let count = UInt16(9 + body.count)
    return [9, 2, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(interfaces.count), value, 0]
      + [0xE0, 49] + body
  }

  /// A vendor's interface 0, and the HID interfaces 3 with the endpoints 0x85 and 0x02, and 1 with
  /// 0x81.
  private static let odd = configuration([
    interface(0, class: 0xFF, [endpoint(0x84, kind: 2)]),
    interface(1, boot: 1, [endpoint(0x81, packet: 8, interval: 10)]),
    interface(3, [endpoint(0x02), endpoint(0x85)]),
  ])

  private static func layout(
    _ configuration: [UInt8] = odd, device: [UInt8] = device, interfaces: [UInt8] = [3, 1]
  ) throws(USBLayout.Fault) -> USBLayout {
    try USBLayout(
      device: device, configuration: configuration, interfaces: interfaces,
      answers: [
        .init(requestType: 0x80, value: 0x0309, index: 0x0407): [4, 3, 0x61, 0],
        .init(requestType: 0x80, value: 0x0F00, index: 0): [5, 0x0F, 5, 0, 0],
      ])
  }

  private static func description() throws -> USBDeviceDescription {
    // An input report of one byte, and an output report of one byte.
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x01, 0x09, 0x02, 0x81, 0x02,
      0x09, 0x03, 0x91, 0x02, 0xC0,
    ])
    var settings = USBSettings()
    settings.layout = try layout()
    return try USBDeviceDescription(
      HIDDeviceIdentity(name: "x", vendorID: 1, productID: 2), settings,
      interfaces: [(descriptor, USBInterfaceSettings()), (descriptor, USBInterfaceSettings())])
  }

  @Test("the device has the descriptors and the values of the layout")
  func descriptors() throws {
    let usb = try Self.description()
    #expect(usb.deviceDescriptor == Self.device)
    #expect(usb.configurationDescriptor == Self.odd)
    #expect(usb.vendorID == 0x1209 && usb.productID == 7 && usb.versionNumber == 0x0123)
    #expect(usb.isSelfPowered && usb.wakesHosts && usb.chosenConfiguration == 2)
    #expect(usb.endpointAddresses == [0x85, 0x02, 0x81])
    #expect(usb.interfaces.map(\.boot) == [.none, .keyboard])
    #expect(usb.hidDescriptor(0)[4] == 33)
    #expect(usb.stringDescriptor(9) == [4, 3, 0x61, 0])
    #expect(usb.stringDescriptor(4) == nil)
    #expect(usb.text.contains("bEndpointAddress     0x85  EP 5 IN"))
  }

  @Test("a host names interfaces and endpoints by the numbers of the layout")
  func requests() throws {
    var model = USBControlModel(try Self.description())
    var changes: [USBControlModel.Change] = []
    func answer(
      _ type: UInt8, _ request: UInt8, _ value: UInt16 = 0, _ index: UInt16 = 0
    ) -> USBControlModel.Answer {
      model.answer(
        USBSetupPacket(
          requestType: type, request: request, value: value, index: index, length: 255), [],
        changes: &changes)
    }
    #expect(answer(0x80, 6, 0x0F00) == .data([5, 0x0F, 5, 0, 0]))
    // A string in a language in which it was not read.
    #expect(answer(0x80, 6, 0x0309, 0x0409) == .data([4, 3, 0x61, 0]))
    #expect(answer(0x80, 6, 0x0304, 0x0409) == .stall)
    #expect(answer(0x00, 9, 1) == .stall)
    #expect(answer(0x00, 9, 2) == .accepted)
    #expect(answer(0x80, 8) == .data([2]))
    #expect(answer(0xA1, 1, 0x0100, 3) == .getReport(interface: 0, .input, nil))
    #expect(answer(0xA1, 1, 0x0100, 1) == .getReport(interface: 1, .input, nil))
    #expect(answer(0xA1, 1, 0x0100, 0) == .stall)
    #expect(answer(0x81, 6, 0x2200, 0) == .stall)
    #expect(answer(0x02, 3, 0, 0x85) == .accepted)
    #expect(answer(0x02, 3, 0, 0x84) == .stall)
    changes = []
    #expect(answer(0x01, 11, 0, 3) == .accepted)
    #expect(changes == [.halted(endpoint: 0x85, false)])
  }

  @Test("transfers of the layout's endpoints are those of their interfaces")
  func transfers() throws {
    var engine = USBTransferEngine(try Self.description())
    let now = MonotonicTime(nanoseconds: 1_000_000_000)
    func transfer(
      _ sequence: UInt32, _ endpoint: UInt8, setup: [UInt16] = [0, 0, 0], sending data: [UInt8]?
    ) -> USBIPRequest {
      .submit(
        .init(
          sequence: sequence, endpoint: endpoint, isFromDevice: data == nil, length: 1,
          setup: USBSetupPacket(
            requestType: UInt8(setup[0]), request: UInt8(setup[1]), value: setup[2], index: 0,
            length: 0), data: HIDReportBytes(data ?? [])))
    }
    engine.receive(transfer(1, 0, setup: [0, 9, 2], sending: []), at: now)
    engine.receive(transfer(2, 5, sending: nil), at: now)
    engine.receive(transfer(3, 1, sending: nil), at: now)
    engine.receive(transfer(4, 2, sending: [9]), at: now)
    // The bulk endpoint of the vendor's interface, and the direction that an endpoint lacks.
    engine.receive(transfer(5, 4, sending: nil), at: now)
    engine.receive(transfer(6, 1, sending: [9]), at: now)
    let sent = (
      engine.send([1 as UInt8].span, interface: 1, at: now),
      engine.send([2 as UInt8].span, interface: 0, at: now)
    )
    #expect(sent == (true, true))
    let (events, replies) = (engine.takeEvents(), engine.takeReplies())
    #expect(
      events == [
        .changed(.configured(true)), .polled(interface: 0, true), .polled(interface: 1, true),
        .output(interface: 0, HIDReportBytes([9])),
      ])
    #expect(
      replies.dropFirst() == [
        .submit(sequence: 4, status: 0, count: 1, data: []),
        .submit(sequence: 5, status: -32, count: 0, data: []),
        .submit(sequence: 6, status: -32, count: 0, data: []),
        .submit(sequence: 3, status: 0, count: 1, data: [1]),
        .submit(sequence: 2, status: 0, count: 1, data: [2]),
      ])
  }

  @Test("descriptors of a device that hidsim cannot plug are refused with the reason")
  func faults() {
    func fault(
      _ configuration: [UInt8], device: [UInt8] = Self.device, interfaces: [UInt8] = [3]
    ) -> String? {
      do throws(USBLayout.Fault) {
        _ = try Self.layout(configuration, device: device, interfaces: interfaces)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(fault(Self.odd) == nil)
    #expect(fault(Self.odd, device: [18, 1]) == "the device descriptor has 2 bytes; expected 18")
    #expect(fault(Array(Self.odd.dropLast())) == "the configuration descriptor is incomplete")
    #expect(fault(Self.odd, interfaces: [0]) == "the configuration has no HID interface 0")
    #expect(
      fault(Self.odd, interfaces: [3, 3])
        == "two HID interfaces have the same number or endpoint")
    #expect(
      fault(Self.configuration([Self.interface(3, [])]))
        == "interface 3 has no interrupt endpoint for input reports")
    #expect(
      fault(Self.configuration(Array(repeating: Self.interface(3, []), count: 33)))
        == "the configuration has more than 32 interfaces")
    var zero = Self.odd
    zero[9] = 0
    #expect(fault(zero) == "the length at byte 9 of the configuration is 0")
  }

  @Test(
    "packets show the speed, or else the periods of the host's transfers",
    arguments: [
      (64, 64, 4, 8, .high), (64, 64, 4, 4, .full), (64, 64, 1, 1, .full), (8, 8, 10, 8, .low),
      (8, 8, 9, 8, .full), (8, 64, 10, 8, .full),
    ] as [(UInt8, UInt8, UInt8, UInt32, USBSpeed)])
  func speed(
    _ control: UInt8, _ packet: UInt8, _ interval: UInt8, _ period: UInt32, _ speed: USBSpeed
  ) throws {
    var device = Self.device
    device[7] = control
    let layout = try Self.layout(
      Self.configuration([
        Self.interface(3, [Self.endpoint(0x81, packet: packet, interval: interval)])
      ]), device: device, interfaces: [3])
    #expect(layout.speed(intervals: [0x81: period]) == speed)
  }

  @Test("changed descriptors are read or refused, and the device answers all requests")
  func mutations() throws {
    var seed: UInt64 = 0x5EED_0042
    func random() -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed >> 33
    }
    var accepted = 0
    for _ in 0..<2_000 {
      var bytes = Self.odd
      for _ in 0..<(1 + random() % 3) {
        bytes[Int(random()) % bytes.count] = UInt8(truncatingIfNeeded: random())
      }
      guard let layout = try? Self.layout(bytes) else { continue }
      accepted += 1
      var usb = try Self.description()
      usb.apply(layout)
      _ = usb.text
      _ = USBIPExport.list([.init(name: "1-1", number: 1, usb)])
      var engine = USBTransferEngine(usb)
      for endpoint in UInt8(0)..<16 {
        engine.receive(
          .submit(
            .init(
              sequence: UInt32(endpoint) + 1, endpoint: endpoint, isFromDevice: true, length: 64,
              setup: USBSetupPacket(
                requestType: 0x80, request: 6, value: 0x0200, index: 0, length: 255),
              data: HIDReportBytes())),
          at: MonotonicTime(nanoseconds: 1))
      }
      engine.end()
    }
    #expect(accepted > 100)
  }
}
