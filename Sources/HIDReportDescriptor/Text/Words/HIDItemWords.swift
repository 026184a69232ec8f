// SPDX-License-Identifier: Apache-2.0

import HIDText

/// Functions that make items from the words in brackets after their names:
/// `Usage Page (Generic Desktop)`.
struct HIDItemWords {
  /// The reason why there is no item.
  struct Problem: Error {
    /// The fault, and the expected content.
    var message: String
    /// The text to suggest instead; `nil` if no text is similar enough.
    var suggestion: String?
  }

  /// A value, and the width in bytes that it requires: 4 for a usage with its page.
  private struct Value {
    var number: Int64
    var width: Int?

    init(_ number: Int64, width: Int? = nil) {
      self.number = number
      self.width = width
    }
  }

  /// Makes an item.
  ///
  /// - Parameter tag: The tag of the item.
  /// - Parameter words: The text in the brackets; `nil` if there are none.
  /// - Parameter dataByteCount: The width in bytes; `nil` for the fewest.
  /// - Parameter page: The usage page in force.
  static func item(
    _ tag: HIDItemTag, words: String?, dataByteCount: Int?, page: UInt16
  ) throws(Problem) -> HIDItem {
    let title = HIDItemTitles.title(of: tag)
    let value: Value
    switch tag {
    case .push, .pop, .endCollection:
      guard words == nil || number(words ?? "") != nil else {
        throw Problem(message: "\(title) takes no value")
      }
      value = Value(words.flatMap { number($0) } ?? 0)
    case .input, .output, .feature: value = try flags(title, words ?? "")
    default:
      guard let words, !words.isEmpty else {
        throw Problem(message: "\(title) has no value; expected one in brackets after it")
      }
      value = try self.value(tag, title, words, page, isShortest: dataByteCount == nil)
    }
    guard let width = dataByteCount ?? value.width else {
      if tag == .push || tag == .pop || tag == .endCollection, value.number != 0 {
        throw Problem(message: "\(title) takes no value")
      }
      guard let item = HIDItem(shortest: tag, value: value.number) else {
        let minimum = tag.isSigned ? Int64(Int32.min) : 0
        throw Problem(
          message: "\(title) cannot be \(value.number); expected \(minimum) to \(UInt32.max)")
      }
      return item
    }
    guard let item = HIDItem(tag, value: value.number, dataByteCount: width) else {
      throw Problem(
        message: "\(title) \(value.number) does not fit into \(width) byte\(width == 1 ? "" : "s")")
    }
    return item
  }

  private static func value(
    _ tag: HIDItemTag, _ title: String, _ words: String, _ page: UInt16, isShortest: Bool
  ) throws(Problem) -> Value {
    if let number = number(words) {
      switch tag {
      case .usage, .usageMinimum, .usageMaximum:
        // `0x00000030` has 32 bits, including a page of 0.
        let isWide = words.hasPrefix("0x") && words.utf8.count > 6
        return Value(number, width: isWide || number > 0xffff ? 4 : nil)
      case .unitExponent where isShortest && (-8...7).contains(number): return Value(number & 0xf)
      default: return Value(number)
      }
    }
    let found: Int64?
    var candidates: [String] = []
    switch tag {
    case .usagePage:
      found = self.page(titled: words).map { Int64($0) }
      candidates = HIDUsage.pageTitles
    case .usage, .usageMinimum, .usageMaximum:
      if let id = usageID(titled: words, onPage: page) { return Value(Int64(id)) }
      if let usage = usageWithPage(words) { return Value(Int64(usage), width: 4) }
      found = nil
      candidates = HIDUsage.titles(onPage: page)
    case .collection:
      let plain = HIDUsage.plainTitle(words)
      candidates = HIDCollection.Kind.titles
      found =
        candidates.firstIndex { HIDUsage.plainTitle($0) == plain }.map { Int64($0) }
        ?? numbered(words, after: ["vendordefined", "vendor", "reserved"])
    case .unit: found = HIDUnitTitle.unit(titled: words).map { Int64($0) }
    case .delimiter:
      candidates = ["Open", "Close"]
      found = ["open": 1, "openset": 1, "close": 0, "closeset": 0][HIDUsage.plainTitle(words)]
    default: throw Problem(message: "\(title) cannot be \(quoted(words)); expected a number")
    }
    guard let found else {
      throw Problem(
        message: "\(title) cannot be \(quoted(words)); expected \(expected(tag, page))",
        suggestion: NameSuggestion.nearest(to: words, in: candidates))
    }
    return Value(found)
  }

