// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText

/// The meanings of the names in scripts, for some devices.
struct HIDScriptNames {
  typealias Reference = HIDScript.InterfaceReference

  let devices: [HIDDeviceDefinition]
  let file: String
  /// The position of the device that commands without a target are about; nil for any device.
  let usualDevice: Int?

  init(devices: [HIDDeviceDefinition], file: String, usualDevice: Int? = nil) {
    self.devices = devices
    self.file = file
    self.usualDevice = usualDevice
  }

  func resolve(
    _ statement: HIDScript.Statement
  ) throws(HIDTextProblem) -> HIDScript.Statement {
    var result = statement
    let candidates = try candidates(statement.target)
    let hasTarget = statement.target != nil || usualDevice != nil
    if hasTarget { result.scope = candidates }
    let place = statement.location
    switch statement.command {
    case .tap(let controls):
      let found = try find(controls, candidates, .press, at: place)
      result.command = .tap(found.controls)
      result.interface = found.reference
    case .press(let controls):
      let found = try find(controls, candidates, .press, at: place)
      result.command = .press(found.controls)
      result.interface = found.reference
    case .release(let controls):
      guard !controls.isEmpty else {
        result.interface = unique(candidates)
        break
      }
      let found = try find(controls, candidates, .press, at: place)
      result.command = .release(found.controls)
      result.interface = found.reference
    case .type(_, let strokes):
      result.interface = try keyboard(for: strokes, candidates, at: place)
    case .report(let bytes):
      result.interface = try interface(for: bytes, candidates, at: place)
    case .expect(let control, let value, let bound):
      if let reference = try state(control.name, value, candidates) {
        result.command = .expectState(control.name, value, within: bound)
        result.interface = reference
        break
      }
      let found = try find([control], candidates, .state, at: place)
      result.command = .expect(found.controls[0], value, within: bound)
      result.interface = found.reference
      try check(value, found, at: control.name.location)
    case .axis(let control, let value):
      let found = try find([control], candidates, .axis, at: place)
      result.command = .axis(found.controls[0], value)
      result.interface = found.reference
      try check(value, found, isSet: true, at: control.name.location)
    case .set(let settings):
      if let first = settings.first,
        let reference = try state(first.control.name, first.value, candidates)
      {
        guard settings.count == 1 else {
          throw problem(
            "\(quoted(first.control.name.text)) is a state of the device file; it cannot be set together with "
              + "other controls", at: place, help: "write a \"set\" for each state")
        }
        result.command = .setState(first.control.name, first.value)
        result.interface = reference
        break
      }
      let found = try find(settings, candidates, at: place)
      result.command = .set(found.settings)
      result.interface = found.reference
    case .touch(let touches):
      result.interface = try surface(for: touches, candidates, at: place)
    case .battery(let value):
      let found = try battery(value, statement, candidates)
      result.command = .set(found.settings)
      result.interface = found.reference
    case .click(let control):
      let found = try find([control], candidates, .click, at: place)
      result.command = .click(found.controls[0])
      result.interface = found.reference
    case .hostSet(let control, let value):
      let found = try find([control], candidates, .hostSet, at: place)
      result.command = .hostSet(found.controls[0], value)
      result.interface = found.reference
      try check(value, found, isSet: true, at: control.name.location)
    case .hostExpect(let control, let value, let bound):
      let found = try find([control], candidates, .hostExpect, at: place)
      result.command = .hostExpect(found.controls[0], value, within: bound)
      result.interface = found.reference
      try check(value, found, at: control.name.location)
    case .move:
      result.interface = try interface(
        with: [.genericDesktop(.x), .genericDesktop(.y)], isRelative: true, candidates, at: place)
    case .scroll(_, let isHorizontal):
      result.interface = try interface(
        with: [isHorizontal ? .consumer(.acPan) : .genericDesktop(.wheel)], isRelative: true,
        candidates, at: place)
    case .hostSetReport(let report, let bytes, _), .hostSend(let report, let bytes):
      // Without an ID before the bytes, the first byte is the ID.
      let id = report.id ?? bytes.first.flatMap(HIDReportID.init)
      let numbered = candidates.filter { self[$0].descriptor.numbersReports(report.type) }
      result.interface = try interface(
        declaring: report.type, numbered.isEmpty ? report.id : id, unlessUnique: true, candidates,
        at: place)
    case .hostGet(let report, let answer):
      result.interface = try interface(
        declaring: report.type, report.id, unlessUnique: true, candidates, at: place)
      try check(answer, report, result.interface, at: place)
    case .answerUsually(let request):
      result.interface = try interface(
        declaring: request.type, request.id, unlessUnique: false, candidates, at: place)
    case .answerOnce(let request, let answer, _), .answerAlways(let request, let answer, _):
      result.interface = try interface(
        declaring: request.type, request.id, unlessUnique: false, candidates, at: place)
      try check(answer, request.type, request.id, result.interface, at: place)
    case .expectEvent(let pattern, _), .expectOnlyEvent(let pattern, _):
      result.interface = unique(candidates)
      try check(pattern, candidates, at: place)
    case .expectNothing(let pattern, _):
      result.interface = unique(candidates)
      if let pattern { try check(pattern, candidates, at: place) }
    // A wait with a target is about all interfaces of the target.
    case .expectNothingElse, .expectAnything, .waitForReader, .waitForOpen:
      result.interface = unique(candidates)
    case .repeated, .test, .expectState, .setState: break
    case .wait, .plug, .unplug, .sync, .link:
      result.interface = unique(candidates) ?? (hasTarget ? candidates.first : nil)
    }
    return result
  }
}
