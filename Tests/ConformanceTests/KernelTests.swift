// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
@testable import HIDBus
import IOLoop
import SystemPackage
import Testing

extension ConformanceTests {
  /// Behaviour that only the kernel has, as other programs see it.
  @Suite(.serialized, .enabled(if: BusUnderTest.hasKernel, BusUnderTest.noKernel))
  struct Kernel {
    @Test("the Caps Lock lamp arrives as 02 from evdev, and as 00 02 from hidraw")
    func capsLock() async throws {
      try await withDevice(.kernel, TestDescriptor.keyboard) { rig in
        let node = try #require(rig.record.eventNodes.first)
        let file = open(node, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        // struct input_event: 16 bytes of time, type EV_LED (0x11), code LED_CAPSL (1), value.
        for (value, report) in [(UInt8(1), UInt8(0x02)), (0, 0x00)] {
          let event = [UInt8](repeating: 0, count: 16) + [0x11, 0, 1, 0, value, 0, 0, 0]
          #expect(write(file, event, event.count) == 24)
          let raw = try await rig.handler.nextOutput()
          #expect(Array(raw) == [report])
          #expect(rig.port.lengths.normalized(raw, type: .output).dropping == 0)
        }
        let client = try await rig.client()
        try await client.write([0x00, 0x02])
        let raw = try await rig.handler.nextOutput()
        #expect(Array(raw) == [0x00, 0x02])
        #expect(rig.port.lengths.normalized(raw, type: .output).dropping == 1)
      }
    }

    @Test("a key press reaches evdev")
    func keyPress() async throws {
      try await withDevice(.kernel, TestDescriptor.keyboard) { rig in
        let node = try #require(rig.record.eventNodes.first)
        let file = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        try await rig.send([0, 0, 0x04, 0, 0, 0, 0, 0])  // usage 0x04: a
        try await rig.send([0, 0, 0, 0, 0, 0, 0, 0])
        var keys: [[UInt8]] = []
        while keys.count < 2 {
          var event = [UInt8](repeating: 0, count: 24)
          if read(file, &event, 24) != 24 {
            try #require(errno == EAGAIN)
            var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            try #require(poll(&wait, 1, 10_000) == 1, "no event for 10 s, after \(keys)")
            continue
          }
          if event[16] == 0x01 { keys.append(Array(event[18...])) }  // EV_KEY
        }
        #expect(keys == [[30, 0, 1, 0, 0, 0], [30, 0, 0, 0, 0, 0]])  // KEY_A, down and up
      }
    }

    @Test("a report that a device sends as soon as it is ready reaches evdev")
    func readiness() async throws {
      for _ in 0..<50 {
        try await withDevice(.kernel, TestDescriptor.keyboard) { rig in
          let file = open(try #require(rig.record.eventNodes.first), O_RDONLY | O_CLOEXEC)
          try #require(file >= 0)
          defer { close(file) }
          try await rig.send([0, 0, 0x04, 0, 0, 0, 0, 0])
          var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
          #expect(poll(&waiting, 1, 10_000) == 1)
        }
      }
    }

    @Test(
      "an unnumbered answer has a 0 in front in hidraw on USB and I2C, and none on Bluetooth",
      arguments: [(HIDTransport.usb, [0] as [UInt8]), (.i2c, [0]), (.bluetooth, [])])
    func leadingZero(_ sample: (transport: HIDTransport, prefix: [UInt8])) async throws {
      let answer: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
      let handler = RecordingHandler(onGet: { _, _ in .yes(answer) })
      let what = try description(TestDescriptor.plain, transport: sample.transport)
      try await withDevice(.kernel, what, handler: handler) { rig in
        let node = try HIDRawDescriptor(path: rig.record.address)
        let raw = try node.getReport(.feature, number: 0, capacity: 64)
        #expect(raw == sample.prefix + answer)
      }
    }

    @Test("a numbered answer has its ID in front in hidraw, and no other byte")
    func leadingID() async throws {
      let handler = RecordingHandler(onGet: { _, _ in .yes([4, 1, 2, 3, 4]) })
      try await withDevice(.kernel, TestDescriptor.numbered, handler: handler) { rig in
        let node = try HIDRawDescriptor(path: rig.record.address)
        #expect(try node.getReport(.feature, number: 4, capacity: 64) == [4, 1, 2, 3, 4])
      }
    }

    @Test("ready fails at its timeout for a device that the kernel ignores")
    func ignored() async throws {
      // The IDs of a Logitech Harmony: hid-quirks.c leaves it to another driver (6.12).
      let what = try description(TestDescriptor.plain, vendorID: 0x046d, productID: 0xc111)
      let port = try await KernelBus().plug(what, handler: RecordingHandler())
      let start = MonotonicTime.now
      #expect(
        await failure { _ = try await port.ready(within: .milliseconds(500)) } == .notStarted)
      #expect(MonotonicTime.now.duration(since: start) >= .milliseconds(500))
      var batch = HIDReportBatch()
      batch.append([1, 2, 3, 4, 5, 6, 7, 8])
      #expect(await failure { try await port.send(batch) } == .gone)
      await port.destroy()
    }

    @Test("unplugging ends ready at once for a device that the kernel ignores")
    func unplugWhileWaiting() async throws {
      let what = try description(TestDescriptor.plain, vendorID: 0x046d, productID: 0xc111)
      let port = try await KernelBus().plug(what, handler: RecordingHandler())
      let start = MonotonicTime.now
      async let kind = failure { _ = try await port.ready(within: .seconds(30)) }
      await port.destroy()
      #expect(await kind == .gone)
      #expect(MonotonicTime.now.duration(since: start) < .seconds(5))
    }

    @Test(
      "a device with an input report of 4,096 bytes besides the ID is refused",
      arguments: [0, 1] as [UInt8])
    func tooLong(_ id: UInt8) async throws {
      let what = try description(TestDescriptor.input(byteCount: 4096, id: id))
      #expect(
        await failure { _ = try await KernelBus().plug(what, handler: RecordingHandler()) }
          == .limitReached)
    }

