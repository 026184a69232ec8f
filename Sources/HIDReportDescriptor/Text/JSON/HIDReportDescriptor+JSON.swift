// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDReportDescriptor {
  /// Writes the parsed content as JSON: an object of `reports`, `collections` and
  /// `reportDescriptor`.
  ///
  /// - `reports`, by type and ID: `type`; `id`, `null` for an unnumbered report;
  ///   `bits` of the payload, without the report ID; `fields`, padding included.
  /// - A field: `bit` of its first element, counted without the report ID; `size` in bits and
  ///   `count` of its elements; `usages` as the descriptor lists them, in 32 bits, and
  ///   `usageNames`, one for each range; `logicalMinimum`, `logicalMaximum`, `physicalMinimum`,
  ///   `physicalMaximum`; `unit` as a number, `unitExponent`; `flags` as names; `collections`, the
  ///   indices of the collections around the field, outermost first.
  /// - `collections`: `kind`, `usage` in 32 bits and `usageName` or `null`, `parent` or `null`.
  /// - Fields and collections that have any: `designators` and `strings`, arrays of the first and
  ///   last index. Fields only: `alternatives`, the delimited sets, with `index`, the index of the
  ///   control among the usages, and `usages`.
  /// - `reportDescriptor`: the items, in the form of ``HIDDescriptorFormat/items``.
  ///
  /// Each field and each collection takes one line. ``HIDDescriptorText/read(_:name:format:)``
  /// reads the bytes of the descriptor from the JSON, if that has at most
  /// ``HIDDescriptorText/maximumTextByteCount`` bytes.
  ///
  /// - Parameter write: Called with the next part of the text, in UTF-8. A large descriptor makes
  ///   tens of megabytes.
  /// - Throws: The error that `write` throws.
  public func writeJSON<Failure>(
    to write: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try write(Array("{\n  \"reports\": [".utf8))
    for (index, report) in reports.enumerated() {
      try write(Array((index == 0 ? "\n    " : ",\n    ").utf8))
      try write(Self.head(of: report))
      var isFirst = true
      for field in report.fields {
        try write(Array((isFirst ? "\n      " : ",\n      ").utf8))
        try write(json(field).utf8.dropLast())
        try writeAlternatives(of: field, to: write)
        try write([0x7d])
        isFirst = false
      }
      try write(Array((isFirst ? "]}" : "\n    ]}").utf8))
    }
    try write(
      Array((reports.isEmpty ? "],\n  \"collections\": [" : "\n  ],\n  \"collections\": [").utf8))
    for (index, collection) in collections.enumerated() {
      try write(Array((index == 0 ? "\n    " : ",\n    ").utf8))
      try write(Self.json(collection).utf8)
    }
    try write(Array((collections.isEmpty ? "]" : "\n  ]").utf8))
    var output = TextOutput()
    output.write(",\n  \"reportDescriptor\": ")
    output.writeItems(bytes, indent: 2)
    output.write("\n}\n")
    try write(output.bytes)
  }

  /// The parsed content as JSON; to save memory, use ``writeJSON(to:)``.
  public var json: String {
    var text: [UInt8] = []
    writeJSON { (part: [UInt8]) in text += part }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the beginning of a report's object, up to the opening bracket of its fields.
  private static func head(of report: HIDReportLayout) -> [UInt8] {
    let line = JSONLine { object in
      object.add("type", .string("\(report.type)"))
      object.add("id", .optional(report.id) { .integer($0.rawValue) })
      object.add("bits", .integer(report.bitCount))
    }
    return Array(line.utf8.dropLast()) + ",\"fields\":[".utf8
  }

  private func json(_ field: HIDReportField) -> JSONLine {
    JSONLine { object in
      object.add("bit", .integer(field.bitOffset))
      object.add("size", .integer(field.bitSize))
      object.add("count", .integer(field.count))
      object.add("usages", .array(field.usages.map { .integer($0.extended) }))
      object.add("usageNames", .array(field.usages.ranges.map { .string(Self.name(of: $0)) }))
      object.add("logicalMinimum", .integer(field.logicalMinimum))
      object.add("logicalMaximum", .integer(field.logicalMaximum))
      object.add("physicalMinimum", .integer(field.physicalMinimum))
      object.add("physicalMaximum", .integer(field.physicalMaximum))
      object.add("unit", .integer(field.unit))
      object.add("unitExponent", .integer(field.unitExponent))
      object.add("flags", .array(field.flags.words.map { .string($0) }))
      object.add("collections", .array(path(to: field.collection).map { .integer($0) }))
      Self.add(field.designators, field.strings, to: &object)
    }
  }

  /// Writes the delimited sets, one range at a time.
  ///
  /// Hostile descriptors have hundreds of ranges with thousands of usages each.
  private func writeAlternatives<Failure>(
    of field: HIDReportField, to write: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let alternatives = field.alternatives
    guard !alternatives.isEmpty else { return }
    var separator = ",\"alternatives\":["
    for set in alternatives {
      try write(Array("\(separator){\"index\":\(set.index),\"usages\":[".utf8))
      separator = ","
      for (index, range) in set.usages.ranges.enumerated() {
        let usages = (0..<range.count).map { String(range.usage(at: range.startIndex + $0)) }
        try write(Array(((index == 0 ? "" : ",") + usages.joined(separator: ",")).utf8))
      }
      try write(Array("]}".utf8))
    }
    try write(Array("]".utf8))
  }

  private static func add(
    _ designators: [HIDIndexRange], _ strings: [HIDIndexRange], to object: inout JSONLine
  ) {
    for (name, ranges) in [("designators", designators), ("strings", strings)] where !ranges.isEmpty
    {
      let pairs = ranges.map { JSONText.array([.integer($0.first), .integer($0.last)]) }
      object.add(name, .array(pairs))
    }
  }

  private static func name(of range: HIDUsageRange) -> String {
    let first = HIDUsage(extended: range.first).name
    return range.count == 1 ? first : "\(first) … \(HIDUsage(extended: range.last).name)"
  }

  /// Returns the indices of a collection and of the collections around it, outermost first.
  private func path(to innermost: Int?) -> [Int] {
    var path: [Int] = []
    var next = innermost
    while let index = next {
      path.append(index)
      next = collections[index].parent
    }
    return path.reversed()
  }

  private static func json(_ collection: HIDCollection) -> JSONLine {
    JSONLine { object in
      object.add("kind", .string(collection.kind.description))
      object.add("usage", .optional(collection.usage) { .integer($0.extended) })
      object.add("usageName", .optional(collection.usage) { .string($0.name) })
      object.add("parent", .optional(collection.parent) { .integer($0) })
      add(collection.designators, collection.strings, to: &object)
    }
  }
}
