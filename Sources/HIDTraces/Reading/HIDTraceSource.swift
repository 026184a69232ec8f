// SPDX-License-Identifier: Apache-2.0

public import IOLoop
public import SystemPackage

/// The bytes of a trace, wherever they are: read in pieces, from any place, more than once.
public struct HIDTraceSource: Sendable {
  /// What messages call it.
  public let name: String
  private let body: @Sendable (_ offset: Int, _ count: Int) throws(Errno) -> [UInt8]

  /// Makes a source of whatever gives bytes.
  ///
  /// - Parameters:
  ///   - name: What messages call it.
  ///   - read: What ``read(at:count:)`` does.
  public init(
    name: String, read: @escaping @Sendable (_ offset: Int, _ count: Int) throws(Errno) -> [UInt8]
  ) {
    self.name = name
    body = read
  }

  /// Makes a source of bytes in memory.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    body = { offset, count throws(Errno) in
      guard offset < bytes.count else { return [] }
      return Array(bytes[offset..<min(bytes.count, offset + count)])
    }
  }

  /// Makes a source of an open file.
  public init(name: String, file: ReadableFile) {
    self.name = name
    body = { offset, count throws(Errno) in try file.read(at: offset, count: count) }
  }

  /// Opens a file.
  ///
  /// - Throws: The `Errno` of `open`; `EINVAL` for what is no regular file.
  public init(path: String) throws(Errno) {
    self.init(name: path, file: try ReadableFile(path: path))
  }

  /// Reads from a place of the bytes.
  ///
  /// - Parameters:
  ///   - offset: Where to begin, in bytes.
  ///   - count: How many bytes to read.
  /// - Returns: The bytes: fewer than asked for at the end alone, and none beyond it.
  public func read(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    try body(offset, count)
  }
}
