// SPDX-License-Identifier: Apache-2.0

/// What kind of file some bytes are.
public enum HIDInputFormat: Hashable, Sendable, CaseIterable {
  /// A device file: JSON.
  case deviceFile
  /// hid-recorder's text.
  case recording
  /// Neither.
  case unknown

  /// Tells from the first lines what kind of file this is; a file that is wrong further on is still of
  /// its kind, so that its own reader can say what is wrong.
  ///
  /// - Parameter bytes: The file, or its first few kilobytes.
  public static func detect(_ bytes: [UInt8]) -> HIDInputFormat {
    var isRecording = false
    for line in bytes.prefix(1 << 16).split(separator: 0x0A) {
      var text = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
      text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard let first = text.first, first != 0x23 else { continue }  // both know # comments
      if text.dropFirst().first == 0x3A, "DRNPIEB".utf8.contains(first) {
        isRecording = true
        continue
      }
      if isRecording { return .recording }
      let isComment = text.starts(with: "//".utf8) || text.starts(with: "/*".utf8)
      return first == 0x7B || isComment ? .deviceFile : .unknown
    }
    return isRecording ? .recording : .unknown
  }
}
