// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import HIDUsages
import Testing

/// Comparison of hidsim's reading with that of Linux 6.12.117, from uhid, for the whole corpus.
@Suite(
  "the kernel's reading", .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct KernelOracleTests {
  @Test("the parser accepts exactly the descriptors that the kernel accepts over uhid")
  func acceptance() throws {
    var differences: [String] = []
    var count = 0
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") where row[0].hasSuffix(".hex") {
      count += 1
      let bytes = try DescriptorCorpus.bytes(String(row[0]))
      do {
        _ = try HIDReportDescriptor(
          parsing: bytes,
          maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
        if row[1] != "yes" { differences.append("\(row[0]): we accept; kernel: \(row[8])") }
      } catch {
        if row[1] == "yes" { differences.append("\(row[0]): we refuse: \(error)") }
      }
    }
    #expect(count >= 845)
    #expect(differences == [], "of \(count)")
  }

  @Test("every field is the kernel's: place, size, count, ranges, unit, flags, usages, collections")
  func fields() throws {
    var differences: [String] = []
    var count = 0
    for device in try DescriptorCorpus.objects("oracle-kernel.jsonl.gz", as: Device.self) {
      guard device.accepted, let reports = device.reports, device.file.hasSuffix(".hex") else {
        continue
      }
      let descriptor = try HIDReportDescriptor(
        parsing: DescriptorCorpus.bytes(device.file),
        maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
      if reports.count != descriptor.reports.count {
        differences.append(
          "\(device.file): \(descriptor.reports.count) reports, kernel \(reports.count)")
      }
      for report in reports {
        let id = report.id.flatMap(UInt8.init(exactly:)).flatMap(HIDReportID.init(rawValue:))
        guard let type = HIDReportType.allCases.first(where: { "\($0)" == report.type }),
          let layout = descriptor.report(type, id: id)
        else {
          differences.append("\(device.file): no \(report.type) report \(report.id ?? 0)")
          continue
        }
        let ours = layout.fields.filter { !$0.isPadding }.map { Field($0, descriptor) }
          .prefix(HIDReportDescriptor.maximumFieldCount)
        if ours.count != report.fields.count {
          differences.append(
            "\(device.file) \(type) \(report.id ?? 0): \(ours.count) fields, kernel "
              + "\(report.fields.count)")
        }
        for (ours, theirs) in zip(ours, report.fields) {
          count += 1
          if ours != theirs {
            differences.append("\(device.file): ours \(ours)\nkernel \(theirs)")
          }
        }
      }
    }
    #expect(count >= 13_767)
    #expect(differences == [], "of \(count) fields")
  }

  struct Device: Decodable {
    var file: String
    var accepted: Bool
    var reports: [Report]?
  }

  struct Report: Decodable {
    var type: String
    var id: Int?
    var fields: [Field]
  }

  /// A field in the form of debugfs, which omits ranges with equal ends, and zeros.
  struct Field: Decodable, Equatable {
    var physical: UInt32?
    var logical: UInt32?
    var application: UInt32?
    var nusages: Int
    var usages: [UInt32]
    var lmin: Int32?
    var lmax: Int32?
    var pmin: Int32?
    var pmax: Int32?
    var unit: String?
    var unit_exp: Int?  // swift-format-ignore: AlwaysUseLowerCamelCase
    var size: Int
    var count: Int
    var offset: Int
    var flags: [String]

    init(_ field: HIDReportField, _ descriptor: HIDReportDescriptor) {
      physical = Self.usage(of: .physical, around: field, descriptor)
      logical = Self.usage(of: .logical, around: field, descriptor)
      application = Self.usage(of: .application, around: field, descriptor)
      nusages = max(field.usages.count, field.count)
      usages = (0..<min(nusages, 256)).compactMap { field.extendedUsage(at: $0) }
      // debugfs prints 32 bits as a signed number, whatever they mean.
      let lower = Int32(truncatingIfNeeded: field.logicalMinimum)
      let upper = Int32(truncatingIfNeeded: field.logicalMaximum)
      if lower != upper { (lmin, lmax) = (lower, upper) }
      let lowerPhysical = Int32(truncatingIfNeeded: field.physicalMinimum)
      let upperPhysical = Int32(truncatingIfNeeded: field.physicalMaximum)
      if lowerPhysical != upperPhysical { (pmin, pmax) = (lowerPhysical, upperPhysical) }
      unit = Self.text(unit: field.unit)
      unit_exp = field.unitExponent == 0 ? nil : field.unitExponent
      size = field.bitSize
      count = field.count
      offset = field.bitOffset
      let names: [(HIDFieldFlags, String)] = [
        (.wrap, "Wrap"), (.nonLinear, "NonLinear"), (.noPreferredState, "NoPreferredState"),
        (.nullState, "NullState"), (.volatile, "Volatile"), (.bufferedBytes, "BufferedByte"),
      ]
      flags =
        (field.isConstant ? ["Constant"] : []) + [field.isVariable ? "Variable" : "Array"]
        + [field.isRelative ? "Relative" : "Absolute"]
        + names.filter { field.flags.contains($0.0) }.map(\.1)
    }

    private static func usage(
      of kind: HIDCollection.Kind, around field: HIDReportField, _ descriptor: HIDReportDescriptor
    ) -> UInt32? {
      var next = field.collection
      while let index = next {
        let collection = descriptor.collections[index]
        if collection.kind == kind {
          let usage = collection.usages.extendedUsage(at: 0) ?? 0
          return usage == 0 ? nil : usage
        }
        next = collection.parent
      }
      return nil
    }

    private static func text(unit: UInt32) -> String? {
      let systems: [(String, [String])] = [
        ("None", ["None", "None", "None", "None", "None", "None", "None"]),
        ("SI Linear", ["Centimeter", "Gram", "Seconds", "Kelvin", "Ampere", "Candela", "None"]),
        ("SI Rotation", ["Radians", "Gram", "Seconds", "Kelvin", "Ampere", "Candela", "None"]),
        ("English Linear", ["Inch", "Slug", "Seconds", "Fahrenheit", "Ampere", "Candela", "None"]),
        (
          "English Rotation",
          ["Degrees", "Slug", "Seconds", "Fahrenheit", "Ampere", "Candela", "None"]
        ),
      ]
      if unit == 0 { return nil }
      guard unit & 0xf < systems.count else { return "Invalid" }
      let (system, names) = systems[Int(unit & 0xf)]
      let words = names.enumerated().compactMap { index, name -> String? in
        let nibble = Int(unit >> UInt32(4 + 4 * index) & 0xf)
        let exponent = nibble > 7 ? nibble - 16 : nibble
        return exponent == 0 ? nil : exponent == 1 ? name : "\(name)^\(exponent)"
      }
      return "\(system) : \(words.joined(separator: "*"))"
    }
  }
}
