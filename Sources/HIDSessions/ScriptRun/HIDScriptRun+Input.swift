// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import IOLoop
import KeyboardLayouts

/// The commands that act as the device.
extension HIDScriptRun {
  /// Sends the report that sets some controls.
  mutating func set(
    _ values: [(HIDReportElement, Int64)], _ statement: Statement
  ) async throws {
    try Task.checkCancellation()
    guard try await interface(statement).send(setting: values) else {
      throw failure(statement, "the report descriptor declares no input report with these controls")
    }
    await timeline.settle()
  }

  /// Sets controls of any reports.
  ///
  /// Input reports are sent, one for each report ID, in the order of their first controls. Output
  /// and feature reports are only remembered by the device.
  mutating func set(
    _ settings: [HIDScript.Setting], _ statement: Statement
  ) async throws {
    let interface = try interface(statement)
    let descriptor = interface.definition.descriptor
    var reports: [(id: HIDReportID?, values: [(HIDReportElement, Int64)])] = []
    var remembered: [(HIDReportElement, Int64)] = []
    for setting in settings {
      let element = try element(setting.control, statement)
      let value = (element, setting.value.logical(for: element, in: descriptor))
      if element.type != .input {
        remembered.append(value)
      } else if let index = reports.firstIndex(where: { $0.id == element.reportID }) {
        reports[index].values.append(value)
      } else {
        reports.append((element.reportID, [value]))
      }
    }
    let known = remembered
    try interface.withModel { model in
      Result { () throws(HIDReportValueError) in try model.remember(setting: known) }
    }.get()
    for report in reports { try await set(report.values, statement) }
  }

  /// Makes an input report, and sends it; sends nothing for nil.
  func send(
    _ interface: SimulatedInterface, for purpose: SimulatedInterface.Purpose,
    making make: (inout HIDInterfaceModel) throws -> [UInt8]?
  ) async throws {
    try Task.checkCancellation()
    try await interface.send(for: purpose, making: make)
    await timeline.settle()
  }

  mutating func stroke(_ controls: [HIDScript.Control], _ statement: Statement) async throws {
    var presses = true
    var releases = true
    if case .press = statement.command { releases = false }
    if case .release = statement.command { presses = false }
    if presses { for control in controls { try await stroke(control, isDown: true, statement) } }
    guard releases else { return }
    if controls.isEmpty {
      for interface in interfaces(statement) where interface.record != nil {
        try await liftContacts(of: interface)
      }
      for interface in interfaces(statement) { try await releaseControls(interface) }
    }
    for control in controls.reversed() { try await stroke(control, isDown: false, statement) }
  }

  private mutating func stroke(
    _ control: HIDScript.Control, isDown: Bool, _ statement: Statement
  ) async throws {
    guard control.isSwitch else {
      return try await set([(element(control, statement), isDown ? 1 : 0)], statement)
    }
    try Task.checkCancellation()
    let interface = try interface(statement)
    if isDown {
      try await interface.press(switch: control.name.text)
    } else {
      try await interface.release(switch: control.name.text)
    }
    await timeline.settle()
  }

  mutating func releaseControls(
    _ interface: SimulatedInterface, for purpose: SimulatedInterface.Purpose = .input
  ) async throws {
    let now = timeline.now
    for layout in interface.withModel({ $0.beginRelease() }) {
      try await send(interface, for: purpose) { $0.inputReportAtRest(layout, at: now) }
    }
  }

  mutating func type(_ strokes: [KeyStroke], _ statement: Statement) async throws {
    let descriptor = try interface(statement).definition.descriptor
    func control(_ key: HIDUsage) throws -> HIDReportElement {
      guard let control = descriptor.controls(key, type: .input).first else {
        throw failure(statement, "the keyboard has no key \(key)")
      }
      return control
    }
    for stroke in strokes {
      let key = try control(stroke.usage)
      let modifiers = try stroke.modifiers.usages.map(control)
      if !modifiers.isEmpty { try await set(modifiers.map { ($0, 1) }, statement) }
      try await set([(key, 1)], statement)
      try await set([(key, 0)], statement)
      if !modifiers.isEmpty { try await set(modifiers.map { ($0, 0) }, statement) }
    }
  }

  /// Sends a report, filled up with zeros to the declared length.
  mutating func report(_ bytes: [UInt8], _ statement: Statement) async throws {
    let interface = try interface(statement)
    let (whole, wasShort) = interface.lengths.filledUp(bytes)
    try await send(interface, for: .input) { _ in whole }
    if wasShort, let reference = statement.interface { devices[reference.device].countPadded(1) }
  }

  /// Turns a wheel by a number of detents.
  mutating func scroll(_ wheel: HIDUsage, by detents: Int, _ statement: Statement) async throws {
    let interface = try interface(statement)
    let value = interface.definition.descriptor.controls(wheel, type: .input).first
      .map { control in interface.withModel { $0.detentValue(of: control) } }
    let (distance, isTooFar) = detents.multipliedReportingOverflow(by: Int(value ?? 1))
    guard !isTooFar else { throw failure(statement, "the distance is too long") }
    try await move([(wheel, distance)], statement)
  }

  /// Moves relative axes, in as many reports as the distance needs.
  mutating func move(
    _ distances: [(HIDUsage, Int)], _ statement: Statement
  ) async throws {
    let descriptor = try interface(statement).definition.descriptor
    var rest: [(control: HIDReportElement, left: Int64, range: ClosedRange<Int64>)] = []
    for (usage, distance) in distances {
      guard let control = descriptor.controls(usage, type: .input).first,
        let layout = descriptor.report(.input, id: control.reportID),
        layout.fields.indices.contains(control.fieldIndex)
      else { throw failure(statement, "the device has no \(usage)") }
      rest.append((control, Int64(distance), layout.fields[control.fieldIndex].valueRange))
    }
    repeat {
      var values: [(HIDReportElement, Int64)] = []
      for index in rest.indices {
        let step = min(
          max(rest[index].left, rest[index].range.lowerBound), rest[index].range.upperBound)
        // If the range excludes 0, the nearest step can be too long or have the wrong direction:
        // for -5 in 1...10 it is 1. The loop does not go on for that control.
        rest[index].left &-= step
        values.append((rest[index].control, step))
      }
      try await set(values, statement)
    } while rest.contains { $0.left != 0 && $0.range.contains($0.left.signum()) }
  }
}
