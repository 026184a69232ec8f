// SPDX-License-Identifier: Apache-2.0

/// How a report descriptor is written down.
///
/// ``HIDDescriptorText`` reads all of them and writes most.
public enum HIDDescriptorFormat: String, Hashable, Sendable, CaseIterable {
  /// The bytes themselves.
  case binary
  /// Bytes in hex, with or without `0x`, commas, brackets, line breaks and comments.
  case hex
  /// An array of C with a comment for each item.
  case c
  /// Bytes and the item they are, a line each, as hid-decode prints them.
  case text
  /// Items in the words of HID 1.11, `Usage Page (Generic Desktop)`, without bytes.
  case lines
  /// Items by name in JSON, as device files have them.
  case items
  /// What the descriptor means: collections, reports, fields; then the bytes in hex.
  case tree
  /// The `R:` lines of a hid-recorder recording.
  case recording
  /// The kernel's `/sys/kernel/debug/hid/…/rdesc`.
  case debugfs
}

extension HIDDescriptorFormat: CustomStringConvertible {
  /// The name, as the cases have it.
  public var description: String { rawValue }

  /// What it is, for a message: `bytes in hex`.
  var explanation: String {
    switch self {
    case .binary: "bytes"
    case .hex: "bytes in hex"
    case .c: "an array of C"
    case .text: "bytes with their items beside them"
    case .lines: "items in words"
    case .items: "items in JSON"
    case .tree: "a tree of collections, reports and fields, and the descriptor's bytes at the end"
    case .recording: "a recording with R: lines"
    case .debugfs: "the kernel's rdesc file"
    }
  }
}
