// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

/// Comparison of hidsim's reading with hid-tools 0.12 and hid-parser 0.1.0, for the whole corpus.
@Suite(
  "the readings of other parsers",
  .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct ParserOracleTests {
  @Test("every field is the one hid-tools reads, but for the rules of the table")
  func tools() throws {
    let results = try OracleResults.tools.get()
    #expect(results.fieldCount > 0)
    #expect(results.unexplained == [], "of \(results.fieldCount) fields")
  }

  @Test("every field is the one hid-parser reads, but for the rules of the table")
  func parser() throws {
    let results = try OracleResults.parser.get()
    #expect(results.fieldCount > 0)
    #expect(results.unexplained == [], "of \(results.fieldCount) fields")
  }

  @Test("by the letter of HID 1.11, every maximum is the one hid-parser reads")
  func letter() throws {
    var fieldCount = 0
    var differences: [String] = []
    try OracleLines.forEach(in: "oracle-hidparser.jsonl.gz") { file, line in
      let bytes = try OracleLines.descriptor(file)
      guard OracleLines.error(line, file: file) == nil,
        (try? HIDReportDescriptor(parsing: bytes)) != nil
      else { return }
      let subject = try OracleSubject(bytes, reading: .specification)
      let descriptor = try #require(subject.descriptor, "\(file)")
      let reading = HIDParserReading(subject, descriptor)
      fieldCount += subject.fields.count
      differences += reading.findings.unexplained.map { "\(file): \($0)" }
      // This rule is needed only if hidsim reads as Linux does.
      if reading.findings.rules[.parserMaximumSigned] != nil { differences.append(file) }
    }
    #expect(fieldCount > 0)
    #expect(differences == [], "of \(fieldCount) fields")
  }

  @Test("every case where the oracles differ from each other has a rule")
  func disagreements() throws {
    let results = try OracleResults.disagreements.get()
    #expect(results.descriptorCount > 0)
    #expect(results.unexplained == [], "of \(results.descriptorCount) rows")
  }
}
