// SPDX-License-Identifier: Apache-2.0

/// An event as Android delivers it to apps.
struct AndroidEvent: Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// A key event; its code is without `KEYCODE_`.
    case key(action: String, code: String)
    /// A motion; the names of its axes are without `AXIS_`.
    ///
    /// An axis that is not in the dictionary is at 0.
    case motion(action: String, axes: [String: Double])
  }

  var kind: Kind
  /// The classes of the event's input device, such as GAMEPAD; nil if a test does not name them.
  var sources: Set<String>?

  var isKey: Bool { if case .key = kind { true } else { false } }

  var description: String {
    switch kind {
    case .key(let action, let code): "\(action) \(code)"
    case .motion(let action, let axes):
      "\(action) \(axes.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
    }
  }

  /// The largest difference between the value of an axis and the wanted value.
  ///
  /// Source: Android's CTS, tests/tests/hardware, InputTestCase.java, TOLERANCE.
  private static let tolerance = 0.005

  /// Returns whether this event matches the wanted event.
  ///
  /// All axes are compared, also those that `wanted` does not name. The sources are compared only
  /// if both events have them: this event must have at least one, and none that `wanted` lacks.
  ///
  /// Source: Android's CTS, tests/tests/hardware, InputTestCase.java.
  func fits(_ wanted: AndroidEvent) -> Bool {
    if let wanted = wanted.sources, let sources, sources.isEmpty || !sources.isSubset(of: wanted) {
      return false
    }
    guard case .motion(let action, let axes) = kind,
      case .motion(let wantedAction, let wantedAxes) = wanted.kind
    else { return kind == wanted.kind }
    return action == wantedAction
      && Set(axes.keys).union(wantedAxes.keys).allSatisfy { axis in
        abs((axes[axis] ?? 0) - (wantedAxes[axis] ?? 0)) <= Self.tolerance
      }
  }
}