  private static func expected(_ tag: HIDItemTag, _ page: UInt16) -> String {
    switch tag {
    case .usagePage: "a usage page of HID Usage Tables, or a number"
    case .usage, .usageMinimum, .usageMaximum:
      "a usage of page \(HIDUsage.title(ofPage: page) ?? hexadecimal(UInt32(page), digitCount: 4)), "
        + "or a number"
    case .collection: "Physical, Application, Logical, or a number"
    case .unit: "None, a unit such as SI Linear: cm, or a number"
    default: "Open, Close, or a number"
    }
  }

  /// Reads a number: decimal or `0x`, with an optional minus sign; `nil` for other text.
  static func number(_ text: String) -> Int64? { NumberText.integer(text, as: Int64.self) }

  // MARK: Pages and usages

  /// The names that other tools give to pages, reduced to lower-case letters and digits.
  ///
  /// They come from HID 1.11's examples, older HID Usage Tables, the HID Descriptor Tool and
  /// hid-tools.
  private static let otherPages: [String: UInt16] = [
    "undefined": 0, "genericdesktopcontrols": 1, "desktop": 1, "simulation": 2, "vr": 3,
    "sport": 4, "sports": 4, "game": 5, "keyboard": 7, "keycodes": 7, "leds": 8, "buttons": 9,
    "ordinals": 0xa, "telephony": 0xb, "telephonydevices": 0xb, "consumerdevices": 0xc,
    "consumerdevice": 0xc, "consumercontrol": 0xc, "consumercontrols": 0xc, "digitizer": 0xd,
    "haptic": 0xe, "pid": 0xf, "physicalinterfacedevice": 0xf, "alphanumericdisplay": 0x14,
    "sensor": 0x20, "sensordevices": 0x20, "medicalinstruments": 0x40,
    "monitorenumeratedvalues": 0x81, "powerdevice": 0x84, "battery": 0x85, "barcodescanner": 0x8c,
    "scale": 0x8d, "scaledevices": 0x8d, "magneticstripereading": 0x8e, "msr": 0x8e,
    "cameracontrolpage": 0x90, "arcadepage": 0x91, "fido": 0xf1d0, "vendordefined": 0xff00,
    "wacom": 0xff0d,
  ]

  /// The names that other tools give to usages, reduced to lower-case letters and digits.
  private static let otherUsages: [String: UInt32] = [
    "multiaxis": 0x0001_0008, "nobuttonspressed": 0x0009_0000, "volumeup": 0x000c_00e9,
    "volumedown": 0x000c_00ea, "alconsumercontrolconfig": 0x000c_0183,
    "confidence": 0x000d_0047, "contactid": 0x000d_0051, "inputmode": 0x000d_0052,
    "deviceindex": 0x000d_0053, "contactmax": 0x000d_0055, "contactcountmax": 0x000d_0055,
    "buttontype": 0x000d_0059,
  ]

  private static func page(titled title: String) -> UInt16? {
    if let page = HIDUsage.page(titled: title) ?? otherPages[HIDUsage.plainTitle(title)] {
      return page
    }
    if let number = numbered(title, after: ["vendordefinedpage"]), (1...256).contains(number) {
      // "Vendor Defined Page 1" is the first vendor's page.
      return UInt16(0xff00 + number - 1)
    }
    let vendor = ["vendordefined", "vendorusagepage", "vendor", "vendorpage", "reserved"]
    return numbered(title, after: vendor).flatMap { UInt16(exactly: $0) }
      ?? HIDUsage.page(named: title)
  }

  private static func usageID(titled title: String, onPage page: UInt16) -> UInt16? {
    if let id = HIDUsage.usageID(titled: title, onPage: page) { return id }
    if let other = otherUsages[HIDUsage.plainTitle(title)], other >> 16 == UInt32(page) {
      return UInt16(truncatingIfNeeded: other)
    }
    if page == HIDUsage.KeyboardOrKeypadUsage.page,
      let id = HIDUsage.usageID(titled: "Keyboard " + title, onPage: page)
    {
      return id
    }
    let prefixes = ["vendorusage", "vendordefined", "vendor", "usage", "reserved"]
    if let number = numbered(title, after: prefixes) { return UInt16(exactly: number) }
    if HIDUsage.plainTitle(title) == "undefined" { return 0 }
    return HIDUsage.usageID(named: title, onPage: page)
  }

  /// Reads a usage that follows its page: `LED: Caps Lock`; `nil` for other text.
  private static func usageWithPage(_ title: String) -> UInt32? {
    for separator in [": ", "/", "."] {
      guard let range = self.range(of: separator, in: title) else { continue }
      guard let page = page(titled: String(title[..<range.lowerBound])),
        let id = usageID(titled: String(title[range.upperBound...]), onPage: page)
      else { continue }
      return UInt32(page) << 16 | UInt32(id)
    }
    return nil
  }

