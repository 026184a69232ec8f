// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

@testable import HIDPedals

@Suite("The strokes of one device") struct PedalTrackerTests {
  private let start = SuspendingClock.now

  private func time(_ milliseconds: Int) -> SuspendingClock.Instant {
    start.advanced(by: .milliseconds(milliseconds))
  }

  private func text(_ changes: [PedalTracker.Change]) -> [String] {
    changes.map { change in
      let milliseconds = (start.duration(to: change.time) / .milliseconds(1)).rounded()
      let kind: String =
        switch change.kind {
        case .down: "down"
        case .press(let number): "press \(number)"
        case .up(let count): "up after \(count)"
        case .cancelled: "cancelled"
        }
      return "\(Int(milliseconds)) port \(change.port) \(kind)"
    }
  }

  private func key(_ usage: HIDUsage.KeyboardOrKeypadUsage) -> HIDUsage { .keyboardOrKeypad(usage) }

  @Test("a stroke consists of a down, a press and an up event")
  func stroke() {
    var tracker = PedalTracker(mode: nil, repeats: .none)
    #expect(
      text(tracker.take(key(.keyboardUpArrow), isDown: true, at: time(0)))
        == ["0 port 1 down", "0 port 1 press 0"])
    #expect(tracker.take(key(.keyboardUpArrow), isDown: true, at: time(5)).isEmpty)
    #expect(tracker.downPorts == [1] && tracker.deadline == nil)
    #expect(
      text(tracker.take(key(.keyboardUpArrow), isDown: false, at: time(90)))
        == ["90 port 1 up after 0"])
    #expect(tracker.take(key(.keyboardZ), isDown: true, at: time(100)).isEmpty)
  }

  @Test("the monitor repeats a pedal that stays down, with the delay and rate of the device")
  func repeating() {
    // The first repeat comes after 4 s × 32 / 255, the others at intervals of 4 s / 10.
    var tracker = PedalTracker(
      mode: .mode2, repeats: .monitor(delayMultiplier: 32, rateDivisor: 10))
    _ = tracker.take(key(.keyboardDownArrow), isDown: true, at: time(0))
    #expect(text(tracker.advance(to: time(501))).isEmpty)
    #expect(text(tracker.advance(to: time(950))) == ["502 port 3 press 1", "902 port 3 press 2"])
    #expect(
      text(tracker.take(key(.keyboardDownArrow), isDown: false, at: time(1500)))
        == ["1302 port 3 press 3", "1500 port 3 up after 3"])
    #expect(tracker.deadline == nil)
    #expect(PedalRepeat.monitor(delayMultiplier: 0, rateDivisor: 1) == .none)
    // A clock that jumps by a day causes one repeat.
    _ = tracker.take(key(.keyboardDownArrow), isDown: true, at: time(2000))
    #expect(tracker.advance(to: time(86_400_000)).count == 1)
    // A delay of zero does not cause endless repeats.
    var fast = PedalTracker(mode: .mode2, repeats: .monitor(delay: .zero, interval: .zero))
    _ = fast.take(key(.keyboardDownArrow), isDown: true, at: time(0))
    #expect(fast.advance(to: time(10)).count == 1)
  }

  @Test("a device that repeats by release and press makes one stroke")
  func deviceRepeats() {
    var tracker = PedalTracker(mode: .mode3, repeats: .device(window: .milliseconds(250)))
    let up = key(.keyboardPageUp)
    _ = tracker.take(up, isDown: true, at: time(0))
    #expect(tracker.take(up, isDown: false, at: time(502)).isEmpty)
    #expect(text(tracker.take(up, isDown: true, at: time(510))) == ["510 port 1 press 1"])
    #expect(tracker.take(up, isDown: false, at: time(600)).isEmpty)
    #expect(tracker.downPorts == [1])
    #expect(text(tracker.advance(to: time(900))) == ["850 port 1 up after 1"])
    // A press after the window begins a new stroke.
    #expect(
      text(tracker.take(up, isDown: true, at: time(1000)))
        == ["1000 port 1 down", "1000 port 1 press 0"])
  }

  @Test("the mode is determined from the keys")
  func modes() {
    var tracker = PedalTracker(mode: nil, repeats: .none)
    func port(_ usage: HIDUsage) -> Int? {
      defer { _ = tracker.take(usage, isDown: false, at: time(0)) }
      return tracker.take(usage, isDown: true, at: time(0)).first?.port
    }
    #expect(port(key(.keyboardReturnEnter)) == 5)
    #expect(port(.consumer(.volumeDecrement)) == 3)
    #expect(port(key(.keyboardSpacebar)) == 1)
    #expect(port(key(.keyboardReturnEnter)) == 3)
    #expect(port(HIDUsage(page: 0x09, usage: 2)) == 4)
    #expect(port(key(.keyboardR)) == 4)
    #expect(port(key(.keyboardSpacebar)) == 5)
    #expect(port(.consumer(.alKeyboardLayout)) == 6)
    for mode in PedalMode.all {
      for (number, output) in mode.outputs { #expect(mode.port(sending: output.usage) == number) }
    }
  }

  @Test("a cancelled stroke has no up event when its key is released")
  func cancelled() {
    var tracker = PedalTracker(mode: .mode2, repeats: .device(window: .seconds(1)))
    _ = tracker.take(key(.keyboardUpArrow), isDown: true, at: time(0))
    _ = tracker.take(key(.keyboardDownArrow), isDown: true, at: time(1))
    #expect(text(tracker.cancel(at: time(2))) == ["2 port 1 cancelled", "2 port 3 cancelled"])
    #expect(tracker.take(key(.keyboardUpArrow), isDown: false, at: time(3)).isEmpty)
    #expect(tracker.deadline == nil)
  }

  @Test("each set of labels names its ports")
  func labels() {
    #expect(PedalLabels.pair.label(ofPort: 3) == "Right")
    #expect((1...4).map(PedalLabels.row.label) == ["1", "3", "2", "4"])
    #expect(PedalLabels.pad.label(ofPort: 5) == "Enter")
    #expect(PedalLabels.ports.label(ofPort: 8) == "8")
  }

  @Test("the use of a device follows from its product name and its usages")
  func uses() {
    let all = Set((0x04...0xe7).map { HIDUsage(page: 0x07, usage: $0) })
    let arrows: Set<HIDUsage> = [
      key(.keyboardUpArrow), key(.keyboardDownArrow), key(.keyboardLeftArrow),
      key(.keyboardRightArrow),
    ]
    #expect(DeviceUse(product: "Keyboard", usages: all, isKeyboard: true) == .keyboard)
    #expect(
      DeviceUse(product: "AirTurn", usages: all, isKeyboard: true) == .pedals(.identity))
    #expect(DeviceUse(product: nil, usages: arrows, isKeyboard: true) == .pedals(.keys))
    #expect(DeviceUse(product: nil, usages: arrows, isKeyboard: false) == .other)
    // The usages are those of a number pad.
    let pad = arrows.union((0x53...0x63).map { HIDUsage(page: 0x07, usage: $0) })
    #expect(DeviceUse(product: nil, usages: pad, isKeyboard: true) == .other)
  }
}
