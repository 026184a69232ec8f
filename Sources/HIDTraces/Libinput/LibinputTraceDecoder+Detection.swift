// SPDX-License-Identifier: Apache-2.0

extension LibinputTraceDecoder {
  /// Returns whether a file begins as a recording of libinput.
  ///
  /// Such a file has only keys, and lines that belong to them, as in YAML. Its outermost keys
  /// include `version`, and either two of `ndevices`, `libinput` and `devices`, or `devices` with
  /// an `evdev` in it.
  static func isLibinput(_ start: [UInt8]) -> Bool {
    var lines = LibinputLines(HIDTraceSource(name: "", bytes: start))
    var keys: Set<String> = []
    while let line = try? lines.next() {
      // Ignore a line without a line break: the end of `start` cuts the last line.
      if line.isBlank || line.continues || !line.hasBreak { continue }
      if line.indentation == 0, !line.mayBeItem {
        guard let key = line.key else { return false }
        if known.contains(key.name) { keys.insert(key.name) }
      } else if keys.contains("devices"), line.key?.name == "evdev" {
        keys.insert("evdev")
      }
    }
    guard keys.contains("version") else { return false }
    return keys.contains("devices")
      ? keys.count > 2 : keys.isSuperset(of: ["ndevices", "libinput"])
  }

  private static let known: Set<String> = ["version", "ndevices", "libinput", "devices"]
}
