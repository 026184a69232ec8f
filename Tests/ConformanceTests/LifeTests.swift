// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDUsages
import Testing

private let numberings: [(descriptor: [UInt8], numbered: HIDNumberedReports)] = [
  (TestDescriptor.plain, []),
  (TestDescriptor.numbered, [.input, .output, .feature]),
  (TestDescriptor.mixed, [.input]),
]

extension ConformanceTests {
  /// Plugging, finding, opening and closing.
  @Suite(.serialized) struct Life {
    @Test(
      "the start event has the types of report that are numbered", arguments: BusUnderTest.all,
      numberings)
    func start(
      _ bus: BusUnderTest, _ sample: (descriptor: [UInt8], numbered: HIDNumberedReports)
    ) async throws {
      try await withDevice(bus, sample.descriptor) { rig in
        // On the USB bus the host chooses the configuration before.
        let first = rig.handler.events.first { event in
          if case .usb = event { false } else { true }
        }
        #expect(first == .start(sample.numbered))
      }
    }

    @Test("a ready device is listed with its identity", arguments: BusUnderTest.all)
    func listed(_ bus: BusUnderTest) async throws {
      let what = try description(
        TestDescriptor.keyboard, name: "hidsim test keyboard", vendorID: 0x1209, productID: 0xbeef,
        version: 0x0123, transport: .bluetooth, serialNumber: "hidsim test 7")
      try await withDevice(bus, what) { rig in
        var found: [HIDDeviceRecord] = []
        arrivals: for try await arrival in rig.bus.arrivals() {
          switch arrival {
          case .added(let record):
            if record.id == what.physicalPath.interfaceID { found.append(record) }
          case .removed: break
          case .settled: break arrivals
          }
        }
        #expect(found == [rig.record])
        let record = rig.record
        #expect(record.isOurs)
        #expect(record.id == what.physicalPath.interfaceID)
        // Clients find the interfaces of a USB device on the kernel bus, at the path of its port.
        #expect(record.bus == (bus == .loopback ? .loopback : .kernel))
        if bus == .usb {
          #expect(record.physicalPath.hasPrefix("usb-vhci_hcd.0-"))
          #expect(record.physicalPath.hasSuffix("/input0"))
        } else {
          #expect(record.physicalPath == what.physicalPath.description)
        }
        #expect(record.descriptorBytes == TestDescriptor.keyboard)
        #expect(record.identity.name == "hidsim test keyboard")
        #expect(record.identity.vendorID == 0x1209)
        #expect(record.identity.productID == 0xbeef)
        #expect(record.identity.versionNumber == 0x0123)
        #expect(record.identity.transport == (bus == .usb ? .usb : .bluetooth))
        #expect(record.identity.serialNumber == "hidsim test 7")
        #expect(record.eventNodes.isEmpty == (bus == .loopback))
      }
    }

    @Test("a descriptor of 4,096 bytes is listed whole", arguments: BusUnderTest.all)
    func longDescriptor(_ bus: BusUnderTest) async throws {
      // The padding before End Collection is Unit items without effect, of 3 and of 2 bytes.
      var descriptor = TestDescriptor.plain
      descriptor.removeLast()
      if descriptor.count % 2 == 0 { descriptor += [0x66, 0, 0] }
      while descriptor.count < 4095 { descriptor += [0x65, 0] }
      descriptor.append(0xc0)
      try #require(descriptor.count == 4096)
      try await withDevice(bus, descriptor) { rig in
        #expect(rig.record.descriptorBytes == descriptor)
        let client = try await rig.client()
        let stream = client.reports(capacity: 8, policy: .lossless)
        try await rig.send([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(await take(1, from: stream) == [[1, 2, 3, 4, 5, 6, 7, 8]])
      }
    }

    @Test(
      "a watcher is notified when a device is plugged and unplugged", arguments: BusUnderTest.all)
    func watched(_ bus: BusUnderTest) async throws {
      let what = try description(TestDescriptor.plain)
      let host = try bus.make()
      var arrivals = host.arrivals().makeAsyncIterator()
      while let arrival = try await arrivals.next() { if case .settled = arrival { break } }
      let handler = RecordingHandler()
      let port = try await host.plug(what, handler: handler)
      let record = try await port.ready(within: .seconds(10))
      var heard: [String] = []
      while heard.count < 2, let arrival = try await arrivals.next() {
        switch arrival {
        case .added(let other) where other.physicalPath == record.physicalPath:
          heard.append("added")
          #expect(other == record)
          await port.destroy()
        case .removed(let other) where other.physicalPath == record.physicalPath:
          heard.append("removed")
          #expect(other == record)
        default: break
        }
      }
      #expect(heard == ["added", "removed"])
    }

    @Test(
      "the first client opens the device, the last one closes it", arguments: BusUnderTest.all)
    func opens(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let first = try await rig.client()
        try await rig.handler.next("open") { $0 == .open }
        let second = try await rig.client()
        first.close()
        // When the second client's report has arrived, the bus has processed the close of the
        // first.
        try await second.write([0, 1, 2, 3, 4, 5, 6, 7, 8])
        _ = try await rig.handler.nextOutput()
        second.close()
        try await rig.handler.next("close") { $0 == .close }
        let third = try await rig.client()
        try await rig.handler.next("open") { $0 == .open }
        third.close()
        try await rig.handler.next("close") { $0 == .close }
        #expect(rig.handler.events.filter { $0 == .open }.count == 2)
        #expect(rig.handler.events.filter { $0 == .close }.count == 2)
      }
    }

    @Test("a client that is released closes the device", arguments: BusUnderTest.all)
    func dropped(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        var client: (any HIDClientPort)? = try await rig.client()
        #expect(client?.device == rig.record)
        client = nil
        try await rig.handler.next("close") { $0 == .close }
      }
    }

