// SPDX-License-Identifier: Apache-2.0

/// An event as Android hands it to apps.
struct AndroidEvent: Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// `KEYCODE_` is left out of the code.
    case key(action: String, code: String)
    /// `AXIS_` is left out of the names; an axis that is not there is at 0.
    case motion(action: String, axes: [String: Double])
  }

  var kind: Kind
  /// What kinds of device it came from, such as GAMEPAD; nil where a test does not say.
  var sources: Set<String>?

  var isKey: Bool { if case .key = kind { true } else { false } }

  var description: String {
    switch kind {
    case .key(let action, let code): "\(action) \(code)"
    case .motion(let action, let axes):
      "\(action) \(axes.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
    }
  }

  /// How far the value of an axis may be from what is wanted.
  ///
  /// Source: Android's CTS, tests/tests/hardware, InputTestCase.java, TOLERANCE.
  private static let tolerance = 0.005

  /// Whether this is as wanted: all axes are compared, also those that are not named, and the sources, if the
  /// test says some, may be fewer than it says.
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
