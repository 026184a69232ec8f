// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import HIDReportDescriptor
import HIDUsages
import IOLoop
import Synchronization

/// The sink that passes the changes of a controller's controls to its elements.
final class ControllerSink: ControlSink {
  /// The element that a control of the device drives.
  private enum Binding {
    case button(place: Int32, GCControllerButtonInput)
    /// The raw values from `first` to `first + length` become 0 to 1.
    case trigger(place: Int32, GCControllerButtonInput, first: Int64, length: Float)
    /// An axis of a pad; its raw range becomes -1 to 1, or 1 to -1.
    case axis(pad: Int, isX: Bool, Range)
    case hat(first: Int64, count: Int64)
    case direction(ControllerMap.Direction)
  }

  /// The identity of a control of the device, in 64 bits.
  private struct Key: Hashable {
    private let value: UInt64

    init(_ control: HIDReportElement) {
      let report = UInt64(control.reportID?.rawValue ?? 0) << 56
      // Both indices are below 2¹⁶: HIDReportDescriptor limits fields and their elements.
      value = report | UInt64(control.fieldIndex) << 28 | UInt64(control.index)
    }
  }

  private struct Range {
    var first: Int64
    var last: Int64
    /// The raw value at rest; nil if it is not known, which means the middle of the range.
    var centre: Int64?
    let isDownwards: Bool

    /// Converts a raw value to a value from -1 to 1, where 0 is the centre.
    ///
    /// Without a known centre, 0 is the middle of the range. A range with two middle values has 0
    /// for both.
    func value(_ place: Int64) -> Float {
      let place = min(max(place, first), last)
      if let centre {
        let side = place < centre ? centre &- first : last &- centre
        guard side > 0 else { return 0 }
        let value = Float(place &- centre) / Float(side)
        return isDownwards ? -value : value
      }
      let (left, right) = (place &- first, last &- place)
      guard last > first, abs(left &- right) > 1 else { return 0 }
      let value = Float(left &- right) / Float(last &- first)
      return isDownwards ? -value : value
    }
  }

  /// A direction pad or stick, with its values in the report that is being read.
  private struct Pad {
    let place: Int32
    let element: GCControllerDirectionPad
    var x: Float = 0
    var y: Float = 0
    /// The newest raw values of its axes; nil before the first report, and after a release.
    var raw: (x: Int64?, y: Int64?) = (nil, nil)
    var hasNews = false

    mutating func set(_ touch: Touch) { (x, y, hasNews) = (touch.x, touch.y, true) }
  }

  private struct State {
    var pads: [Pad] = []
    /// The indices of the touches in ``pads``; nil for a controller without a touchpad.
    var touchpads: (first: Int, second: Int)?
    var bindings: [Key: Binding] = [:]
    /// True for each button of the direction pad that is down, by ``ControllerMap/Direction``.
    var directions = [Bool](repeating: false, count: 4)
    var hasNews = false
  }

  private let state: Mutex<Handed<State>>
  private let gamepad: Handed<GCExtendedGamepad>
  private let queue: EventQueue
  private let outputs: (any ControllerOutputs)?
  private let whenUsed: @Sendable () -> Void
  private let map: ControllerMap
  let initialControls: [HIDReportElement]

