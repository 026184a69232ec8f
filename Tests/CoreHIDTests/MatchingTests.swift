// SPDX-License-Identifier: Apache-2.0

@testable import CoreHID
import HIDBus
import Testing

extension OnBothBuses {
  @Suite("Matching")
  struct MatchingTests {
    private typealias Criteria = HIDDeviceManager.DeviceMatchingCriteria

    private func device(_ name: String) async throws -> HIDVirtualDevice {
      let properties = HIDVirtualDevice.Properties(
        descriptor: TestDescriptor.mouse, vendorID: 0x1209, productID: 0x0077, transport: .i2c,
        product: name, manufacturer: "hidsim", modelNumber: "M-1", versionNumber: 0x0201,
        serialNumber: "S-1", uniqueID: "U-1", locationID: 0x0102, localizationCode: .japan,
        extraProperties: ["Answer": NSNumber(value: 42), "Name": "value" as NSString])
      let device = try #require(HIDVirtualDevice(properties: properties))
      await device.activate(delegate: Recorder())
      try await device.hidsim.waitUntilReady()
      return device
    }

    /// Returns whether a manager reports `device` before `last`, which always matches.
    private func matches(
      _ criteria: Criteria, _ device: HIDVirtualDevice, before last: HIDVirtualDevice
    ) async throws -> Bool {
      let all = [criteria, Criteria(product: "last")]
      for try await notification in await HIDDeviceManager().monitorNotifications(
        matchingCriteria: all)
      {
        guard case .deviceMatched(let reference) = notification else { continue }
        if reference == device.deviceReference { return true }
        if reference == last.deviceReference { return false }
      }
      return false
    }

    @Test("each of the fifteen criteria matches or excludes a device", arguments: TestBus.all)
    func criteria(bus: TestBus) async throws {
      try await bus.run {
        let device = try await device("first")
        let last = try await self.device("last")
        let agreeing: [Criteria] = [
          Criteria(), Criteria(primaryUsage: .genericDesktop(.mouse), product: "first"),
          Criteria(deviceUsages: [.led(.capsLock), .genericDesktop(.pointer)]),
          Criteria(vendorID: 0x1209), Criteria(productID: 0x77), Criteria(transport: .i2c),
          Criteria(product: "first"), Criteria(manufacturer: "hidsim"),
          Criteria(modelNumber: "M-1"), Criteria(versionNumber: 0x0201),
          Criteria(serialNumber: "S-1"), Criteria(uniqueID: "U-1"), Criteria(locationID: 0x0102),
          Criteria(localizationCode: .japan), Criteria(isBuiltIn: false),
          Criteria(extraProperties: ["Answer": NSNumber(value: 42), "Name": "value" as NSString]),
        ]
        for criteria in agreeing {
          #expect(try await matches(criteria, device, before: last), "\(criteria)")
        }
        let disagreeing: [Criteria] = [
          Criteria(primaryUsage: .genericDesktop(.keyboard)),
          Criteria(deviceUsages: [.led(.capsLock)]), Criteria(deviceUsages: []),
          Criteria(vendorID: 0x1208), Criteria(productID: 0x78), Criteria(transport: .spi),
          Criteria(product: "second"), Criteria(manufacturer: "other"),
          Criteria(modelNumber: "M-2"), Criteria(versionNumber: 0x0200),
          Criteria(serialNumber: "S-2"), Criteria(uniqueID: "U-2"), Criteria(locationID: 0x0103),
          Criteria(localizationCode: .korea), Criteria(isBuiltIn: true),
          Criteria(extraProperties: ["Answer": NSNumber(value: 41)]),
          Criteria(vendorID: 0x1209, product: "second"),
        ]
        for criteria in disagreeing {
          #expect(try await !matches(criteria, device, before: last), "\(criteria)")
        }
      }
    }

    @Test(
      "a device that meets several criteria is reported once, and an empty list matches any device",
      arguments: TestBus.all)
    func once(bus: TestBus) async throws {
      try await bus.run {
        let device = try await device("first")
        let last = try await self.device("last")
        for criteria in [[Criteria(), Criteria(vendorID: 0x1209)], []] {
          var told: [HIDDeviceClient.DeviceReference] = []
          for try await notification in await HIDDeviceManager().monitorNotifications(
            matchingCriteria: criteria)
          {
            guard case .deviceMatched(let reference) = notification else { continue }
            told.append(reference)
            if reference == last.deviceReference { break }
          }
          #expect(told.filter { $0 == device.deviceReference }.count == 1)
        }
      }
    }

    @Test(
      "the backlog of unread notifications stays bounded while devices come and go",
      arguments: TestBus.all)
    func backlog(bus: TestBus) async throws {
      try await bus.run {
        let reference = try await device("first").deviceReference
        var backlog = MatchBacklog()
        func come(_ number: Int) {
          backlog.append(reference, HIDDeviceID(rawValue: UInt64(number)))
        }
        func go(_ number: Int) { backlog.remove(HIDDeviceID(rawValue: UInt64(number))) }
        // Of the first 512 devices both notifications are kept, although the devices have gone.
        for number in 0..<512 {
          come(number)
          go(number)
        }
        #expect(backlog.count == 1024)
        come(512)
        for number in 1000..<20_000 {
          come(number)
          go(number)
        }
        #expect(backlog.count == 1025)
        // Device 5 has gone already.
        go(5)
        #expect(backlog.count == 1025)
        var told: [Bool] = []
        while let notification = backlog.popFirst() {
          if case .deviceMatched = notification { told.append(true) } else { told.append(false) }
        }
        let pairs = [[Bool]](repeating: [true, false], count: 512)
        let expected: [Bool] = pairs.flatMap(\.self) + [true]
        #expect(told == expected)
        // The arrival of device 512 was returned, so its removal is returned too.
        go(512)
        #expect(backlog.count == 1)
      }
    }
  }
}
