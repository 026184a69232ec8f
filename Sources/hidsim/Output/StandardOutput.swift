// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Standard output for who must not wait for its reader on a thread that others need.
enum StandardOutput {
  /// Writes whole lines, and returns when they are written.
  static func write(_ lines: [UInt8]) async {
    await withCheckedContinuation { continuation in
      Thread.run(name: "hidsim-stdout") {
        Output.shared.write(lines)
        continuation.resume()
      }
    }
  }
}
