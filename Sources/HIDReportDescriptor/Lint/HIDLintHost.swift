// SPDX-License-Identifier: Apache-2.0

/// A host, or the specification, that refuses or misreads a descriptor.
public enum HIDLintHost: String, Hashable, Sendable, CaseIterable {
  /// The Linux kernel: 6.12.117, tested over uhid.
  case linux
  /// Windows: Microsoft's documentation of its parser, and reports of users.
  case windows
  /// macOS: Apple's published IOHIDFamily, and reports of users.
  case macOS
  /// Not a host, but the text of HID 1.11 or of the usage tables.
  case specification
}