  private static func range(of separator: String, in text: String) -> Range<String.Index>? {
    var rest = text[...]
    while let start = rest.firstIndex(where: { $0 == separator.first }) {
      if rest[start...].hasPrefix(separator) {
        return start..<text.index(start, offsetBy: separator.count)
      }
      rest = rest[rest.index(after: start)...]
    }
    return nil
  }

  /// Returns the number at the end of a text that has one of the prefixes before it, and nothing
  /// else: `Vendor Usage 0x12`; `nil` for other text.
  private static func numbered(_ title: String, after prefixes: [String]) -> Int64? {
    let digits = title.reversed().prefix { $0.isASCII && ($0.isHexDigit || $0 == "x" || $0 == "X") }
    let words = String(digits.reversed())
    guard let last = words.range0x ?? words.decimalTail, let number = number(last),
      prefixes.contains(HIDUsage.plainTitle(title.dropLast(last.count)))
    else { return nil }
    return number
  }

  // MARK: Flags

  /// The bits that each flag word sets, and the mask of the bits that it decides.
  private static let flagWords: [String: (bits: Int64, mask: Int64)] = {
    var words: [String: (bits: Int64, mask: Int64)] = [:]
    for (flag, off, on) in HIDFieldFlags.pairs {
      let mask = Int64(flag.rawValue)
      words[off.lowercased()] = (0, mask)
      words[on.lowercased()] = (mask, mask)
    }
    let others: [(HIDFieldFlags, off: [String], on: [String])] = [
      (.constant, ["dat"], ["cnst", "const", "cst", "constants"]),
      (.variable, ["arr", "ary"], ["var"]), (.relative, ["abs"], ["rel"]),
      (.nonLinear, ["lin"], ["nonlin", "nlin"]),
      (
        .noPreferredState, ["pref", "prefstate", "prf", "preferred"],
        ["nopref", "nprf", "noprf", "nopreferred", "noprefstate"]
      ),
      (.nullState, ["nonull", "nonullstate", "nnul"], ["null", "nullposition", "nul"]),
      (.volatile, ["nonvol", "nvol", "notvolatile"], ["vol"]),
      (.bufferedBytes, ["bit", "bitf", "bits"], ["buff", "buf", "bufferedbyte", "bufbytes"]),
    ]
    for (flag, off, on) in others {
      for word in off { words[word] = (0, Int64(flag.rawValue)) }
      for word in on { words[word] = (Int64(flag.rawValue), Int64(flag.rawValue)) }
    }
    return words
  }()

  private static func flags(_ title: String, _ text: String) throws(Problem) -> Value {
    var bits: Int64 = 0
    var decided: [Int64: (bits: Int64, word: String)] = [:]
    for part in text.split(whereSeparator: { $0 == "," || $0 == "|" || $0 == "/" || $0 == ";" }) {
      let whole = trimmed(part)
      // "No Preferred State" is one flag; "Data Variable Absolute" is three flags.
      let words =
        flagWords[HIDUsage.plainTitle(whole)] != nil || number(whole) != nil
        ? [whole] : whole.split(separator: " ").map(String.init)
      for word in words {
        if let number = number(word) {
          guard (0...0xffff_ffff).contains(number) else {
            throw Problem(message: "\(title) cannot be \(number); expected 0 to 4294967295")
          }
          bits |= number
          continue
        }
        guard let flag = flagWords[HIDUsage.plainTitle(word)] else {
          throw Problem(
            message: "\(title) cannot be \(quoted(word)); expected flags such as Data, Var, Abs",
            suggestion: NameSuggestion.nearest(
              to: word, in: ["Data", "Constant", "Array", "Variable", "Absolute", "Relative"]))
        }
        if let other = decided[flag.mask], other.bits != flag.bits {
          throw Problem(
            message: "\(title) cannot be both \(quoted(other.word)) and \(quoted(word))")
        }
        decided[flag.mask] = (flag.bits, word)
        bits |= flag.bits
      }
    }
    return Value(bits)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}

extension String {
  /// The part from the last `0x` on; `nil` if no `0` precedes the last `x`.
  fileprivate var range0x: String? {
    guard let mark = lastIndex(where: { $0 == "x" || $0 == "X" }), mark > startIndex else {
      return nil
    }
    let zero = index(before: mark)
    return self[zero] == "0" ? String(self[zero...]) : nil
  }

  /// The decimal digits at the end; `nil` if there are none.
  fileprivate var decimalTail: String? {
    let digits = reversed().prefix { $0.isNumber }
    return digits.isEmpty ? nil : String(digits.reversed())
  }
}
