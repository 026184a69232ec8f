// SPDX-License-Identifier: Apache-2.0

extension EvdevMapping {
  /// The mapping as text: each node with its reports, and each control with its event.
  ///
  /// Consecutive controls with the same result share a line, and so do consecutive keys. A control
  /// that sends nothing is listed with the reason. If Linux takes no collection of the device for
  /// input, the text has this reason instead of nodes and controls.
  public var text: String {
    var output = TextOutput()
    let count = nodes.count
    output.write("driver: \(driver.name)\n")
    output.write("event nodes: \(count == 0 ? "none" : "\(count)")\n")
    guard hasInput else {
      output.write("  \(EvdevIgnored.noInput)\n")
      return String(decoding: output.bytes, as: UTF8.self)
    }
    for index in nodes.indices { write(nodes[index], at: index, to: &output) }
    let others = descriptor.reports.indices.filter { nodeIndices[$0] == nil }
    if others.contains(where: { descriptor.reports[$0].fields.contains { $0.controlCount > 0 } }) {
      output.write("\nwithout an event node\n")
      for index in others { writeReport(index, to: &output) }
    }
    return String(decoding: output.bytes, as: UTF8.self)
  }

  private func write(_ node: EvdevNode, at index: Int, to output: inout TextOutput) {
    let name = node.suffix.map { "the device's name and \"\($0)\"" } ?? "the device's name"
    output.write("\nevent node \(index + 1), name: \(name)\n")
    output.write("  application: \(node.application?.name ?? "none")\n")
    if !node.properties.isEmpty {
      output.write("  properties: \(node.properties.map(\.name).joined(separator: " "))\n")
    }
    var told: Set<EvdevCode> = []
    for report in descriptor.reports.indices where nodeIndices[report] == index {
      told.formUnion(writeReport(report, to: &output))
    }
    let others = node.codes.filter { !told.contains($0) }
    guard !others.isEmpty else { return }
    output.write("  other events\n")
    for code in others where code.type == .absolute {
      output.write("    \(Self.axis(code, of: node))\n")
    }
    let words = EvdevTextRow.words(of: others.filter { $0.type != .absolute })
    if !words.isEmpty { EvdevTextRow.write(words, indent: 4, to: &output) }
  }

  /// Writes the controls of a report.
  ///
  /// - Returns: The codes that the controls send, according to the written lines.
  @discardableResult
  private func writeReport(_ index: Int, to output: inout TextOutput) -> Set<EvdevCode> {
    let rows = rows(of: index)
    guard !rows.isEmpty else { return [] }
    let report = descriptor.reports[index]
    output.write("  \(report.type) report\(report.id.map { " \($0)" } ?? "")")
    if report.type == .feature, rows.allSatisfy({ $0.words == rows[0].words }) {
      output.write("  \(rows[0].words.joined(separator: " "))\n")
      return []
    }
    output.write("\n")
    let titles = rows.map(\.title)
    let widths = titles.map { $0.unicodeScalars.count }
    let width = widths.filter { $0 <= EvdevTextRow.maximumTitleWidth }.max() ?? 0
    var told: Set<EvdevCode> = []
    for (row, (title, titleWidth)) in zip(rows, zip(titles, widths)) {
      output.write("    \(title)")
      let column = 4 + max(width, titleWidth) + 2
      if EvdevTextRow.fits(row.words, column: column) {
        output.write(spaces: column - 4 - titleWidth)
        output.write(row.words.joined(separator: " ") + "\n")
      } else {
        output.write("\n")
        EvdevTextRow.write(row.words, indent: 6, to: &output)
      }
      if row.obstacle == nil { told.formUnion(row.codes) }
    }
    return told
  }

  private func rows(of index: Int) -> [EvdevTextRow] {
    let report = descriptor.reports[index]
    let node = nodeIndices[index].map { nodes[$0] }
    var rows: [EvdevTextRow] = []
    for field in report.fields {
      let limit = field.controlCount
      guard limit > 0 else { continue }
      field.usages.forEachDistinct(upTo: limit) { usage, _, place, count in
        let count = min(count, limit - place)
        guard count > 0, field.isVariable || usage & 0xffff != 0 else { return }
        let row = row(usage, count, isRun: place < field.usages.count, node) {
          () throws(EvdevIgnored) in
          try judge(place, inField: field.index, ofReport: report.type, id: report.id)
        }
        if rows.isEmpty || !rows[rows.count - 1].absorb(row) { rows.append(row) }
      }
    }
    return rows
  }

  private func row(
    _ usage: UInt32, _ count: Int, isRun: Bool, _ node: EvdevNode?,
    _ judge: () throws(EvdevIgnored) -> Outcome
  ) -> EvdevTextRow {
    var row = EvdevTextRow(usage, count, isRun: isRun)
    if isRun, count > 1 {
      // From ID 0x400 on, the rules for usages repeat every 0x100.
      row.note = "the same as the 256 before"
      return row
    }
    do throws(EvdevIgnored) {
      switch try judge() {
      case .event(let code): row.add(code, node.map { Self.axis(code, of: $0) })
      case .contact(let code?):
        row.add(code, node.map { Self.axis(code, of: $0) })
        row.note = "part of a contact"
      case .contact(nil): row.note = "read by the driver, sends no event"
      case .battery: row.note = "goes to a battery"
      case .duplicate(let code): row.add(code, obstacle: "an earlier control has")
      case .dropped(let code): row.add(code, obstacle: "the node has no")
      case .ignored: row.note = "ignored"
      }
    } catch {
      row.note = "ignored: \(error)"
    }
    return row
  }

  /// Returns the name of a code; for an absolute axis, with its range.
  private static func axis(_ code: EvdevCode, of node: EvdevNode) -> String {
    guard let axis = node.axes.first(where: { $0.code == code }) else { return "\(code)" }
    var text = "\(code) \(axis.minimum)..\(axis.maximum)"
    for (name, number) in [
      ("fuzz", axis.fuzz), ("flat", axis.flat), ("resolution", axis.resolution),
    ] where number != 0 {
      text += ", \(name) \(number)"
    }
    return text
  }
}
