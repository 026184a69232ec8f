// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
public import HIDReportDescriptor
import HIDText

/// A builder of reports from controls by name, with values as scripts write them.
public struct HIDReportComposer: Sendable {
  /// The reason why a control cannot be set, and a hint.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A message that names what was found and what was expected.
    public let message: String
    /// A hint that helps to correct the assignment.
    public let help: String?

    /// The message and the hint in one line.
    public var description: String { message + (help.map { "; \($0)" } ?? "") }
  }

  private let descriptor: HIDReportDescriptor
  private let names: [String: String]
  private let type: HIDReportType?
  private let reportID: HIDReportID?
  private var made: [(layout: HIDReportLayout, bytes: [UInt8])] = []

  /// Creates a composer without reports.
  ///
  /// - Parameters:
  ///   - descriptor: The report descriptor of the reports.
  ///   - controls: The names that a device file gives to controls, each with the descriptor's name
  ///     of the control.
  ///   - type: The type of the reports; `nil` to set each control in the first type that has it.
  ///   - reportID: The ID of the report; `nil` to set each control in the first report that has it.
  public init(
    _ descriptor: HIDReportDescriptor, controls: [String: String] = [:],
    type: HIDReportType? = nil, reportID: HIDReportID? = nil
  ) {
    self.descriptor = descriptor
    names = controls
    self.type = type
    self.reportID = reportID
  }

  /// The reports in which a control was set, in the order in which they were first changed.
  ///
  /// The bytes of a numbered report begin with its ID.
  public var reports: [(layout: HIDReportLayout, bytes: [UInt8])] { made }

  /// Sets a control.
  ///
  /// - Parameter assignment: `name=value`, or a name alone for a control that is on.
  /// - Throws: ``Problem`` if the name or the value is wrong; the reports are then unchanged.
  public mutating func set(_ assignment: String) throws(Problem) {
    let parts = assignment.split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value: HIDScript.Value
    do throws(HIDScript.Value.Misreading) {
      value = parts.count > 1 ? try HIDScript.Value(reading: String(parts[1])) : .on
    } catch {
      throw Problem(message: "\(quoted(assignment)): \(error.message)", help: error.help)
    }
    let control = try control(named: String(parts[0]), for: value)
    guard let layout = descriptor.report(control.type, id: control.reportID) else { return }
    if let reason = value.physicalProblem(for: control, in: descriptor) {
      throw Problem(message: "\(quoted(assignment)): \(reason)", help: nil)
    }
    let index = made.firstIndex { $0.layout == layout } ?? made.count
    var bytes = index < made.count ? made[index].bytes : layout.neutralReport
    do throws(HIDReportValueError) {
      try layout.set(control, to: value.logical(for: control, in: descriptor), in: &bytes)
    } catch {
      throw Problem(message: "\(quoted(assignment)): \(error)", help: nil)
    }
    if index < made.count { made[index].bytes = bytes } else { made.append((layout, bytes)) }
  }

  private func control(
    named name: String, for value: HIDScript.Value
  ) throws(Problem) -> HIDReportElement {
    // Some letters are names of a key and of an axis: the value decides between the two.
    var usages = [HIDUsage.key(named: name), HIDUsage.axis(named: name)].compactMap { $0 }
    if !value.isSwitched { usages.reverse() }
    var candidates: [HIDReportElement] = []
    for type in HIDReportType.allCases where self.type == nil || type == self.type {
      if let alias = names[name] { candidates += descriptor.controls(named: alias, type: type) }
      for usage in usages { candidates += descriptor.controls(usage, type: type) }
      candidates += descriptor.controls(named: name, type: type)
    }
    if let reportID { candidates.removeAll { $0.reportID != reportID } }
    guard let control = candidates.first else { throw unknown(name) }
    return control
  }

  private func unknown(_ name: String) -> Problem {
    let types = type.map { [$0] } ?? HIDReportType.allCases
    let own = descriptor.controlNames(types)
    let known = Set(own)
    let short = (HIDUsage.keyAliases + HIDUsage.axisAliases).filter {
      known.contains($0.usage.name)
    }
    let near = NameSuggestion.nearest(to: name, in: names.keys.sorted() + short.map(\.name) + own)
    let kind = type.map { "\($0) report" } ?? "report"
    return Problem(
      message: "no \(kind)\(reportID.map { " \($0)" } ?? "") has a control \(quoted(name))",
      help: near.map { "did you mean \"\($0)\"?" }
        ?? "use a name that hidsim decode prints for a report")
  }
}
