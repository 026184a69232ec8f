// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDText

/// A duration on the command line: `5s`, `500ms`, `2m`.
struct TimeBound: ExpressibleByArgument, Sendable, CustomStringConvertible {
  let duration: Duration
  /// The duration as it was written.
  private let text: String

  var description: String { text }

  /// The default time that a device has to answer; the kernel waits as long for a device.
  static let answer = TimeBound(duration: .seconds(5), text: "5s")

  /// The default time limit for a test of a suite.
  static let test = TimeBound(duration: .seconds(60), text: "60s")

  var defaultValueDescription: String { text }

  private init(duration: Duration, text: String) {
    self.duration = duration
    self.text = text
  }

  init?(argument: String) {
    guard let duration = NumberText.duration(argument, upTo: .seconds(10_000_000_000)) else {
      return nil
    }
    self.init(duration: duration, text: argument)
  }
}
