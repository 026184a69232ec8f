// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension KernelBus {
  /// Returns the error of a device that must not be plugged into the kernel bus, with every fault
  /// and its fix; `nil` if it may be plugged.
  ///
  /// The kernel would accept most such devices without an error, and then not start them, or crash.
  package static func refusal(of descriptor: [UInt8], named name: String) -> HIDBusError? {
    let errors = HIDReportDescriptor.lint(descriptor).filter { $0.severity == .error }
    guard !errors.isEmpty else { return nil }
    let lines = errors.flatMap { ["  \($0)"] + ($0.fix.map { ["    fix: \($0)"] } ?? []) }
    return HIDBusError(
      errors.allSatisfy { $0.rule == .reportOverUHID } ? .limitReached : .invalidArgument,
      """
      plug "\(name)" through /dev/uhid: Linux cannot use this report descriptor; use --bus loopback, or correct it:
      \(lines.joined(separator: "\n"))
      """)
  }
}
