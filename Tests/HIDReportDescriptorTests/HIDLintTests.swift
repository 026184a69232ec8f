// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import TestSupport
import Testing

@Suite("lint")
struct HIDLintTests {
  @Test(
    "an ordinary device has no findings",
    arguments: [Example.keyboard, Example.mouse, Example.consumer, LintExample.device()])
  func clean(bytes: [UInt8]) {
    #expect(HIDReportDescriptor.lint(bytes) == [])
  }

  @Test("a gamepad whose feature is one number of 64 bits has one finding")
  func gamepad() {
    #expect(LintExample.codes(Example.gamepad) == ["field-over-32-bits@74"])
  }

  @Test("a finding has severity, place, message and code, and a fix")
  func description() throws {
    let finding = try #require(
      HIDReportDescriptor.lint(LintExample.device(field: [0x84] + LintExample.x)).first)
    #expect(
      finding.description == "error: byte 6: report ID 0; expected 1 to 255 [invalid-report-id]")
    #expect(
      finding.fix == "leave the Report ID out if there is one report, or count from 1: 85 01")
    #expect(finding.hosts == [.linux, .windows, .specification])
  }

  @Test("a fix has the bytes to write")
  func fix() throws {
    // The field has Logical Maximum 25 ff, Unit Exponent 55 fd, and three bits less than whole
    // bytes.
    let bytes = LintExample.device(field: [
      0x09, 0x30, 0x15, 0x00, 0x25, 0xff, 0x55, 0xfd, 0x75, 0x0d, 0x95, 0x01, 0x81, 0x02,
    ])
    #expect(
      HIDReportDescriptor.lint(bytes).map(\.fix) == [
        "write Logical Maximum (255) in two bytes: 26 ff 00",
        "write Unit Exponent (-3) as a nibble: 55 0d",
        "pad it with 3 bits: 75 03 95 01 81 03",
      ])
  }

  @Test("faults after the first are found, and consequences of a fault are not")
  func several() {
    let bytes: [UInt8] = [
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01,
      0x85, 0x00,  //                                                    6  report ID 0
      0x09, 0x30, 0x15, 0x05, 0x25, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,  // 8  5 to 1
      0x09, 0x31, 0x81, 0x02,  //                                        20 the same range
      0xb4, 0xc0, 0xc0,  //                                              24 Pop; 26 End Collection
      0x09, 0x32, 0x81, 0x02,
    ]
    #expect(
      LintExample.codes(bytes) == [
        "invalid-report-id@6", "logical-range-reversed@18", "pop-without-push@24",
        "end-collection-without-collection@26",
      ])
  }

  @Test("a cut descriptor has one finding, and none for what is missing")
  func cut() {
    #expect(LintExample.codes(Array(Example.mouse.dropLast(3))) == ["truncated-item@42"])
    #expect(LintExample.codes([0x05]) == ["truncated-item@0"])
  }

  @Test("a rule can be silenced by its code")
  func silence() throws {
    let rule = try #require(HIDLintRule(code: "invalid-report-id"))
    #expect(
      HIDReportDescriptor.lint([0x84], silencing: [rule]).contains { $0.rule == rule } == false)
    #expect(HIDLintRule(code: "refused") == nil)
  }

  @Test("the findings of a rule beyond 20 are one finding with their number")
  func limit() {
    let field: [UInt8] = [0x09, 0x30, 0x75, 0x00, 0x95, 0x01, 0x81, 0x02]
    let findings = HIDReportDescriptor.lint(
      LintExample.device(field: (0..<50).flatMap { _ in field })
    ).filter { $0.code == "empty-field" }
    #expect(findings.count == 21)
    #expect(findings.last?.explanation.hasPrefix("30 more like this") == true)
    #expect(findings.last?.offset == 6 + 20 * 8 + 6)
  }

  @Test("the last findings of several rules are in the order in which they were found")
  func limits() {
    // 40 collections of a reserved kind without usage; each has two findings at one offset.
    let bytes =
      (0..<40).flatMap { _ in [0xa1, 0x22] as [UInt8] } + [UInt8](repeating: 0xc0, count: 40)
    let rest = HIDReportDescriptor.lint([0x09, 0x01, 0xa1, 0x01] + bytes + [0xc0]).filter {
      $0.explanation.contains("more like this")
    }
    #expect(rest.map(\.code) == ["collection-without-usage", "reserved-collection-kind"])
    #expect(Set(rest.map(\.offset)) == [4 + 2 * 20])
  }

  @Test("every rule that is declared is in the list of all rules")
  func declared() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/HIDReportDescriptor/Lint")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let codes = try files.flatMap { file in
      try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        .matches(of: /= HIDLintRule\(\s*"([a-z0-9-]+)"/).map { String($0.output.1) }
    }
    #expect(Set(codes) == Set(HIDLintRule.all.map(\.code)))
  }

  @Test("every rule has a unique code, a title, a host and an explanation")
  func catalogue() {
    #expect(Set(HIDLintRule.all.map(\.code)).count == HIDLintRule.all.count)
    for rule in HIDLintRule.all {
      #expect(rule.code.allSatisfy { $0 == "-" || $0.isLowercase || $0.isNumber }, "\(rule)")
      #expect(HIDLintRule(code: rule.code) == rule)
      #expect(!rule.hosts.isEmpty && !rule.title.isEmpty, "\(rule)")
      #expect(rule.explanation.last == ".", "\(rule)")
      if rule.severity == .error { #expect(rule.hosts.contains(.linux), "\(rule)") }
    }
  }

  @Test(
    "lint finds an error in exactly the descriptors that uhid refuses",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() throws {
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") where row[0].hasSuffix(".hex") {
      let bytes = try DescriptorCorpus.bytes(String(row[0]))
      let findings = HIDReportDescriptor.lint(bytes)
      let hasError = findings.contains { $0.severity == .error && $0.hosts.contains(.linux) }
      #expect(hasError == (row[1] != "yes"), "\(row[0])")
      #expect(findings.allSatisfy { $0.offset.map(bytes.indices.contains) ?? true }, "\(row[0])")
    }
  }

  @Test(
    "a descriptor that Windows or macOS accepted breaks no rule about their refusals",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func otherHosts() throws {
    // For each of hidapi's files there is the reading of Windows; Apple tests its drivers with the
    // other files.
    let taken = [
      ("hidapi", "_real.hex", "Windows refuses"), ("apple-iohidfamily", ".hex", "macOS refuses"),
    ]
    var count = 0
    for row in try DescriptorCorpus.rows("index.tsv") {
      for (source, suffix, words) in taken where row[1] == source && row[0].hasSuffix(suffix) {
        count += 1
        let findings = HIDReportDescriptor.lint(try DescriptorCorpus.bytes(String(row[0])))
        let refused = findings.filter {
          $0.explanation.contains(words) || $0.rule.explanation.contains(words)
        }
        #expect(refused == [], "\(row[0])")
      }
    }
    #expect(count >= 14)
  }

  @Test("lint finds an error in exactly the bytes that the parser refuses or that would stop Linux")
  func random() {
    for seed in 0..<6000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let bytes = LintExample.random(using: &random)
      let findings = HIDReportDescriptor.lint(bytes)
      do {
        _ = try HIDReportDescriptor(
          parsing: bytes,
          maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
        let refusal = findings.first {
          $0.severity == .error && $0.rule != .multiplierStopsLinux
        }
        #expect(refusal == nil, "seed \(seed): \(findings)")
      } catch {
        // A finding has the offset of the parser's error, unless a report is too long.
        let isThere = findings.contains { $0.severity == .error && $0.offset == error.offset }
        let isLong = findings.contains { $0.code == "report-too-long" }
        #expect(isThere || isLong, "seed \(seed): \(error) \(findings)")
      }
      #expect(findings.allSatisfy { $0.offset.map(bytes.indices.contains) ?? true }, "seed \(seed)")
    }
  }

  @Test(
    "the longest descriptors are linted within a minute, with few findings",
    .timeLimit(.minutes(1)))
  func longest() {
    let units: [[UInt8]] = [
      [0xa1, 0x01], [0xa4], [0xb4], [0xc0], [0xa9, 0x01], [0x09, 0x01], [0x81, 0x02], [0x85, 0x01],
      [0x19, 0x00, 0x2a, 0xff, 0x2f, 0x81, 0x02], [0x1a, 0x01, 0x00, 0x29, 0x00], [0x85, 0x00],
      [0x09, 0x30, 0x05, 0x01, 0x75, 0x01, 0x95, 0x01, 0x81, 0x02], [0x00], [0xfe, 0x00, 0x00],
    ]
    for unit in units {
      for length in [4096, 65_535] {
        let bytes = (0..<length).map { unit[$0 % unit.count] }
        let findings = HIDReportDescriptor.lint(bytes)
        #expect(findings.count <= 21 * HIDLintRule.all.count)
      }
    }
    #expect(
      LintExample.codes([UInt8](repeating: 0xa4, count: 70_000)) == ["descriptor-too-long@whole"])
  }
}
