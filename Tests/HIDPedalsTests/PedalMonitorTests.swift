// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDPedals
import HIDTesting
import Testing

/// Tests that run one at a time: each kernel has one list of devices.
@Suite("Pedals", .serialized, .timeLimit(.minutes(1))) struct PedalMonitorTests {
  /// The available buses, or only the one that `HIDSIM_TEST_BUS` names.
  static let buses: [HIDTestBus] = {
    let asked = ProcessInfo.processInfo.environment["HIDSIM_TEST_BUS"]
    if let bus = asked.flatMap(HIDTestBus.init(rawValue:)) { return [bus] }
    return HIDTestBus.available
  }()

  /// The events of a stream, as text.
  private struct Words {
    private var iterator: AsyncStream<PedalEvent>.Iterator

    init(_ events: AsyncStream<PedalEvent>) { iterator = events.makeAsyncIterator() }

    mutating func next(_ count: Int) async -> [String] {
      var words: [String] = []
      while words.count < count, let event = await iterator.next(isolation: #isolation) {
        let label = PedalLabels.pair.label(ofPort: event.port)
        let kind: String =
          switch event.kind {
          case .down: "down"
          case .press(let number): "press \(number)"
          case .up(let count): "up \(count)"
          case .cancelled: "cancelled"
          }
        words.append("\(label) \(kind)")
      }
      return words
    }
  }

  private func pedals(_ monitor: PedalMonitor, _ count: Int = 1) async throws -> [Pedals] {
    while await monitor.pedals.count != count { try await Task.sleep(for: .milliseconds(2)) }
    return await monitor.pedals
  }

  @Test(
    "pedals report strokes in all modes, also pedals that look like a keyboard",
    arguments: ["pedals-wide.json", "pedals-narrow.json"], buses)
  func strokes(_ file: String, _ bus: HIDTestBus) async throws {
    try await withVirtualDevice(file, bus: bus) { device in
      let monitor = PedalMonitor()
      var words = Words(await monitor.events())
      let found = try await pedals(monitor)
      #expect(found.first?.recognition == .identity)
      #expect(found.first?.name?.hasPrefix("hidsim pedals") == true)
      try await device.waitForReader()
      try await device.press("leftPedal")
      #expect(await words.next(2) == ["Left down", "Left press 0"])
      #expect(await monitor.isDown(1))
      try await device.release()
      #expect(await words.next(1) == ["Left up 0"])
      for (mode, control, label) in [
        (3, "rightPedal", "Right"), (4, "leftPedal", "Left"), (5, "switch4", "4"),
        (6, "switch4", "4"), (6, "keyboardButton", "Keyboard"), (2, "rightPedal", "Right"),
      ] {
        try await device.play("set mode \(mode); tap \(control)")
        #expect(await words.next(3) == ["\(label) down", "\(label) press 0", "\(label) up 0"])
      }
      var changes = await monitor.pedalChanges().makeAsyncIterator()
      #expect(await changes.next(isolation: #isolation) == found)
      try await device.press("rightPedal")
      #expect(await words.next(2) == ["Right down", "Right press 0"])
      await device.unplug()
      #expect(await words.next(1) == ["Right cancelled"])
      #expect(await changes.next(isolation: #isolation) == [])
      #expect(await monitor.failures.isEmpty)
    }
  }

  @Test("a keyboard hides the on-screen keyboard, and pedals do not", arguments: buses)
  func keyboards(_ bus: HIDTestBus) async throws {
    try await withVirtualDevice("pedals-wide.json", bus: bus) { _ in
      let monitor = PedalMonitor()
      var states = await monitor.keyboardStates().makeAsyncIterator()
      #expect(await states.next(isolation: #isolation)?.hasKeyboard == false)
      _ = try await pedals(monitor)
      await monitor.beginTextInput()
      #expect(await states.next(isolation: #isolation)?.shouldShowOnScreenKeyboard == true)
      try await withVirtualDevice("keyboard.json", bus: bus) { keyboard in
        let state = try #require(await states.next(isolation: #isolation))
        #expect(state.keyboards == ["hidsim keyboard"] && !state.shouldShowOnScreenKeyboard)
        await keyboard.unplug()
        #expect(await states.next(isolation: #isolation)?.shouldShowOnScreenKeyboard == true)
      }
      await monitor.endTextInput()
      #expect(await states.next(isolation: #isolation)?.shouldShowOnScreenKeyboard == false)
    }
  }

  @Test("the holder of the focus gets the strokes, except during text input", arguments: buses)
  func focus(_ bus: HIDTestBus) async throws {
    try await withVirtualDevice("pedals-narrow.json", bus: bus) { device in
      let monitor = PedalMonitor()
      var all = Words(await monitor.events())
      let score = await monitor.takeFocus()
      var scoreWords = Words(score.events)
      _ = try await pedals(monitor)
      try await device.waitForReader()
      try await device.press("leftPedal")
      #expect(await scoreWords.next(2) == ["Left down", "Left press 0"])

      // A menu takes the focus: the stroke of the page is cancelled, and the menu gets the next
      // stroke.
      let menu = await monitor.takeFocus()
      var menuWords = Words(menu.events)
      #expect(await scoreWords.next(1) == ["Left cancelled"])
      try await device.release()
      try await device.tap("rightPedal")
      #expect(await menuWords.next(3) == ["Right down", "Right press 0", "Right up 0"])
      await menu.release()
      #expect(await menuWords.next(1) == [])

      // During text input, no pedal turns the page.
      #expect(await all.next(6).last == "Right up 0")
      await monitor.beginTextInput()
      try await device.tap("rightPedal")
      #expect(await all.next(3).last == "Right up 0")
      await monitor.endTextInput()
      try await device.tap("leftPedal")
      #expect(await scoreWords.next(3) == ["Left down", "Left press 0", "Left up 0"])

      // While the monitor is paused, no stroke is reported.
      try await device.press("leftPedal")
      #expect(await scoreWords.next(2).last == "Left press 0")
      await monitor.pause()
      #expect(await scoreWords.next(1) == ["Left cancelled"])
      #expect(await all.next(6).last == "Left cancelled")
      try await device.tap("rightPedal")
      while await !monitor.isDown(1) { try await Task.sleep(for: .milliseconds(2)) }
      try await device.release()
      while await monitor.isDown(1) { try await Task.sleep(for: .milliseconds(2)) }
      await monitor.resume()
      try await device.tap("rightPedal")
      #expect(await all.next(3) == ["Right down", "Right press 0", "Right up 0"])
    }
  }

  @Test("a client that seizes the pedals cancels another client's stroke, and gets the next stroke")
  func seizing() async throws {
    try await withVirtualDevice("pedals-wide.json", bus: .loopback) { device in
      let monitor = PedalMonitor()
      var words = Words(await monitor.events())
      _ = try await pedals(monitor)
      try await device.waitForReader()
      try await device.press("leftPedal")
      #expect(await words.next(2).last == "Left press 0")
      let other = PedalMonitor(.init(seizes: true))
      var otherWords = Words(await other.events())
      #expect(await words.next(1) == ["Left cancelled"])
      _ = try await pedals(other)
      try await device.tap("rightPedal")
      #expect(await otherWords.next(3).contains("Right press 0"))
    }
  }

  @Test("a held pedal repeats, and a program can decide that a keyboard is a pedal device")
  func repeats() async throws {
    try await withVirtualDevice("keyboard.json", bus: .loopback) { device in
      let monitor = PedalMonitor(
        .init(
          mode: .mode3,
          repeats: .monitor(delay: .milliseconds(20), interval: .milliseconds(10)),
          use: { await $0.product == "hidsim keyboard" ? .pedals(.program) : nil }))
      var words = Words(await monitor.events())
      #expect(try await pedals(monitor).first?.recognition == .program)
      try await device.waitForReader()
      try await device.press("pageDown")
      #expect(
        await words.next(4) == [
          "Right down", "Right press 0", "Right press 1", "Right press 2",
        ])
      try await device.release()
      var last = ""
      while last.hasPrefix("Right up") == false { last = await words.next(1).first ?? "Right up" }
      #expect(await monitor.keyboardState.keyboards.isEmpty)
    }
  }
}
