// SPDX-License-Identifier: Apache-2.0

import HIDUsages

/// Something about a descriptor that a person should know.
public struct HIDLintFinding: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: Hashable, Sendable {
    /// The kernel refuses the device.
    case error
    /// The device starts, but part of it cannot work or a host misreads it.
    case warning
    /// Merely odd.
    case note
  }

  /// A short name that stays the same, to look up or to silence: `report-over-uhid`.
  public let code: String
  /// How bad it is.
  public let severity: Severity
  /// Where, in bytes from the start of the descriptor; `nil` for the whole.
  public let offset: Int?
  /// What was found, and what follows from it.
  public let explanation: String
}

extension HIDLintFinding: CustomStringConvertible {
  /// Severity, place, explanation and code on one line.
  public var description: String {
    "\(severity): \(offset.map { "byte \($0): " } ?? "")\(explanation) [\(code)]"
  }
}

extension HIDReportDescriptor {
  /// Looks for what a descriptor should not have, in descriptors that the kernel takes or refuses.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Returns: The findings: the fault if the kernel refuses the descriptor, else those of ``lint()``.
  public static func lint(_ bytes: [UInt8]) -> [HIDLintFinding] {
    do {
      return try HIDReportDescriptor(parsing: bytes).lint()
    } catch {
      return [
        HIDLintFinding(
          code: "refused", severity: .error, offset: error.offset, explanation: error.explanation)
      ]
    }
  }

  /// Looks for what an accepted descriptor should not have.
  ///
  /// - Returns: The findings, in the order of their checks.
  public func lint() -> [HIDLintFinding] {
    var findings: [HIDLintFinding] = []
    lintReports(&findings)
    lintCollections(&findings)
    lintItems(&findings)
    return findings
  }

  private func lintReports(_ findings: inout [HIDLintFinding]) {
    for report in reports {
      let name = "\(report.type) report\(report.id.map { " \($0)" } ?? "")"
      let offset = report.fields.first?.offset
      // uhid allows for the report ID whether there is one or not.
      if report.bitCount > (Self.uhidMaximumReportByteCount - 1) * 8 {
        findings.append(
          HIDLintFinding(
            code: "report-over-uhid", severity: .error, offset: report.fields.last?.offset,
            explanation: "\(name) has \(report.byteCount) bytes; uhid refuses the device above "
              + "\(Self.uhidMaximumReportByteCount), with the report ID"))
      }
      if report.bitCount == 0 {
        findings.append(
          HIDLintFinding(
            code: "empty-report", severity: .warning, offset: offset,
            explanation: "\(name) has no bits"))
      }
      if report.bitCount % 8 != 0 {
        findings.append(
          HIDLintFinding(
            code: "unaligned-report", severity: .note, offset: report.fields.last?.offset,
            explanation: "\(name) has \(report.bitCount) bits, not a whole number of bytes; hosts "
              + "round up"))
      }
      if report.id == nil, numbersReports(report.type) {
        findings.append(
          HIDLintFinding(
            code: "unnumbered-beside-numbered", severity: .warning, offset: offset,
            explanation:
              "\(name) has no number, but other \(report.type) reports have: no byte can "
              + "announce it"))
      }
      if report.fields.count(where: { !$0.isPadding }) > Self.maximumFieldCount {
        findings.append(
          HIDLintFinding(
            code: "too-many-fields", severity: .warning, offset: offset,
            explanation: "\(name) has more than \(Self.maximumFieldCount) fields; the kernel drops "
              + "the rest"))
      }
      lintFields(report, &findings)
    }
    if elementCount > Self.maximumElementCount {
      findings.append(
        HIDLintFinding(
          code: "too-many-elements", severity: .warning, offset: nil,
          explanation: "\(elementCount) elements; hidsim offers the first "
            + "\(Self.maximumElementCount)"))
    }
  }

  private func lintFields(_ report: HIDReportLayout, _ findings: inout [HIDLintFinding]) {
    for field in report.fields {
      if field.bitSize > 32, !field.isPadding, !field.isConstant {
        findings.append(
          HIDLintFinding(
            code: "field-over-32-bits", severity: .warning, offset: field.offset,
            explanation: "elements of \(field.bitSize) bits; HID 1.11, section 8.4, allows 32, and "
              + "the kernel reads no more"))
      }
      if !field.isPadding, field.bitSize == 0 || field.count == 0 {
        findings.append(
          HIDLintFinding(
            code: "empty-field", severity: .warning, offset: field.offset,
            explanation: "a field with usages has \(field.count) elements of \(field.bitSize) bits"
          ))
      }
      if field.isPadding, !field.isConstant, field.bitCount > 0 {
        findings.append(
          HIDLintFinding(
            code: "data-without-usage", severity: .warning, offset: field.offset,
            explanation:
              "a field that is not constant has no usage; the kernel takes it for padding"
          ))
      }
      if field.isVariable, field.count > 0, field.usages.count > field.count {
        findings.append(
          HIDLintFinding(
            code: "more-usages-than-elements", severity: .note, offset: field.offset,
            explanation: "\(field.usages.count) usages for \(field.count) elements; the last ones "
              + "have no element"))
      }
    }
  }

  private func lintCollections(_ findings: inout [HIDLintFinding]) {
    if !collections.contains(where: { $0.kind == .application }) {
      findings.append(
        HIDLintFinding(
          code: "no-application-collection", severity: .warning, offset: nil,
          explanation: "there is no application collection, which says what the device is for"))
    }
    for collection in collections where collection.usages.isEmpty {
      let isTop = collection.parent == nil && collection.kind == .application
      findings.append(
        HIDLintFinding(
          code: "collection-without-usage", severity: isTop ? .warning : .note,
          offset: collection.offset,
          explanation:
            "this \(collection.kind) collection has no usage; HID 1.11, section 6.2.2.6, "
            + "demands one"))
    }
  }

  private func lintItems(_ findings: inout [HIDLintFinding]) {
    var depth = 0
    var pushes: [Int] = []
    for item in items {
      switch item.tag {
      case .collection: depth += 1
      case .endCollection: depth -= 1
      case .push: pushes.append(item.offset)
      case .pop: _ = pushes.popLast()
      case .input, .output, .feature:
        if depth == 0 {
          findings.append(
            HIDLintFinding(
              code: "field-outside-collection", severity: .warning, offset: item.offset,
              explanation: "a field outside all collections belongs to no application"))
        }
      case nil:
        findings.append(
          HIDLintFinding(
            code: "reserved-item", severity: .note, offset: item.offset,
            explanation: "item \(hexadecimal(UInt32(item.code), digitCount: 2)) is reserved, and "
              + "ignored"))
      default: break
      }
    }
    for offset in pushes {
      findings.append(
        HIDLintFinding(
          code: "push-without-pop", severity: .note, offset: offset,
          explanation: "this Push has no Pop"))
    }
  }
}
