// SPDX-License-Identifier: Apache-2.0

import CoreHID
import CoreHaptics
import GameController
import HIDTesting
import Testing

extension OnBothBuses {
  @Suite("Motors and touchpads of controllers")
  struct HapticsTests {
    /// Returns a pattern of one strength that lasts until its player is stopped.
    private static func vibration(_ intensity: Float) throws -> CHHapticPattern {
      let event = CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: intensity)],
        relativeTime: 0, duration: TimeInterval(GCHapticDurationInfinite))
      return try CHHapticPattern(events: [event], parameters: [])
    }

    // The device files of controllers that the library does not have.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let dualShock4Bluetooth =
      folder.appending(path: "dualshock4-bluetooth.json").path
    private static let xbox = folder.appending(path: "xbox-bluetooth.json").path

    private static let playStation = [
      "dualsense.json", "dualsense-bluetooth.json", "dualshock4.json", dualShock4Bluetooth,
    ]

    @Test(
      "rumble reaches the motors of Sony's controllers, and its engine stops with the controller",
      arguments: playStation, OnBothBuses.buses)
    func rumble(_ file: String, _ bus: HIDTestBus) async throws {
      let journal = Journal()
      try await withVirtualDevice(file, bus: bus) { device in
        let controller = try await Controllers.controller()
        try await device.waitForReader()
        let haptics = try #require(controller.haptics)
        #expect(
          haptics.supportedLocalities == [.default, .all, .handles, .leftHandle, .rightHandle])
        #expect(haptics.createEngine(withLocality: .triggers) == nil)
        let left = try #require(haptics.createEngine(withLocality: .leftHandle))
        let both = try #require(haptics.createEngine(withLocality: .default))
        left.stoppedHandler = { journal.note("\($0)") }
        try await left.start()
        try await both.start()
        try await device.expectAnything()
        let strong = try left.makePlayer(with: Self.vibration(0.8))
        try strong.start(atTime: CHHapticTimeImmediate)
        try await device.expect("rumbleLeft", is: 204, within: .seconds(5))
        let weak = try both.makePlayer(with: Self.vibration(0.4))
        try weak.start(atTime: CHHapticTimeImmediate)
        try await device.expect("rumbleRight", is: 102, within: .seconds(5))
        // The strongest vibration counts. When it changes, the light in the same report stays.
        controller.light?.color = GCColor(red: 0, green: 1, blue: 0)
        try await device.expect("green", is: 255, within: .seconds(5))
        try strong.stop(atTime: CHHapticTimeImmediate)
        try await device.expect("rumbleLeft", is: 102, within: .seconds(5))
        try await device.expect("green", is: 255)
        // The report is repeated while a motor is on.
        try await device.expectAnything()
        #expect(try await device.play("expect event output within 5s"))
        try await both.stop()
        try await device.expect("rumbleLeft", is: 0, within: .seconds(5))
        try await Controllers.end(device)
      }
      #expect(try await journal.wait(for: 1) == ["gameControllerDisconnect"])
    }

    @Test(
      "a stop that fails while another client has seized the device is sent afterwards",
      arguments: OnBothBuses.buses)
    func refused(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("dualsense.json", bus: bus) { device in
        let controller = try await Controllers.controller()
        try await device.waitForReader()
        let engine = try #require(controller.haptics?.createEngine(withLocality: .default))
        try await engine.start()
        try await device.expectAnything()
        let player = try engine.makePlayer(with: Self.vibration(1))
        try player.start(atTime: CHHapticTimeImmediate)
        try await device.expect("rumbleLeft", is: 255, within: .seconds(5))
        do {
          let other = try await device.client
          try await other.seizeDevice()
          try await engine.stop()
          // The client that has seized the device may write. It releases the device at the end of
          // this scope.
          try await other.dispatchSetReportRequest(
            type: .output, id: HIDReportID(rawValue: 2),
            data: Data([2] + [UInt8](repeating: 0, count: 47)))
        }
        try await device.expectAnything()
        try await device.expect("means.haptics", is: 1, within: .seconds(10))
        try await device.expect("rumbleLeft", is: 0)
        try await Controllers.end(device)
      }
    }

    @Test(
      "touches on the touchpads of Sony's controllers set the touchpads' axes",
      arguments: playStation, OnBothBuses.buses)
    func touches(_ file: String, _ bus: HIDTestBus) async throws {
      try await withVirtualDevice(file, bus: bus) { device in
        let controller = try await Controllers.controller()
        try await device.waitForReader()
        let profile = controller.physicalInputProfile
        let first = try #require(profile.dpads[GCInputDualShockTouchpadOne])
        let second = try #require(profile.dpads[GCInputDualShockTouchpadTwo])
        let journal = Journal()
        first.valueChangedHandler = { _, x, y in journal.note("\(x) \(y)") }
        let isDualSense = profile is GCDualSenseGamepad
        let bottom: HIDTestValue = isDualSense ? 1079 : 941
        // The finger is at the right end of the upper edge of the touchpad.
        try await device.set("touch1.x", to: 1919)
        try await device.set("touch1.y", to: 0)
        try await device.set("touch1.lifted", to: 0)
        try await eventually { first.xAxis.value == 1 && first.yAxis.value == 1 }
        try await device.set("touch1.y", to: bottom)
        try await eventually { first.down.value == 1 && first.right.value == 1 }
        #expect(second.xAxis.value == 0 && second.yAxis.value == 0)
        try await device.set("touch2.lifted", to: 0)
        try await eventually { second.left.value == 1 && second.up.value == 1 }
        try await device.set("touch1.lifted", to: 1)
        try await eventually { first.xAxis.value == 0 && first.yAxis.value == 0 }
        #expect(second.left.isPressed)
        try await eventually { journal.all.last == "0.0 0.0" }
        #expect(journal.all.contains("1.0 1.0") && journal.all.contains("1.0 -1.0"))
        if let pad = profile as? GCDualSenseGamepad {
          #expect(pad.touchpadPrimary === first && pad.touchpadSecondary === second)
        } else {
          let pad = try #require(profile as? GCDualShockGamepad)
          #expect(pad.touchpadPrimary === first && pad.touchpadSecondary === second)
        }
        try await Controllers.end(device)
        #expect(second.left.value == 0)
      }
    }

    @Test(
      "a DualShock 4 on USB and on Bluetooth has its buttons, charge, motion and light",
      arguments: ["dualshock4.json", dualShock4Bluetooth], OnBothBuses.buses)
    func dualShock4(_ file: String, _ bus: HIDTestBus) async throws {
      try await withVirtualDevice(file, bus: bus) { device in
        let controller = try await Controllers.controller()
        let gamepad = try #require(controller.extendedGamepad as? GCDualShockGamepad)
        #expect(controller.productCategory == GCProductCategoryDualShock4)
        try await device.waitForReader()
        try await Controllers.press(
          [
            ("cross", gamepad.buttonA), ("circle", gamepad.buttonB), ("square", gamepad.buttonX),
            ("triangle", gamepad.buttonY), ("options", gamepad.buttonMenu),
            ("l1", gamepad.leftShoulder), ("touchpad", gamepad.touchpadButton),
            ("share", try #require(gamepad.buttonOptions)),
            ("ps", try #require(gamepad.buttonHome)),
            ("r3", try #require(gamepad.rightThumbstickButton)),
          ], of: gamepad, on: device)
        #expect(gamepad.leftThumbstick.xAxis.value == 0 && gamepad.rightThumbstick.yAxis.value == 0)
        try await device.set("rightY", to: 0)
        try await eventually { gamepad.rightThumbstick.yAxis.value == 1 }
        try await device.set("leftTrigger", to: 255)
        try await eventually { gamepad.leftTrigger.value == 1 }
        try await device.set("dpad", to: 2)
        try await eventually { gamepad.dpad.right.isPressed }

        let battery = try #require(controller.battery)
        try await device.set("cable", to: 1)
        try await eventually { battery.batteryState == .charging }
        #expect(abs(battery.batteryLevel - 0.85) < 0.001)
        try await device.set("battery", to: 11)
        try await eventually { battery.batteryState == .full && battery.batteryLevel == 1 }
        try await device.set("battery", to: 15)
        try await eventually { battery.batteryState == .unknown }
        try await device.set("battery", to: 3)
        try await device.set("cable", to: 0)
        try await eventually { battery.batteryState == .discharging }
        #expect(abs(battery.batteryLevel - 0.35) < 0.001)

        let motion = try #require(controller.motion)
        motion.sensorsActive = true
        try await eventually { motion.acceleration == GCAcceleration(x: 0, y: 1, z: 0) }
        try await device.set("gyroZ", to: 1440)
        try await eventually { abs(motion.rotationRate.z - .pi / 2) < 0.0001 }
        #expect(motion.rotationRate.x == 0)

        try await device.expectAnything()
        let light = try #require(controller.light)
        light.color = GCColor(red: 1, green: 0.2, blue: 0)
        try await device.expect("red", is: 255, within: .seconds(5))
        try await device.expect("green", is: 51, within: .seconds(5))
        // A DualShock 4 has no player lamps.
        controller.playerIndex = .index2
        #expect(controller.playerIndex == .index2)
        try await Controllers.end(device)
      }
    }

    @Test(
      "a vibration of a Switch Pro is repeated until it ends", arguments: OnBothBuses.buses)
    func switchPro(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("switch-pro.json", bus: bus) { device in
        let controller = try await Controllers.controller()
        try await device.waitForReader()
        try await device.expect("mode", is: 0x30, within: .seconds(10))
        let engine = try #require(controller.haptics?.createEngine(withLocality: .rightHandle))
        try await engine.start()
        let player = try engine.makePlayer(with: Self.vibration(1))
        try await device.expectAnything()
        try player.start(atTime: CHHapticTimeImmediate)
        // The value is 320 Hz and 160 Hz with the amplitude 100 of 100, lowest byte first. The left
        // motor is at rest.
        try await device.expect("rumbleRight", is: 0x7240_C900, within: .seconds(5))
        try await device.expect("rumbleLeft", is: 0x4040_0100, within: .seconds(5))
        for _ in 0..<2 {
          let repetition = "expect event output 16 bytes ?? 00 01 40 40 00 c9 40 72 ... within 5s"
          #expect(try await device.play(repetition))
        }
        try player.stop(atTime: CHHapticTimeImmediate)
        try await device.expect("rumbleRight", is: 0x4040_0100, within: .seconds(5))
        try await Controllers.end(device)
      }
    }

    @Test(
      "an Xbox controller has its buttons, its charge, and motors in its handles and triggers",
      arguments: OnBothBuses.buses)
    func xbox(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice(Self.xbox, bus: bus) { device in
        let controller = try await Controllers.controller()
        let gamepad = try #require(controller.extendedGamepad as? GCXboxGamepad)
        #expect(controller.productCategory == GCProductCategoryXboxOne)
        try await device.waitForReader()
        try await Controllers.press(
          [
            ("a", gamepad.buttonA), ("b", gamepad.buttonB), ("x", gamepad.buttonX),
            ("y", gamepad.buttonY), ("menu", gamepad.buttonMenu), ("lb", gamepad.leftShoulder),
            ("view", try #require(gamepad.buttonOptions)),
            ("home", try #require(gamepad.buttonHome)),
            ("ls", try #require(gamepad.leftThumbstickButton)),
          ], of: gamepad, on: device)
        try await device.set("leftTrigger", to: 1023)
        try await eventually { gamepad.leftTrigger.value == 1 }
        let battery = try #require(controller.battery)
        try await device.set("battery", to: 0x87)
        try await eventually { battery.batteryState == .discharging && battery.batteryLevel == 1 }
        try await device.set("battery", to: 0x90)
        try await eventually { battery.batteryState == .charging && battery.batteryLevel == 0 }

        let haptics = try #require(controller.haptics)
        #expect(haptics.supportedLocalities.count == 8)
        let handle = try #require(haptics.createEngine(withLocality: .leftHandle))
        let triggers = try #require(haptics.createEngine(withLocality: .triggers))
        try await handle.start()
        try await triggers.start()
        try await device.expectAnything()
        let strong = try handle.makePlayer(with: Self.vibration(1))
        try strong.start(atTime: CHHapticTimeImmediate)
        try await device.expect("motorStrong", is: 100, within: .seconds(5))
        let weak = try triggers.makePlayer(with: Self.vibration(0.5))
        try weak.start(atTime: CHHapticTimeImmediate)
        try await device.expect("motorLeftTrigger", is: 50, within: .seconds(5))
        try await device.expect("motorRightTrigger", is: 50)
        try await device.expect("motorWeak", is: 0)
        try await handle.stop()
        try await device.expect("motorStrong", is: 0, within: .seconds(5))
        #expect(controller.light == nil && controller.motion == nil)
        try await Controllers.end(device)
      }
    }

    @Test("a controller whose motors hidsim cannot drive has no haptics") func none() async throws {
      try await withVirtualDevice("gamepad.json", bus: .loopback) { device in
        let controller = try await Controllers.controller()
        #expect(controller.haptics == nil)
        try await Controllers.end(device)
      }
      let haptics = GCDeviceHaptics()
      #expect(haptics.supportedLocalities.isEmpty)
      #expect(haptics.createEngine(withLocality: .all) == nil)
    }
  }
}
