// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDSimulator
import HIDSystem
import HIDTesting
import HIDWire
import Testing

/// Lights Caps Lock while A is down: what a user's code may do.
private func lightWhileAIsDown(_ client: HIDDeviceClient) async throws {
  for try await notification in await client.monitorNotifications(
    reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
  {
    guard case .inputReport(_, let data, _) = notification else { continue }
    let isDown = data.dropFirst(2).contains(4)
    try await client.dispatchSetReportRequest(
      type: .output, id: nil, data: Data([isDown ? 0x02 : 0x00]))
  }
}

/// The devices that a manager finds: on the kernel's bus those of other tests, too.
private func areFound(_ devices: HIDTestDevice...) async throws -> Bool {
  var expected: [HIDDeviceClient.DeviceReference] = []
  for device in devices { expected.append(try await device.deviceReference) }
  let found = try await HIDDeviceManager().hidsim.devices()
  return HIDBus.current?.kind == .kernel ? Set(found).isSuperset(of: expected) : found == expected
}

/// Where `.automatic` is the kernel's bus, its tests take turns.
@Suite("Virtual devices of tests", .timeLimit(.minutes(2)))
struct HIDTestDeviceTests {
  @Test("the device is there, and does what a person does", .virtualDevice("keyboard.json"))
  func keyboard() async throws {
    let keyboard = try HIDTestDevice.current
    #expect(keyboard.name == "hidsim keyboard")
    let client = try await keyboard.client
    let light = Task { try await lightWhileAIsDown(client) }
    defer { light.cancel() }
    #expect(try await keyboard.waitForReader())
    try await keyboard.press("a")
    #expect(try await keyboard.expect(.led(.capsLock), is: 1, within: .seconds(5)))
    try await keyboard.release()
    #expect(try await keyboard.expect("led.capsLock", is: .off, within: .seconds(5)))
  }

  @Test(
    "a manager finds the test's devices, and on the loopback bus no others",
    .virtualDevice("keyboard.json", "mouse.json"))
  func own() async throws {
    let names = HIDTestDevice.all.map(\.name)
    #expect(names == ["hidsim keyboard", "hidsim mouse"])
    #expect(try await areFound(HIDTestDevice.all[0], HIDTestDevice.all[1]))
    #expect(try HIDTestDevice.named("hidsim mouse").name == "hidsim mouse")
  }

  @Test(
    "a device that comes in the middle of a test comes to those that are there",
    .virtualDevice("keyboard.json"))
  func inTheMiddle() async throws {
    let keyboard = try HIDTestDevice.current
    try await withVirtualDevice("mouse.json") { mouse async throws in
      #expect(try HIDTestDevice.current.name == keyboard.name)
      #expect(HIDTestDevice.all.map(\.name) == ["hidsim keyboard", "hidsim mouse"])
      #expect(try await keyboard.client.product == "hidsim keyboard")
      #expect(try await mouse.client.product == "hidsim mouse")
      #expect(try await areFound(keyboard, mouse))
      // One more of the same identity, which this test has already.
      try await withVirtualDevice("keyboard.json") { twin async throws in
        #expect(try await twin.deviceReference != keyboard.deviceReference)
      }
      let elsewhere = Task.detached { try await keyboard.client.product }
      #expect(try await elsewhere.value == "hidsim keyboard")
    }
    #expect(HIDTestDevice.all.count == 1)
  }

  @Test("a file is looked for beside the source", .virtualDevice("Fixtures/two-buttons.json"))
  func besides() async throws {
    #expect(try HIDTestDevice.current.name == "two buttons")
    try await HIDTestDevice.current.tap("button 1+button 2")
  }

  @Test(
    "each argument of a test can have a device of its own",
    arguments: ["keyboard.json", "mouse.json"])
  func files(file: String) async throws {
    let name = try await withVirtualDevice(file) { device async throws in
      #expect(try await areFound(device))
      return device.name
    }
    #expect(name == "hidsim " + file.dropLast(5))
  }

  @Test("of a file with several devices the body gets the first, and all are plugged")
  func severalOfAFile() async throws {
    try await withVirtualDevice("../EndToEndTests/Fixtures/two-devices.hid") { first in
      #expect(first.name == "End-to-end one")
      #expect(HIDTestDevice.all.map(\.name) == ["End-to-end one", "End-to-end two"])
    }
  }

  @Test("an unplugged device is gone, and comes again", .virtualDevice("keyboard.json"))
  func unplugging() async throws {
    let keyboard = try HIDTestDevice.current
    await keyboard.unplug()
    await #expect(throws: HIDDeviceError.self) { try await keyboard.client }
    try await keyboard.plug()
    #expect(try await keyboard.client.product == "hidsim keyboard")
  }

  @Test("what is wrong with a file is said")
  func wrongFiles() async {
    let missing = await #expect(throws: HIDTestingError.self) {
      try await withVirtualDevice("nowhere.json") { _ in }
    }
    #expect(
      missing?.description.hasPrefix("nowhere.json: there is no such file; it was looked for as /")
        == true)
    #expect(throws: HIDTestingError.noDevice) { _ = try HIDTestDevice.current }
  }

  @Test(
    "fifty tests with two devices each do not see each other",
    .virtualDevice("keyboard.json", "mouse.json"),
    arguments: 0..<50)
  func many(number: Int) async throws {
    let (keyboard, mouse) = (HIDTestDevice.all[0], HIDTestDevice.all[1])
    let client = try await keyboard.client
    let light = Task { try await lightWhileAIsDown(client) }
    defer { light.cancel() }
    try await keyboard.waitForReader(within: .seconds(20))
    try await keyboard.press("a")
    try await mouse.move(x: number, y: -number)
    try await keyboard.expect(.led(.capsLock), is: 1, within: .seconds(20))
    #expect(try await areFound(keyboard, mouse))
  }
}
