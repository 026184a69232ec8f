// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses.ThirdParty {
  @Suite(
    "A virtual device, used by a C program with hidapi",
    .enabled(
      if: Tools.compiler != nil && Tools.hasHIDAPI,
      "needs cc and hidapi/hidapi.h: apt-get install gcc libhidapi-dev"))
  struct HIDAPITests {
    private func run(_ body: ([String]) async throws -> Void) async throws {
      try await Tools.withCompiled("hidapi_client.c", "-lhidapi-hidraw") { program in
        try await TestBus.kernel.run { try await body([program]) }
      }
    }

    @Test("the device is enumerated by its vendor and product IDs, with its strings")
    func strings() async throws { try await run(OwnDevice.checkStrings) }

    @Test("numbered reports are read, written, got and set")
    func numbered() async throws { try await run(OwnDevice.checkNumbered) }

    @Test("unnumbered reports are written with a 0 in front, and got with one on USB only")
    func plain() async throws { try await run(OwnDevice.checkPlain) }

    @Test(
      "a request that the delegate refuses fails, and so does a read when the device is removed")
    func failures() async throws { try await run(OwnDevice.checkFailures) }
  }

  @Suite(
    "A virtual device, used by a Python program with hidapi",
    .enabled("needs Python with hidapi's module hidraw: apt-get install python3-hid") {
      await Tools.pythonWithHIDAPI != nil
    })
  struct PythonHIDAPITests {
    private func run(_ body: ([String]) async throws -> Void) async throws {
      let python = try #require(await Tools.pythonWithHIDAPI)
      try await TestBus.kernel.run {
        try await body([python, "\(Tools.fixtures)/hidapi_client.py"])
      }
    }

    @Test("the device is enumerated by its vendor and product IDs, with its strings")
    func strings() async throws { try await run(OwnDevice.checkStrings) }

    @Test("numbered reports are read, written, got and set")
    func numbered() async throws { try await run(OwnDevice.checkNumbered) }

    @Test("unnumbered reports are written with a 0 in front, and got with one on USB only")
    func plain() async throws { try await run(OwnDevice.checkPlain) }

    @Test(
      "a request that the delegate refuses fails, and so does a read when the device is removed")
    func failures() async throws { try await run(OwnDevice.checkFailures) }
  }
}

/// A device of hidsim that a program with hidapi uses.
private enum OwnDevice {
  static let vendorID: UInt32 = 0x1209
  static let productID: UInt32 = 0x00a2

