// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Foundation
import Testing

/// Tests of `disagreements.tsv`, the table of differences between hidsim and other implementations,
/// with their reasons.
@Suite("the table of disagreements")
struct OracleTableTests {
  /// A row of the table.
  struct Row {
    var rule: OracleRule?
    var columns: [String]

    /// The number of files of the shared corpus that need the rule.
    var fileCount: Int? { columns.last.flatMap { Int($0) } }
  }

  static func rows() throws -> [Row] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("disagreements.tsv")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map {
      let columns = $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return Row(rule: OracleRule(rawValue: columns[0]), columns: columns)
    }
  }

  @Test("the table has one row for each rule of the tests, in order, with reason and section")
  func complete() throws {
    let rows = try Self.rows()
    #expect(rows.map { $0.columns[0] } == OracleRule.allCases.map(\.rawValue))
    for row in rows {
      #expect(row.columns.count == 6, "\(row.columns)")
      #expect(row.columns.allSatisfy { !$0.isEmpty }, "\(row.columns)")
      #expect(row.columns[0].hasPrefix(row.columns[1].lowercased() + "."), "\(row.columns)")
      #expect(row.columns[4].hasPrefix("6.2.2"), "\(row.columns)")
      #expect(row.fileCount != nil, "\(row.columns)")
    }
  }

  @Test(
    "the table has the number of files that need each rule",
    .enabled(if: isCounted, "this is not the corpus that was counted"))
  func counts() throws {
    var files: [OracleRule: Set<String>] = [:]
    for results in [OracleResults.tools, OracleResults.parser, OracleResults.disagreements] {
      files.merge(try results.get().files) { $0.union($1) }
    }
    for name in try WindowsOracle.names {
      let rules = try ["real", "expected"].compactMap { try WindowsOracle.reading(name, $0)?.rules }
      for rule in rules.joined() { files[rule, default: []].insert(name) }
    }
    let counted = files.mapValues(\.count)
    for row in try Self.rows() {
      let expected = row.rule.map { counted[$0] ?? 0 }
      #expect(row.fileCount == expected, "\(row.columns[0])")
    }
    #expect(try OracleResults.tools.get().descriptorCount == 851)
    #expect(try OracleResults.tools.get().fieldCount == 497_253)
    #expect(try OracleResults.parser.get().fieldCount == 616_606)
    #expect(try OracleResults.disagreements.get().descriptorCount == 928)
  }

  /// True if the corpus is the one from which the table's numbers are; other corpora exist.
  private static let isCounted =
    DescriptorCorpus.isPresent
    && (try? DescriptorCorpus.text("index.tsv").utf8.count) == 354_136
}
