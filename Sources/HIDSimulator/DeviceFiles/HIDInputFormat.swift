// SPDX-License-Identifier: Apache-2.0

public import HIDTraces

/// The kind of an input file.
public enum HIDInputFormat: Hashable, Sendable {
  /// A device file: JSON.
  case deviceFile
  /// A trace: a recording, a capture of USB packets, or commands of Android's `hid` program.
  case trace(HIDTraceFormat)
  /// Neither a device file nor a trace.
  case unknown

  /// Detects the kind of a file by its first bytes.
  ///
  /// A file with a mistake after its beginning still has a kind, so that the reader of that kind
  /// can report the mistake.
  ///
  /// `HIDTraceFormat.detect(_:)` detects the format of a trace. It takes a text for a recording of
  /// hid-recorder if the first line that is not a comment has any letter before a colon, or if
  /// there are only comments. This method requires such a line, with a letter that hid-recorder
  /// writes.
  ///
  /// - Parameter bytes: The file, or its first 64 kilobytes.
  public static func detect(_ bytes: [UInt8]) -> HIDInputFormat {
    let start = Array(bytes.prefix(1 << 16))
    if let format = try? HIDTraceFormat.detect(HIDTraceSource(name: "", bytes: start)),
      format != .recorder
    {
      return .trace(format)
    }
    var isRecording = false
    for line in start.split(separator: 0x0A) {
      var text = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
      text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      // Both formats have comments that begin with #.
      guard let first = text.first, first != 0x23 else { continue }
      if text.dropFirst().first == 0x3A, "DRNPIEB".utf8.contains(first) {
        isRecording = true
        continue
      }
      if isRecording { return .trace(.recorder) }
      let isComment = text.starts(with: "//".utf8) || text.starts(with: "/*".utf8)
      return first == 0x7B || isComment ? .deviceFile : .unknown
    }
    return isRecording ? .trace(.recorder) : .unknown
  }
}
