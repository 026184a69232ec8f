// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import SystemPackage

/// Standard input, read on a thread of its own, since reads of a terminal or a pipe block.
enum StandardInput {
  /// The maximum number of bytes of one read, which is the default capacity of a pipe.
  private static let partByteCount = 64 * 1024
  /// The number of bytes at which a chunk is full.
  private static let chunkByteCount = 256 * 1024

  /// Returns the chunks of standard input, to its end.
  ///
  /// A chunk is read when it is requested, and holds the bytes that are available then. A failed
  /// read counts as the end.
  ///
  /// - Throws: A failure with status 66 if standard input is a folder, or 71 if no thread can be
  ///   started.
  static func chunks() throws(Failure) -> AsyncStream<[UInt8]> {
    var status = stat()
    if fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw Failure(.noInput, "standard input: this is a folder; expected a file or a pipe")
    }
    let reader: BlockingReader<[UInt8]>
    do throws(Errno) {
      reader = try BlockingReader(name: "hidsim-stdin") { read() }
    } catch {
      throw Failure(
        .noResources,
        "standard input: \(error); hidsim cannot start one more thread: raise the limit (ulimit -u)"
      )
    }
    return AsyncStream(unfolding: { await reader.next() })
  }

  /// Waits for input, and returns the available bytes; nil at the end, or if the read fails.
  private static func read() -> [UInt8]? {
    var chunk: [UInt8] = []
    var part = [UInt8](repeating: 0, count: partByteCount)
    // A writer may write small parts in a row: reads go on until the next one would block.
    repeat {
      guard let count = readOnce(into: &part), count > 0 else { break }
      chunk += part[..<count]
    } while chunk.count < chunkByteCount && FileDescriptor.standardInput.isReadable(within: 0)
    return chunk.isEmpty ? nil : chunk
  }

  /// Waits for input, and returns the number of bytes that were read; nil if the read fails.
  private static func readOnce(into part: inout [UInt8]) -> Int? {
    while true {
      do throws(Errno) {
        return try retryingOnInterrupt { Glibc.read(0, &part, part.count) }
      } catch {
        // Another program that shares this open file description may have made it non-blocking.
        guard error == .wouldBlock else { return nil }
        FileDescriptor.standardInput.isReadable()
      }
    }
  }
}
