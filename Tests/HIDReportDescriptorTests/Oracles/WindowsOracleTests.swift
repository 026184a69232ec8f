// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Foundation
import HIDReportDescriptor
import Testing

/// Comparison of hidsim's reading with that of Windows, from the preparsed data of hidapi's tests.
@Suite(
  "the reading of Windows", .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct WindowsOracleTests {
  @Test(
    "caps, collections and report lengths are those of Windows, but for the rules of the table",
    arguments: ["real", "expected"])
  func caps(kind: String) throws {
    var count = 0
    for name in try WindowsOracle.names {
      guard let ours = try WindowsOracle.reading(name, kind) else { continue }
      let theirs = try WindowsOracle.preparsedData(name)
      count += theirs.caps.count
      #expect(ours.byteCounts == theirs.byteCounts, "\(name)")
      #expect(
        Self.counts(ours.collections) == Self.counts(theirs.collections), "\(name)")
      // hidsim's reading has the first of alternative usages.
      let hasAliases = ours.rules.contains(.windowsAlias)
      let first = theirs.caps.filter { !hasAliases || !$0.isAlias }
      #expect(Self.differences(ours.caps, first) == [], "\(name)")
    }
    #expect(count > 0)
  }

  @Test("the descriptor that hidapi reconstructs has the same reports as the device's own")
  func reconstruction() throws {
    var count = 0
    for name in try WindowsOracle.names {
      guard let real = try WindowsOracle.reading(name, "real"),
        let expected = try WindowsOracle.reading(name, "expected")
      else { continue }
      count += 1
      #expect(real.payloads == expected.payloads, "\(name)")
      #expect(Self.differences(real.caps, expected.caps) == [], "\(name)")
      #expect(Self.counts(real.collections) == Self.counts(expected.collections), "\(name)")
    }
    #expect(count > 0)
  }

  /// Returns the number of times that each value occurs.
  private static func counts<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private static func differences(
    _ ours: [PreparsedData.Cap], _ theirs: [PreparsedData.Cap]
  ) -> [String] {
    let (ours, theirs) = (counts(ours), counts(theirs))
    return ours.filter { theirs[$0.key] != $0.value }.map { "ours \($0)" }
      + theirs.filter { ours[$0.key] != $0.value }.map { "theirs \($0)" }
  }
}

/// The files of hidapi in the corpus.
enum WindowsOracle {
  /// The names of the preparsed data: vendor, product, usage and usage page.
  static var names: [String] {
    get throws {
      try DescriptorCorpus.rows("index.tsv").map { String($0[0]) }.filter {
        $0.hasPrefix("hidapi/pp_data/") && $0.hasSuffix(".pp_data")
      }.map { String($0.dropFirst("hidapi/pp_data/".count).dropLast(".pp_data".count)) }
    }
  }

  static func preparsedData(_ name: String) throws -> PreparsedData {
    try PreparsedData(DescriptorCorpus.text("hidapi/pp_data/\(name).pp_data"))
  }

  /// Returns hidsim's reading of the collection that the preparsed data describes.
  ///
  /// - Returns: The reading; `nil` if the descriptor is not in this part of the corpus.
  static func reading(_ name: String, _ kind: String) throws -> WindowsReading? {
    let file = "hidapi/descriptors/\(name)_\(kind).hex"
    let path = DescriptorCorpus.directory.appendingPathComponent(file).path
    guard FileManager.default.isReadableFile(atPath: path) else { return nil }
    let usage = try preparsedData(name).usage
    let descriptor = try HIDReportDescriptor(parsing: DescriptorCorpus.bytes(file))
    let top = try #require(
      descriptor.collections.first {
        $0.parent == nil && $0.usages.extendedUsage(at: 0).map { Int($0) } == usage
      })
    return WindowsReading(descriptor, of: top)
  }
}
