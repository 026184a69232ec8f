// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSessions
import HIDSimulator

/// A variable of a script on the command line: `speed=50%`.
struct ScriptVariable: ExpressibleByArgument, Sendable {
  let name: String
  let value: String

  init?(argument: String) {
    guard let mark = argument.firstIndex(of: "=") else { return nil }
    name = String(argument[..<mark])
    value = String(argument[argument.index(after: mark)...])
    guard HIDScript.isVariableName(name) else { return nil }
  }

  /// Returns the values by name; the last value of a name wins.
  static func values(_ variables: [ScriptVariable]) -> [String: String] {
    Dictionary(variables.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
