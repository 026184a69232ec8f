// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
package import HIDText
import HIDUsages

/// The elements of a report descriptor, as the web page of the bench shows them.
package enum ElementJSON {
  /// The largest number of elements of a report descriptor, and of values of a report, in one
  /// answer.
  private static let limit = 8192

  /// Returns the collections, the elements and the bytes of a report descriptor.
  ///
  /// If there are more than 8,192 elements, the first are returned, and `isWhole` is false.
  ///
  /// - Parameters:
  ///   - ownNames: The names that a device file gives to elements, by the names of their usages.
  package static func text(
    of descriptor: HIDReportDescriptor, ownNames: [String: String] = [:]
  ) -> JSONLine {
    var elements: [JSONText] = []
    var isWhole = true
    reports: for report in descriptor.reports {
      let names = HIDReportElementNames(of: report, in: descriptor)
      let fields = report.fields
      let neutral = report.neutralReport
      for element in report.controls {
        guard elements.count < limit else {
          isWhole = false
          break reports
        }
        elements.append(
          .object(
            line(
              element, fields[element.fieldIndex], name: names.name(of: element), ownNames,
              neutral: element.isArrayMember ? 0 : report.value(of: element, in: neutral) ?? 0)))
      }
    }
    return JSONLine { line in
      line.add("collections", .array(descriptor.collections.map { .object(Self.line($0)) }))
      line.add("elements", .array(elements))
      line.add("isWhole", .bool(isWhole))
      line.add("byteCount", .integer(descriptor.bytes.count))
      line.add("bytes", .bytes(descriptor.bytes))
    }
  }

  private static func line(_ collection: HIDCollection) -> JSONLine {
    JSONLine { line in
      line.add("kind", .string("\(collection.kind)"))
      line.add("parent", .optional(collection.parent) { .integer($0) })
      line.add("usage", .optional(collection.usage) { .string($0.name) })
      line.add("title", .optional(collection.usage?.title) { .string($0) })
    }
  }

  private static func line(
    _ element: HIDReportElement, _ field: HIDReportField, name: String,
    _ ownNames: [String: String], neutral: Int64
  ) -> JSONLine {
    JSONLine { line in
      line.add("name", .string(name))
      line.add("ownName", .optional(ownNames[name]) { .string($0) })
      line.add("alias", .optional(element.usage.alias) { .string($0) })
      line.add("title", .optional(element.usage.title) { .string($0) })
      line.add("page", .integer(element.usage.extended >> 16))
      line.add("usage", .integer(element.usage.extended & 0xFFFF))
      line.add("type", .string("\(element.type)"))
      line.add("report", .optional(element.reportID) { .integer($0.rawValue) })
      line.add(
        "bit",
        .integer(field.bitOffset + (element.isArrayMember ? 0 : element.index * field.bitSize)))
      line.add("size", .integer(field.bitSize))
      line.add("array", .bool(element.isArrayMember))
      line.add("slots", .integer(element.isArrayMember ? field.count : 0))
      if element.isArrayMember {
        line.add("selector", .integer(field.logicalMinimum + Int64(element.index)))
      }
      line.add("relative", .bool(field.isRelative))
      line.add("null", .bool(field.hasNullState))
      line.add("minimum", .integer(element.isArrayMember ? 0 : field.valueRange.lowerBound))
      line.add("maximum", .integer(element.isArrayMember ? 1 : field.valueRange.upperBound))
      line.add("neutral", .integer(neutral))
      let physical = field.physicalRange
      line.add("physicalMinimum", .integer(physical.minimum))
      line.add("physicalMaximum", .integer(physical.maximum))
      line.add("unit", .optional(field.physicalUnit.symbol) { .string($0) })
      line.add("unitExponent", .integer(field.unitExponent))
      line.add("collection", .optional(field.collection) { .integer($0) })
    }
  }

  /// Returns the keys of a report: its type, ID and bytes, and the values of its elements if a
  /// descriptor is given and declares it.
  package static func report(
    _ type: HIDReportType, _ id: HIDReportID?, _ bytes: [UInt8],
    in descriptor: HIDReportDescriptor?
  ) -> JSONLine {
    JSONLine { line in
      line.add("type", .string("\(type)"))
      line.add("report", .optional(id) { .integer($0.rawValue) })
      line.add("bytes", .bytes(bytes))
      guard let descriptor, let layout = descriptor.report(type, id: id) else { return }
      line.add("values", values(of: bytes, layout, in: descriptor))
    }
  }

  /// Returns the values of the elements in a report, by name.
  ///
  /// Selected usages of an array are 1; those that are not selected are left out.
  private static func values(
    of report: [UInt8], _ layout: HIDReportLayout, in descriptor: HIDReportDescriptor
  ) -> JSONText {
    let names = HIDReportElementNames(of: layout, in: descriptor)
    var seen: Set<String> = []
    return .object { object in
      func add(_ element: HIDReportElement, _ value: Int64) {
        let name = names.name(of: element)
        if seen.count < limit, seen.insert(name).inserted { object.add(name, .integer(value)) }
      }
      for field in layout.fields where field.isArray {
        for element in layout.selectedControls(of: field, in: report.span) { add(element, 1) }
      }
      for field in layout.fields where !field.isArray {
        for element in layout.controls(of: field).prefix(limit) {
          if let value = layout.value(of: element, in: report) { add(element, value) }
        }
      }
    }
  }
}
