// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

@Suite(
  "hid-decode", .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"),
  .timeLimit(.minutes(5)))
struct HIDDecodeOracleTests {
  /// Names of hid-tools 0.12 that differ from hidsim's names, which are those of HID Usage Tables
  /// 1.4.
  ///
  /// They are from older tables (`Volume Up`), shortened (`Contact Max`), or without the page's
  /// word (`LeftControl`). A name that differs only in capitals, blanks and hyphens counts as the
  /// same.
  private static let otherNames: [String: String] = [
    // Usage pages.
    "Consumer Devices": "Consumer", "Haptic": "Haptics", "Keyboard": "Keyboard/Keypad",
    "LEDs": "LED", "Monitor Enumerated Values": "Monitor Enumerated", "Ordinals": "Ordinal",
    "Power Device": "Power", "Sensor": "Sensors", "Telephony Devices": "Telephony Device",
    "Vendor Defined Page 1": "Vendor-defined 0xff00",
    // Usages.
    "AL Consumer Control Config": "AL Consumer Control Configuration", "Button Type": "Pad Type",
    "Confidence": "Touch Valid", "Contact Id": "Contact Identifier",
    "Contact Max": "Contact Count Maximum", "Delete Forward": "Keyboard Delete Forward",
    "Device Index": "Device Identifier", "Duration": "Duration List",
    "Err Full Trans Features Unavail": "Err Full Trans Features Unavailable",
    "F14": "Keyboard F14", "F15": "Keyboard F15", "Inputmode": "Device Mode",
    "Left GUI": "Keyboard Left GUI", "LeftAlt": "Keyboard LeftAlt",
    "LeftControl": "Keyboard LeftControl", "Line OSC": "Line",
    "Multi Axis": "Multi-axis Controller", "No Buttons Pressed": "No Button Pressed",
    "Preferred Inking Color": "Preferred Color", "Video Gain Blue": "Blue Video Gain",
    "Video Gain Green": "Green Video Gain", "Video Gain Red": "Red Video Gain",
    "Volume Down": "Volume Decrement", "Volume Up": "Volume Increment",
    "Waveform": "Waveform List",
  ]

  private struct Row: Decodable {
    var file: String
    var text: [String]?
  }

  /// A line of hid-decode: `0x05, 0x01,   // Usage Page (Generic Desktop)   0`.
  private struct Line {
    var bytes: Substring
    var level: Int
    var name: Substring
    var value: Substring?
    var offset: Substring

    init?(_ line: some StringProtocol) {
      let line = Substring(line)
      guard let mark = line.firstRange(of: "//"), let blank = line.lastIndex(of: " ") else {
        return nil
      }
      bytes = Self.trimmed(line[..<mark.lowerBound])
      offset = line[line.index(after: blank)...]
      let words = line[mark.upperBound..<blank].dropFirst()
      level = words.prefix { $0 == " " }.count
      name = Self.trimmed(words)
      guard let open = name.firstIndex(of: "("), name.last == ")" else { return }
      value = name[name.index(after: open)...].dropLast()
      name = Self.trimmed(name[..<open])
    }

