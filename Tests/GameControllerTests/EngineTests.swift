// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HIDBus
import HIDReportDescriptor
import IOLoop
import Testing

@testable import GameController

/// Tests of the path of a report to elements and handlers, without a device.
@Suite("Reports that become elements", .timeLimit(.minutes(1))) struct EngineTests {
  /// The gamepads of a report descriptor, and the path of their reports.
  private struct Pads {
    let gamepads: [GCExtendedGamepad]
    let reader: ReportReader

    init(_ bytes: [UInt8]) throws {
      let descriptor = try HIDReportDescriptor(parsing: bytes)
      let fields = InputField.all(of: descriptor)
      let maps = ControllerMap.all(of: fields, .generic)
      gamepads = maps.map { GCExtendedGamepad($0.layout) }
      reader = ReportReader(
        descriptor, fields,
        for: zip(gamepads, maps).map { gamepad, map in
          ControllerSink(gamepad, map, EventQueue(gamepad, on: nil), nil) {}
        })
    }
  }

  /// The keys of a keyboard with a given report descriptor, and the path of its reports.
  private struct Keys {
    let input = GCKeyboardInput()
    let reader: ReportReader
    /// The calls of the handler, one line each: the code of the key, and true if it is pressed.
    let journal = Journal()
    let queue = DispatchQueue(label: "keys")

    init(_ bytes: [UInt8]) throws {
      let descriptor = try HIDReportDescriptor(parsing: bytes)
      let fields = InputField.all(of: descriptor)
      #expect(KeyboardSink.serves(fields))
      let events = EventQueue(input, on: nil)
      events.target = queue
      reader = ReportReader(
        descriptor, fields, for: [KeyboardSink(MergedKeyboard(input, events))])
      input.keyChangedHandler = { [journal] _, _, code, isPressed in
        journal.note("\(code.rawValue) \(isPressed)")
      }
    }

    var pressed: [Int] {
      (4..<232).filter { input.button(forKeyCode: GCKeyCode(rawValue: $0))?.isPressed == true }
    }
  }

  @Test("the axes and halves of sticks and wheels are analog, those of a digital pad are not")
  func analogParts() {
    let gamepad = GCExtendedGamepad()
    for pad in [gamepad.leftThumbstick, gamepad.rightThumbstick, GCMouseInput().scroll] {
      #expect(pad.isAnalog)
      #expect(pad.xAxis.isAnalog && pad.yAxis.isAnalog)
      #expect(pad.up.isAnalog && pad.down.isAnalog && pad.left.isAnalog && pad.right.isAnalog)
    }
    #expect(!gamepad.dpad.isAnalog)
    #expect(!gamepad.dpad.xAxis.isAnalog && !gamepad.dpad.up.isAnalog)
  }

  @Test("the handler of a mouse's profile reads the distances of the wheels; then they are 0")
  func wheels() {
    let input = GCMouseInput()
    let journal = Journal()
    input.valueDidChangeHandler = { _, element in
      guard let scroll = element as? GCDeviceCursor else { return }
      journal.note("\(scroll.xAxis.value) \(scroll.left.value)")
    }
    input.deliver(InputEvent(place: 0, x: -2, y: 0))
    #expect(journal.all == ["-2.0 2.0"])
    #expect(input.scroll.xAxis.value == 0)
    #expect(input.scroll.left.value == 0)
  }

  @Test("the halves of a cursor without a device have the distances of its axes")
  func cursor() {
    let cursor = GCDeviceCursor()
    cursor.setValueForXAxis(3, yAxis: -2)
    #expect(cursor.xAxis.value == 3 && cursor.yAxis.value == -2)
    #expect(cursor.right.value == 3 && cursor.left.value == 0)
    #expect(cursor.down.value == 2 && cursor.up.value == 0)
    cursor.setValueForXAxis(0, yAxis: 0)
    #expect(cursor.right.value == 0 && cursor.down.value == 0)
  }

  private static let bootKeyboard: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x03, 0x95, 0x06, 0x75, 0x08,
    0x15, 0x00, 0x26, 0xFF, 0x00, 0x05, 0x07, 0x19, 0x00, 0x2A, 0xFF, 0x00, 0x81, 0x00, 0xC0,
  ]

  @Test("a Bluetooth report of a DualSense with a wrong checksum is invalid") func checksum() throws
  {
    let check = try #require(ControllerKind.dualSenseBluetooth.checksum)
    func isValid(_ report: [UInt8]) -> Bool { check(report.span) }
    var report: [UInt8] = [0x31] + [UInt8](repeating: 7, count: 73)
    let checksum = ControllerKind.checksum(seed: 0xA1, report.span)
    // The CRC-32 that zlib computes for a1, 31 and 73 times 07.
    #expect(checksum == 0x74830BA1)
    report += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    #expect(isValid(report))
    for index in report.indices.dropFirst() {
      report[index] ^= 0x10
      #expect(!isValid(report), "byte \(index)")
      report[index] ^= 0x10
    }
    #expect(!isValid([0x31, 0, 0]))
    #expect(isValid([1, 0x80]))
    #expect(ControllerKind.dualSense.checksum == nil)
  }

  @Test("a controller with other reports than the real one gets no added fields")
  func otherReports() throws {
    // A gamepad with two axes and two buttons in report 0x31 of 3 bytes.
    let bytes: [UInt8] = [
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x31, 0x09, 0x30, 0x09, 0x31, 0x15, 0x00, 0x26,
      0xff, 0x00, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02, 0x05, 0x09, 0x19, 0x01, 0x29, 0x02, 0x25,
      0x01, 0x75, 0x01, 0x95, 0x02, 0x81, 0x02, 0x75, 0x06, 0x95, 0x01, 0x81, 0x01, 0xc0,
    ]
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    for kind in [ControllerKind.dualSenseBluetooth, .switchPro] {
      #expect(kind.completed(descriptor).addedFields.isEmpty)
    }
  }

  @Test("a report with ErrorRollOver keeps the keys that are down, and updates the modifiers")
  func rollOver() throws {
    let keys = try Keys(Self.bootKeyboard)
    keys.reader.take([0x00, 0, 4, 5, 0, 0, 0, 0])
    keys.reader.take([0x02, 0, 1, 1, 1, 1, 1, 1])
    #expect(keys.pressed == [4, 5, 0xE1])
    keys.reader.take([0x02, 0, 5, 0, 0, 0, 0, 0])
    #expect(keys.pressed == [5, 0xE1])
    keys.reader.take([0x00, 0, 1, 1, 1, 1, 1, 1])
    keys.reader.take([0x00, 0, 0, 0, 0, 0, 0, 0])
    #expect(keys.pressed == [])
  }

  @Test("a short report leaves the keys that it lacks as they are")
  func short() throws {
    // 16 keys of one bit each: A to P.
    let keys = try Keys([
      0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0x04, 0x29, 0x13, 0x15, 0x00, 0x25,
      0x01, 0x75, 0x01, 0x95, 0x10, 0x81, 0x02, 0xC0,
    ])
    keys.reader.take([0x01, 0x01])
    #expect(keys.pressed == [4, 12])
    keys.reader.take([0x00])
    #expect(keys.pressed == [12])
    keys.reader.take([0x00, 0x01])
    keys.reader.take([0x00, 0x00])
    #expect(keys.pressed == [])
    keys.queue.sync {}
    #expect(keys.journal.all == ["4 true", "12 true", "4 false", "12 false"])
  }

  @Test("a key of two bits is pressed once, and a key in a relative field never")
  func wideKeys() throws {
    // Keys A to D of two bits each, and E as a relative field.
    let keys = try Keys([
      0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0x04, 0x29, 0x07, 0x15, 0x00, 0x25,
      0x03, 0x75, 0x02, 0x95, 0x04, 0x81, 0x02, 0x09, 0x08, 0x25, 0x01, 0x75, 0x08, 0x95, 0x01,
      0x81, 0x06, 0xC0,
    ])
    for byte in [0x01, 0x02, 0x03, 0x00] as [UInt8] { keys.reader.take([byte, 1]) }
    #expect(keys.pressed == [])
    keys.queue.sync {}
    #expect(keys.journal.all == ["4 true", "4 false"])
  }

  /// The beginning of a gamepad with two axes and two buttons.
  ///
  /// Tests add a direction pad of four buttons, or a hat of four positions, and the end.
  private static let oddPad: [UInt8] = [
    0x05, 0x01, 0x09, 0x05, 0xA1, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7F, 0x75, 0x08,
    0x95, 0x02, 0x81, 0x02, 0x05, 0x09, 0x19, 0x01, 0x29, 0x02, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01,
    0x95, 0x02, 0x81, 0x02, 0x95, 0x06, 0x81, 0x03,
  ]

  @Test("a direction pad of four buttons goes from left to right in one report")
  func fourButtons() throws {
    let pads = try Pads(
      Self.oddPad + [0x05, 0x01, 0x19, 0x90, 0x29, 0x93, 0x95, 0x04, 0x81, 0x02, 0x81, 0x03, 0xC0])
    let pad = try #require(pads.gamepads.first).dpad
    pads.reader.take([0, 0, 0, 0b1000])
    #expect((pad.xAxis.value, pad.yAxis.value) == (-1, 0))
    pads.reader.take([0, 0, 0, 0b0100])
    #expect((pad.xAxis.value, pad.yAxis.value) == (1, 0))
    pads.reader.take([0, 0, 0, 0b0001])
    #expect((pad.xAxis.value, pad.yAxis.value) == (0, 1))
    #expect(pad.up.isPressed && !pad.left.isPressed && !pad.right.isPressed)
    pads.reader.take([0, 0, 0, 0b0011])
    #expect((pad.xAxis.value, pad.yAxis.value) == (0, 0), "both at once are none")
  }

  @Test("a hat of four positions points up, right, down and left")
  func fourPositions() throws {
    let pads = try Pads(
      Self.oddPad + [
        0x05, 0x01, 0x09, 0x39, 0x15, 0x00, 0x25, 0x03, 0x75, 0x04, 0x95, 0x01, 0x81, 0x42, 0x81,
        0x03, 0xC0,
      ])
    let pad = try #require(pads.gamepads.first).dpad
    let positions = [(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)] as [(Float, Float)]
    for (value, position) in positions.enumerated() {
      pads.reader.take([0, 0, 0, UInt8(value)])
      #expect((pad.xAxis.value, pad.yAxis.value) == position, "\(value)")
    }
  }

  @Test("two joysticks of one device are two controllers, and its mouse is neither")
  func twoInOne() throws {
    func stick(_ id: UInt8) -> [UInt8] {
      [0x05, 0x01, 0x09, 0x04, 0xA1, 0x01, 0x85, id] + Self.oddPad[6...] + [0xC0]
    }
    let mouse: [UInt8] = [
      0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x85, 0x03, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25,
      0x7F, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00,
      0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x81, 0x02, 0x95, 0x05, 0x81, 0x03, 0xC0,
    ]
    let bytes = stick(1) + stick(2) + mouse
    let pads = try Pads(bytes)
    #expect(pads.gamepads.count == 2)
    pads.reader.take([1, 0x7F, 0, 1])
    pads.reader.take([3, 0x7F, 0x7F, 7])
    let (first, second) = (pads.gamepads[0], pads.gamepads[1])
    #expect(first.leftThumbstick.xAxis.value == 1 && first.buttonA.isPressed)
    #expect(first.leftThumbstick.yAxis.value == 0 && !first.buttonB.isPressed)
    #expect(second.allElements.allSatisfy { ($0 as? GCControllerButtonInput)?.value ?? 0 == 0 })

    let descriptor = try HIDReportDescriptor(parsing: bytes)
    let fields = InputField.all(of: descriptor)
    #expect(MouseSink.buttonCount(of: fields) == 3)
    let input = GCMouseInput(GCMouseInput.layout(buttonCount: 3))
    let events = EventQueue(input, on: nil)
    let queue = DispatchQueue(label: "mouse")
    events.target = queue
    let journal = Journal()
    input.mouseMovedHandler = { _, x, y in journal.note("\(x) \(y)") }
    let reader = ReportReader(descriptor, fields, for: [MouseSink(input, events) {}])
    reader.take([1, 0x7F, 0, 1])
    reader.take([3, 0x02, 0xFF, 2])
    queue.sync {}
    #expect(journal.all == ["2.0 1.0"])
    #expect(!input.leftButton.isPressed && input.rightButton?.isPressed == true)
  }

  @Test("a mouse with absolute axes is no mouse, and a 3D mouse is no controller")
  func noMice() throws {
    // A mouse application with absolute axes, like the tablets of virtual machines.
    let tablet: [UInt8] = [
      0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25,
      0x01, 0x75, 0x01, 0x95, 0x03, 0x81, 0x02, 0x95, 0x05, 0x81, 0x03, 0x05, 0x01, 0x09, 0x30,
      0x09, 0x31, 0x26, 0xFF, 0x7F, 0x75, 0x10, 0x95, 0x02, 0x81, 0x02, 0xC0,
    ]
    let fields = InputField.all(of: try HIDReportDescriptor(parsing: tablet))
    #expect(MouseSink.buttonCount(of: fields) == nil)
    // The odd gamepad as a multi-axis controller.
    var spaceMouse = Self.oddPad + [0xC0]
    spaceMouse[3] = 0x08
    #expect(try Pads(spaceMouse).gamepads.isEmpty)
    #expect(try Pads(Self.oddPad + [0xC0]).gamepads.count == 1)
  }

  // MARK: Handlers

  @Test("a handler queue that replaces a suspended one gets the waiting events, each once")
  func replacedQueue() {
    let input = GCKeyboardInput()
    let events = EventQueue(input, on: nil)
    let (idle, served) = (DispatchQueue(label: "idle"), DispatchQueue(label: "served"))
    let journal = Journal()
    input.keyChangedHandler = { _, _, code, isPressed in
      dispatchPrecondition(condition: .onQueue(served))
      journal.note("\(code.rawValue) \(isPressed)")
    }
    idle.suspend()
    events.target = idle
    events.append(InputEvent(place: 0, x: 1, y: 0))
    events.flush()
    events.target = served
    served.sync {}
    #expect(journal.all == ["4 true"])
    idle.resume()
    idle.sync {}
    events.append(InputEvent(place: 0, x: 0, y: 0))
    events.flush()
    served.sync {}
    #expect(journal.all == ["4 true", "4 false"])
  }

  @Test("events that a handler adds wait for the other blocks of its queue")
  func busyQueue() async {
    let input = GCKeyboardInput()
    let events = EventQueue(input, on: nil)
    let queue = DispatchQueue(label: "busy")
    events.target = queue
    let journal = Journal()
    input.keyChangedHandler = { _, _, _, isPressed in
      guard journal.count == 0 else { return }
      // This handler adds another event before it returns.
      events.append(InputEvent(place: 0, x: isPressed ? 0 : 1, y: 0))
      events.flush()
    }
    events.append(InputEvent(place: 0, x: 1, y: 0))
    events.flush()
    queue.async { journal.note("the rest") }
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    #expect(journal.all == ["the rest"])
  }

  @Test(
    "movements of mouse and wheels that have no room in the queue are one call with their sum",
    arguments: [0, 1])
  func crowded(buttonCount: Int) {
    let input = GCMouseInput(GCMouseInput.layout(buttonCount: 1))
    let events = EventQueue(input, on: nil)
    let queue = DispatchQueue(label: "crowded")
    queue.suspend()
    events.target = queue
    var moved: Float = 0
    var scrolled: Float = 0
    var steps = 0
    input.mouseMovedHandler = { _, x, _ in
      moved += x
      steps += 1
    }
    input.scroll.valueChangedHandler = { _, x, _ in
      scrolled += x
      steps += 1
    }
    // Depending on `buttonCount`, the last event that fits is one of the wheels or of the mouse.
    for _ in 0..<buttonCount { events.append(InputEvent(place: 1, x: 1, y: 0)) }
    for _ in 0..<2000 {
      events.appendMovement(InputEvent.movement, 1, 0)
      events.appendMovement(0, 2, 0)
      events.flush()
    }
    queue.resume()
    queue.sync {}
    queue.sync {}
    #expect((moved, scrolled) == (2000, 4000))
    #expect(steps == EventQueue.capacity - buttonCount + 1)
  }
}

extension ReportReader {
  fileprivate func take(_ bytes: [UInt8]) {
    let reports = [HIDReport(time: .now, bytes: HIDReportBytes(bytes))]
    take(reports.span)
  }
}