  static func plug(
    _ descriptor: Data, _ delegate: any HIDVirtualDeviceDelegate = Recorder(),
    _ transport: HIDDeviceTransport = .usb
  ) async throws -> HIDVirtualDevice {
    let device = try #require(
      HIDVirtualDevice(
        properties: HIDVirtualDevice.Properties(
          descriptor: descriptor, vendorID: vendorID, productID: productID, transport: transport,
          product: "Überprüfer 3", manufacturer: "hidsim", serialNumber: "own-1")))
    await device.activate(delegate: delegate)
    try await device.hidsim.waitUntilReady()
    return device
  }

  /// Runs the program on a device's node; the body begins when the program has opened the node.
  static func use(
    _ node: String?, _ client: [String], _ body: (Program) async throws -> Void
  ) async throws {
    let node = try #require(node)
    try await Program.run(client + words(node)) { program in
      try await program.line("open")
      try await body(program)
    }
  }

  private static func words(_ node: String) -> [String] {
    [node, String(vendorID, radix: 16), String(productID, radix: 16)]
  }

  static func checkStrings(_ client: [String]) async throws {
    // hidapi takes the manufacturer from the USB device, which a device of uhid does not have.
    for transport in [.usb, .bluetooth] as [HIDDeviceTransport] {
      let device = try await plug(TestDescriptor.numbered, Recorder(), transport)
      let node = try #require(device.hidsim.node)
      try await Program.run(client + words(node)) { program in
        let found = try await program.line(beginning: "found")
        #expect(
          found == """
            found \(node) 1209:00a2 usage ff00:0001 manufacturer "" product "Überprüfer 3" \
            serial "own-1"
            """)
        #expect(try await program.line() == "manufacturer \"\"")
        #expect(try await program.line() == "product \"Überprüfer 3\"")
        #expect(try await program.line() == "serial \"own-1\"")
        #expect(try await program.line() == "open")
      }
      withExtendedLifetime(device) {}
    }
  }

  static func checkNumbered(_ client: [String]) async throws {
    let recorder = Recorder()
    await recorder.answer(with: Data([4, 0x11, 0x22, 0x33, 0x44]))
    let device = try await plug(TestDescriptor.numbered, recorder)
    try await use(device.hidsim.node, client) { program in
      try await device.dispatchInputReport(data: Data([1, 10, 11, 12, 13]), timestamp: .now)
      try await device.dispatchInputReport(data: Data([2, 20, 21]), timestamp: .now)
      #expect(try await program.ask("read") == "input 01 0a 0b 0c 0d")
      #expect(try await program.ask("read") == "input 02 14 15")
      #expect(try await program.ask("get 4 64") == "feature 04 11 22 33 44")
      #expect(try await program.ask("set 04 09 08 07 06") == "set 5")
      #expect(try await program.ask("write 03 01 02 03") == "wrote 4")
      await recorder.waitForReports(2)
      let received = await recorder.received
      #expect(received.map(\.type) == [.feature, .output])
      #expect(received.map(\.id?.rawValue) == [4, 3])
      #expect(received.map(\.data) == [Data([4, 9, 8, 7, 6]), Data([3, 1, 2, 3])])
    }
  }

  static func checkPlain(_ client: [String]) async throws {
    for (transport, number) in [(.usb, "00 "), (.bluetooth, "")]
      as [(HIDDeviceTransport, String)]
    {
      try await checkPlain(client, transport, number)
    }
  }

  /// Checks the unnumbered reports of a device on one transport.
  ///
  /// - Parameter number: The words in front of the report in the answer to a get-report request.
  private static func checkPlain(
    _ client: [String], _ transport: HIDDeviceTransport, _ number: String
  ) async throws {
    let recorder = Recorder()
    await recorder.answer(with: Data([1, 2, 3, 4, 5, 6, 7, 8]))
    let device = try await plug(TestDescriptor.plain, recorder, transport)
    try await use(device.hidsim.node, client) { program in
      try await device.dispatchInputReport(data: Data([10, 11, 12]), timestamp: .now)
      #expect(try await program.ask("read") == "input 0a 0b 0c 00 00 00 00 00")
      #expect(try await program.ask("get 0 64") == "feature \(number)01 02 03 04 05 06 07 08")
      #expect(try await program.ask("set 00 09 08 07 06 05 04 03 02") == "set 9")
      #expect(try await program.ask("write 00 08 07 06 05 04 03 02 01") == "wrote 9")
      await recorder.waitForReports(2)
      let received = await recorder.received
      #expect(received.map(\.type) == [.feature, .output])
      #expect(received.map(\.id) == [nil, nil])
      #expect(
        received.map(\.data) == [
          Data([9, 8, 7, 6, 5, 4, 3, 2]), Data([8, 7, 6, 5, 4, 3, 2, 1]),
        ])
    }
  }

  static func checkFailures(_ client: [String]) async throws {
    var device: HIDVirtualDevice? = try await plug(TestDescriptor.numbered, Refuser())
    try await use(device?.hidsim.node, client) { program in
      #expect(try await program.ask("get 4 64") == "get failed")
      #expect(try await program.ask("set 04 09 08 07 06") == "set failed")
      try await device?.dispatchInputReport(data: Data([1, 10, 11, 12, 13]), timestamp: .now)
      #expect(try await program.ask("read") == "input 01 0a 0b 0c 0d")
      try await program.write("read")
      device = nil
      #expect(try await program.line() == "read failed")
    }
  }

  /// A delegate that refuses every request.
  private struct Refuser: HIDVirtualDeviceDelegate {
    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, data: Data
    ) throws { throw HIDDeviceError.unsupported }

    func hidVirtualDevice(
      _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
      id: HIDReportID?, maxSize: Int
    ) throws -> Data { throw HIDDeviceError.unsupported }
  }
}
