// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDWire

extension KernelBus {
  /// Says why a device must not be handed to the kernel, with every fault and its fix; `nil` if it may be.
  ///
  /// The kernel would take such a device without a word and never start it, or stop at it.
  package static func refusal(of descriptor: [UInt8], named name: String) -> HIDWireError? {
    let errors = HIDReportDescriptor.lint(descriptor).filter { $0.severity == .error }
    guard !errors.isEmpty else { return nil }
    let lines = errors.flatMap { ["  \($0)"] + ($0.fix.map { ["    fix: \($0)"] } ?? []) }
    return HIDWireError(
      errors.allSatisfy { $0.rule == .reportOverUHID } ? .limitReached : .invalidArgument,
      """
      plug "\(name)" through /dev/uhid: Linux cannot use this report descriptor; use --bus loopback, or correct it:
      \(lines.joined(separator: "\n"))
      """)
  }
}
