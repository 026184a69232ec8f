// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses {
  @Suite("Elements and their values")
  struct ElementTests {
    @Test("a keyboard has an element for each modifier, lamp and key, and none for padding")
    func keyboard() async throws {
      try await TestBus.loopback.run {
        let (device, client) = try await plug(TestDescriptor.keyboard)
        let elements = await client.elements
        #expect(elements.count { $0.type == .output } == 5)
        // 8 modifiers, and keys 1 to 0x65: usage 0 is not a key.
        #expect(elements.count { $0.type == .input } == 8 + 0x65)
        let a = try #require(elements.first { $0.usage == .keyboardOrKeypad(.keyboardA) })
        #expect(a.reportSize == 1)
        #expect(a.reportID == nil)
        #expect(a.logicalMinimum == 0)
        #expect(a.logicalMaximum == 1)
        #expect(a.parentCollection.usage == .genericDesktop(.keyboard))
        #expect(a.parentCollection.type == .application)
        #expect(a.parentCollection.parentCollection == nil)
        #expect(Set(elements).count == elements.count)
        withExtendedLifetime(device) {}
      }
    }

    @Test("collections refer to their parents, their children and their elements")
    func collections() async throws {
      try await TestBus.loopback.run {
        let (device, client) = try await plug(TestDescriptor.sensor)
        let elements = await client.elements
        #expect(
          elements.map(\.usage) == [
            .genericDesktop(.x), .genericDesktop(.hatSwitch), .generic(0xff00, 7),
          ])
        let pointer = elements[0].parentCollection
        #expect(pointer.type == .physical)
        let mouse = try #require(pointer.parentCollection)
        #expect(mouse.usage == .genericDesktop(.mouse))
        #expect(mouse.childCollections == [pointer])
        #expect(mouse.childElements == [elements[2]])
        #expect(pointer.childElements == [elements[0], elements[1]])
        #expect(await client.deviceUsages == [.genericDesktop(.mouse), .genericDesktop(.pointer)])
        withExtendedLifetime(device) {}
      }
    }

    @Test("a value has bytes, a signed integer, a logical value and a physical value")
    func values() async throws {
      try await TestBus.loopback.run {
        let (device, client) = try await plug(TestDescriptor.sensor)
        let elements = await client.elements
        let x = elements[0]
        let value = HIDElement.Value(
          element: x, fromIntegerTruncatingIfNeeded: -2000, timestamp: .now)
        #expect(value.bytes == Data([0x30, 0x08]))  // 12 bits
        #expect(value.integerValue(asTypeTruncatingIfNeeded: Int.self) == -2000)
        #expect(value.integerValue(asTypeTruncatingIfNeeded: Int8.self) == 0x30)
        #expect(value.integerValue(asTypeTruncatingIfNeeded: Int128.self) == -2000)
        #expect(value.logicalValue(asTypeTruncatingIfNeeded: Int32.self) == -2000)
        #expect(value.physicalValue(fromTypeTruncatingIfNeeded: Int.self, as: Double.self) == -20)
        let beyond = HIDElement.Value(
          element: x, fromIntegerTruncatingIfNeeded: 2001, timestamp: .now)
        #expect(beyond.integerValue(asTypeTruncatingIfNeeded: Int.self) == 2001)
        #expect(beyond.logicalValue(asTypeTruncatingIfNeeded: Int.self) == nil)
        #expect(beyond.physicalValue(fromTypeTruncatingIfNeeded: Int.self, as: Float.self) == nil)
        #expect(
          HIDElement.Value(element: x, fromLogicalValueTruncatingIfNeeded: 2001, timestamp: .now)
            == nil)
        #expect(
          HIDElement.Value(element: x, fromPhysicalValue: 12.34, timestamp: .now)?
            .logicalValue(asTypeTruncatingIfNeeded: Int.self) == 1234)
        #expect(HIDElement.Value(element: x, fromPhysicalValue: 20.1, timestamp: .now) == nil)
        let hat = elements[1]
        let none = HIDElement.Value(element: hat, fromBytes: Data([0xff]), timestamp: .now)
        #expect(none.bytes == Data([0x0f]))
        #expect(none.logicalValue(asTypeTruncatingIfNeeded: Int.self) == nil)
        let east = HIDElement.Value(element: hat, fromIntegerTruncatingIfNeeded: 3, timestamp: .now)
        #expect(east.physicalValue(fromTypeTruncatingIfNeeded: Int.self, as: Double.self) == 90)
        let blob = HIDElement.Value(element: elements[2], fromBytes: Data([1]), timestamp: .now)
        #expect(blob.bytes == Data([1] + [UInt8](repeating: 0, count: 11)))
        #expect(blob.integerValue(asTypeTruncatingIfNeeded: UInt128.self) == 1)
        withExtendedLifetime(device) {}
      }
    }

    @Test("a usage of an array whose value the bits cannot hold is refused, and none is selected")
    func tooFewBits() async throws {
      try await TestBus.loopback.run {
        // A feature array of one slot of 2 bits, with values from 1 to 5.
        let descriptor = Data([
          0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01,
          0x09, 0x02, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
          0x19, 0x11, 0x29, 0x15, 0x15, 0x01, 0x25, 0x05, 0x75, 0x02, 0x95, 0x01, 0xb1, 0x00,
          0x75, 0x06, 0x95, 0x01, 0xb1, 0x01, 0xc0,
        ])
        let recorder = Recorder()
        let (device, client) = try await plug(descriptor, recorder)
        let members = await client.elements.filter { $0.type == .feature }
        try #require(members.count == 5)
        let updates = members.map { member in
          HIDDeviceClient.ProvideElementUpdate(values: [
            HIDElement.Value(element: member, fromIntegerTruncatingIfNeeded: 1, timestamp: .now)
          ])
        }
        let results = await client.updateElements([updates[2], updates[4]])
        try results[updates[2]]?.get()
        #expect(throws: HIDDeviceError.badArgument) { try results[updates[4]]?.get() }
        #expect(await recorder.received.map(\.data) == [Data([3])])
        withExtendedLifetime(device) {}
      }
    }

    @Test("several updates keep their order and their own results", arguments: TestBus.all)
    func updates(bus: TestBus) async throws {
      try await bus.run {
        let recorder = Recorder()
        await recorder.answer(with: Data(1...12))
        let (device, client) = try await plug(TestDescriptor.sensor, recorder)
        let blob = try #require(await client.elements.last)
        let before = HIDDeviceClient.RequestElementUpdate(elements: [blob])
        let bytes = Data([9] + [UInt8](repeating: 8, count: 11))
        let provide = HIDDeviceClient.ProvideElementUpdate(values: [
          HIDElement.Value(element: blob, fromBytes: bytes, timestamp: .now)
        ])
        let after = HIDDeviceClient.RequestElementUpdate(elements: [blob], pollDevice: false)
        let results = await client.updateElements([before, provide, after])
        #expect(try results[before]?.get().map(\.bytes) == [Data(1...12)])
        try results[provide]?.get()
        #expect(await recorder.received.map(\.data) == [bytes])
        // This update does not poll: it returns the values that were last sent.
        #expect(try results[after]?.get().map(\.bytes) == [bytes])
        #expect(results[HIDDeviceClient.RequestElementUpdate(elements: [blob])] == nil)
        withExtendedLifetime(device) {}
      }
    }
  }
}
