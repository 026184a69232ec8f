// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDTesting
import Testing

@testable import GameController

extension OnBothBuses {
  @Suite("GCKeyboard") struct Keyboards {
    /// Waits for the one keyboard that combines all keyboards, and returns it.
    static func keyboard() async throws -> GCKeyboard {
      try await eventually { GCKeyboard.coalesced != nil }
      return try #require(GCKeyboard.coalesced)
    }

    /// Observes the keyboard, plugs its device again, and waits until the keyboard is posted.
    ///
    /// - Returns: The notifications, and their number so far.
    static func notices(
      of keyboard: GCKeyboard, _ device: HIDTestDevice
    ) async throws -> (notices: Notices, count: Int) {
      let id = ObjectIdentifier(keyboard)
      let notices = Notices([.GCKeyboardDidConnect, .GCKeyboardDidDisconnect]) {
        ($0 as? GCKeyboard).map(ObjectIdentifier.init) == id
      }
      // The keyboard exists, so it is posted: now, or by an earlier use of the notification's name.
      try await eventually { Registry.current.hasAnnounced(.keyboard) }
      await device.unplug()
      try await eventually { GCKeyboard.coalesced == nil }
      try await device.plug()
      // This skips the notification that a late observer gets at once, which may be the last one
      // for a while.
      try await eventually {
        notices.journal.all.suffix(2) == ["GCKeyboardDidDisconnect", "GCKeyboardDidConnect"]
      }
      return (notices, notices.journal.count)
    }

    /// Unplugs the keyboards of the test, and waits until they are removed.
    static func end(_ devices: HIDTestDevice...) async throws {
      for device in devices { await device.unplug() }
      try await eventually { GCKeyboard.coalesced == nil }
      await DispatchQueue.main.drained()
    }

