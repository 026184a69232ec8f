// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Report descriptors of real and odd devices, and what other implementations make of them.
///
/// They are not part of the repository: they lie in `../shared/corpus`, seen from the package, or where
/// `HIDSIM_CORPUS` says. Tests that need them are skipped without them.
package enum DescriptorCorpus {
  /// Where they are.
  package static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["HIDSIM_CORPUS"], !path.isEmpty {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("../shared/corpus", isDirectory: true).standardizedFileURL
  }()

  /// Whether they are there.
  package static let isPresent = FileManager.default.isReadableFile(
    atPath: directory.appendingPathComponent("oracle-kernel.tsv").path)

  /// The bytes of a `.hex` file.
  package static func bytes(_ file: String) throws -> [UInt8] {
    try text(file).split(whereSeparator: \.isWhitespace).map { digits in
      guard let byte = UInt8(digits, radix: 16) else { throw CocoaError(.fileReadCorruptFile) }
      return byte
    }
  }

  /// The text of a file.
  package static func text(_ file: String) throws -> String {
    try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
  }

  /// The rows of a table with their columns, without its head.
  package static func rows(_ file: String) throws -> [[Substring]] {
    try text(file).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
  }

  /// The lines of a compressed file of JSON objects.
  package static func objects<Object: Decodable>(_ file: String, as type: Object.Type) throws
    -> [Object]
  {
    let decoder = JSONDecoder()
    return try unpacked(file).split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(type, from: Data($0))
    }
  }

  /// The text of a file, compressed if its name ends in `.gz`.
  package static func text(unpacking file: String) throws -> String {
    file.hasSuffix(".gz") ? String(decoding: try unpacked(file), as: UTF8.self) : try text(file)
  }

  private static func unpacked(_ file: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc", directory.appendingPathComponent(file).path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return data
  }
}
