// SPDX-License-Identifier: Apache-2.0

import HIDTesting
import Testing

@testable import GameController

extension OnBothBuses {
  @Suite("GCController") struct Controllers {
    static func controller() async throws -> GCController {
      try await eventually { !GCController.controllers().isEmpty }
      return try #require(GCController.controllers().first)
    }

    static func end(_ devices: HIDTestDevice...) async throws {
      for device in devices { await device.unplug() }
      try await eventually { GCController.controllers().isEmpty }
      await DispatchQueue.main.drained()
    }

    /// Presses and releases controls of a device, and expects each to press only its own button.
    static func press(
      _ buttons: [(name: String, button: GCControllerButtonInput)], of gamepad: GCExtendedGamepad,
      on device: HIDTestDevice
    ) async throws {
      for (name, button) in buttons {
        try await device.set(HIDTestControl(stringLiteral: name), to: 1)
        try await eventually { button.isPressed }
        #expect(gamepad.allButtons.filter { $0.isPressed } == [button], "\(name)")
        try await device.set(HIDTestControl(stringLiteral: name), to: 0)
        try await eventually { !button.isPressed }
      }
    }

    @Test(
      "a gamepad known only by its descriptor has its controls, and releases them when unplugged",
      arguments: OnBothBuses.buses)
    func generic(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("gamepad.json", bus: bus) { device in
        let controller = try await Self.controller()
        let gamepad = try #require(controller.extendedGamepad)
        let micro = try #require(controller.microGamepad)
        let journal = Journal()
        gamepad.valueChangedHandler = { _, element in
          let name = element.localizedName ?? ""
          switch element {
          case let button as GCControllerButtonInput: journal.note("\(name) \(button.value)")
          case let pad as GCControllerDirectionPad:
            journal.note("\(name) \(pad.xAxis.value) \(pad.yAxis.value)")
          default: journal.note(name)
          }
        }
        micro.valueChangedHandler = { _, element in
          journal.note("micro \(element.localizedName ?? "")")
        }
        gamepad.leftThumbstick.up.pressedChangedHandler = { _, value, isPressed in
          journal.note("up \(value) \(isPressed)")
        }
        try await device.waitForReader()
        var expected: [String] = []
        func set(_ control: HIDTestControl, _ value: HIDTestValue, _ lines: String...) async throws
        {
          try await device.set(control, to: value)
          expected += lines
          let found = try await journal.wait(for: expected.count)
          #expect(found == expected, "\(control)")
        }
        try await set("south", 1, "A Button 1.0", "micro A Button")
        try await set("east", 1, "B Button 1.0")
        try await set("west", 1, "X Button 1.0", "micro X Button")
        try await set("north", 1, "Y Button 1.0")
        try await set("start", 1, "Menu Button 1.0", "micro Menu Button")
        try await set("select", 1, "Options Button 1.0")
        try await set("leftTrigger", 255, "Left Trigger 1.0")
        try await set("rightTrigger", 51, "Right Trigger 0.2")
        try await set("leftY", -32767, "up 1.0 true", "Left Thumbstick 0.0 1.0")
        try await set("rightX", 32767, "Right Thumbstick 1.0 0.0")
        try await set("dpad", 3, "Direction Pad 1.0 -1.0", "micro Direction Pad")
        #expect(gamepad.dpad.down.isPressed && gamepad.dpad.right.isPressed)
        #expect(micro.dpad.down.isPressed && micro.buttonA.isPressed)
        #expect(gamepad.buttonHome?.isPressed == false)
        #expect(gamepad.buttons[GCInputButtonA]?.isPressed == true)
        #expect(gamepad.dpads[GCInputRightThumbstick]?.right.value == 1)
        #expect(gamepad.axes["Right Thumbstick X Axis"]?.value == 1)
        #expect(gamepad.buttons["Left Thumbstick Up"] === gamepad.leftThumbstick.up)
        #expect(gamepad["Direction Pad Down"] === gamepad.dpad.down)
        #expect(gamepad.elements["Direction Pad Y Axis"] === gamepad.dpad.yAxis)
        #expect(gamepad.allAxes.count == 6)
        #expect(controller.productCategory == GCProductCategoryHID)
        #expect(controller.battery == nil && controller.light == nil)
        #expect(controller.playerIndex == .indexUnset)
        let copy = controller.capture()
        #expect(copy.isSnapshot && copy.extendedGamepad?.buttonB.isPressed == true)
        #expect(copy.microGamepad?.buttonA.isPressed == true)
        #expect(gamepad.lastEventTimestamp > 0)
        #expect(copy.extendedGamepad?.lastEventTimestamp == gamepad.lastEventTimestamp)
        #expect(copy.microGamepad?.lastEventTimestamp == gamepad.lastEventTimestamp)
        // When the gamepad is unplugged, its pressed buttons are released.
        await device.unplug()
        try await eventually { !gamepad.allButtons.contains { $0.isPressed } }
        #expect(gamepad.dpad.xAxis.value == 0 && gamepad.rightThumbstick.xAxis.value == 0)
        #expect(copy.extendedGamepad?.buttonB.isPressed == true)
        try await eventually { GCController.controllers().isEmpty }
        #expect(GCController.current == nil)
        await DispatchQueue.main.drained()
      }
    }

