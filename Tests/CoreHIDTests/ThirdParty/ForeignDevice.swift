// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

/// A device that another program plugs.
struct ForeignDevice {
  static let vendorID: UInt32 = 0x1209
  static let productID: UInt32 = 0x00a1

  /// The words that start the program which plugs the device.
  let player: [String]
  var name = "third-party device"
  var serialNumber = "third-1"
  let descriptor: Data
  /// The answers to get-report requests.
  ///
  /// The device refuses get-report and set-report requests for other reports.
  var answers: [(type: String, report: Data)] = []

  /// Makes the vendor's device, which has feature report 4 and refuses feature report 5.
  static func numbered(_ player: [String]) -> ForeignDevice {
    ForeignDevice(
      player: player, descriptor: TestDescriptor.numbered,
      answers: [("feature", Data([0x04, 0x11, 0x22, 0x33, 0x44]))])
  }

  /// Makes a keyboard on which Shift and A are held.
  static func keyboard(_ player: [String]) -> ForeignDevice {
    ForeignDevice(
      player: player, name: "third-party keyboard", serialNumber: "third-2",
      descriptor: TestDescriptor.keyboard,
      answers: [("input", Data([0x02, 0, 0x04, 0, 0, 0, 0, 0]))])
  }

  var criteria: HIDDeviceManager.DeviceMatchingCriteria {
    HIDDeviceManager.DeviceMatchingCriteria(
      vendorID: Self.vendorID, productID: Self.productID, serialNumber: serialNumber)
  }

  /// Plugs the device for as long as a body runs; the body begins when the kernel has started the
  /// device.
  func plug<Value: Sendable>(_ body: (Program) async throws -> Value) async throws -> Value {
    let words =
      [
        name, serialNumber, String(Self.vendorID, radix: 16), String(Self.productID, radix: 16),
        descriptor.words,
      ] + answers.map { "\($0.type):\($0.report.words)" }
    return try await Program.run(player + words) { program in
      try await program.line("start")
      return try await body(program)
    }
  }

  /// Waits until a manager finds the device.
  func find() async throws -> HIDDeviceClient.DeviceReference {
    for try await case .deviceMatched(let reference)
      in await HIDDeviceManager().monitorNotifications(matchingCriteria: [criteria])
    {
      return reference
    }
    throw HIDDeviceError.notReady
  }

  /// Plugs the device, makes a client of it, and runs a body with both.
  func use<Value: Sendable>(
    _ body: (Program, HIDDeviceClient) async throws -> Value
  ) async throws -> Value {
    try await plug { program in
      let client = try #require(HIDDeviceClient(deviceReference: try await find()))
      return try await body(program, client)
    }
  }
}

// MARK: Checks for every program that plugs the device

// Each check plugs one device: on an emulated machine Python takes ten seconds to begin.

