// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

/// Our reading against those of hid-tools 0.12 and hid-parser 0.1.0, for every descriptor of the corpus.
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

  @Test("every case where the oracles differ from each other has a rule")
  func disagreements() throws {
    let results = try OracleResults.disagreements.get()
    #expect(results.descriptorCount > 0)
    #expect(results.unexplained == [], "of \(results.descriptorCount) rows")
  }
}
