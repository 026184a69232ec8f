// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
internal import HIDText

/// The states that a device file declares, by name.
extension HIDScriptNames {
  /// Finds the first interface that has a state, and checks that the state can hold a value.
  ///
  /// - Returns: The interface; `nil` if there is no state with that name.
  /// - Throws: A problem if interfaces of several devices have the state, or if it cannot hold the
  ///   value.
  func state(
    _ name: HIDScript.Name, _ value: HIDScript.Value, _ candidates: [Reference]
  ) throws(HIDTextProblem) -> Reference? {
    let able = candidates.filter { self[$0].states.contains { $0.name == name.text } }
    guard let chosen = try choose(able, at: name.location),
      let state = self[chosen].states.first(where: { $0.name == name.text })
    else { return nil }
    guard let range = state.kind.range else {
      throw problem(
        "the state \(quoted(name.text)) is bytes; found \(value.text)",
        at: name.location, help: "scripts read and set only states that are numbers")
    }
    guard let number = value.stateNumber else {
      throw problem(
        "the state \(quoted(name.text)) is a number; found \(value.text)",
        at: name.location, help: "write the number itself")
    }
    guard range.contains(number) else {
      throw problem(
        "\(name.text) cannot be \(number); expected \(range.lowerBound) to \(range.upperBound)",
        at: name.location)
    }
    return chosen
  }
}

extension HIDScript.Value {
  /// The number of the value for a state; nil for a percentage, a normalised or a physical value.
  var stateNumber: Int64? {
    switch self {
    case .on: 1
    case .off: 0
    case .logical(let number): Int64(number)
    case .percent, .normalised, .physical: nil
    }
  }
}
