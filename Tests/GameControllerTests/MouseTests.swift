// SPDX-License-Identifier: Apache-2.0

import GameController
import HIDTesting
import Testing

extension OnBothBuses {
  @Suite("GCMouse") struct Mice {
    static func mouse(_ number: Int = 0) async throws -> GCMouse {
      try await eventually { GCMouse.mice().count > number }
      return GCMouse.mice()[number]
    }

    @Test(
      "the handlers of movements, wheels and buttons are called in the order of the events",
      arguments: OnBothBuses.buses)
    func events(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("mouse.json", bus: bus) { device in
        let mouse = try await Self.mouse()
        let input = try #require(mouse.mouseInput)
        let journal = Journal()
        input.mouseMovedHandler = { _, x, y in journal.note("moved \(x) \(y)") }
        input.scroll.valueChangedHandler = { _, x, y in journal.note("scroll \(x) \(y)") }
        for (name, button) in [
          ("left", input.leftButton), ("right", try #require(input.rightButton)),
          ("middle", try #require(input.middleButton)),
        ] {
          button.pressedChangedHandler = { _, _, isPressed in journal.note("\(name) \(isPressed)") }
        }
        try await device.waitForReader()
        try await device.move(x: 3, y: -5)
        _ = try await journal.wait(for: 1)
        try await device.scroll(2)
        _ = try await journal.wait(for: 2)
        try await device.scroll(2)
        _ = try await journal.wait(for: 3)
        try await device.scroll(-1, isHorizontal: true)
        _ = try await journal.wait(for: 4)
        // Each direction of the wheels is a button that is pressed and released.
        input.scroll.left.pressedChangedHandler = { _, value, isPressed in
          journal.note("wheel \(value) \(isPressed)")
        }
        try await device.scroll(2)
        _ = try await journal.wait(for: 7)
        input.scroll.left.pressedChangedHandler = nil
        try await device.click("right")
        let lines = try await journal.wait(for: 9)
        #expect(
          lines == [
            "moved 3.0 5.0", "scroll -2.0 0.0", "scroll -2.0 0.0", "scroll 0.0 -1.0",
            "wheel 2.0 true", "scroll -2.0 0.0", "wheel 0.0 false", "right true", "right false",
          ])
        #expect(input.auxiliaryButtons?.count == 5)
        #expect(mouse.productCategory == GCProductCategoryMouse)
        #expect(GCMouse.current === mouse)
        await device.unplug()
        try await eventually { GCMouse.mice().isEmpty }
        #expect(GCMouse.current == nil)
      }
    }

    @Test(
      "movements that wait for the handler are one call with their sum",
      arguments: OnBothBuses.buses)
    func coalescing(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("mouse.json", bus: bus) { device in
        let mouse = try await Self.mouse()
        let input = try #require(mouse.mouseInput)
        let queue = DispatchQueue(label: "slow")
        queue.suspend()
        mouse.handlerQueue = queue
        let journal = Journal()
        input.mouseMovedHandler = { _, x, y in journal.note("moved \(x) \(y)") }
        input.leftButton.pressedChangedHandler = { _, _, isPressed in
          journal.note("left \(isPressed)")
        }
        try await device.waitForReader()
        try await device.play(
          "repeat 300 ; move 1 2 ; end\npress left\nrepeat 200 ; move -1 0 ; end\nrelease left\npress right"
        )
        try await eventually { input.rightButton?.isPressed == true }
        queue.resume()
        let lines = try await journal.wait(for: 4)
        #expect(lines == ["moved 300.0 -600.0", "left true", "moved -200.0 0.0", "left false"])
        await device.unplug()
        try await eventually { GCMouse.mice().isEmpty }
      }
    }

    @Test("the mouse that is used becomes the current one", arguments: OnBothBuses.buses)
    func current(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("mouse.json", bus: bus) { first in
        let one = try await Self.mouse()
        let notices = Notices([
          .GCMouseDidBecomeCurrent, .GCMouseDidStopBeingCurrent, .GCMouseDidDisconnect,
        ]) {
          $0 is GCMouse
        }
        await DispatchQueue.main.drained()
        try await withVirtualDevice("high-resolution-mouse.json", bus: bus) { second in
          let other = try await Self.mouse(1)
          try await first.waitForReader()
          try await second.waitForReader()
          try await eventually { GCMouse.current === other }
          await DispatchQueue.main.drained()
          let before = notices.journal.count
          try await first.move(x: 1, y: 1)
          try await eventually { GCMouse.current === one }
          let lines = try await notices.journal.wait(for: before + 2)
          #expect(lines[before...] == ["GCMouseDidStopBeingCurrent", "GCMouseDidBecomeCurrent"])
          await first.unplug()
          try await eventually { GCMouse.current === other }
          let end = try await notices.journal.wait(for: before + 5)
          #expect(
            Set(end[(before + 2)...]) == [
              "GCMouseDidStopBeingCurrent", "GCMouseDidBecomeCurrent", "GCMouseDidDisconnect",
            ])
          await second.unplug()
          try await eventually { GCMouse.mice().isEmpty }
        }
      }
    }
  }
}