extension ForeignDevice {
  /// Checks that a client knows all properties and elements that the kernel knows.
  ///
  /// - Parameter country: The device's country, as the program gave it to the kernel.
  static func checkProperties(
    _ player: [String], country: HIDDeviceLocalizationCode
  ) async throws {
    try await numbered(player).use { _, client in
      #expect(await client.vendorID == vendorID)
      #expect(await client.productID == productID)
      #expect(await client.product == "third-party device")
      #expect(await client.serialNumber == "third-1")
      #expect(await client.manufacturer == nil)
      #expect(await client.transport == .usb)
      #expect(await client.localizationCode == country)
      #expect(await !client.isBuiltIn)
      #expect(await client.descriptor == TestDescriptor.numbered)
      #expect(await client.primaryUsage == HIDUsage(page: 0xff00, usage: 1))
      #expect(await client.deviceUsages == [HIDUsage(page: 0xff00, usage: 1)])
      let elements = await client.elements
      let kinds = elements.map { "\($0.type) \($0.reportID?.rawValue ?? 0) \($0.usage.usage ?? 0)" }
      #expect(
        kinds == [
          "input 1 1", "input 1 1", "input 1 1", "input 1 1", "input 2 2", "input 2 2",
          "output 3 3", "output 3 3", "output 3 3",
          "feature 4 4", "feature 4 4", "feature 4 4", "feature 4 4", "feature 5 5",
        ])
      #expect(elements.allSatisfy { $0.reportSize == 8 && $0.logicalMaximum == 255 })
    }
  }

  /// Checks the properties of a keyboard; of a device with keys the kernel knows the version, too.
  static func checkKeyboardProperties(_ player: [String], version: UInt64?) async throws {
    try await keyboard(player).use { _, client in
      #expect(await client.product == "third-party keyboard")
      #expect(await client.serialNumber == "third-2")
      #expect(await client.versionNumber == version)
      #expect(await client.primaryUsage == .genericDesktop(.keyboard))
      let usages = await client.elements.map(\.usage)
      #expect(usages.contains(.led(.capsLock)))
      #expect(usages.contains(.keyboardOrKeypad(.keyboardA)))
    }
  }

  /// Checks that a manager reports a device of this process, and a foreign device that is plugged
  /// and unplugged.
  static func checkArrival(_ player: [String]) async throws {
    let own = try #require(
      HIDVirtualDevice(
        properties: HIDVirtualDevice.Properties(
          descriptor: TestDescriptor.plain, vendorID: vendorID, productID: productID)))
    await own.activate(delegate: Recorder())
    let criteria = HIDDeviceManager.DeviceMatchingCriteria(
      vendorID: vendorID, productID: productID)
    var stream = await HIDDeviceManager().monitorNotifications(matchingCriteria: [criteria])
      .makeAsyncIterator()
    #expect(try await stream.next()?.matched == own.deviceReference)
    let other = try await numbered(player).plug { _ in
      let other = try #require(try await stream.next()?.matched)
      #expect(other != own.deviceReference)
      let client = try #require(HIDDeviceClient(deviceReference: other))
      #expect(await client.product == "third-party device")
      return other
    }
    #expect(try await stream.next()?.removed == other)
    withExtendedLifetime(own) {}
  }

  /// Checks that input arrives as reports and as values of elements.
  static func checkInput(_ player: [String]) async throws {
    try await numbered(player).use { program, client in
      let elements = await client.elements.filter { $0.type == .input }
      let stream = await client.monitorNotifications(
        reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: elements)
      try await program.write("input 01 0a 0b 0c 0d")
      try await program.write("input 02 14 ff")
      #expect(
        try await heard(4, of: stream) == [
          "report 1: 01 0a 0b 0c 0d", "values 10 11 12 13", "report 2: 02 14 ff", "values 20 255",
        ])
    }
  }

  /// Checks that keys arrive as reports and as values of elements.
  static func checkKeyboardInput(_ player: [String]) async throws {
    try await keyboard(player).use { program, client in
      let keys = await client.elements.filter {
        [.keyboardOrKeypad(.keyboardLeftShift), .keyboardOrKeypad(.keyboardA)].contains($0.usage)
      }
      let stream = await client.monitorNotifications(
        reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: keys)
      try await program.write("input 02 00 04 00 00 00 00 00")
      try await program.write("input 00 00 00 00 00 00 00 00")
      #expect(
        try await heard(4, of: stream) == [
          "report 0: 02 00 04 00 00 00 00 00", "values 1 1",
          "report 0: 00 00 00 00 00 00 00 00", "values 0 0",
        ])
    }
  }

  /// Checks that requests for numbered reports have the ID in front, and that a refusal is an I/O
  /// error.
  static func checkNumberedRequests(_ player: [String]) async throws {
    try await numbered(player).use { program, client in
      let four = try #require(HIDReportID(rawValue: 4))
      let five = try #require(HIDReportID(rawValue: 5))
      #expect(
        try await client.dispatchGetReportRequest(type: .feature, id: four)
          == Data([0x04, 0x11, 0x22, 0x33, 0x44]))
      try await program.line("get feature 4")
      try await client.dispatchSetReportRequest(
        type: .feature, id: four, data: Data([4, 9, 8, 7, 6]))
      try await program.line("set feature 4 04 09 08 07 06")
      try await client.dispatchSetReportRequest(type: .output, data: Data([3, 1, 2, 3]))
      try await program.line("output 03 01 02 03")

      await #expect(throws: HIDDeviceError.ioError) {
        try await client.dispatchGetReportRequest(type: .feature, id: five)
      }
      try await program.line("get feature 5")
      await #expect(throws: HIDDeviceError.ioError) {
        try await client.dispatchSetReportRequest(type: .feature, id: five, data: Data([5, 1]))
      }
      try await program.line("set feature 5 05 01")

      let elements = await client.elements
      let request = HIDDeviceClient.RequestElementUpdate(
        elements: elements.filter { $0.type == .feature && $0.reportID == four })
      let values = elements.filter { $0.type == .output }.enumerated().map {
        HIDElement.Value(
          element: $1, fromIntegerTruncatingIfNeeded: $0 + 7, timestamp: .now)
      }
      let provision = HIDDeviceClient.ProvideElementUpdate(values: values)
      let results = await client.updateElements([request, provision])
      try results[provision]?.get()
      try await program.line("output 03 07 08 09")
      #expect(
        try results[request]?.get().map { $0.integerValue(asTypeTruncatingIfNeeded: Int.self) }
          == [0x11, 0x22, 0x33, 0x44])
    }
  }

  /// Checks that a keyboard returns its keys and receives its lamps.
  ///
  /// The lamps have a 0 in front, which the kernel passes on.
  static func checkKeyboardRequests(_ player: [String]) async throws {
    try await keyboard(player).use { program, client in
      #expect(
        try await client.dispatchGetReportRequest(type: .input)
          == Data([0x02, 0, 0x04, 0, 0, 0, 0, 0]))
      try await program.line("get input 0")
      let capsLock = try #require(await client.elements.first { $0.usage == .led(.capsLock) })
      let on = HIDDeviceClient.ProvideElementUpdate(values: [
        HIDElement.Value(element: capsLock, fromIntegerTruncatingIfNeeded: 1, timestamp: .now)
      ])
      try await client.updateElements([on])[on]?.get()
      try await program.line("output 00 02")
    }
  }

  /// The answers that a device may give for an unnumbered report of 8 bytes.
  ///
  /// Hardware on USB puts a 0 in front, other hardware does not, and a program may do either.
  static let plainAnswers: [Data] = [
    Data([1, 2, 3, 4, 5, 6, 7, 8]), Data([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    Data([0, 2, 3, 4, 5, 6, 7, 8]),
  ]

  /// Checks that a client gets and sets an unnumbered report without a 0 in front.
  static func checkPlainRequests(_ player: [String], answer: Data) async throws {
    let wanted = answer.suffix(8)
    let device = ForeignDevice(
      player: player, descriptor: TestDescriptor.plain, answers: [("feature", answer)])
    try await device.use { program, client in
      #expect(try await client.dispatchGetReportRequest(type: .feature) == wanted)
      try await client.dispatchSetReportRequest(type: .feature, data: wanted)
      try await program.line("set feature 0 00 \(wanted.words)")
    }
  }

  /// Checks that a stream ends with the device, whether it is unplugged or its program is killed.
  static func checkRemoval(_ player: [String], isKilled: Bool) async throws {
    try await numbered(player).use { program, client in
      let stream = await client.monitorNotifications(
        reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
      try await program.write("input 01 0a 0b 0c 0d")
      var seen: [String] = []
      for try await notification in stream {
        seen.append(text(of: notification))
        guard seen.count == 1 else { continue }
        if isKilled { try program.kill() } else { try await program.closeInput() }
      }
      #expect(seen == ["report 1: 01 0a 0b 0c 0d", "removed"])
      await #expect(throws: HIDDeviceError.notReady) {
        try await client.dispatchGetReportRequest(type: .feature, id: HIDReportID(rawValue: 4))
      }
      #expect(HIDDeviceClient(deviceReference: client.deviceReference) == nil)
    }
  }

  // MARK: Notifications

  private static func heard(
    _ count: Int, of stream: AsyncThrowingStream<HIDDeviceClient.Notification, any Error>
  ) async throws -> [String] {
    var heard: [String] = []
    for try await notification in stream {
      heard.append(text(of: notification))
      if heard.count == count { break }
    }
    return heard
  }

  private static func text(of notification: HIDDeviceClient.Notification) -> String {
    switch notification {
    case .inputReport(let id, let data, _): return "report \(id?.rawValue ?? 0): \(data.words)"
    case .elementUpdates(let values):
      let numbers = values.map { "\($0.integerValue(asTypeTruncatingIfNeeded: Int.self))" }
      return "values \(numbers.joined(separator: " "))"
    case .deviceRemoved: return "removed"
    default: return "other"
    }
  }
}

extension HIDDeviceManager.Notification {
  fileprivate var matched: HIDDeviceClient.DeviceReference? {
    if case .deviceMatched(let reference) = self { reference } else { nil }
  }

  fileprivate var removed: HIDDeviceClient.DeviceReference? {
    if case .deviceRemoved(let reference) = self { reference } else { nil }
  }
}