    static func trimmed(_ text: Substring) -> Substring {
      var text = text.drop { $0 == " " }
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  @Test("every item agrees with hid-decode's bytes, place, name and value, except for known cases")
  func agreement() async throws {
    var tally: [String: Int] = [:]
    for row in try DescriptorCorpus.objects("oracle-hid-decode.jsonl.gz", as: Row.self) {
      guard let text = row.text, row.file.hasSuffix(".hex") else { continue }
      // Let other tests run: this test takes seconds.
      await Task.yield()
      tally["files", default: 0] += 1
      let bytes = try DescriptorCorpus.bytes(row.file)
      let ours = try #require(HIDDescriptorText.text(bytes, as: .text)).split(separator: "\n")
      // hid-decode omits a zero at the end.
      #expect(text.count == ours.count - (bytes.last == 0 && text.count < ours.count ? 1 : 0))
      let items = try HIDItem.decodeAll(bytes)
      // After a superfluous End Collection, hid-decode indents the rest less.
      let isAccepted = (try? HIDReportDescriptor(parsing: bytes)) != nil
      var page: UInt32 = 0
      for ((theirText, ourText), item) in zip(zip(text, ours), items) {
        let their = try #require(Line(theirText))
        let our = try #require(Line(ourText))
        #expect(our.bytes == their.bytes && our.offset == their.offset, "\(row.file): \(theirText)")
        #expect(our.name == their.name, "\(row.file): \(theirText)")
        if isAccepted { #expect(our.level == min(their.level, 64), "\(row.file): \(theirText)") }
        if item.tag == .usagePage { page = item.data }
        let kind = Self.agreement(our.value, their.value, item, page)
        tally[kind, default: 0] += 1
        #expect(kind != "differs", "\(row.file): \(theirText) \(ourText)")
      }
    }
    // The corpus has 117,111 items in 751 files.
    #expect(try #require(tally["files"]) >= 751)
    #expect(try #require(tally["same"]) >= 109_103)
    let others = ["other name", "number there", "nameless there", "Wacom's own"].map {
      tally[$0] ?? 0
    }
    #expect(others.reduce(0, +) <= 7925)
    #expect(tally["known fault there"] ?? 0 <= 67)
  }

  /// Compares the values in parentheses of one line, and returns the kind of agreement.
  private static func agreement(
    _ our: Substring?, _ their: Substring?, _ item: HIDItem, _ page: UInt32
  ) -> String {
    let ours = our.map(plain)
    let theirs = their.map(plain)
    if ours == theirs { return "same" }
    guard let our, let their else {
      // hid-decode prints these items without their value.
      let bare: [HIDItemTag] = [
        .delimiter, .designatorIndex, .designatorMinimum, .designatorMaximum, .stringIndex,
        .stringMinimum, .stringMaximum,
      ]
      return item.tag.map(bare.contains) == true ? "without value there" : "differs"
    }
    switch item.tag {
    case .usagePage, .usage:
      if otherNames[String(their)].map(plain) == ours { return "other name" }
      let prefixes = ["Vendor Usage Page ", "Vendor Usage ", "Unknown Usage "]
      for prefix in prefixes where their.hasPrefix(prefix) {
        let number = number(their.dropFirst(prefix.count))
        return number == Int64(item.data) ? "nameless there" : "differs"
      }
      if page == 0xff0d { return "Wacom's own" }
      let isVendors = page >= 0xff00 && item.data == 0 && their == "Undefined"
      return isVendors ? "nameless there" : "differs"
    case .usageMinimum, .usageMaximum:
      return number(their) == Int64(item.data) ? "number there" : "differs"
    case .logicalMaximum, .physicalMaximum:
      // hid-decode never reads a maximum as signed.
      return number(their) == Int64(item.data) ? "known fault there" : "differs"
    case .unitExponent:
      // hid-decode subtracts 16 from any byte above 7; hidsim's value is the kernel's.
      return "known fault there"
    case .unit:
      return item.data & ~0xf == 0 && their == "None" ? "known fault there" : "differs"
    case .input, .output, .feature:
      // hid-decode omits bits that it does not know.
      return our.hasPrefix(their + ",0x") ? "known fault there" : "differs"
    case .collection:
      return their == "Vendor_defined \(our)" ? "same" : "differs"
    default: return "differs"
    }
  }

  /// Returns the text's letters in lower case, digits and signs; exponents become digits.
  private static func plain(_ text: some StringProtocol) -> String {
    var result = ""
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "⁻": result += "-"
      case "¹": result += "1"
      case "²": result += "2"
      case "³": result += "3"
      case "0"..."9", "a"..."z", "A"..."Z", "*":
        result += String(scalar).lowercased()
      case "-" where previous == nil || previous == "^": result += "-"
      default: break
      }
    }
    return result
  }

  private static func number(_ text: Substring) -> Int64? {
    text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
  }
}
