// SPDX-License-Identifier: Apache-2.0

import GameController
import GameControllerSamples5
import HIDTesting
import Testing

extension OnBothBuses {
  @Suite("Programs written for Apple's platforms") struct Samples {
    @Test("an observer gets the modifier keys of a keyboard", arguments: OnBothBuses.buses)
    @MainActor func modifiers(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { device in
        let observer = ModifierObserver()
        if GCKeyboard.coalesced != nil, observer.keyboard == nil {
          // On the kernel bus, an earlier test may have used the notification's name. Then the
          // keyboard is posted when it is plugged again.
          await device.unplug()
          try await eventually { GCKeyboard.coalesced == nil }
          try await device.plug()
        }
        try await eventually { observer.keyboard != nil }
        try await device.waitForReader()
        try await device.press("leftGUI")
        try await eventually { observer.isCommandPressed }
        #expect(observer.isCommandClick)
        try await device.release()
        try await eventually { !observer.isCommandPressed }
        try await device.press("rightShift")
        try await eventually { ModifierObserver.isShiftDown }
        #expect(!observer.isCommandClick)
        await device.unplug()
        try await eventually { observer.keyboard == nil }
      }
    }

    @Test("a game gets the movement, wheel and button of a mouse", arguments: OnBothBuses.buses)
    @MainActor func game(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("mouse.json", bus: bus) { device in
        let input = PointerInput()
        try await eventually { input.miceConnected > 0 }
        try await device.waitForReader()
        try await device.move(x: 4, y: 7)
        try await eventually { input.position == (4, 7) }
        try await device.scroll(-1)
        try await eventually { input.scrolled == 1 }
        try await device.press("left")
        try await eventually { input.isFiring }
        #expect(FakeMouse().mouseInput != nil)
        let fake = FakeController(title: "fake")
        fake.pressA()
        #expect(fake.vendorName == "fake" && fake.extendedGamepad?.buttonA.isPressed == true)
        #expect(fake.microGamepad?.buttonA.isPressed == false)
        await device.unplug()
        try await eventually { GCMouse.mice().isEmpty }
        try await eventually { !input.isFiring }
      }
    }

    @Test(
      "the haptic effects of a game reach the motors of a controller", arguments: OnBothBuses.buses)
    @MainActor func rumble(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("dualsense.json", bus: bus) { device in
        // On the kernel bus, an earlier test may have used the notification's name. Then the
        // controller is posted only when it is plugged again. The observer starts after the
        // controller is gone, so that the sample gets only the new controller.
        try await eventually { !GCController.controllers().isEmpty }
        await device.unplug()
        try await eventually { GCController.controllers().isEmpty }
        await DispatchQueue.main.drained()
        let rumble = Rumble()
        try await device.plug()
        try await eventually { rumble.isReady }
        try await device.waitForReader()
        try await device.expectAnything()
        try rumble.knock(0.6)
        try await device.expect("rumbleLeft", is: 153, within: .seconds(5))
        try await device.expect("rumbleLeft", is: 0, within: .seconds(5))
        try rumble.setSpeed(0.2)
        try await device.expect("rumbleRight", is: 51, within: .seconds(5))
        try rumble.setSpeed(0.4)
        try await device.expect("rumbleRight", is: 102, within: .seconds(5))
        rumble.silence()
        try await device.expect("rumbleRight", is: 0, within: .seconds(5))
        #expect(rumble.lastStop == nil)
        await device.unplug()
        try await eventually { GCController.controllers().isEmpty }
      }
    }

    @Test("a loop over notifications gets the object that is posted") @MainActor func loop() async {
      let name = NSNotification.Name("loop of GameController's tests")
      let waiting = Task { @MainActor in await next(name) is GCMouse }
      let posting = Task { @MainActor in
        // Notifications are lost until the loop has its observer.
        while !Task.isCancelled {
          NotificationCenter.default.post(name: name, object: GCMouse())
          await Task.yield()
        }
      }
      #expect(await waiting.value)
      posting.cancel()
    }
  }
}
