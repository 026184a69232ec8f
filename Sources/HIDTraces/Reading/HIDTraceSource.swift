// SPDX-License-Identifier: Apache-2.0

public import IOLoop
public import SystemPackage

/// The bytes of a trace, in memory or in a file.
///
/// They are read in pieces, from any offset, and more than once.
public struct HIDTraceSource: Sendable {
  /// The name of the source in messages.
  public let name: String
  private let body: @Sendable (_ offset: Int, _ count: Int) throws(Errno) -> [UInt8]

  /// Creates a source from a function.
  ///
  /// - Parameters:
  ///   - name: The name of the source in messages.
  ///   - read: The function for ``read(at:count:)``.
  public init(
    name: String, read: @escaping @Sendable (_ offset: Int, _ count: Int) throws(Errno) -> [UInt8]
  ) {
    self.name = name
    body = read
  }

  /// Creates a source from bytes in memory.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    body = { offset, count throws(Errno) in
      guard offset < bytes.count else { return [] }
      return Array(bytes[offset..<min(bytes.count, offset + count)])
    }
  }

  /// Creates a source from an open file.
  public init(name: String, file: ReadableFile) {
    self.name = name
    body = { offset, count throws(Errno) in try file.read(at: offset, count: count) }
  }

  /// Opens a file.
  ///
  /// - Throws: The `Errno` of `open`; `EINVAL` if the path is not a regular file.
  public init(path: String) throws(Errno) {
    self.init(name: path, file: try ReadableFile(path: path))
  }

  /// Reads bytes from an offset.
  ///
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - count: The number of bytes.
  /// - Returns: The bytes. There are fewer than requested only at the end, and none beyond it.
  /// - Throws: The `Errno` of the function or the file from which the source was created.
  public func read(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    try body(offset, count)
  }
}