    @Test(
      "a device and its removal are found with each single source of changes, and with none",
      arguments: [[.kernelEvents], [.nodes], []] as [[ChangeSource]], [true, false])
    func sources(_ sources: [ChangeSource], hasUdev: Bool) async throws {
      let udev = hasUdev ? try Udev.shared.get() : nil
      for descriptor in [TestDescriptor.plain, TestDescriptor.keyboard] {
        let bus = KernelBus(discovery: KernelDiscovery(sources: sources, udev: udev))
        var arrivals = bus.arrivals().makeAsyncIterator()
        while let arrival = try await arrivals.next() { if case .settled = arrival { break } }
        let what = try description(descriptor)
        let port = try await bus.plug(what, handler: RecordingHandler())
        var heard: [String] = []
        while heard.count < 2, let arrival = try await arrivals.next() {
          switch arrival {
          case .added(let record) where record.physicalPath == what.physicalPath.description:
            heard.append("added")
            #expect(record.descriptorBytes == descriptor)
            await port.destroy()
          case .removed(let record) where record.physicalPath == what.physicalPath.description:
            heard.append("removed")
          default: break
          }
        }
        #expect(heard == ["added", "removed"])
      }
    }

    @Test(
      "udevd's messages alone are enough to find a device",
      .enabled(if: (try? Udev.shared.get())?.isActive == true, "no udevd: scripts/vm --udev"))
    func udev() async throws { try await sources([.udevEvents], hasUdev: true) }

