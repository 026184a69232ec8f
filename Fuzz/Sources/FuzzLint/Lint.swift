// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that there is an error exactly if uhid refuses the device, and a limited number of
/// findings.
///
/// One rule with errors is left out: it is about descriptors that Linux accepts.
@c(LLVMFuzzerTestOneInput)
public func lint(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let findings = HIDReportDescriptor.lint(bytes)
  expect(findings.count <= 21 * HIDLintRule.all.count, "\(findings.count) findings")
  var before = -1
  var codes: [String: Int] = [:]
  for finding in findings {
    expect(finding.offset.map(bytes.indices.contains) ?? true, "a finding outside: \(finding)")
    expect((finding.offset ?? -1) >= before, "findings out of order")
    before = finding.offset ?? -1
    codes[finding.code, default: 0] += 1
    expect(codes[finding.code, default: 0] <= 21, "too many of \(finding.code)")
    expect(finding.severity != .error || finding.hosts.contains(.linux), "an error elsewhere")
    expect(!finding.description.isEmpty && finding.fix != "", "a finding without words")
    expect(HIDLintRule(code: finding.code) == finding.rule, "\(finding.code) is not listed")
  }
  let errors = findings.filter { $0.severity == .error }
  do {
    _ = try HIDReportDescriptor(
      parsing: bytes, maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
    // One error is about a descriptor that Linux accepts, but that stops Linux.
    let others = errors.filter { $0.rule != .multiplierStopsLinux }
    expect(others.isEmpty, "Linux accepts, but \(others)")
  } catch {
    let isThere = errors.contains {
      $0.offset == error.offset || $0.code == "report-too-long" || $0.code == "report-over-uhid"
    }
    expect(isThere || errors.count > 20, "Linux refuses, \(error), but \(errors)")
  }
  // Without one rule, all other findings are the same.
  if let rule = findings.first?.rule {
    expect(
      HIDReportDescriptor.lint(bytes, silencing: [rule]) == findings.filter { $0.rule != rule },
      "\(rule.code) cannot be silenced alone")
  }
  return 0
}