  /// - Parameters:
  ///   - gamepad: The profile.
  ///   - map: The controls that drive the elements.
  ///   - queue: The queue to which events are added.
  ///   - outputs: The object that reads the charge, motion and touches from reports; nil if there
  ///     is none.
  ///   - whenUsed: Called for each report with a change, on the thread that reads the device.
  init(
    _ gamepad: GCExtendedGamepad, _ map: ControllerMap, _ queue: EventQueue,
    _ outputs: (any ControllerOutputs)?, whenUsed: @escaping @Sendable () -> Void
  ) {
    self.gamepad = Handed(value: gamepad)
    self.queue = queue
    self.outputs = outputs
    self.whenUsed = whenUsed
    self.map = map
    let table = gamepad.table
    var state = State()
    for (place, element) in table.order.enumerated() {
      guard let element = element as? GCControllerDirectionPad else { continue }
      state.pads.append(Pad(place: Int32(place), element: element))
    }
    func pad(_ name: String) -> Int? {
      table.place(name).flatMap { place in
        state.pads.firstIndex { $0.place == Int32(place) }
      }
    }
    if let first = pad(GCInputDualShockTouchpadOne), let second = pad(GCInputDualShockTouchpadTwo) {
      state.touchpads = (first, second)
    }
    func button(_ name: String) -> (Int32, GCControllerButtonInput)? {
      guard let place = table.place(name), let button = table.buttons[name] else { return nil }
      return (Int32(place), button)
    }
    var found: Set<UInt64> = []
    var initialControls: [HIDReportElement] = []
    for field in map.fields {
      for control in field.report.controls(of: field.field) {
        let usage = control.usage.extended
        let report = map.repeatsControls ? UInt64(control.reportID?.rawValue ?? 0) << 32 : 0
        guard let target = map.targets[usage],
          found.insert(report | UInt64(usage)).inserted
        else { continue }
        let (first, last) = (field.field.logicalMinimum, field.field.logicalMaximum)
        let binding: Binding?
        switch target {
        case .button(let name):
          binding = button(name).map { .button(place: $0, $1) }
        case .trigger(let name):
          guard last > first else { continue }
          binding = button(name).map {
            .trigger(place: $0, $1, first: first, length: Float(last &- first))
          }
        case .x(let name):
          binding = pad(name).map {
            .axis(pad: $0, isX: true, Range(first: first, last: last, isDownwards: false))
          }
        case .y(let name):
          binding = pad(name).map {
            .axis(pad: $0, isX: false, Range(first: first, last: last, isDownwards: true))
          }
        case .upwardsY(let name):
          binding = pad(name).map {
            .axis(pad: $0, isX: false, Range(first: first, last: last, isDownwards: false))
          }
        case .hat:
          // The range of an added field is the range of its bits, but a hat has eight positions.
          let count = field.isAdded ? 8 : last &- first &+ 1
          binding = .hat(first: first, count: count)
        case .direction(let direction): binding = .direction(direction)
        }
        state.bindings[Key(control)] = binding
        initialControls.append(control)
      }
    }
    self.initialControls = initialControls
    self.state = Mutex(Handed(value: state))
  }

  func accepts(_ field: InputField) -> Bool { map.has(field) }

  func change(_ control: HIDReportElement, from old: Int64, to value: Int64) {
    state.withLock { change(Key(control), to: value, &$0.value) }
  }

  private func change(_ key: Key, to value: Int64, _ state: inout State) {
    guard let binding = state.bindings[key] else { return }
    switch binding {
    case .button(let place, let button):
      set(button, place, value == 0 ? 0 : 1, &state)
    case .trigger(let place, let button, let first, let length):
      set(button, place, min(max(Float(value &- first) / length, 0), 1), &state)
    case .axis(let pad, let isX, let range):
      if isX {
        state.pads[pad].x = range.value(value)
        state.pads[pad].raw.x = value
      } else {
        state.pads[pad].y = range.value(value)
        state.pads[pad].raw.y = value
      }
      state.pads[pad].hasNews = true
    case .hat(let first, let count):
      let position = value &- first
      // A hat has eight or four positions.
      let eighth = (0..<count).contains(position) ? position * 8 / count : -1
      (state.pads[0].x, state.pads[0].y) = Self.direction(ofHat: eighth)
      state.pads[0].hasNews = true
    case .direction(let direction):
      state.directions[direction.rawValue] = value != 0
      func isDown(_ direction: ControllerMap.Direction) -> Float {
        state.directions[direction.rawValue] ? 1 : 0
      }
      state.pads[0].x = isDown(.right) - isDown(.left)
      state.pads[0].y = isDown(.up) - isDown(.down)
      state.pads[0].hasNews = true
    }
  }