    @Test(
      "a device has the same properties in the kernel's messages and in sysfs",
      arguments: [true, false])
    func properties(hasUdev: Bool) async throws {
      let source = ChangeSource.kernelEvents.open(by: hasUdev ? try Udev.shared.get() : nil)
      let messages = try #require(source)
      let tree = DeviceTree()
      for descriptor in [TestDescriptor.plain, TestDescriptor.keyboard] {
        for name in ["hidsim = test", "", "\u{1}\t\"é"] {
          let what = try description(descriptor, name: name)
          let port = try await KernelBus().plug(what, handler: RecordingHandler())
          let record = try await port.ready(within: .seconds(20))
          let path = what.physicalPath.description
          var heard: [String: DeviceProperties] = [:]
          _ = messages.read { message in
            if let detail = message.detail {
              heard[message.folder, default: DeviceProperties()].apply(detail)
            }
          }
          var said = try #require(heard.values.first { $0.physicalPath == path })
          let found = try #require(
            tree.folders().compactMap(tree.properties).first { $0.physicalPath == path })
          // The messages do not have the country code, which hidsim's devices publish.
          #expect(said.country == nil)
          said.country = found.country
          #expect(said == found)
          #expect(found.name == record.identity.name && found.driver == record.driver)
          #expect(found.version == (found.events.isEmpty ? 0 : 0x0111))
          #expect(found.hidraw.map { "/dev/\($0)" } == record.address)
          #expect(found.events.map { "/dev/input/\($0)" } == record.eventNodes)
          await port.destroy()
        }
      }
    }

    @Test("a hidraw client that does not read gets the first 63 of 200 reports")
    func hidrawQueue() async throws {
      try await withDevice(.kernel, TestDescriptor.plain) { rig in
        let node = try HIDRawDescriptor(path: rig.record.address)
        var batch = HIDReportBatch()
        for number in 0..<200 as Range<UInt8> { batch.append([number, 0, 0, 0, 0, 0, 0, 0]) }
        try await rig.port.send(batch)
        var numbers: [UInt8] = []
        var report = [UInt8](repeating: 0, count: 64)
        while read(node.pollDescriptor.rawValue, &report, 64) == 8 { numbers.append(report[0]) }
        #expect(errno == EAGAIN)
        #expect(numbers == Array(0..<63))
      }
    }

