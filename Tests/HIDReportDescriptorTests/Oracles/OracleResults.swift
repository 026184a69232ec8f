// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The results of the comparison of the corpus with one oracle.
struct OracleResults {
  private(set) var descriptorCount = 0
  /// The number of fields as the oracle counts them.
  private(set) var fieldCount = 0
  /// The files that need each rule.
  private(set) var files: [OracleRule: Set<String>] = [:]
  /// The differences that no rule explains.
  private(set) var unexplained: [String] = []

  /// The results for hid-tools 0.12 and every descriptor of the corpus.
  static let tools = Result {
    var results = OracleResults()
    try OracleLines.forEach(in: "oracle-hidtools.jsonl.gz") { file, line in
      let comparison = try HIDToolsComparison(
        file: file, line: line, bytes: OracleLines.descriptor(file))
      results.add(comparison.findings, comparison.fieldCount, file)
    }
    return results
  }

  /// The results for hid-parser 0.1.0 and every descriptor of the corpus.
  static let parser = Result {
    var results = OracleResults()
    try OracleLines.forEach(in: "oracle-hidparser.jsonl.gz") { file, line in
      let comparison = try HIDParserComparison(
        file: file, line: line, bytes: OracleLines.descriptor(file))
      results.add(comparison.findings, comparison.fieldCount, file)
    }
    return results
  }

  /// The results for every row of the corpus's table of differences between the oracles.
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
    // A few differences of a file show as much as all.
    unexplained += findings.unexplained.prefix(5).map { "\(file): \($0)" }
  }
}
