// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator
import HIDText

/// The contents of reports with one layout, as lines of text.
struct ReportText {
  /// The maximum number of values in one line.
  private static let maximumValueCount = 64
  /// The maximum number of switches in a field that are listed one by one.
  ///
  /// In a larger field, one line counts the switches that are off.
  private static let maximumSwitchCount = 16

  let layout: HIDReportLayout
  private let descriptor: HIDReportDescriptor
  private let names: HIDReportElementNames

  init(_ layout: HIDReportLayout, of descriptor: HIDReportDescriptor) {
    self.layout = layout
    self.descriptor = descriptor
    names = HIDReportElementNames(of: layout, in: descriptor)
  }

  /// Returns the value of every variable element in a report, and the usages that its arrays
  /// select.
  ///
  /// Elements of more than 64 bits, and those that a short report lacks, are left out.
  func values(in report: [UInt8]) -> [HIDNamedValue] {
    layout.fields.flatMap { field in
      // An array gives only the selected usages: a search for each possible usage would read every
      // element each time.
      let controls =
        field.isArray
        ? layout.selectedControls(of: field, in: report.span) : layout.controls(of: field)
      return controls.compactMap { control in
        let value = field.isArray ? 1 : layout.value(of: control, in: report.span)
        return value.map { named(control, $0) }
      }
    }
  }

  private func named(_ control: HIDReportElement, _ value: Int64) -> HIDNamedValue {
    HIDNamedValue(
      name: names.name(of: control), value: value,
      isSwitch: descriptor.isSwitch(control, in: layout))
  }

  /// Returns the lines for all values of a report, and for those that it lacks.
  func lines(of report: [UInt8]) -> [String] {
    layout.fields.flatMap { field in
      if field.isPadding || field.bitSize == 0 { return [] as [String] }
      return field.isArray ? arrayLines(field, report) : lines(of: field, in: report)
    }
  }

  // MARK: Variable fields

  /// Returns a line for each element of a variable field.
  ///
  /// Adjacent elements with the same usage share a line, unless they have more than 64 bits: vendor
  /// reports have dozens of them. Of more than 16 switches in the field, those that are off share a
  /// line, as do those that the report lacks.
  ///
  /// - Parameter report: The report with the values; `nil` for names alone.
  func lines(of field: HIDReportField, in report: [UInt8]?) -> [String] {
    let controls = layout.controls(of: field)
    if let report, controls.count > Self.maximumSwitchCount,
      descriptor.isSwitch(controls[0], in: layout)
    {
      return switchLines(controls, report)
    }
    var lines: [String] = []
    var rest = controls[...]
    while let first = rest.first {
      // A value has at most 64 bits: longer elements are shown as bytes, each on a line of its own.
      let run = field.bitSize > 64 ? rest.prefix(1) : rest.prefix { $0.usage == first.usage }
      rest = rest.dropFirst(run.count)
      lines.append(run.count > 1 ? repeated(run, report) : line(first, field, report))
    }
    return lines
  }

  private func line(_ control: HIDReportElement, _ field: HIDReportField, _ report: [UInt8]?)
    -> String
  {
    let name = names.name(of: control)
    guard let report, field.bitSize > 0 else { return name }
    if let value = layout.value(of: control, in: report.span) {
      return named(control, value).description + Self.physical(value, field)
    }
    // The element has more than 64 bits, or is not in the report.
    let payload = Array(report.dropFirst(layout.payloadOffset))
    return "\(name) \(field.bytes(at: control.index, in: payload)?.hexText ?? Self.missing)"
  }

  /// Returns the value in the field's unit, or a note on a null value; else an empty string.
  private static func physical(_ value: Int64, _ field: HIDReportField) -> String {
    if field.isNull(value) { return " (null value)" }
    guard field.isVariable, let symbol = field.physicalUnit.symbol,
      let physical = field.physicalValue(of: value)
    else { return "" }
    // Six decimal places are more than sensors have.
    let rounded = (physical * 1_000_000).rounded() / 1_000_000
    let number = Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    return " (\(number) \(symbol))"
  }

  private static let missing = "is not in the report"

  /// Returns the line of elements that repeat one usage, with a limited number of values.
  private func repeated(_ controls: ArraySlice<HIDReportElement>, _ report: [UInt8]?) -> String {
    let name = "\(names.name(of: controls[controls.startIndex])) (\(controls.count) times)"
    guard let report else { return name }
    let values = controls.prefix(Self.maximumValueCount).compactMap {
      layout.value(of: $0, in: report.span)
    }
    return "\(name): \(Self.listing(values, of: controls.count))"
  }

  private static func listing(_ values: [Int64], of count: Int) -> String {
    let shown = values.prefix(maximumValueCount).map(String.init).joined(separator: " ")
    let most = min(count, maximumValueCount)
    if values.isEmpty { return missing }
    if values.count < most { return "\(shown), and \(count - values.count) not in the report" }
    return count > most ? "\(shown) … and \(count - most) more" : shown
  }

  /// Returns a line for each switch that is on, and lines that count the others.
  private func switchLines(_ controls: [HIDReportElement], _ report: [UInt8]) -> [String] {
    var lines: [String] = []
    var offCount = 0
    var missingCount = 0
    for control in controls {
      switch layout.value(of: control, in: report.span) {
      case 0?: offCount += 1
      case let value?: lines.append(named(control, value).description)
      case nil: missingCount += 1
      }
    }
    let range =
      "\(names.name(of: controls[0])) … \(names.name(of: controls[controls.count - 1]))"
    let others = lines.isEmpty ? "" : "others "
    if offCount > 0 { lines.append("\(range): \(offCount) \(others)off") }
    if missingCount > 0 { lines.append("\(range): \(missingCount) not in the report") }
    return lines
  }

  // MARK: Arrays

  /// Returns the names of the usages that an array selects.
  func selectedNames(of field: HIDReportField, in report: [UInt8]) -> [String] {
    layout.selectedControls(of: field, in: report.span).map(names.name(of:))
  }

  private func arrayLines(_ field: HIDReportField, _ report: [UInt8]) -> [String] {
    let selected = layout.selectedControls(of: field, in: report.span)
    var lines = selected.map { named($0, 1).description }
    let place = "array at bit \(field.bitOffset)"
    let values = layout.valuesWithoutUsage(of: field, in: report.span)
    if !values.isEmpty {
      let listing = Self.listing(Array(values.prefix(Self.maximumValueCount)), of: values.count)
      lines.append(
        "\(place): \(values.count) of \(field.count.counting("element")) select nothing: \(listing)"
      )
    }
    let there = max(0, (report.count - layout.payloadOffset) * 8 - field.bitOffset) / field.bitSize
    if there < field.count {
      lines.append(
        "\(place): \(field.count - there) of \(field.count.counting("element")) not in the report")
    }
    return lines
  }
}

extension HIDReportDescriptor {
  /// Returns the value of every variable element in a report, and the usages that its arrays
  /// select.
  ///
  /// Elements of more than 64 bits, and those that a short report lacks, are left out. The result
  /// is empty for a report that the descriptor does not declare.
  func namedValues(_ type: HIDReportType, in report: [UInt8]) -> [HIDNamedValue] {
    self.report(type, of: report).map { ReportText($0, of: self).values(in: report) } ?? []
  }
}
