// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor

/// What the comparison of the corpus with one oracle found.
struct OracleResults {
  private(set) var descriptorCount = 0
  /// Fields as the oracle counts them.
  private(set) var fieldCount = 0
  /// The files that each rule is needed for.
  private(set) var files: [OracleRule: Set<String>] = [:]
  /// What no rule explains.
  private(set) var unexplained: [String] = []

  /// hid-tools 0.12, for every descriptor of the corpus.
  static let tools = Result {
    var results = OracleResults()
    try OracleLines.forEach(in: "oracle-hidtools.jsonl.gz") { file, line in
      let comparison = try HIDToolsComparison(
        file: file, line: line, bytes: OracleLines.descriptor(file))
      results.add(comparison.findings, comparison.fieldCount, file)
    }
    return results
  }

  /// hid-parser 0.1.0, for every descriptor of the corpus.
  static let parser = Result {
    var results = OracleResults()
    try OracleLines.forEach(in: "oracle-hidparser.jsonl.gz") { file, line in
      let comparison = try HIDParserComparison(
        file: file, line: line, bytes: OracleLines.descriptor(file))
      results.add(comparison.findings, comparison.fieldCount, file)
    }
    return results
  }

  /// The oracles against each other, for every row of the corpus's table of that.
  static let disagreements = Result {
    var results = OracleResults()
    var last: (file: String, readings: OracleReadings)?
    for row in try DescriptorCorpus.rows("oracle-disagreements.tsv") {
      let disagreement = OracleDisagreement(row)
      var readings = last?.file == disagreement.file ? last?.readings : nil
      if readings == nil {
        readings = try OracleReadings(OracleLines.descriptor(disagreement.file))
      }
      guard let readings else { continue }
      last = (disagreement.file, readings)
      var findings = OracleFindings()
      if let rule = disagreement.rule(readings) {
        findings.note(rule)
      } else {
        findings.fail("\(disagreement.what): \(disagreement.detail)")
      }
      results.add(findings, 1, disagreement.file)
    }
    return results
  }

  private mutating func add(_ findings: OracleFindings, _ fieldCount: Int, _ file: String) {
    descriptorCount += 1
    self.fieldCount += fieldCount
    for rule in findings.rules.keys { files[rule, default: []].insert(file) }
    // A few tell as much as all.
    unexplained += findings.unexplained.prefix(5).map { "\(file): \($0)" }
  }
}
