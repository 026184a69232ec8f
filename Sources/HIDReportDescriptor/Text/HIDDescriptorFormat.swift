// SPDX-License-Identifier: Apache-2.0

/// The format of a written report descriptor.
///
/// ``HIDDescriptorText`` reads and writes all formats.
public enum HIDDescriptorFormat: String, Hashable, Sendable, CaseIterable {
  /// The bytes themselves.
  case binary
  /// Bytes in hex, with or without `0x`, commas, brackets, line breaks and comments.
  case hex
  /// A C array; hidsim writes a comment for each item.
  case c
  /// The bytes of one item per line, with its name and value, as hid-decode prints them.
  case text
  /// Items with their names in HID 1.11, such as `Usage Page (Generic Desktop)`, without bytes.
  case lines
  /// Items by name in JSON, as in device files.
  case items
  /// The parsed content: collections, reports, fields; then the bytes in hex.
  case tree
  /// The `R:` lines of a hid-recorder recording.
  case recording
  /// The kernel's `/sys/kernel/debug/hid/…/rdesc`.
  case debugfs
}

extension HIDDescriptorFormat: CustomStringConvertible {
  /// The name of the case.
  public var description: String { rawValue }

  /// A description for messages: `bytes in hex`.
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
