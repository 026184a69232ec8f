// SPDX-License-Identifier: Apache-2.0

/// Who refuses or misreads a descriptor that breaks a rule.
public enum HIDLintHost: String, Hashable, Sendable, CaseIterable {
  /// The Linux kernel: 6.12.117, asked over uhid.
  case linux
  /// Windows: what Microsoft documents of its parser, and what its users report.
  case windows
  /// macOS: Apple's published IOHIDFamily, and what its users report.
  case macOS
  /// No host that is known, but the text of HID 1.11 or of the usage tables.
  case specification
}
