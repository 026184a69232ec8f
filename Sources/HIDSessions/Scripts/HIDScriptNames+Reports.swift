// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
internal import HIDReportDescriptor
internal import HIDText
import KeyboardLayouts

/// The choice of an interface by its reports, axes or keys, and checks of the reports in a command.
extension HIDScriptNames {
  func hasRelativeAxes(_ descriptor: HIDReportDescriptor) -> Bool {
    has(.genericDesktop(.x), isRelative: true, descriptor)
  }

  func has(
    _ usage: HIDUsage, isRelative: Bool, _ descriptor: HIDReportDescriptor
  ) -> Bool {
    descriptor.controls(usage, type: .input).contains { control in
      guard let fields = descriptor.report(.input, id: control.reportID)?.fields,
        fields.indices.contains(control.fieldIndex)
      else { return false }
      return fields[control.fieldIndex].isRelative == isRelative
    }
  }

  func interface(
    with usages: [HIDUsage], isRelative: Bool, _ candidates: [Reference],
    at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { reference in
      usages.allSatisfy { has($0, isRelative: isRelative, self[reference].descriptor) }
    }
    if let chosen = try choose(able, at: location) { return chosen }
    let names = usages.map(\.name).joined(separator: " and ")
    throw problem(
      usages.count == 1
        ? "no interface has a relative control \(names)"
        : "no interface has the relative controls \(names)",
      at: location, help: "use set for absolute controls")
  }

  func keyboard(
    for strokes: [KeyStroke], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    var keys = Set(strokes.map(\.usage))
    for stroke in Set(strokes.map(\.modifiers)) { keys.formUnion(stroke.usages) }
    if keys.isEmpty { keys.insert(.keyboardOrKeypad(.keyboardLeftShift)) }
    let able = candidates.filter { reference in
      keys.allSatisfy { !self[reference].descriptor.controls($0, type: .input).isEmpty }
    }
    if let chosen = try choose(able, at: location) { return chosen }
    throw problem(
      "no interface has all the keys that the text needs", at: location,
      help: "type needs a keyboard")
  }

  func interface(
    for bytes: [UInt8], _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { !self[$0].descriptor.reports(of: .input).isEmpty }
    guard let chosen = try choose(able, at: location) else {
      throw problem("no interface has input reports", at: location)
    }
    guard able.count == 1 else {
      throw ambiguous("input reports", able, at: location)
    }
    let descriptor = self[chosen].descriptor
    let id = descriptor.numbersReports(.input) ? bytes.first.flatMap(HIDReportID.init) : nil
    guard let layout = descriptor.report(.input, id: id) else {
      throw undeclared(.input, id ?? bytes.first.flatMap(HIDReportID.init), [chosen], at: location)
    }
    guard bytes.count <= layout.byteCount else {
      throw problem(
        "the report is \(bytes.count) bytes long, and it is declared with \(layout.byteCount)",
        at: location, help: id == nil ? "these reports have no ID: write only their bytes" : nil)
    }
    return chosen
  }

  func interface(
    declaring type: HIDReportType, _ id: HIDReportID?, unlessUnique: Bool,
    _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) -> Reference {
    let able = candidates.filter { self[$0].descriptor.report(type, id: id) != nil }
    if let chosen = try choose(able, at: location) {
      guard able.count == 1 else {
        throw ambiguous("this report", able, at: location)
      }
      return chosen
    }
    // Hosts ask for undeclared reports too.
    if unlessUnique, let only = unique(candidates) { return only }
    throw undeclared(type, id, candidates, at: location)
  }

  private func ambiguous(
    _ what: String, _ able: [Reference], at location: HIDTextLocation
  ) -> HIDTextProblem {
    let names = able.compactMap { self[$0].name }.map { quoted($0) }.joined(separator: ", ")
    return problem(
      "more than one interface has \(what)", at: location,
      help: names.isEmpty
        ? "give each interface a \"name\" in the device file, and write @NAME before the command"
        : "name one: @NAME before the command; the interfaces are \(names)")
  }

  func undeclared(
    _ type: HIDReportType, _ id: HIDReportID?, _ candidates: [Reference],
    at location: HIDTextLocation
  ) -> HIDTextProblem {
    let reports = candidates.flatMap { self[$0].descriptor.reports(of: type) }
    let list = reports.map { $0.id.map { "\($0)" } ?? "the unnumbered one" }
    return problem(
      "no interface declares \(id.map { "\(type) report \($0)" } ?? "an unnumbered \(type) report")",
      at: location,
      help: list.isEmpty
        ? "there is no \(type) report" : "the \(type) reports: \(list.joined(separator: ", "))")
  }

  func check(
    _ answer: HIDRequestAnswer?, _ type: HIDReportType, _ id: HIDReportID?,
    _ reference: Reference?, at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard case .report(let bytes) = answer, let reference,
      let layout = self[reference].descriptor.report(type, id: id), bytes.count > layout.byteCount
    else { return }
    throw problem(
      "the answer is \(bytes.count - layout.payloadOffset) bytes long, and the report is declared "
        + "with \(layout.payloadByteCount)", at: location,
      help: id == nil ? nil : "leave the ID out of the bytes")
  }

  /// Checks that the report that a host expects is not longer than declared.
  func check(
    _ expected: HIDScript.HostAnswer?, _ report: HIDScript.Report, _ reference: Reference?,
    at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard case .bytes(let pattern) = expected else { return }
    try check(
      .report(HIDReportBytes(pattern.bytes.map(\.value))), report.type, report.id, reference,
      at: location)
  }

  func check(
    _ pattern: HIDScript.HostEventPattern, _ candidates: [Reference], at location: HIDTextLocation
  ) throws(HIDTextProblem) {
    guard let type = pattern.type, let id = pattern.id else { return }
    // A host may ask for an undeclared report. An expected output report must be declared.
    guard
      pattern.name != .output
        || candidates.contains(where: { self[$0].descriptor.report(type, id: id) != nil })
    else { throw undeclared(type, id, candidates, at: location) }
  }
}
