// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage
import Testing

@testable import HIDBus

@Suite("A server of USB devices", .serialized, .timeLimit(.minutes(1)))
struct USBServerTests {
  /// A handler that records what hosts do, and answers get-report requests with 1, 2, 3.
  private final class Handler: HIDDeviceHandler {
    private let state = Mutex<[HIDHostEvent]>([])
    var events: [HIDHostEvent] { state.withLock { $0 } }

    func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
      for record in events {
        state.withLock { $0.append(record.event) }
        if case .getReport(let request, _, _) = record.event { port.answerGet(request, [1, 2, 3]) }
      }
    }
  }

  /// A host's end of a connection, whose calls block for 10 s at most.
  private final class Host: Sendable {
    private let socket: FileDescriptor

    init(_ address: USBServerAddress) throws {
      let result = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard result >= 0 else { throw Errno(rawValue: errno) }
      socket = FileDescriptor(rawValue: result)
      var time = timeval(tv_sec: 10, tv_usec: 0)
      _ = setsockopt(
        result, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = address.port.bigEndian
      name.sin_addr.s_addr = address.host.bigEndian
      let isConnected = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(result, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { throw Errno(rawValue: errno) }
    }

    deinit { try? socket.close() }

    func send(_ bytes: [UInt8]) {
      // A server that has closed the connection reads nothing.
      _ = Glibc.send(socket.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Waits for the end of the connection; returns false if bytes come, or after 10 s.
    func hasEnded() -> Bool {
      var byte: UInt8 = 0
      return recv(socket.rawValue, &byte, 1, 0) == 0
    }

    /// Reads up to a number of bytes: fewer at the end of the connection, or after 10 s.
    func read(_ count: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var chunk = [UInt8](repeating: 0, count: count - bytes.count)
        let read = recv(socket.rawValue, &chunk, chunk.count, 0)
        guard read > 0 else { break }
        bytes += chunk[..<read]
      }
      return bytes
    }

    @discardableResult func importDevice(_ name: String) -> [UInt8] {
      send([1, 0x11, 0x80, 3, 0, 0, 0, 0] + Array(name.utf8) + zeros(32 - name.utf8.count))
      return read(8)
    }

    /// Sends a control request from the device, and returns the data of the reply.
    func ask(_ sequence: UInt8, _ setup: [UInt8]) -> [UInt8] {
      submit(sequence, setup)
      return readReply()
    }

    /// Sends a control request from the device.
    func submit(_ sequence: UInt8, _ setup: [UInt8], and rest: [UInt8] = []) {
      let length = [0, 0, setup[7], setup[6]]
      send(
        [0, 0, 0, 1, 0, 0, 0, sequence, 0, 1, 0, 1, 0, 0, 0, 1] + zeros(8) + length + zeros(12)
          + setup + rest)
    }

    /// Reads the reply to a transfer, and returns its data.
    func readReply() -> [UInt8] {
      let header = read(48)
      guard header.count == 48 else { return [] }
      return read(Int(header[26]) << 8 | Int(header[27]))
    }

    /// Sends a transfer of an interrupt endpoint from the device.
    func poll(_ sequence: UInt8, length: UInt8) {
      let start: [UInt8] = [
        0, 0, 0, 1, 0, 0, 0, sequence, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
        length,
      ]
      send(start + zeros(20))
    }

    private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
  }

  private func description(_ name: String) throws -> HIDDeviceDescription {
    let descriptor: [UInt8] = [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
      0x95, 0x03, 0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0xB1, 0x02, 0xC0,
    ]
    return HIDDeviceDescription(
      identity: HIDDeviceIdentity(name: name, vendorID: 0x1209, productID: 0x0001),
      physicalPath: HIDPhysicalPath(
        deviceID: HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 1..<1 << 50) << 8),
        interface: 0),
      descriptor: try HIDReportDescriptor(parsing: descriptor))
  }

  /// Runs a body with a server of one device.
  private func withServer(
    _ body: (USBServer, ServedUSBBus, any HIDDevicePort, Handler) async throws -> Void
  ) async throws {
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    let bus = ServedUSBBus(server, publishingIn: nil)
    let handler = Handler()
    let port = try await bus.plug(description("one"), handler: handler)
    try await body(server, bus, port, handler)
    await port.destroy()
    await server.close()
  }

  private static let list: [UInt8] = [1, 0x11, 0x80, 5, 0, 0, 0, 0]
  /// The request for the device descriptor.
  private static let device: [UInt8] = [0x80, 6, 0, 1, 0, 0, 18, 0]

  @Test("a host lists the devices with their interfaces, and the connection ends")
  func list() async throws {
    try await withServer { server, bus, _, _ in
      let second = try await bus.plug(description("two"), handler: Handler())
      let host = try Host(server.address)
      host.send(Self.list)
      let reply = host.read(2_000)
      #expect(Array(reply.prefix(12)) == [1, 0x11, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2])
      #expect(reply.count == 12 + 2 * (312 + 4))
      #expect(Array(reply[12 + 256..<12 + 260]) == Array("1-1\0".utf8))
      // Bus 1, device 1, full speed; the IDs; one configuration and one interface of class 3.
      #expect(Array(reply[300..<312]) == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2])
      #expect(
        Array(reply[312..<328]) == [
          0x12, 9, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 3, 0, 0, 0,
        ])
      await second.destroy()
    }
  }

  @Test("a device without a port is unplugged: its host's connection ends, and no other finds it")
  func release() async throws {
    try await withServer { server, bus, _, _ in
      let handler = Handler()
      weak var released: USBDevice?
      let host = try Host(server.address)
      do {
        let port = try await bus.plug(description("two"), handler: handler)
        released = (port as? USBPort)?.device
        #expect(host.importDevice("1-2") == [1, 0x11, 0, 3, 0, 0, 0, 0])
        #expect(host.read(312).count == 312)
        #expect(host.ask(1, Self.device).count == 18)
      }
      #expect(host.hasEnded())
      #expect(try Host(server.address).importDevice("1-2") == [1, 0x11, 0, 3, 0, 0, 0, 4])
      // The loop may still be in the call that has closed the connection.
      while released != nil { await Task.yield() }
    }
  }

  /// A handler that releases its port before it answers the first request for a report.
  private final class ReleasingHandler: HIDDeviceHandler {
    private let port = Mutex<(any HIDDevicePort)?>(nil)

    func hold(_ port: any HIDDevicePort) { self.port.withLock { $0 = port } }

    func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
      for case .getReport(let request, _, _) in events.map(\.event) {
        self.port.withLock { $0 = nil }
        port.answerGet(request, [1, 2, 3])
      }
    }
  }

  @Test("the host gets the answer of a handler that releases the last port")
  func releaseInHandler() async throws {
    try await withServer { server, bus, _, _ in
      let handler = ReleasingHandler()
      let host = try Host(server.address)
      handler.hold(try await bus.plug(description("two"), handler: handler))
      #expect(host.importDevice("1-2") == [1, 0x11, 0, 3, 0, 0, 0, 0])
      #expect(host.read(312).count == 312)
      #expect(host.ask(1, [0xA1, 1, 0, 3, 0, 0, 8, 0]) == [1, 2, 3])
      #expect(host.hasEnded())
    }
  }

  @Test("one host at a time has a device, and the next one finds it as new")
  func imports() async throws {
    try await withServer { server, _, port, handler in
      var first: Host? = try Host(server.address)
      #expect(first?.importDevice("1-1") == [1, 0x11, 0, 3, 0, 0, 0, 0])
      #expect(first?.read(312).count == 312)
      #expect(first?.ask(1, Self.device).prefix(2) == [18, 1])
      let second = try Host(server.address)
      #expect(second.importDevice("1-1") == [1, 0x11, 0, 3, 0, 0, 0, 2])
      #expect(try Host(server.address).importDevice("1-9") == [1, 0x11, 0, 3, 0, 0, 0, 4])
      // The host's driver reads the report descriptor, and then a feature report.
      #expect(first?.ask(2, [0x81, 6, 0, 0x22, 0, 0, 64, 0]).count == 25)
      #expect(first?.ask(3, [0xA1, 1, 0, 3, 0, 0, 8, 0]) == [1, 2, 3])
      first = nil
      var next = try Host(server.address)
      while next.importDevice("1-1").last != 0 { next = try Host(server.address) }
      #expect(next.read(312).count == 312)
      #expect(next.ask(1, Self.device).count == 18)
      #expect(handler.events.contains(.stop))
      #expect(handler.events.count { if case .start = $0 { true } else { false } } == 1)
      await port.destroy()
      #expect(next.read(1).isEmpty)
    }
  }

  @Test("the host's requests about a device are events of their interface, or of all interfaces")
  func deviceEvents() async throws {
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    var first = try description("events")
    first.usb.wakesHosts = true
    first.usb.requests = [USBVendorRequest(requestType: 0x40, request: 2, answer: .data([]))]
    var second = first
    second.usbInterface.boot = .keyboard
    second.physicalPath = HIDPhysicalPath(deviceID: first.physicalPath.deviceID, interface: 1)
    let handlers = [Handler(), Handler()]
    let ports = try await ServedUSBBus(server, publishingIn: nil)
      .plug([first, second], handlers: handlers)
    let host = try Host(server.address)
    #expect(host.importDevice("1-1").last == 0)
    _ = host.read(312)
    // SET_CONFIGURATION 1, SET_FEATURE for remote wake-up, SET_IDLE of 500 ms and SET_PROTOCOL
    // for interface 1, SET_FEATURE and CLEAR_FEATURE for the halt of endpoint 82, and two requests
    // of a vendor.
    let setups: [[UInt8]] = [
      [0, 9, 1, 0, 0, 0, 0, 0], [0, 3, 1, 0, 0, 0, 0, 0], [0x21, 0x0A, 0, 125, 1, 0, 0, 0],
      [0x21, 0x0B, 0, 0, 1, 0, 0, 0], [2, 3, 0, 0, 0x82, 0, 0, 0], [2, 1, 0, 0, 0x82, 0, 0, 0],
      [0x40, 2, 0x30, 0, 0, 0, 0, 0], [0x40, 3, 0, 1, 0, 0, 0, 0],
    ]
    for (index, setup) in setups.enumerated() { _ = host.ask(UInt8(index + 1), setup) }
    let all: [HIDHostEvent] = [.usb(.configuration(1)), .usb(.remoteWakeup(isAllowed: true))]
    let requests: [HIDHostEvent] = [
      .usb(.request([0x40, 2, 0x30, 0, 0, 0, 0, 0], isAccepted: true)),
      .usb(.request([0x40, 3, 0, 1, 0, 0, 0, 0], isAccepted: false)),
    ]
    #expect(handlers[0].events == all + requests)
    let own: [HIDHostEvent] = [
      .usb(.idle(nil, rate: 125)), .usb(.bootProtocol(true)), .usb(.halt(endpoint: 0x82)),
      .usb(.clearHalt(endpoint: 0x82)),
    ]
    #expect(handlers[1].events == all + own + requests)
    for port in ports { await port.destroy() }
    await server.close()
  }

  @Test("a host that has chosen the boot protocol gets boot reports, until it chooses the other")
  func bootProtocol() async throws {
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    // Report 1: eight keys from A on, a bit each.
    let descriptor: [UInt8] = [
      0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x85, 0x01, 0x05, 0x07, 0x19, 0x04, 0x29, 0x0B, 0x15,
      0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0xC0,
    ]
    let plain = try description("boot")
    var keyboard = HIDDeviceDescription(
      identity: plain.identity, physicalPath: plain.physicalPath,
      descriptor: try HIDReportDescriptor(parsing: descriptor))
    keyboard.usbInterface.boot = .keyboard
    let handler = Handler()
    let port = try await ServedUSBBus(server, publishingIn: nil).plug(keyboard, handler: handler)
    let host = try Host(server.address)
    #expect(host.importDevice("1-1").last == 0)
    _ = host.read(312)
    _ = host.ask(1, [0, 9, 1, 0, 0, 0, 0, 0])
    var batch = HIDReportBatch()
    batch.append([1, 2])
    var sequence: UInt8 = 1
    for (setting, expected) in [(0, [0, 0, 5, 0, 0, 0, 0, 0]), (1, [1, 2])] as [(UInt8, [UInt8])] {
      sequence += 2
      _ = host.ask(sequence, [0x21, 0x0B, setting, 0, 0, 0, 0, 0])
      host.poll(sequence + 1, length: 8)
      while !handler.events.contains(.open) { await Task.yield() }
      #expect(try await port.sendInput(batch, in: 0..<1) == 1)
      #expect(host.readReply() == expected)
    }
    await port.destroy()
    await server.close()
  }

  @Test("the messages before a faulty one count, and the end of a connection withdraws a request")
  func faultyMessage() async throws {
    final class Silent: HIDDeviceHandler {
      private let state = Mutex<[HIDHostEvent]>([])
      var events: [HIDHostEvent] { state.withLock { $0 } }

      func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
        state.withLock { $0 += events.map(\.event) }
      }
    }
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    let handler = Silent()
    let port = try await ServedUSBBus(server, publishingIn: nil)
      .plug(description("faulty"), handler: handler)
    let host = try Host(server.address)
    #expect(host.importDevice("1-1").last == 0)
    _ = host.read(312)
    // GET_REPORT of a feature report, and a message of an unknown kind.
    host.submit(
      7, [0xA1, 1, 0, 3, 0, 0, 8, 0], and: [0, 0, 0, 9] + [UInt8](repeating: 0, count: 44))
    #expect(host.read(1).isEmpty)
    while handler.events.count < 2 { await Task.yield() }
    guard handler.events.count == 2, case .getReport(let asked, .feature, nil) = handler.events[0],
      case .usb(.withdrawal(asked)) = handler.events[1]
    else {
      Issue.record("found \(handler.events)")
      return
    }
    await port.destroy()
    await server.close()
  }

  @Test("bytes that are no request, and a version that is not known, end the connection")
  func garbage() async throws {
    try await withServer { server, _, _, _ in
      for bytes in [
        Array("GET / HT".utf8), [1, 6, 0x80, 5, 0, 0, 0, 0], [1, 0x11, 0, 5, 0, 0, 0, 0],
      ] as [[UInt8]] {
        let host = try Host(server.address)
        host.send(bytes)
        #expect(host.read(1).isEmpty)
      }
      let host = try Host(server.address)
      #expect(host.importDevice("1-1").last == 0)
      _ = host.read(312)
      host.send(Array(repeating: 0xFF, count: 48))
      #expect(host.read(1).isEmpty)
    }
  }

  /// The notes of a server.
  private final class Notes: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ note: USBServerNote) { state.withLock { $0.append(note.description) } }
  }

  @Test("a refused request and a faulty message are noted with the reason, once a second")
  func notes() async throws {
    let faults: [(reason: String, make: (USBServerAddress) throws -> Void)] = [
      (
        "refused a request of HOST: expected version 0x0111 of USB/IP, found 0x4745",
        { try Host($0).send(Array("GET / HT".utf8)) }
      ),
      (
        "refused a request of HOST: there is no device usbip:1-?9",
        { try Host($0).importDevice("1-\u{1B}9") }
      ),
      (
        "ended the connection of the host of usbip:1-1: expected a command 1 or 2 of USB/IP, "
          + "found 4294967295",
        { address in
          let host = try Host(address)
          host.importDevice("1-1")
          _ = host.read(312)
          host.send(Array(repeating: 0xFF, count: 48))
          #expect(host.read(1).isEmpty)
        }
      ),
    ]
    for fault in faults {
      let notes = Notes()
      let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0)) {
        notes.add($0)
      }
      let port = try await ServedUSBBus(server, publishingIn: nil)
        .plug(description("noted"), handler: Handler())
      try fault.make(server.address)
      func found() -> [String] { notes.all.filter { !$0.contains("has imported") } }
      while found().isEmpty { await Task.yield() }
      try fault.make(server.address)
      await port.destroy()
      await server.close()
      let address = /127\.0\.0\.1:\d+/
      #expect(found().map { $0.replacing(address, with: "HOST") } == [fault.reason])
    }
  }

  @Test("a thousand connections that send half a request do not keep others out")
  func halfOpen() async throws {
    try await withServer { server, _, _, _ in
      var halves: [Host] = []
      for _ in 0..<1_000 {
        let host = try Host(server.address)
        host.send([1, 0x11, 0x80])
        halves.append(host)
      }
      let host = try Host(server.address)
      #expect(host.importDevice("1-1").last == 0)
      #expect(host.read(312).count == 312)
      #expect(host.ask(1, Self.device).count == 18)
      withExtendedLifetime(halves) {}
    }
  }

  @Test("a hundred thousand withdrawals of transfers that do not exist leave the device as it is")
  func withdrawals() async throws {
    try await withServer { server, _, _, _ in
      let host = try Host(server.address)
      #expect(host.importDevice("1-1").last == 0)
      _ = host.read(312)
      let one =
        [0, 0, 0, 2] + [UInt8](repeating: 0, count: 16) + [0, 0, 1, 0]
        + [UInt8](repeating: 0, count: 24)
      let thousand = Array(repeatElement(one, count: 1_000).joined())
      // The host reads the replies, too. Otherwise the device stops reading, and waits.
      for _ in 0..<100 {
        host.send(thousand)
        #expect(host.read(thousand.count).count == thousand.count)
      }
      #expect(host.ask(1, Self.device).count == 18)
    }
  }

  @Test("a device does not wait for ever for a host whose transfers take parts of reports")
  func parts() async throws {
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    let handler = Handler()
    var slow = try description("slow")
    // The second transfer ends while the device waits for room.
    slow.usbInterface.interval = 255
    let port = try await ServedUSBBus(server, publishingIn: nil).plug(slow, handler: handler)
    var host: Host? = try Host(server.address)
    #expect(host?.importDevice("1-1").last == 0)
    _ = host?.read(312)
    _ = host?.ask(1, [0, 9, 1, 0, 0, 0, 0, 0])
    host?.poll(2, length: 1)
    host?.poll(3, length: 1)
    while !handler.events.contains(.open) { await Task.yield() }
    var batch = HIDReportBatch()
    for _ in 0..<100 { batch.append([1, 2, 3]) }
    #expect(try await port.sendInput(batch, in: 0..<100) == USBInputEndpoint.capacity)
    await port.roomForInput()
    #expect(try await port.sendInput(batch, in: 0..<1) == 1)
    withExtendedLifetime(host) {}
    host = nil
    await port.destroy()
    await server.close()
  }

  @Test("a late answer to a host that has gone does not answer the next host")
  func lateAnswer() async throws {
    /// A handler that keeps requests, and answers none.
    final class Silent: HIDDeviceHandler {
      private let state = Mutex<[HIDRequestID]>([])
      var requests: [HIDRequestID] { state.withLock { $0 } }

      func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
        for record in events {
          guard case .getReport(let request, _, _) = record.event else { continue }
          state.withLock { $0.append(request) }
        }
      }
    }
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    let handler = Silent()
    let port = try await ServedUSBBus(server, publishingIn: nil)
      .plug(description("late"), handler: handler)
    let feature: [UInt8] = [0xA1, 1, 0, 3, 0, 0, 8, 0]
    var first: Host? = try Host(server.address)
    #expect(first?.importDevice("1-1").last == 0)
    _ = first?.read(312)
    first?.submit(7, feature)
    while handler.requests.isEmpty { await Task.yield() }
    withExtendedLifetime(first) {}
    first = nil
    var next = try Host(server.address)
    while next.importDevice("1-1").last != 0 { next = try Host(server.address) }
    _ = next.read(312)
    next.submit(7, feature)
    while handler.requests.count < 2 { await Task.yield() }
    let requests = handler.requests
    port.answerGet(requests[0], [9, 9])
    port.answerGet(requests[1], [1, 2, 3])
    #expect(next.readReply() == [1, 2, 3])
    await port.destroy()
    await server.close()
  }

  @Test("a client of hidsim that answers no more does not stop the device")
  func silentClient() async throws {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    try await withServer { server, _, served, handler in
      let port = try #require(served as? USBPort)
      await port.publish(in: directory)
      let client = try #require(
        ControlClient(to: port.plugged.physicalPath.interfaceID, in: directory))
      while try client.question() == nil { await Task.yield() }
      client.answer(0, room: 62, lost: 0)
      await port.roomForInput()
      let host = try Host(server.address)
      #expect(host.importDevice("1-1").last == 0)
      _ = host.read(312)
      _ = host.ask(1, [0, 9, 1, 0, 0, 0, 0, 0])
      host.poll(2, length: 3)
      while !handler.events.contains(.open) { await Task.yield() }
      var batch = HIDReportBatch()
      for _ in 0..<100 { batch.append([1, 2, 3]) }
      #expect(try await port.sendInput(batch, in: 0..<100) == 62)
      // The device begins to wait before the host has taken the reports.
      let waiting = Task { await port.roomForInput() }
      for sequence in 3..<65 as Range<UInt8> {
        #expect(host.read(48 + 3).count == 48 + 3)
        host.poll(sequence, length: 3)
      }
      await waiting.value
      #expect(try await port.sendInput(batch, in: 0..<1) == 1)
      withExtendedLifetime((host, client)) {}
    }
  }

  @Test("an address is an IPv4 address with a port, or with the port that hosts expect")
  func addresses() {
    #expect(USBServerAddress("127.0.0.1:3240") == .standard)
    #expect(USBServerAddress("127.0.0.1") == .standard)
    #expect(USBServerAddress("0.0.0.0:0")?.isLoopback == false)
    #expect("\(USBServerAddress.standard)" == "127.0.0.1:3240")
    for text in ["", "localhost:1", "127.0.0.1:", "127.0.0.1:65536", ":3240", "1.2.3:4"] {
      #expect(USBServerAddress(text) == nil, "\(text)")
    }
  }
}
