// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// A line on a terminal's standard error that is written over again and again.
struct ProgressLine {
  /// How often it is written.
  private static let beat = Duration.milliseconds(250)

  /// Writes what `words` says now, until the task is cancelled; then takes the line away.
  static func run(_ words: @Sendable () -> String) async {
    var last = ""
    while !Task.isCancelled {
      let line = words()
      if line != last { write("\r\(line.printable)\u{1b}[K") }
      last = line
      _ = try? await Timeline.real.sleep(for: Self.beat)
    }
    write("\r\u{1b}[K")
  }

  private static func write(_ text: String) { Output.shared.overwrite(text) }
}
