// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDRecording {
  /// The recording as hid-recorder writes it: `R:`, `N:`, `P:`, `I:`, then `E:` lines.
  ///
  /// A `D:` line stands before each device and at each change of device, where there are several. Names
  /// and paths lose their line breaks, which the format cannot hold. Reading the text gives the same
  /// recording, except for line numbers and warnings.
  public func text() -> String {
    var output = ""
    for device in devices {
      if needsSwitches { output += "D: \(device.index)\n" }
      output += "R: \(counted(device.descriptor))\n"
      if let name = device.name { output += "N: \(oneLine(name))\n" }
      if let path = device.physicalPath { output += "P: \(oneLine(path))\n" }
      if let identity = device.identity {
        let bus = String(identity.busType, radix: 16)
        output += "I: \(bus) \(hex4(identity.vendorID)) \(hex4(identity.productID))\n"
      }
    }
    var current = devices.last?.index ?? 0
    for line in linesInOrder() {
      if needsSwitches, line.device != current {
        output += "D: \(line.device)\n"
        current = line.device
      }
      output += line.text + "\n"
    }
    return output
  }

  private var needsSwitches: Bool { devices.count > 1 || devices.contains { $0.index != 0 } }

  private struct Line {
    var device: Int
    var order: Int
    var microseconds: Int64
    var text: String
  }

  /// What follows the headers, by line; what comes from no file is ordered by time.
  private func linesInOrder() -> [Line] {
    var lines: [Line] = []
    for device in devices {
      for (letter, events) in [("B", device.originals), ("E", device.events)] {
        lines += events.map {
          Line(
            device: device.index, order: $0.line, microseconds: $0.microseconds,
            text: "\(letter): \(recordingStamp($0.microseconds)) \(counted($0.bytes))")
        }
      }
    }
    lines += extensions.map {
      Line(device: $0.device, order: $0.line, microseconds: 0, text: "#! \(oneLine($0.text))")
    }
    return lines.sorted { ($0.order, $0.microseconds) < ($1.order, $1.microseconds) }
  }

  private func counted(_ bytes: [UInt8]) -> String {
    bytes.isEmpty ? "0" : "\(bytes.count) \(hexText(bytes))"
  }

  private func oneLine(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? " " : $0 }))
  }

  private func hex4(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// A time as recordings write it: six digits of seconds, six of microseconds.
func recordingStamp(_ microseconds: Int64) -> String {
  func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
  let time = max(0, microseconds)
  return "\(padded(time / 1_000_000)).\(padded(time % 1_000_000))"
}