    @Test("a port that is released unplugs the device", arguments: BusUnderTest.all)
    func droppedPort(_ bus: BusUnderTest) async throws {
      let host = try bus.make()
      let handler = RecordingHandler()
      var port: (any HIDDevicePort)? = try await host.plug(
        description(TestDescriptor.plain), handler: handler)
      let record = try #require(try await port?.ready(within: .seconds(10)))
      let client = try await host.open(record)
      let stream = client.reports(capacity: 64, policy: .lossless)
      port = nil
      #expect(await take(1, from: stream).isEmpty)
    }

    @Test(
      "unplugging ends a client's stream, and the client's later calls fail",
      arguments: BusUnderTest.all)
    func unplugWhileReading(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        try await rig.handler.next("open") { $0 == .open }
        async let reports = take(2, from: stream)
        try await rig.send([1, 2, 3, 4, 5, 6, 7, 8])
        await rig.port.destroy()
        #expect(await reports == [[1, 2, 3, 4, 5, 6, 7, 8]])
        #expect(await failure { try await client.write([0, 1, 2, 3, 4, 5, 6, 7, 8]) } == .gone)
        #expect(
          await failure { _ = try await client.getReport(.feature, nil, timeout: nil) } == .gone)
        #expect(
          await failure {
            try await client.setReport(.feature, [1, 2, 3, 4, 5, 6, 7, 8], timeout: nil)
          } == .gone)
        let late = client.reports(capacity: 64, policy: .lossless)
        #expect(await take(1, from: late).isEmpty)
        #expect(await failure { _ = try await rig.client() } == .gone)
      }
    }

    @Test("closing a port ends its streams, and its later calls fail", arguments: BusUnderTest.all)
    func closed(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 64, policy: .lossless)
        async let reports = take(1, from: stream)
        client.close()
        #expect(await reports.isEmpty)
        #expect(await failure { try await client.write([0, 1, 2, 3, 4, 5, 6, 7, 8]) } == .gone)
      }
    }

    @Test("an unplugged device refuses further reports", arguments: BusUnderTest.all)
    func unplugged(_ bus: BusUnderTest) async throws {
      try await withDevice(bus, TestDescriptor.plain) { rig in
        await rig.port.destroy()
        #expect(await failure { try await rig.send([1, 2, 3, 4, 5, 6, 7, 8]) } == .gone)
        #expect(
          await failure { _ = try await rig.port.ready(within: .seconds(10)) } == .gone)
        await rig.port.destroy()
      }
    }

    @Test("a device can be plugged again at the same path", arguments: BusUnderTest.all)
    func again(_ bus: BusUnderTest) async throws {
      let what = try description(TestDescriptor.plain)
      for _ in 0..<3 {
        try await withDevice(bus, what) { rig in
          let client = try await rig.client()
          let stream = client.reports(capacity: 64, policy: .lossless)
          try await rig.send([8, 7, 6, 5, 4, 3, 2, 1])
          #expect(await take(1, from: stream) == [[8, 7, 6, 5, 4, 3, 2, 1]])
        }
      }
    }

    @Test("two devices with one serial number are distinct", arguments: BusUnderTest.all)
    func twins(_ bus: BusUnderTest) async throws {
      let one = try description(TestDescriptor.plain, serialNumber: "hidsim test twin")
      let other = try description(TestDescriptor.plain, serialNumber: "hidsim test twin")
      try await withDevice(bus, one) { first in
        try await withDevice(bus, other) { second in
          #expect(first.record.id != second.record.id)
          #expect(first.record.address != second.record.address)
          let client = try await first.client()
          let otherClient = try await second.client()
          let stream = client.reports(capacity: 64, policy: .lossless)
          let otherStream = otherClient.reports(capacity: 64, policy: .lossless)
          try await first.send([1, 1, 1, 1, 1, 1, 1, 1])
          try await second.send([2, 2, 2, 2, 2, 2, 2, 2])
          #expect(await take(1, from: stream) == [[1, 1, 1, 1, 1, 1, 1, 1]])
          #expect(await take(1, from: otherStream) == [[2, 2, 2, 2, 2, 2, 2, 2]])
        }
      }
    }
  }
}
