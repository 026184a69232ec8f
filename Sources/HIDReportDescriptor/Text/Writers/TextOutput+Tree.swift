// SPDX-License-Identifier: Apache-2.0

extension TextOutput {
  /// Writes the content of a descriptor: its collections as a tree, and in them the fields of each
  /// report.
  ///
  /// In place of the tree of a descriptor that the parser refuses, there is the error. The bytes
  /// follow at the end, so that the descriptor can be read again from the text.
  mutating func writeTree(_ descriptor: [UInt8], reading: HIDReading) {
    do throws(HIDReportDescriptorError) {
      let tree = HIDDescriptorTree(
        try HIDReportDescriptor(parsing: descriptor, reading: reading))
      tree.write(to: &self)
    } catch {
      write("not accepted: \(error)\n")
    }
    write("\nreport descriptor, \(descriptor.count) byte\(descriptor.count == 1 ? "" : "s"):\n")
    write(hexLines: descriptor, indent: 2)
  }
}

/// The collections and fields of a descriptor in the order of its bytes, and the fields' columns.
private struct HIDDescriptorTree {
  private let descriptor: HIDReportDescriptor
  private var rows: [Row] = []
  /// The widths of the columns before the last, in characters.
  private var widths = [0, 0, 0]

  /// A field, its report and its columns.
  private struct Row {
    var report: Int
    var field: HIDReportField
    var columns: [String]
  }

  private static let maximumColumnWidth = 36
  private static let lineWidth = 110

  init(_ descriptor: HIDReportDescriptor) {
    self.descriptor = descriptor
    for (index, report) in descriptor.reports.enumerated() {
      for field in report.fields {
        let columns = [Self.place(field), Self.size(field), Self.range(field)]
        for (column, text) in columns.enumerated() {
          let width = min(text.utf8.count, Self.maximumColumnWidth)
          widths[column] = max(widths[column], width)
        }
        rows.append(Row(report: index, field: field, columns: columns))
      }
    }
    rows.sort { $0.field.offset < $1.field.offset }
  }

  func write(to output: inout TextOutput) {
    var nextCollection = 0
    var current: (report: Int, collection: Int?)?
    var announced: Set<Int> = []
    for row in rows {
      while nextCollection < descriptor.collections.count,
        descriptor.collections[nextCollection].offset < row.field.offset
      {
        write(descriptor.collections[nextCollection], to: &output)
        nextCollection += 1
        current = nil
      }
      let level = row.field.collection.map { descriptor.collections[$0].depth + 1 } ?? 0
      if current?.report != row.report || current?.collection != row.field.collection {
        let isNew = announced.insert(row.report).inserted
        Self.indent(level, &output)
        output.write(heading(descriptor.reports[row.report], isNew: isNew) + "\n")
        current = (row.report, row.field.collection)
      }
      write(row, level: level + 1, to: &output)
    }
    for collection in descriptor.collections[nextCollection...] { write(collection, to: &output) }
  }

  private static func indent(_ level: Int, _ output: inout TextOutput) {
    output.write(spaces: 2 * min(level, HIDDescriptorLine.maximumLevel))
  }

  private func write(_ collection: HIDCollection, to output: inout TextOutput) {
    Self.indent(collection.depth, &output)
    let number = Int(collection.kind.rawValue)
    let titles = HIDCollection.Kind.titles
    output.write(
      titles.indices.contains(number) ? titles[number] : "Collection \(collection.kind)")
    let usages = UsageRangeTitles.titles(of: collection.usages)
    if !usages.isEmpty { output.write(" (\(usages.joined(separator: ", ")))") }
    for words in Self.indices(collection.designators, collection.strings) {
      output.write(" [\(words)]")
    }
    output.write("\n")
  }

  private func heading(_ report: HIDReportLayout, isNew: Bool) -> String {
    let name = "\(report.type) report\(report.id.map { " \($0)" } ?? "")"
    guard isNew else { return "\(name), continued" }
    let bytes = "\(report.byteCount) byte\(report.byteCount == 1 ? "" : "s")"
    return "\(name), \(bytes)\(report.id == nil ? "" : " with its ID")"
  }