    @Test(
      "readv reads a report per vector, ends after a vector with spare room, and cuts long reports")
    func vectors() async throws {
      var descriptor = try HIDReportDescriptor(parsing: TestDescriptor.plain)
      descriptor.allowsLongInput = true
      try await withDevice(.kernel, try description(descriptor)) { rig in
        let node = try HIDRawDescriptor(path: rig.record.address)
        func read(_ byteCounts: [Int]) -> [UInt8] {
          let size = byteCounts.reduce(0, +)
          return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var start = 0
            let vectors = byteCounts.map { byteCount in
              defer { start += byteCount }
              return iovec(iov_base: buffer.baseAddress.map { $0 + start }, iov_len: byteCount)
            }
            let result = readv(node.pollDescriptor.rawValue, vectors, Int32(vectors.count))
            count = max(result, 0)
          }
        }
        let long = [UInt8](11...22)
        var batch = HIDReportBatch()
        for report in [Array(1...8), Array(2...9), long, Array(3...10), Array(4...11)] {
          batch.append(report)
        }
        try await rig.port.send(batch)
        #expect(read([9, 8]) == Array(1...8))
        // The part that is cut off does not continue in the next vector: it is lost.
        #expect(read([8, 8, 8]) == Array(2...9) + long.prefix(8) + Array(3...10))
        #expect(read([8, 8]) == Array(4...11))
        #expect(read([8]) == [])
      }
    }

    /// Plugs a device through uhid without a port, so that only `body` can read its events.
    ///
    /// - Parameter name: The start of the device's physical path: `hidsim-`, or the prefix of
    ///   another program, of the same length.
    private func withChannel(
      _ descriptor: [UInt8], name: String = "hidsim-",
      _ body: (borrowing UHIDChannel, any HIDClientPort) async throws -> Void
    ) async throws {
      let what = try description(descriptor)
      let path = name + what.physicalPath.description.dropFirst(name.count)
      var create = UHIDEvent.create(what)
      let place = try #require(create.firstRange(of: Array("hidsim-8".utf8)))
      create.replaceSubrange(place.prefix(name.count), with: Array(name.utf8))
      let channel = try UHIDChannel()
      try channel.write(create)
      let host = KernelBus()
      var found: HIDDeviceRecord?
      for try await arrival in host.arrivals() {
        if case .added(let record) = arrival, record.physicalPath == path {
          found = record
          break
        }
      }
      let client = try await host.open(try #require(found))
      try await body(channel, client)
      client.close()
    }

    @Test("a first byte 0 means the unnumbered report in a type with and without IDs")
    func bothKinds() async throws {
      // Input without an ID (3 bytes), and input report 1 (2 bytes).
      let descriptor: [UInt8] = [
        0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
        0x95, 0x03, 0x09, 0x01, 0x81, 0x02,
        0x85, 0x01, 0x95, 0x02, 0x09, 0x01, 0x81, 0x02, 0xc0,
      ]
      try await withChannel(descriptor) { channel, client in
        let stream = client.reports(capacity: 64, policy: .lossless)
        for _ in 0..<6 { try channel.write([0x0c, 0, 0, 0, 3, 0, 1, 8, 9]) }
        try channel.write([0x0c, 0, 0, 0, 3, 0, 7, 8, 9])  // no report 7: the kernel drops it
        try channel.write([0x0c, 0, 0, 0, 4, 0, 0, 7, 8, 9])
        #expect(
          await take(7, from: stream) == Array(repeating: [1, 8, 9], count: 6) + [[0, 7, 8, 9]])
      }
    }

    @Test("60 writes that no device reads all succeed, and the first 29 are kept")
    func uhidQueue() async throws {
      try await withChannel(TestDescriptor.plain) { channel, client in
        for number in 0..<60 as Range<UInt8> {
          try await client.write([0, number, 0, 0, 0, 0, 0, 0, 0])
        }
        var events: [HIDHostEvent] = []
        let size = UHIDEvent.byteCount
        let buffer = UnsafeMutableRawBufferPointer.allocate(
          byteCount: UHIDChannel.eventsPerRead * size, alignment: 16)
        defer { buffer.deallocate() }
        while let count = try? channel.receive(into: buffer) {
          for index in 0..<count {
            let bytes = UnsafeRawBufferPointer(
              rebasing: buffer[index * size..<(index + 1) * size])
            if let event = UHIDEvent.decode(bytes) { events.append(event) }
          }
        }
        let kept = (0..<29 as Range<UInt8>).map {
          HIDHostEvent.output(HIDReportBytes([0, $0, 0, 0, 0, 0, 0, 0, 0]))
        }
        #expect(events == [.start([]), .open] + kept)
      }
    }

    @Test("reports of another program's device are read whole, also a long one between others")
    func foreignLengths() async throws {
      try await withChannel(TestDescriptor.plain, name: "others-") { channel, client in
        let stream = client.reports(capacity: 64, policy: .lossless)
        let report = Array(1...8) as [UInt8]
        for _ in 0..<8 { try channel.write([0x0c, 0, 0, 0, 8, 0] + report) }
        try channel.write([0x0c, 0, 0, 0, 12, 0] + Array(1...12))
        try channel.write([0x0c, 0, 0, 0, 8, 0] + report)
        #expect(
          await take(10, from: stream)
            == Array(repeating: report, count: 8) + [Array(1...12), report])
      }
    }

    @Test("a report shorter than declared is dropped by the kernel, and a longer one arrives whole")
    func otherLengths() async throws {
      // The port would refuse the short report.
      try await withChannel(TestDescriptor.plain) { channel, client in
        let stream = client.reports(capacity: 8, policy: .lossless)
        try channel.write([0x0c, 0, 0, 0, 3, 0, 1, 2, 3])  // UHID_INPUT2, 3 bytes
        try channel.write([0x0c, 0, 0, 0, 12, 0] + Array(1...12))
        #expect(await take(1, from: stream) == [Array(1...12)])
      }
    }
  }
}