  private func set(
    _ button: GCControllerButtonInput, _ place: Int32, _ value: Float, _ state: inout State
  ) {
    guard button.update(value) else { return }
    state.hasNews = true
    queue.append(InputEvent(place: place, x: value, y: 0))
  }

  /// Returns the x and y values of a hat position.
  ///
  /// 0 is up, and the positions follow clockwise in eighths. Any other value is at rest.
  private static func direction(ofHat eighth: Int64) -> (Float, Float) {
    switch eighth {
    case 0: (0, 1)
    case 1: (1, 1)
    case 2: (1, 0)
    case 3: (1, -1)
    case 4: (0, -1)
    case 5: (-1, -1)
    case 6: (-1, 0)
    case 7: (-1, 1)
    default: (0, 0)
    }
  }

  func endReport(at time: MonotonicTime) {
    let hasNews = state.withLock { handed in endReport(&handed.value) }
    guard hasNews else { return }
    gamepad.value.note(time)
    gamepad.value.micro?.note(time)
    whenUsed()
    queue.flush()
  }

  /// Appends the changes of the pads and returns whether the report has changed anything.
  private func endReport(_ state: inout State) -> Bool {
    for index in state.pads.indices where state.pads[index].hasNews {
      state.pads[index].hasNews = false
      let pad = state.pads[index]
      guard pad.element.update(pad.x, pad.y) else { continue }
      state.hasNews = true
      queue.append(InputEvent(place: pad.place, x: pad.x, y: pad.y))
    }
    defer { state.hasNews = false }
    return state.hasNews
  }

  /// Sets the measured ranges of the left and the right stick, and delivers the values that change.
  func calibrate(_ sticks: [StickCalibration]) {
    let hasNews = state.withLock { handed in
      let names = [GCInputLeftThumbstick, GCInputRightThumbstick]
      let table = gamepad.value.table
      for (key, binding) in handed.value.bindings {
        guard case .axis(let pad, let isX, var range) = binding,
          let stick = names.firstIndex(where: {
            table.place($0) == Int(handed.value.pads[pad].place)
          }), sticks.indices.contains(stick)
        else { continue }
        let axis = isX ? sticks[stick].x : sticks[stick].y
        (range.first, range.centre, range.last) = (axis.first, axis.centre, axis.last)
        handed.value.bindings[key] = .axis(pad: pad, isX: isX, range)
        let raw = handed.value.pads[pad].raw
        if let value = isX ? raw.x : raw.y { change(key, to: value, &handed.value) }
      }
      return endReport(&handed.value)
    }
    if hasNews { queue.flush() }
  }

  func beginReport(_ bytes: Span<UInt8>) {
    guard let outputs else { return }
    if outputs.take(bytes) {
      queue.appendMotion()
      queue.flush()
    }
    guard let touches = outputs.touches(in: bytes) else { return }
    state.withLock { handed in
      guard let pads = handed.value.touchpads else { return }
      handed.value.pads[pads.first].set(touches.first)
      handed.value.pads[pads.second].set(touches.second)
    }
  }

  func release() {
    state.withLock { handed in
      handed.value.directions = [false, false, false, false]
      for index in handed.value.pads.indices {
        (handed.value.pads[index].x, handed.value.pads[index].y) = (0, 0)
        handed.value.pads[index].raw = (nil, nil)
      }
    }
    let gamepad = gamepad.value
    for (place, element) in gamepad.table.order.enumerated() {
      let isNews: Bool
      switch element {
      case let button as GCControllerButtonInput: isNews = button.update(0)
      case let pad as GCControllerDirectionPad: isNews = pad.update(0, 0)
      default: isNews = false
      }
      if isNews { queue.append(InputEvent(place: Int32(place), x: 0, y: 0)) }
    }
    queue.flush()
  }
}