  private func write(_ row: Row, level: Int, to output: inout TextOutput) {
    Self.indent(level, &output)
    var column = 2 * min(level, HIDDescriptorLine.maximumLevel)
    for (text, width) in zip(row.columns, widths) {
      output.write(text)
      output.write(spaces: max(0, width - text.utf8.count) + 2)
      column += max(width, text.utf8.count) + 2
    }
    let usages = UsageRangeTitles.titles(of: row.field.usages)
    var words = row.field.isPadding ? ["padding"] : usages
    for index in words.indices.dropLast() { words[index] += "," }
    let flags = Self.flags(row.field) + Self.indices(row.field.designators, row.field.strings)
    if !flags.isEmpty { words.append("[\(flags.joined(separator: ", "))]") }
    for set in row.field.alternatives {
      // Hostile descriptors have as many alternatives as items.
      let titles = UsageRangeTitles.titles(of: set.usages)
      words.append("[usage \(set.index + 1) is one of:")
      words += titles.dropLast().map { "\($0)," } + titles.suffix(1).map { "\($0)]" }
    }
    var length = column
    for (index, word) in words.enumerated() {
      if index > 0 {
        if length + 1 + word.utf8.count > Self.lineWidth {
          output.write("\n")
          output.write(spaces: column)
          length = column
        } else {
          output.write(" ")
          length += 1
        }
      }
      output.write(word)
      length += word.utf8.count
    }
    output.write("\n")
  }

  // MARK: Columns

  private static func place(_ field: HIDReportField) -> String {
    switch field.bitCount {
    case 0: "no bits"
    case 1: "bit \(field.bitOffset)"
    default: "bits \(field.bitOffset)-\(field.bitOffset + field.bitCount - 1)"
    }
  }

  private static func size(_ field: HIDReportField) -> String {
    "\(field.count) x \(field.bitSize) bit\(field.bitSize == 1 ? "" : "s")"
  }

  /// Returns the logical range, and the physical range with its unit; empty for padding.
  private static func range(_ field: HIDReportField) -> String {
    if field.isPadding { return "" }
    var text = "\(field.logicalMinimum) to \(field.logicalMaximum)"
    let hasPhysical = field.physicalMinimum != 0 || field.physicalMaximum != 0
    if hasPhysical { text += " = \(field.physicalMinimum) to \(field.physicalMaximum)" }
    if field.unit != 0 {
      let unit = HIDUnitTitle.symbol(of: field.unit) ?? hexadecimal(field.unit, digitCount: 1)
      text += hasPhysical ? " " : ", in "
      text += field.unitExponent == 0 ? unit : "10^\(field.unitExponent) \(unit)"
    } else if field.unitExponent != 0, hasPhysical {
      text += " x 10^\(field.unitExponent)"
    }
    return text
  }

  /// Returns the designators and strings of a field or collection as text: `strings 1 to 3`.
  private static func indices(
    _ designators: [HIDIndexRange], _ strings: [HIDIndexRange]
  ) -> [String] {
    [("designator", designators), ("string", strings)].flatMap { name, ranges in
      ranges.map { range in
        range.first == range.last
          ? "\(name) \(range.first)" : "\(name)s \(range.first) to \(range.last)"
      }
    }
  }

  /// Returns the flags that an ordinary field does not have.
  private static func flags(_ field: HIDReportField) -> [String] {
    var flags: [String] = []
    if field.isPadding {
      if !field.isConstant { flags.append("data") }
    } else {
      if field.isConstant { flags.append("constant") }
      if field.isArray { flags.append("array") }
    }
    let others: [(HIDFieldFlags, String)] = [
      (.relative, "relative"), (.wrap, "wrap"), (.nonLinear, "non-linear"),
      (.noPreferredState, "no preferred state"), (.nullState, "null state"),
      (.volatile, "volatile"), (.bufferedBytes, "buffered bytes"),
    ]
    for (flag, name) in others where field.flags.contains(flag) { flags.append(name) }
    let unknown = field.flags.rawValue & ~0x1ff
    if unknown != 0 { flags.append(hexadecimal(unknown, digitCount: 1)) }
    return flags
  }
}

/// The titles of usage ranges: `Button 1 to Button 5`, with the page where it changes.
private enum UsageRangeTitles {
  static func titles(of usages: HIDUsageList) -> [String] {
    var words: [String] = []
    var page: UInt16?
    for range in usages.ranges {
      let first = HIDUsage(extended: range.first)
      var text = title(of: first)
      if range.count > 1 { text += " to " + title(of: HIDUsage(extended: range.last)) }
      if page != first.page {
        page = first.page
        let title =
          HIDUsage.title(ofPage: first.page)
          ?? (first.page >= 0xff00 ? "Vendor " : "Page ")
          + hexadecimal(UInt32(first.page), digitCount: 4)
        // "Button 1" already names its page.
        if !text.hasPrefix(title + " ") { text = "\(title): \(text)" }
      }
      words.append(text)
    }
    return words
  }

  private static func title(of usage: HIDUsage) -> String {
    usage.page >= 0xff00 ? hexadecimal(UInt32(usage.usage ?? 0), digitCount: 2) : usage.shortTitle
  }
}
