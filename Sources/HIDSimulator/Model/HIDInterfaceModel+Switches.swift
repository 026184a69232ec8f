// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The device file's switches, whose controls depend on the state.
extension HIDInterfaceModel {
  /// A switch that is down.
  struct PressedSwitch: Sendable {
    /// The number of the press: a later press of the same switch has another number.
    let number: Int
    /// The controls that the switch holds pressed.
    var controls: [HIDReportElement]
    /// The time between two repeats that the device sends; `nil` if it does not repeat.
    let interval: Duration?
    /// True while a repeat waits to be sent.
    var isRepeatQueued = false
  }

  /// One press of a switch.
  package struct PressNumber: Hashable, Sendable {
    let name: String
    let number: Int
  }

  /// The reports of a switch that goes down, and their repeats.
  struct SwitchPress: Sendable {
    /// The settings that press the controls, grouped by report.
    let settings: [[(HIDReportElement, Int64)]]
    /// True if the controls are released at once.
    let isOnce: Bool
    let press: PressNumber
    /// The time until the first repeat; `nil` if the device does not repeat.
    let delay: Duration?
  }

  /// Notes that a switch goes down.
  ///
  /// - Returns: The settings to send and the repeats; `nil` if the switch is down already. There
  ///   are no settings if no row of the device file's table of switches has controls for the switch
  ///   in this state.
  mutating func press(switch name: String) -> SwitchPress? {
    guard pressedSwitches[name] == nil else { return nil }
    let controls = controls(ofSwitch: name)
    let action = definition.switchRepeats.first { areMet($0.conditions) }?.action
    pressCount += 1
    var repeats: (delay: Duration, interval: Duration)?
    if case .repeated(let first, let next) = action, !controls.isEmpty,
      let delay = time(first), let interval = time(next)
    {
      repeats = (delay, interval)
    }
    pressedSwitches[name] = PressedSwitch(
      number: pressCount, controls: controls, interval: repeats?.interval)
    return SwitchPress(
      settings: Self.settings(controls, to: 1), isOnce: action == .once,
      press: PressNumber(name: name, number: pressCount), delay: repeats?.delay)
  }

  /// Notes that a switch goes up, or that it releases its controls and stays down.
  ///
  /// - Returns: The settings that release the controls which no other switch holds; none if the
  ///   switch is not down.
  mutating func release(switch name: String, staysDown: Bool = false) -> [[(
    HIDReportElement, Int64
  )]] {
    guard var pressed = pressedSwitches.removeValue(forKey: name) else { return [] }
    let held = Set(pressedSwitches.values.flatMap(\.controls))
    let released = pressed.controls.reversed().filter { !held.contains($0) }
    if staysDown {
      pressed.controls = []
      pressedSwitches[name] = pressed
    }
    return Self.settings(released, to: 0)
  }

  /// Makes the settings of one repeat of a switch that is still down.
  ///
  /// - Returns: The settings that release and press the controls, and the time until the next
  ///   repeat; `nil` if the press is over or has no repeats. There are no settings if the previous
  ///   repeat is not sent yet.
  mutating func repetition(
    of press: PressNumber
  ) -> (settings: [[(HIDReportElement, Int64)]], interval: Duration)? {
    guard isDown(press), let pressed = pressedSwitches[press.name],
      let interval = pressed.interval
    else { return nil }
    guard !pressed.isRepeatQueued else { return ([], interval) }
    pressedSwitches[press.name]?.isRepeatQueued = true
    return (
      Self.settings(pressed.controls.reversed(), to: 0) + Self.settings(pressed.controls, to: 1),
      interval
    )
  }

  /// Returns whether a press of a switch is not over.
  func isDown(_ press: PressNumber) -> Bool { pressedSwitches[press.name]?.number == press.number }

  /// Notes that a repeat was sent or left out.
  mutating func endRepeat(of press: PressNumber) {
    if isDown(press) { pressedSwitches[press.name]?.isRepeatQueued = false }
  }

  /// Notes that the settings of a press could not all be sent.
  ///
  /// - Parameter controls: The controls whose settings were sent. The switch holds only these; it
  ///   is up if there are none.
  mutating func cancel(_ press: PressNumber, holding controls: [HIDReportElement]) {
    guard isDown(press) else { return }
    if controls.isEmpty {
      pressedSwitches[press.name] = nil
    } else {
      pressedSwitches[press.name]?.controls = controls
    }
  }

  private func controls(ofSwitch name: String) -> [HIDReportElement] {
    entry(ofSwitch: name)?.controls ?? []
  }

  private func entry(ofSwitch name: String) -> HIDSwitchRow.Entry? {
    for row in definition.switches where areMet(row.conditions) {
      if let entry = row.entries.first(where: { $0.name == name }) { return entry }
    }
    return nil
  }

  /// The switches in the order of the device file: for each, true if it is down, and the names of
  /// the controls that it would press if it went down now.
  package var switchValues: [(name: String, isDown: Bool, controlNames: [String])] {
    definition.switchNames.map { name in
      (name, pressedSwitches[name] != nil, entry(ofSwitch: name)?.controlNames ?? [])
    }
  }

  /// Returns the duration of a rule, within `HIDSwitchRepeat.times`; `nil` if the rule divides a
  /// time by a state that is 0 or less.
  private func time(_ time: HIDSwitchRepeat.Time) -> Duration? {
    let duration: Duration
    switch time {
    case .fixed(let fixed): duration = fixed
    case .multiple(let state, let unit):
      // A state has 32 bits: with a unit of at most 60 s the product fits in a Duration.
      let longest = HIDSwitchRepeat.times.upperBound
      duration = min(max(unit, .zero), longest) * Int(value(of: .state(state)))
    case .part(let state, let whole):
      let count = value(of: .state(state))
      guard count > 0 else { return nil }
      duration = whole / Int(count)
    }
    return min(max(duration, HIDSwitchRepeat.times.lowerBound), HIDSwitchRepeat.times.upperBound)
  }

  /// Returns settings of controls to one value, grouped by the report that has the controls.
  private static func settings(
    _ controls: [HIDReportElement], to value: Int64
  ) -> [[(HIDReportElement, Int64)]] {
    var groups: [[(HIDReportElement, Int64)]] = []
    for control in controls {
      if let index = groups.firstIndex(where: { $0[0].0.reportID == control.reportID }) {
        groups[index].append((control, value))
      } else {
        groups.append([(control, value)])
      }
    }
    return groups
  }
}