    @Test(
      "each key of a report is one call of the handler, on the main queue",
      arguments: OnBothBuses.buses)
    func keys(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { device in
        let keyboard = try await Self.keyboard()
        let input = try #require(keyboard.keyboardInput)
        let journal = Journal()
        input.keyChangedHandler = { _, button, code, isPressed in
          let thread = DispatchQueue.isMain ? "" : " elsewhere"
          journal.note("\(code.rawValue) \(isPressed) \(button.localizedName ?? "")\(thread)")
        }
        input.button(forKeyCode: .keyA)?.pressedChangedHandler = { _, value, isPressed in
          journal.note("A itself \(value) \(isPressed)")
        }
        try await device.waitForReader()
        try await device.press("leftShift+a+b")
        _ = try await journal.wait(for: 4)
        #expect(input.isAnyKeyPressed)
        #expect(input.button(forKeyCode: .leftShift)?.isPressed == true)
        #expect(input.buttons[GCKeyA]?.value == 1)
        #expect((input[GCKeyB] as? GCControllerButtonInput)?.isTouched == true)
        try await device.release()
        let lines = try await journal.wait(for: 8)
        #expect(
          Set(lines[..<4]) == [
            "225 true Keyboard LeftShift", "A itself 1.0 true", "4 true Keyboard A",
            "5 true Keyboard B",
          ], "\(lines)")
        #expect(
          lines.firstIndex(of: "A itself 1.0 true")
            == lines.firstIndex(of: "4 true Keyboard A").map { $0 - 1 })
        #expect(!input.isAnyKeyPressed)
        #expect(lines.filter { $0.contains("false") }.count == 4, "\(lines)")
        #expect(keyboard.productCategory == GCProductCategoryKeyboard)
        #expect(keyboard.vendorName?.contains("hidsim keyboard") == true)
        #expect(input.lastEventTimestamp > 0)
        #expect(input.device === keyboard)
        input.keyChangedHandler = nil
        input.button(forKeyCode: .keyA)?.pressedChangedHandler = nil
        try await Self.end(device)
      }
    }

    @Test("a key is down while it is down on any keyboard", arguments: OnBothBuses.buses)
    func merged(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { first in
        try await withVirtualDevice("nkro-keyboard.json", bus: bus) { second in
          let keyboard = try await Self.keyboard()
          let input = try #require(keyboard.keyboardInput)
          let journal = Journal()
          input.keyChangedHandler = { _, _, code, isPressed in
            journal.note("\(code.rawValue) \(isPressed)")
          }
          try await first.waitForReader()
          try await second.waitForReader()
          try await first.press("a")
          #expect(try await journal.wait(for: 1) == ["4 true"])
          // Reports of two keyboards can be read in any order, so the test waits for each of these
          // lines.
          try await second.press("a")
          try await second.press("b")
          #expect(try await journal.wait(for: 2) == ["4 true", "5 true"])
          try await first.release("a")
          try await first.tap("c")
          #expect(
            try await journal.wait(for: 4) == ["4 true", "5 true", "6 true", "6 false"])
          #expect(input.button(forKeyCode: .keyA)?.isPressed == true)
          // The keys of a keyboard that is unplugged are released.
          await second.unplug()
          let lines = try await journal.wait(for: 6)
          #expect(Set(lines[4...]) == ["4 false", "5 false"])
          #expect(!input.isAnyKeyPressed)
          #expect(GCKeyboard.coalesced === keyboard)
          input.keyChangedHandler = nil
          try await Self.end(first)
        }
      }
    }

    @Test(
      "the keyboard is posted when its first device is plugged and its last one unplugged",
      arguments: OnBothBuses.buses)
    func notifications(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { first in
        let keyboard = try await Self.keyboard()
        let (notices, begin) = try await Self.notices(of: keyboard, first)
        try await withVirtualDevice("nkro-keyboard.json", bus: bus) { second in
          try await first.waitForReader()
          try await second.waitForReader()
          // A keyboard whose report was read is listed. A keyboard that is only open may not be
          // listed yet.
          let button = try #require(keyboard.keyboardInput?.button(forKeyCode: .keyB))
          try await second.press("b")
          try await eventually { button.isPressed }
          await first.unplug()
          await second.unplug()
          try await eventually { GCKeyboard.coalesced == nil }
          try await first.plug()
          try await eventually { GCKeyboard.coalesced != nil }
          try await Self.end(first)
        }
        let end = ["GCKeyboardDidDisconnect", "GCKeyboardDidConnect", "GCKeyboardDidDisconnect"]
        #expect(Array(notices.journal.all[begin...]) == end)
      }
    }

    @Test(
      "the keys of a keyboard are released when another client seizes it",
      arguments: OnBothBuses.buses)
    func seized(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { device in
        let keyboard = try await Self.keyboard()
        let input = try #require(keyboard.keyboardInput)
        try await device.waitForReader()
        try await device.press("a")
        try await eventually { input.button(forKeyCode: .keyA)?.isPressed == true }
        do {
          // The client releases the device at the end of this scope.
          let other = try await device.client
          try await other.seizeDevice()
          try await eventually { !input.isAnyKeyPressed }
        }
        // After the release, the first report that this client gets still contains key A, which is
        // down.
        try await eventually {
          try await device.tap("c")
          return input.button(forKeyCode: .keyA)?.isPressed == true
        }
        try await Self.end(device)
      }
    }

    @Test("a slow handler gets the last state of each key", arguments: OnBothBuses.buses)
    func slowHandler(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { device in
        let keyboard = try await Self.keyboard()
        let input = try #require(keyboard.keyboardInput)
        let journal = Journal()
        let queue = DispatchQueue(label: "slow")
        queue.suspend()
        keyboard.handlerQueue = queue
        input.keyChangedHandler = { _, _, code, isPressed in
          journal.note("\(code.rawValue) \(isPressed)")
        }
        try await device.waitForReader()
        try await device.play("repeat 1000 ; tap a ; end\npress b\ntap c")
        // Wait for the end of the script, which only the time of the last report shows.
        try await eventually { input.button(forKeyCode: .keyB)?.isPressed == true }
        let last = input.lastEventTimestamp
        try await device.press("d")
        try await eventually {
          input.lastEventTimestamp > last && input.button(forKeyCode: .keyD)?.isPressed == true
        }
        #expect(journal.count == 0)
        queue.resume()
        try await eventually { journal.all.contains("7 true") }
        var down: Set<String> = []
        for line in journal.all {
          let words = line.split(separator: " ").map(String.init)
          if words[1] == "true" {
            #expect(down.insert(words[0]).inserted, "\(line) twice")
          } else {
            #expect(down.remove(words[0]) != nil, "\(line) without a press")
          }
        }
        #expect(down == ["5", "7"])
        #expect((1024...1030).contains(journal.count), "\(journal.count)")
        input.keyChangedHandler = nil
        keyboard.handlerQueue = .main
        try await Self.end(device)
      }
    }

    @Test(
      "a keyboard unplugged fifty times with keys down releases them, and is posted once each time",
      arguments: OnBothBuses.buses)
    func fifty(_ bus: HIDTestBus) async throws {
      try await withVirtualDevice("keyboard.json", bus: bus) { device in
        let keyboard = try await Self.keyboard()
        let input = try #require(keyboard.keyboardInput)
        try await device.waitForReader()
        let (notices, begin) = try await Self.notices(of: keyboard, device)
        for _ in 0..<50 {
          try await device.press("a+leftShift")
          try await eventually { input.button(forKeyCode: .leftShift)?.isPressed == true }
          await device.unplug()
          try await eventually { GCKeyboard.coalesced == nil }
          #expect(!input.isAnyKeyPressed)
          try await device.plug()
          try await eventually { GCKeyboard.coalesced != nil }
          try await device.waitForReader()
        }
        await DispatchQueue.main.drained()
        let pair = ["GCKeyboardDidDisconnect", "GCKeyboardDidConnect"]
        let expected = Array(repeating: pair, count: 50).flatMap { $0 }
        #expect(Array(notices.journal.all[begin...]) == expected)
        try await Self.end(device)
      }
    }
  }

  @Test("a snapshot keeps its state, and no object needs a device") func snapshots() throws {
    let input = GCKeyboardInput()
    let key = try #require(input.button(forKeyCode: .keyA))
    key.setValue(2)
    #expect(key.value == 1)
    let copy = input.capture()
    #expect(copy.button(forKeyCode: .keyA)?.isPressed == true)
    key.setValue(0)
    #expect(copy.button(forKeyCode: .keyA)?.isPressed == true)
    copy.setStateFromPhysicalInput(input)
    #expect(!copy.isAnyKeyPressed)
    #expect(GCKeyboard().keyboardInput?.device is GCKeyboard?)
    #expect(GCMouse().mouseInput?.leftButton.isPressed == false)
    #expect(input.button(forKeyCode: GCKeyCode(rawValue: -1)) == nil)
    #expect(input.button(forKeyCode: GCKeyCode(rawValue: .max)) == nil)
    let pad = GCControllerDirectionPad()
    pad.setValueForXAxis(-2, yAxis: 0.5)
    #expect((pad.left.value, pad.right.value, pad.up.value, pad.down.value) == (1, 0, 0.5, 0))
    #expect(pad.up.collection === pad)
  }
}
