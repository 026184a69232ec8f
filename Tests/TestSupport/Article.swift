// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The articles of the documentation, whose code is that of test targets word for word.
package enum Article {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Returns the text of an article.
  ///
  /// - Parameter path: The article's path below `Sources`.
  package static func text(_ path: String) throws -> String {
    try String(contentsOf: tests.appendingPathComponent("../Sources/\(path)"), encoding: .utf8)
  }

  /// Returns the path of a file below `Tests`.
  package static func test(_ path: String) -> String { tests.appendingPathComponent(path).path }

  /// Finds the blocks of Swift in an article that none of the sources contains.
  ///
  /// Manifests are counted, but are never missing.
  ///
  /// - Parameters:
  ///   - article: The article's path below `Sources`.
  ///   - sources: The paths of the sources below `Tests`.
  /// - Returns: The number of all blocks, and the missing blocks.
  package static func blocks(
    of article: String, missingIn sources: [String]
  ) throws -> (count: Int, missing: [String]) {
    let compiled = try sources.map {
      words(try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8))
    }
    let blocks = try text(article).components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    let missing = blocks.filter { block in
      !block.contains("PackageDescription")
        && !compiled.contains { $0.contains(words(block)) }
    }
    return (blocks.count, missing)
  }

  /// Removes the spaces around a text's lines, empty lines, and the time limits of tests.
  private static func words(_ text: String) -> String {
    text.replacingOccurrences(of: ", .timeLimit(.minutes(1))", with: "").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }
}