    @Test(
      "a DualSense on USB and on Bluetooth has its buttons, charge, motion, light and lamps",
      arguments: ["dualsense.json", "dualsense-bluetooth.json"], OnBothBuses.buses)
    func dualSense(_ file: String, _ bus: HIDTestBus) async throws {
      try await withVirtualDevice(file, bus: bus) { device in
        let controller = try await Self.controller()
        let gamepad = try #require(controller.extendedGamepad as? GCDualSenseGamepad)
        #expect(controller.productCategory == GCProductCategoryDualSense)
        try await device.waitForReader()
        try await Self.press(
          [
            ("cross", gamepad.buttonA), ("circle", gamepad.buttonB), ("square", gamepad.buttonX),
            ("triangle", gamepad.buttonY), ("options", gamepad.buttonMenu),
            ("l1", gamepad.leftShoulder),
            ("touchpad", gamepad.touchpadButton), ("create", try #require(gamepad.buttonOptions)),
            ("ps", try #require(gamepad.buttonHome)),
            ("r3", try #require(gamepad.rightThumbstickButton)),
          ], of: gamepad, on: device)
        // 0x80 of 0…255 is the value at rest, and both ends of the range are reached.
        #expect(gamepad.leftThumbstick.xAxis.value == 0 && gamepad.rightThumbstick.yAxis.value == 0)
        try await device.set("rightY", to: 0)
        try await eventually { gamepad.rightThumbstick.yAxis.value == 1 }
        try await device.set("leftX", to: 0)
        try await eventually { gamepad.leftThumbstick.left.value == 1 }
        try await device.set("rightTrigger", to: 255)
        try await eventually { gamepad.rightTrigger.value == 1 }

        let battery = try #require(controller.battery)
        try await device.set("charging", to: 1)
        try await eventually { battery.batteryState == .charging }
        #expect(abs(battery.batteryLevel - 0.85) < 0.001)
        try await device.set("charging", to: 0)
        try await eventually { battery.batteryState == .discharging }

        let motion = try #require(controller.motion)
        #expect(motion.sensorsRequireManualActivation && motion.acceleration == GCAcceleration())
        let journal = Journal()
        motion.valueChangedHandler = { journal.note("\($0.rotationRate.x) \($0.acceleration.y)") }
        motion.sensorsActive = true
        try await eventually { motion.acceleration == GCAcceleration(x: 0, y: 1, z: 0) }
        try await device.set("gyroX", to: 1440)
        try await eventually { abs(motion.rotationRate.x - .pi / 2) < 0.0001 }
        try await eventually {
          journal.all.contains { $0.hasPrefix("1.57") && $0.hasSuffix(" 1.0") }
        }
        motion.sensorsActive = false
        try await device.set("gyroX", to: 0)
        #expect(motion.controller === controller && motion.rotationRate.x > 1)

        try await device.expectAnything()
        let light = try #require(controller.light)
        light.color = GCColor(red: 1, green: 0.2, blue: .nan)
        try await device.expect("red", is: 255, within: .seconds(5))
        try await device.expect("green", is: 51, within: .seconds(5))
        #expect(light.color.green == 0.2)
        controller.playerIndex = .index2
        for red in 0..<100 { light.color = GCColor(red: Float(red) / 255, green: 0, blue: 0) }
        try await device.expect("playerLamps", is: 10, within: .seconds(5))
        try await device.expect("red", is: 99, within: .seconds(5))
        #expect(controller.playerIndex == .index2)
        try await Self.end(device)
      }
    }

    @Test(
      "a Switch Pro is set up, and has its buttons, stick ranges, charge, lamps and motion",
      arguments: OnBothBuses.buses)
    func switchPro(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("switch-pro.json", bus: bus) { device in
        let controller = try await Self.controller()
        let gamepad = try #require(controller.extendedGamepad)
        try await device.waitForReader()
        // In mode 0x30, the controller sends its state with the sticks at the right positions in
        // the report.
        try await device.expect("mode", is: 0x30, within: .seconds(10))
        try await Self.press(
          [
            ("b", gamepad.buttonA), ("a", gamepad.buttonB), ("y", gamepad.buttonX),
            ("x", gamepad.buttonY), ("plus", gamepad.buttonMenu), ("l", gamepad.leftShoulder),
            ("zl", gamepad.leftTrigger), ("r", gamepad.rightShoulder), ("zr", gamepad.rightTrigger),
            ("up", gamepad.dpad.up), ("left", gamepad.dpad.left), ("down", gamepad.dpad.down),
            ("right", gamepad.dpad.right), ("minus", try #require(gamepad.buttonOptions)),
            ("home", try #require(gamepad.buttonHome)),
            ("capture", try #require(gamepad.buttons[GCInputButtonShare])),
            ("leftStick", try #require(gamepad.leftThumbstickButton)),
            ("rightStick", try #require(gamepad.rightThumbstickButton)),
          ], of: gamepad, on: device)
        // The range is 512 to 3584 in the factory's calibration. Up is the larger value.
        try await device.set("leftY", to: 3584)
        try await eventually { gamepad.leftThumbstick.yAxis.value == 1 }
        try await device.set("leftY", to: 1280)
        try await eventually { gamepad.leftThumbstick.down.value == 0.5 }
        try await device.set("rightX", to: 512)
        try await eventually { gamepad.rightThumbstick.xAxis.value == -1 }
        try await device.set("rightX", to: 2048)
        try await eventually { gamepad.rightThumbstick.allZero }

        let battery = try #require(controller.battery)
        try await eventually { battery.batteryLevel == 1 }
        try await device.set("charging", to: 0)
        try await device.set("battery", to: 2)
        try await eventually { battery.batteryState == .discharging && battery.batteryLevel == 0.5 }

        try await device.expectAnything()
        controller.playerIndex = .index3
        try await device.expect("lamps", is: 7, within: .seconds(5))
        controller.playerIndex = .indexUnset
        try await device.expect("lamps", is: 0, within: .seconds(5))
        #expect(controller.productCategory == GCProductCategoryHID)
        #expect(controller.light == nil)

        let motion = try #require(controller.motion)
        motion.sensorsActive = true
        // The device reports one standard gravity upwards, and then a quarter turn per second about
        // x, in the last sample of a report.
        try await eventually { motion.acceleration == GCAcceleration(x: 0, y: 0, z: 1) }
        let turns = Journal()
        motion.valueChangedHandler = { motion in
          if abs(motion.rotationRate.x - .pi / 2) < 0.001 { turns.note("a quarter a second") }
        }
        let rest = "00 00 00 00 00 10 00 00 00 00 00 00 "
        let turn =
          "report 30 00 81 00 00 00 00 08 80 00 08 80 00 \(rest)\(rest)"
          + "00 00 00 00 00 10 02 05 00 00 00 00"
        // A report at rest follows within 15 ms, and may come before the handler is called.
        try await eventually {
          let hasPlayed = try await device.play(turn)
          return hasPlayed && turns.count > 0
        }
        motion.valueChangedHandler = nil
        motion.sensorsActive = false
        if bus == .loopback {
          try await device.expect("argument", is: 0, within: .seconds(5))
        }
        try await Self.end(device)
      }
    }

    @Test(
      "a controller is posted when it connects, disconnects and becomes the current one",
      arguments: OnBothBuses.buses)
    func notifications(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("gamepad.json", bus: bus) { device in
        let notices = Notices([
          .GCControllerDidConnect, .GCControllerDidDisconnect, .GCControllerDidBecomeCurrent,
          .GCControllerDidStopBeingCurrent,
        ]) { $0 is GCController }
        // The controller exists, so it is posted: now, or by an earlier use of the notification's
        // name.
        _ = try await Self.controller()
        try await eventually { Registry.current.hasAnnounced(.controller) }
        try await Self.end(device)
        try await eventually { notices.journal.all.last == "GCControllerDidDisconnect" }
        let begin = notices.journal.count
        for _ in 0..<10 {
          let before = notices.journal.count
          try await device.plug()
          try await eventually { notices.journal.count >= before + 2 }
          #expect(GCController.current != nil)
          try await Self.end(device)
          try await eventually { notices.journal.count >= before + 4 }
        }
        let lines = notices.journal.all[begin...]
        for name in ["DidConnect", "DidDisconnect", "DidBecomeCurrent", "DidStopBeingCurrent"] {
          #expect(lines.filter { $0 == "GCController\(name)" }.count == 10, "\(name)")
        }
      }
    }

    @Test("a late observer gets a controller as connected, and then as the current one")
    func late() async throws {
      // On the loopback bus each test begins with new lists.
      try await withVirtualDevice("gamepad.json", bus: .loopback) { device in
        _ = try await Self.controller()
        await DispatchQueue.main.drained()
        let notices = Notices([.GCControllerDidBecomeCurrent, .GCControllerDidConnect]) {
          $0 is GCController
        }
        #expect(
          try await notices.journal.wait(for: 2) == [
            "GCControllerDidConnect", "GCControllerDidBecomeCurrent",
          ])
        try await Self.end(device)
      }
    }

    @Test(
      "a controller whose reports hidsim does not read is not listed", arguments: OnBothBuses.buses)
    func leftOut(_ bus: HIDTestBus) async throws {
      // The device is the gamepad with the IDs of a Joy-Con.
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let text = try String(
        contentsOf: root.appending(path: "Descriptors/gamepad.json"), encoding: .utf8
      ).replacing("\"0x1209\"", with: "\"0x057e\"").replacing("\"0x0003\"", with: "\"0x2006\"")
      let file = FileManager.default.temporaryDirectory
        .appending(path: "joy-con-\(UUID().uuidString).json")
      try text.write(to: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(at: file) }
      try await withVirtualDevice(file.path, bus: bus) { _ in
        try await withVirtualDevice("gamepad.json", bus: bus) { device in
          let controller = try await Self.controller()
          #expect(GCController.controllers() == [controller])
          #expect(controller.vendorName?.contains("hidsim gamepad") == true)
          try await Self.end(device)
        }
      }
    }

    @Test(
      "a test sets the controls of a gamepad by their names in GameController",
      arguments: ["gamepad.json", "dualsense.json"], OnBothBuses.buses)
    func words(_ file: String, _ bus: HIDTestBus) async throws {
      try await withVirtualDevice(file, bus: bus) { device in
        let controller = try await Self.controller()
        let gamepad = try #require(controller.extendedGamepad)
        try await device.waitForReader()
        var buttons: [HIDTestPadButton] = [
          .buttonA, .buttonB, .buttonX, .buttonY, .leftShoulder, .rightShoulder, .leftTrigger,
          .rightTrigger, .buttonMenu, .buttonOptions, .buttonHome, .leftThumbstickButton,
          .rightThumbstickButton,
        ]
        if gamepad is GCDualSenseGamepad { buttons.append(.touchpadButton) }
        for button in buttons {
          let element = try #require(gamepad.buttons[button.description], "\(button)")
          try await device.press(button)
          try await eventually { element.value == 1 }
          try await device.release(button)
          try await eventually { element.value == 0 }
        }
        try await device.set(.leftTrigger, to: 0.6)
        try await eventually { abs(gamepad.leftTrigger.value - 0.6) < 0.01 }
        try await device.set(.leftThumbstick, x: 0.5, y: -1)
        try await eventually {
          abs(gamepad.leftThumbstick.xAxis.value - 0.5) < 0.01
            && gamepad.leftThumbstick.yAxis.value == -1
        }
        try await device.set(.leftThumbstick, x: 0, y: 0)
        try await eventually { gamepad.leftThumbstick.allZero }
        for (x, y) in [
          (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 0),
        ] {
          try await device.set(.dpad, x: Double(x), y: Double(y))
          try await eventually {
            (gamepad.dpad.xAxis.value, gamepad.dpad.yAxis.value) == (Float(x), Float(y))
          }
        }
        try await Self.end(device)
      }
    }

    @Test("a stick of raw values and a button that the file lacks are refused") func words()
      async throws
    {
      try await withVirtualDevice("switch-pro.json", bus: .loopback) { device in
        await #expect(throws: HIDTestingError.rawPadControl("Left Thumbstick", ["leftX", "leftY"]))
        {
          try await device.set(.leftThumbstick, x: 0, y: 0)
        }
        try await device.press(.buttonA)
      }
      try await withVirtualDevice("keyboard.json", bus: .loopback) { device in
        await #expect(throws: HIDTestingError.noSuchPadControl("Button A", lookedFor: ["south"])) {
          try await device.press(.buttonA)
        }
      }
    }

    @Test("a controller's snapshot takes values and another's state") func snapshots() throws {
      let controller = GCController.withExtendedGamepad()
      let gamepad = try #require(controller.extendedGamepad)
      gamepad.leftThumbstick.setValueForXAxis(0.5, yAxis: -3)
      gamepad.buttonA.setValue(1)
      #expect(gamepad.leftThumbstick.down.value == 1)
      #expect(controller.microGamepad?.buttonA.isPressed == true)
      #expect(controller.isSnapshot && gamepad.controller === controller)
      let other = GCExtendedGamepad()
      other.setStateFrom(gamepad)
      #expect(other.buttonA.isPressed && other.leftThumbstick.xAxis.value == 0.5)
      #expect(GCController.withMicroGamepad().extendedGamepad == nil)
      #expect(GCController().microGamepad != nil)
      GCController.shouldMonitorBackgroundEvents = true
      #expect(GCController.shouldMonitorBackgroundEvents)
      GCController.shouldMonitorBackgroundEvents = false
    }
  }
}

extension GCControllerDirectionPad {
  fileprivate var allZero: Bool { xAxis.value == 0 && yAxis.value == 0 }
}
