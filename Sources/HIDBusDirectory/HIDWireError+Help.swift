// SPDX-License-Identifier: Apache-2.0

package import HIDWire

extension HIDWireError {
  /// What every message of a bus ends with that is about rights, or about a bus that is not there.
  package static let help = "; for help, run: hidsim doctor"
}
