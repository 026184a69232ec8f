// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDSimulator
import HIDBus
import HIDTesting
import Testing

/// Lights Caps Lock while A is down, as code of a user may do.
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

/// Returns whether a manager finds these devices.
///
/// On the kernel's bus, the manager may also find devices of other tests. On the loopback bus, it
/// must find no others.
private func areFound(_ devices: HIDTestDevice...) async throws -> Bool {
  var expected: [HIDDeviceClient.DeviceReference] = []
  for device in devices { expected.append(try await device.deviceReference) }
  let found = try await HIDDeviceManager().hidsim.devices()
  return HIDBus.current?.kind == .kernel ? Set(found).isSuperset(of: expected) : found == expected
}

/// Tests of virtual devices; those with the same device take turns if `.automatic` is the kernel's
/// bus.
@Suite("Virtual devices of tests", .timeLimit(.minutes(2)))
struct HIDTestDeviceTests {
  @Test(
    "a test's device is plugged, and presses and releases keys", .virtualDevice("keyboard.json"))
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
    "a device that is plugged during a test joins the devices of the test",
    .virtualDevice("keyboard.json"))
  func inTheMiddle() async throws {
    let keyboard = try HIDTestDevice.current
    try await withVirtualDevice("mouse.json") { mouse async throws in
      #expect(try HIDTestDevice.current.name == keyboard.name)
      #expect(HIDTestDevice.all.map(\.name) == ["hidsim keyboard", "hidsim mouse"])
      #expect(try await keyboard.client.product == "hidsim keyboard")
      #expect(try await mouse.client.product == "hidsim mouse")
      #expect(try await areFound(keyboard, mouse))
      // The twin has the same identity. This test already has the turn for it.
      try await withVirtualDevice("keyboard.json") { twin async throws in
        #expect(try await twin.deviceReference != keyboard.deviceReference)
      }
      let elsewhere = Task.detached { try await keyboard.client.product }
      #expect(try await elsewhere.value == "hidsim keyboard")
    }
    #expect(HIDTestDevice.all.count == 1)
  }

  @Test(
    "each key of the keyboard is one element, and its value is 1 when the key is pressed",
    .virtualDevice("keyboard.json"))
  func oneElementAKey() async throws {
    let keyboard = try HIDTestDevice.current
    let client = try await keyboard.client
    let keys = await client.elements.filter { $0.usage.page == 0x07 && $0.type == .input }
    #expect(Set(keys.map(\.usage)).count == keys.count)
    let updates = await client.monitorNotifications(reportIDsToMonitor: [], elementsToMonitor: keys)
    try await keyboard.press("rightShift+a")
    for try await case .elementUpdates(let values) in updates {
      let byUsage = Dictionary(
        values.map { ($0.element.usage, $0.integerValue(asTypeTruncatingIfNeeded: Int.self)) },
        uniquingKeysWith: { $1 })
      #expect(byUsage[.keyboardOrKeypad(.keyboardRightShift)] == 1)
      if byUsage[.keyboardOrKeypad(.keyboardA)] == 1 { break }
    }
  }

  @Test(
    "a text is typed with the keys of a layout, and a missing character is an error",
    .virtualDevice("keyboard.json"))
  func typing() async throws {
    let keyboard = try HIDTestDevice.current
    let client = try await keyboard.client
    let keys = await client.elements.filter { $0.usage.page == 0x07 && $0.type == .input }
    let updates = await client.monitorNotifications(reportIDsToMonitor: [], elementsToMonitor: keys)
    try await keyboard.type("@", layout: "de-DE")
    for try await case .elementUpdates(let values) in updates {
      let down = values.filter { $0.integerValue(asTypeTruncatingIfNeeded: Int.self) == 1 }
      let usages = Set(down.map(\.element.usage))
      if usages.contains(.keyboardOrKeypad(.keyboardQ)) {
        #expect(usages.contains(.keyboardOrKeypad(.keyboardRightAlt)), "AltGr is down with Q")
        break
      }
    }
    await #expect {
      try await keyboard.type("ñ", layout: "de-DE")
    } throws: { error in
      "\(error)".contains("the layout de-DE cannot type \"ñ\" (character 1)")
    }
    try await keyboard.type("ñ", layout: "de-DE", skippingMissing: true)
  }

  @Test(
    "a device file is found relative to the source file of the test",
    .virtualDevice("Fixtures/two-buttons.json"))
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

  @Test("all devices of a file are plugged, and the body gets the first")
  func severalOfAFile() async throws {
    try await withVirtualDevice("../EndToEndTests/Fixtures/two-devices.hid") { first in
      #expect(first.name == "End-to-end one")
      #expect(HIDTestDevice.all.map(\.name) == ["End-to-end one", "End-to-end two"])
    }
  }

  @Test(
    "an unplugged device has no client, and can be plugged again", .virtualDevice("keyboard.json"))
  func unplugging() async throws {
    let keyboard = try HIDTestDevice.current
    await keyboard.unplug()
    await #expect(throws: HIDDeviceError.self) { try await keyboard.client }
    try await keyboard.plug()
    #expect(try await keyboard.client.product == "hidsim keyboard")
  }

  @Test(
    "a script of one device affects only that device, also in blocks",
    .virtualDevice("keyboard.json", "mouse.json"))
  func playing() async throws {
    let (keyboard, mouse) = (HIDTestDevice.all[0], HIDTestDevice.all[1])
    let before = try await keyboard.deviceReference
    let mouseBefore = try await mouse.deviceReference
    try await mouse.play("repeat 2\nunplug\nplug\nend")
    #expect(try await keyboard.deviceReference == before)
    #expect(try await mouse.deviceReference != mouseBefore)
    let failure = await #expect(throws: HIDTestFailure.self) {
      try await withVirtualDevice("keyboard.json") { keyboard in
        try await keyboard.play("repeat 2\nclick left\nend")
      }
    }
    #expect(failure?.description.contains("left") == true, "\(failure as Any)")
  }

  @Test(
    "a script that a test leaves running is cancelled at the end of the test",
    arguments: [
      "repeat 1000000\nmove 1 0\nwait 10ms\nend", "move 1 0\nwait 60m",
      "move 1 0\nexpect event output within 60m", "repeat 1000000\nmove 1 0\nend",
    ])
  func leftRunning(script: String) async throws {
    let mouse = try await withVirtualDevice("mouse.json") { mouse async throws in
      let client = try await mouse.client
      let reports = await client.monitorNotifications(
        reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
      try await mouse.waitForReader()
      let left = Task { try await mouse.play(script) }
      for try await notification in reports {
        if case .inputReport = notification { break }
      }
      return (mouse, left)
    }
    await #expect(throws: CancellationError.self) { try await mouse.1.value }
    // No new action begins either, even after many calls.
    for _ in 0..<100 {
      await #expect(throws: CancellationError.self) { try await mouse.0.click() }
    }
    await #expect(throws: HIDBusError.self) { try await mouse.0.plug() }
  }

  @Test(
    "a device that plays a script does not block another device",
    .virtualDevice("keyboard.json", "mouse.json"))
  func sideBySide() async throws {
    let (keyboard, mouse) = (HIDTestDevice.all[0], HIDTestDevice.all[1])
    let client = try await mouse.client
    let reports = await client.monitorNotifications(
      reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
    try await mouse.waitForReader()
    let jitter = Task { try await mouse.play("move 1 0\nwait 60m") }
    for try await notification in reports {
      if case .inputReport = notification { break }
    }
    try await keyboard.tap("a")
    jitter.cancel()
    await #expect(throws: CancellationError.self) { try await jitter.value }
  }

  @Test(
    "the body runs in the isolation of its caller, and can use the caller's variables") @MainActor
  func isolation() async throws {
    var names: [String] = []
    let name = try await withVirtualDevice("keyboard.json") { keyboard in
      MainActor.assertIsolated()
      names.append(keyboard.name)
      return Substring(keyboard.name)
    }
    #expect(names == [String(name)])
  }

  @Test(
    "a device's client is on the bus of the device, not on the bus of the task",
    .virtualDevice("mouse.json"))
  func otherBus() async throws {
    let mouse = try HIDTestDevice.current
    try await HIDBus.isolated { () async throws in
      #expect(try await mouse.client.product == "hidsim mouse")
    }
  }

  @Test("two devices of one file have distinct names", .virtualDevice("mouse.json"))
  func twins() async throws {
    try await withVirtualDevice("mouse.json") { second async throws in
      #expect(HIDTestDevice.all.map(\.name) == ["hidsim mouse", "hidsim mouse#2"])
      #expect(try HIDTestDevice.named("hidsim mouse#2") === second)
    }
  }

  @Test(
    "a touchpad that is plugged again has no contact down",
    .virtualDevice("precision-touchpad.json"))
  func fingers() async throws {
    let touchpad = try HIDTestDevice.current
    try await touchpad.play("touch 1 at 10% 10%")
    await touchpad.unplug()
    try await touchpad.plug()
    try await withKnownIssue {
      try await touchpad.play("touch 1 up")
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("contact 1 is not down") }
    }
  }

  @Test("the first device of a libinput recording is plugged")
  func otherTraces() async throws {
    try await withVirtualDevice("../HIDTracesTests/Fixtures/libinput-three-nodes.yml") { first in
      #expect(!first.name.isEmpty)
    }
  }

  @Test("a missing file is an error with the paths tried, and a missing device is an error")
  func wrongFiles() async {
    let missing = await #expect(throws: HIDTestingError.self) {
      try await withVirtualDevice("nowhere.json") { _ in }
    }
    #expect(
      missing?.description.hasPrefix("nowhere.json: there is no such file; the paths tried are /")
        == true)
    #expect(throws: HIDTestingError.noDevice) { _ = try HIDTestDevice.current }
  }

  @Test(
    "fifty tests with two devices each do not affect each other",
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
