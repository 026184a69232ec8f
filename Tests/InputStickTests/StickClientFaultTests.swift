// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import InputStick
import InputStickAPI
import KeyboardLayouts
import Testing

/// The client at a stick with faults, by the client's states and the host's keys.
@Suite("the InputStick client at a stick that fails, in virtual time", .timeLimit(.minutes(2)))
@MainActor struct StickClientFaultTests {
  @Test("a missing, a changed and a removed password end the connection with their own errors")
  func keys() async throws {
    try await VirtualStickBench.run(password: "right") { bench in
      try await bench.connect()
      #expect(bench.changes.map(\.text).suffix(3) == ["keyMissing", "disconnected", "error 0x503"])
      bench.store(password: "wrong")
      try await bench.connect()
      #expect(bench.changes.map(\.text).suffix(3) == ["keyChanged", "disconnected", "error 0x504"])
      bench.manager.keyboardHandler.typeText("lost")
      try await bench.pass(.seconds(1))
      #expect(bench.reports("keyboard").isEmpty)
    }
    try await VirtualStickBench.run { bench in
      bench.store(password: "old")
      try await bench.connect()
      #expect(bench.changes.map(\.text).suffix(3) == ["keyRemoved", "disconnected", "error 0x505"])
    }
  }

  @Test("a stick that no host configures within 15 s is an error, and one configured in time types")
  func notReady() async throws {
    try await VirtualStickBench.run(isPlugged: false) { bench in
      try await bench.connect(.seconds(20))
      #expect(
        bench.changes.map(\.text)
          == ["connecting", "initializing", "usbNotReady", "disconnected", "error 0x302"])
      #expect(bench.changes.last?.milliseconds == 15_000)
      try await bench.connect(.seconds(10))
      try await bench.stick.plug()
      try await bench.pass(.seconds(10))
      #expect(bench.manager.connectionState == .ready)
      bench.manager.keyboardHandler.typeText("a")
      try await bench.pass(.seconds(1))
      #expect(try bench.text() == "a")
    }
  }

  @Test("the client asks to wake a suspended host, and disconnects 30 s after a later suspension")
  func suspended() async throws {
    try await VirtualStickBench.run { bench in
      await bench.stick.perform(.suspend)
      try await bench.connect(.seconds(60))
      #expect(
        bench.changes.map(\.text).suffix(2) == ["usbSuspended", "asks to wake the host"],
        "without a limit")
      bench.manager.keyboardHandler.typeText("lost")
      bench.manager.sendUSBResumeRequest()
      try await bench.pass(.seconds(1))
      #expect(bench.manager.connectionState == .ready)
      #expect(bench.reports("keyboard").isEmpty, "what is typed while it sleeps is lost")
      let start = bench.environment.now
      await bench.stick.perform(.suspend)
      try await bench.pass(.seconds(40))
      #expect(bench.changes.map(\.text).suffix(2) == ["disconnected", "error 0x303"])
      let waited = try #require(bench.changes.last).milliseconds - start
      #expect((30_000...30_400).contains(waited), "the next status, and 30 s: \(waited)")
    }
  }

  @Test("a stick that is suspended and resumed, or reattached, in mid-text types the whole text")
  func paused() async throws {
    try await VirtualStickBench.run { bench in
      try await bench.connect()
      let text = String(repeating: "Hello World! ", count: 30)
      bench.manager.keyboardHandler.typeText(text)
      try await bench.pass(.milliseconds(700))
      await bench.stick.perform(.suspend)
      try await bench.pass(.seconds(5))
      let read = try bench.text()
      #expect(!read.isEmpty && read.count < text.count)
      await bench.stick.perform(.resume)
      try await bench.pass(.seconds(2))
      await bench.stick.receive(clientPacket(0x1A, 2), in: 1)
      try await bench.pass(.seconds(20))
      #expect(try bench.text() == text)
      #expect(!bench.isKeyDown)
      #expect(bench.manager.connectionState == .ready)
    }
  }

  @Test("a stick that resets in mid-text loses the rest, and leaves no key down")
  func reset() async throws {
    try await VirtualStickBench.run(firmware: 98) { bench in
      try await bench.connect()
      let text = String(repeating: "Hello World! ", count: 30)
      // The stick is reset at a time when a key is down.
      bench.manager.keyboardHandler.typeText(text)
      repeat { try await bench.pass(.milliseconds(4)) } while !bench.isKeyDown
      await bench.stick.perform(.reset)
      #expect(!bench.isKeyDown)
      try await bench.pass(.seconds(5))
      #expect(text.hasPrefix(try bench.text()))
      #expect(try bench.text().count < 20)
      // The stick sends no status until a client starts it, so the client does not notice the
      // reset.
      #expect(bench.manager.connectionState == .ready)
      bench.manager.disconnectFromInputStick()
      try await bench.connect()
      bench.manager.keyboardHandler.typeText("?")
      try await bench.pass(.seconds(1))
      #expect(try bench.text().hasSuffix("?"))
    }
  }

  @Test(
    "a corrupt or truncated packet, a watchdog restart and a lost link end the connection",
    arguments: [
      (HIDLinkAction.corrupt(1), "0x411"), (.truncate(1), "0x411"), (.watchdog, "0x201"),
      (.disconnect, "0x101"),
    ])
  func damage(action: HIDLinkAction, code: String) async throws {
    try await VirtualStickBench.run { bench in
      try await bench.connect()
      let text = String(repeating: "Hello World! ", count: 30)
      bench.manager.keyboardHandler.typeText(text)
      try await bench.pass(.milliseconds(100))
      await bench.stick.perform(action)
      try await bench.pass(.seconds(3))
      #expect(bench.changes.map(\.text).suffix(2) == ["disconnected", "error \(code)"])
      let read = try bench.text()
      #expect(!read.isEmpty && text.hasPrefix(read), "\(read)")
      #expect(!bench.isKeyDown)
    }
  }

  @Test("a dropped packet is missing in the text, and the text after it is typed")
  func dropped() async throws {
    try await VirtualStickBench.run(firmware: 98) { bench in
      try await bench.connect()
      await bench.stick.perform(.drop(1))
      bench.manager.keyboardHandler.typeText(String(repeating: "abc", count: 10) + "xyz")
      try await bench.pass(.seconds(10))
      // The credit of the lost packet returns after five statuses with an empty buffer.
      #expect(try bench.text().hasSuffix("xyz"))
      #expect(try bench.text().count < 33)
      #expect(!bench.isKeyDown)
      bench.manager.keyboardHandler.typeText(String(repeating: "d", count: 30))
      try await bench.pass(.seconds(10))
      #expect(try bench.text().hasSuffix(String(repeating: "d", count: 30)), "all credit is back")
    }
  }

  @Test(
    "a slow host reads the whole text", arguments: [98, 110],
    [Duration.milliseconds(40), .seconds(1)])
  func slow(firmware: Int, pollInterval: Duration) async throws {
    try await VirtualStickBench.run(firmware: firmware, pollInterval: pollInterval) { bench in
      try await bench.connect()
      let text = String(repeating: "Hello World! ", count: 10)
      bench.manager.keyboardHandler.typeText(text)
      try await bench.pass(pollInterval * 500)
      #expect(try bench.text() == text)
      #expect(!bench.isKeyDown)
      #expect(bench.changes.map(\.text) == ["connecting", "initializing", "ready"])
    }
  }

  @Test("10,000 characters arrive with credits of 32, none lost and none twice")
  func long() async throws {
    try await VirtualStickBench.run(firmware: 98, password: "abc123") { bench in
      bench.store(password: "abc123")
      try await bench.connect()
      let alphabet = Array(
        try #require(KeyboardLayout(code: "de-DE")).characters.filter { $0 != "\r\n" })
      let text = String((0..<10_000).map { alphabet[($0 * 7 + $0 / 91) % alphabet.count] })
      bench.manager.keyboardHandler.typeText(
        text, withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(withCode: "de-DE"),
        typingSpeed: 0)
      while !bench.manager.buffersManager.keyboardBufferEmpty { try await bench.pass(.seconds(10)) }
      #expect(try bench.text("de-DE") == text)
      #expect(!bench.isKeyDown)
    }
  }

  @Test(
    "each speed types the same text, with a multiple of the speed as its number of reports",
    arguments: 0...10 as ClosedRange<UInt>)
  func speeds(speed: UInt) async throws {
    try await VirtualStickBench.run(firmware: 98) { bench in
      try await bench.connect()
      let text = "Füße, zz à É @ 100 €: ^~ "
      bench.manager.keyboardHandler.typeText(
        text, withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(withCode: "de-DE"),
        typingSpeed: speed)
      while !bench.manager.buffersManager.keyboardBufferEmpty { try await bench.pass(.seconds(1)) }
      #expect(try bench.text("de-DE") == text)
      #expect(!bench.isKeyDown)
      let reports = bench.reports("keyboard")
      if speed > 0 { #expect(reports.count.isMultiple(of: Int(speed))) }
    }
  }

  @Test(
    "modifiers are held with each key, and released at the end", arguments: [0, 1, 2] as [UInt])
  func modifiers(speed: UInt) async throws {
    try await VirtualStickBench.run { bench in
      try await bench.connect()
      bench.manager.keyboardHandler.typeText(
        "aaB", withKeyboardLayout: nil, modifiers: 0x05, typingSpeed: speed, flush: true)
      try await bench.pass(.seconds(1))
      #expect(
        bench.strokes == [
          KeyStroke([.leftControl, .leftAlt], 4), KeyStroke([.leftControl, .leftAlt], 4),
          KeyStroke([.leftControl, .leftAlt, .leftShift], 5),
        ])
      #expect(!bench.isKeyDown)
    }
  }

  @Test("a link that is lost after any byte leaves no key down, and no half of a character")
  func cuts() async throws {
    try await VirtualStickBench.run(firmware: 98) { bench in
      let text = "Añb É zz" + String(repeating: "É", count: 8)
      let layout = InputStickKeyboardLayoutUtils.keyboardLayout(withCode: "es-ES")
      @MainActor func type() async throws {
        try await bench.connect()
        bench.manager.keyboardHandler.typeText(
          text, withKeyboardLayout: layout, typingSpeed: 1)
        try await bench.pass(.seconds(2))
      }
      try await type()
      #expect(try bench.text("es-ES") == text)
      let count = bench.environment.writtenByteCount
      bench.manager.disconnectFromInputStick()
      #expect(count > 100)
      for position in 1...count {
        let before = bench.strokes.count
        bench.environment.loseNextLink(afterByteCount: position)
        try await type()
        #expect(bench.changes.last?.text == "error 0x101", "after \(position) bytes")
        bench.manager.disconnectFromInputStick()
        #expect(!bench.isKeyDown, "after \(position) bytes")
        let read = try #require(KeyboardLayout(code: "es-ES"))
          .text(of: Array(bench.strokes.dropFirst(before)))
        #expect(text.hasPrefix(read), "after \(position) bytes: \(read)")
      }
    }
  }
}
