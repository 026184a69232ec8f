// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Report descriptors of real and unusual devices, and the results of other implementations for
/// them.
///
/// They are not part of the repository. They are in `../shared/corpus`, relative to the package, or
/// in the folder that `HIDSIM_CORPUS` names. Tests that need them are skipped if they are missing.
package enum DescriptorCorpus {
  /// The folder of the corpus.
  package static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["HIDSIM_CORPUS"], !path.isEmpty {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("../shared/corpus", isDirectory: true).standardizedFileURL
  }()

  /// True if the corpus is there.
  package static let isPresent = FileManager.default.isReadableFile(
    atPath: directory.appendingPathComponent("oracle-kernel.tsv").path)

  /// Returns the bytes of a `.hex` file.
  package static func bytes(_ file: String) throws -> [UInt8] {
    try text(file).split(whereSeparator: \.isWhitespace).map { digits in
      guard let byte = UInt8(digits, radix: 16) else { throw CocoaError(.fileReadCorruptFile) }
      return byte
    }
  }

  /// Returns the text of a file.
  package static func text(_ file: String) throws -> String {
    try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
  }

  /// Returns the rows of a table as columns, without the heading.
  package static func rows(_ file: String) throws -> [[Substring]] {
    try text(file).split(separator: "\n").dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
  }

  /// Decodes the lines of a compressed file of JSON objects.
  package static func objects<Object: Decodable>(_ file: String, as type: Object.Type) throws
    -> [Object]
  {
    let decoder = JSONDecoder()
    return try unpacked(file).split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(type, from: Data($0))
    }
  }

  /// Returns the text of a file, which is compressed if its name ends in `.gz`.
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
