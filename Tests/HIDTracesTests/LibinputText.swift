// SPDX-License-Identifier: Apache-2.0

/// Recordings as `tools/libinput-record.c` prints them (libinput 1.22.1 and later).
enum LibinputText {
  /// Returns the head of a recording with `count` devices.
  static func head(_ count: Int) -> String {
    """
    # libinput record
    version: 1
    ndevices: \(count)
    libinput:
      version: "1.22.1"
      git: "unknown"
    system:
      os: "debian:12"
      kernel: "6.1.0-18-amd64"
      dmi: "dmi:bvnLENOVO:bvrGJET72WW(2.22):bd02/21/2014:svnLENOVO:"
    devices:

    """
  }

  /// Returns the part of a recording that describes a device, up to its events.
  static func device(
    _ node: Int, name: String, id: [Int] = [3, 0x046D, 0xC077, 0x0111], descriptor: [UInt8]?
  ) -> String {
    let hid = descriptor.map { "  hid: [\(bytes($0, indentation: 4))\n  ]\n" } ?? ""
    return """
      - node: /dev/input/event\(node)
        evdev:
          # Name: \(name)
          # ID: bus 0x0003 (usb) vendor 0x046d product 0xc077 version 0x0111
          # Supported Events:
          # Event type 0 (EV_SYN)
          # Event type 1 (EV_KEY)
          #   Event code 272 (BTN_LEFT)
          # Event type 2 (EV_REL)
          #   Event code 0 (REL_X)
          # Properties:
          name: "\(name)"
          id: [\(id.map(String.init).joined(separator: ", "))]
          codes:
            0: [0, 1, 2] # EV_SYN
            1: [272] # EV_KEY
            2: [0] # EV_REL
          properties: []
      \(hid)  udev:
          properties:
          - ID_INPUT=1
          - LIBINPUT_DEVICE_GROUP=3/46d/c077:usb-0000:00:14.0-1
          - DRIVER=hid-generic
          virtual: false
        quirks:
        - ModelBouncingKeys=1
        events:
        # Current time is 12:26:12

      """
  }

  /// Returns a report that was read from a hidraw node.
  static func hid(_ seconds: Int, _ micros: Int, _ node: Int = 0, _ report: [UInt8]) -> String {
    """
      - hid:
          time: [\(padded(seconds, 3)), \(padded(micros, 6))]
          hidraw\(node): [\(bytes(report, indentation: 8))
          ]

    """
  }

  /// Returns a frame of evdev events.
  static func evdev(_ seconds: Int, _ micros: Int) -> String {
    let time = "\(padded(seconds, 3)), \(padded(micros, 6))"
    return """
        - evdev:
          - [\(time),   2,   0,      -3] # EV_REL / REL_X                    -3
          - [\(time),   0,   0,       0] # ------------ SYN_REPORT (0) ---------- +8ms

      """
  }

  private static func bytes(_ bytes: [UInt8], indentation: Int) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if index > 0 { text += ", " }
      if index % 16 == 0 { text += "\n" + String(repeating: " ", count: indentation) }
      text += "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, width - digits.count)) + digits
  }

  /// A mouse with eight buttons and one axis; its report has 2 bytes.
  static let mouse: [UInt8] = [
    0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x08, 0x15, 0x00, 0x25, 0x01,
    0x95, 0x08, 0x75, 0x01, 0x81, 0x02, 0x05, 0x01, 0x09, 0x30, 0x15, 0x81, 0x25, 0x7F, 0x75, 0x08,
    0x95, 0x01, 0x81, 0x06, 0xC0,
  ]
  /// A vendor's device; its report has 40 bytes.
  static let vendor: [UInt8] = [
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x09, 0x02, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
    0x95, 0x28, 0x81, 0x02, 0xC0,
  ]
}
