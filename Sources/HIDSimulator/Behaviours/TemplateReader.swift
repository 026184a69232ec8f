// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// A reader of the templates, patterns and value names in behaviours, stamps and conditions.
struct TemplateReader {
  /// The reason why a text is not a template, a pattern or the name of a value.
  struct Problem: Error, Hashable {
    var message: String
    var help: String
  }

  /// The names that a state cannot have, because they have a meaning in templates.
  static let reservedNames = [
    "request", "input", "output", "feature", "time", "counter", "instance", "device", "crc32",
  ]

  /// The types of the states that a template can name.
  var states: [String: HIDStateVariable.Kind] = [:]
  /// Called with a name to find its control.
  var control: (String) -> HIDReportElement? = { _ in nil }
  /// Called with the type and ID of a report to get its length in bytes, its ID included.
  ///
  /// It returns `nil` if the report is not declared.
  var byteCount: (HIDReportType, HIDReportID?) -> Int? = { _, _ in nil }
  /// True if the host sent bytes that the template can read.
  var hasRequest = false
  /// True if the template is that of a stamp.
  var isStamp = false

  // MARK: Templates

  /// Reads a template: bytes in hexadecimal, with terms between them.
  func template(_ text: String, _ what: String) throws(Problem) -> HIDReportTemplate {
    var parts: [HIDReportTemplate.Part] = []
    // The first half of a byte whose second half follows.
    var high: HIDReportTemplate.Half?
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      try append(rest[..<start.lowerBound], to: &parts, &high, beforeTerm: true, what)
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        throw Problem(
          message: "the term \(quoted(String(rest[start.lowerBound...]))) of \(what) has no \"}\"",
          help: "write terms such as ${battery:u8}")
      }
      let term = try term(rest[start.upperBound..<end])
      switch (term, high) {
      case (.part(let part), nil): parts.append(part)
      case (.half(let half), nil): high = half
      case (.half(let low), let first?):
        parts.append(.halves(first, low))
        high = nil
      case (.part, let first?): throw lonely(first, what)
      }
      guard parts.count <= 1024 else {
        throw Problem(message: "\(what) has more than 1,024 parts", help: "shorten it")
      }
      rest = rest[rest.index(after: end)...]
    }
    try append(rest, to: &parts, &high, beforeTerm: false, what)
    if let high { throw lonely(high, what) }
    return HIDReportTemplate(parts)
  }

  /// Makes the problem of half a byte without the other half.
  private func lonely(_ half: HIDReportTemplate.Half, _ what: String) -> Problem {
    switch half {
    case .digit(let digit):
      let digit = String(digit, radix: 16)
      return Problem(
        message: "expected \(what) as bytes in hexadecimal, found \"\(digit)\"",
        help: "two digits a byte, such as \"0\(digit)\"; a term of type u4 is one digit")
    case .integer:
      return Problem(
        message: "the term \(half) of \(what) is half a byte, and the other half is not beside it",
        help: "such as 0\(half); for the number alone write u8&0f")
    }
  }

  /// Adds the bytes of a text between terms.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - parts: The bytes are appended.
  ///   - high: The first half of the byte whose second half begins the text; then that of the byte
  ///     whose first half ends it.
  ///   - beforeTerm: True if a term follows the text.
  ///   - what: The template in messages.
  private func append(
    _ text: Substring, to parts: inout [HIDReportTemplate.Part],
    _ high: inout HIDReportTemplate.Half?, beforeTerm: Bool, _ what: String
  ) throws(Problem) {
    var text = text
    if let first = high {
      if text.isEmpty, beforeTerm { return }
      guard let low = text.utf8.first.flatMap({ hexDigit($0) }) else { throw lonely(first, what) }
      parts.append(.halves(first, .digit(low)))
      high = nil
      text = text.dropFirst()
    }
    // An odd number of digits right before a term ends with half a byte.
    let digits = text.utf8.reversed().prefix { hexDigit($0) != nil }.count
    if beforeTerm, !digits.isMultiple(of: 2), let digit = text.utf8.last.flatMap({ hexDigit($0) }) {
      high = .digit(digit)
      text = text.dropLast()
    }
    switch HexText.bytes(String(text)) {
    case .success(let bytes):
      if !bytes.isEmpty { parts.append(.bytes(bytes)) }
    case .failure(let error):
      throw Problem(
        message: "expected \(what) as bytes in hexadecimal, found \(quoted(error.word))",
        help: "two digits a byte, such as \"00 04\", and terms such as ${battery:u8}")
    }
  }

  /// The meaning of a term.
  private enum Term {
    case part(HIDReportTemplate.Part)
    case half(HIDReportTemplate.Half)
  }

  /// The name of the type of half a byte.
  private static let halfType = "u4"

  /// Reads the text between the braces of a term.
  private func term(_ text: Substring) throws(Problem) -> Term {
    guard let colon = text.lastIndex(of: ":") else { return .part(try bytesTerm(trimmed(text))) }
    let name = trimmed(text[..<colon])
    var words = text[text.index(after: colon)...].split(separator: " ")
    guard !words.isEmpty else {
      throw Problem(message: "the term ${\(text)} has no type after its colon", help: typeHelp)
    }
    let (type, shift, mask) = try bits(words.removeFirst(), text)
    let isHalf = type == Self.halfType
    let whole = isHalf ? "u8" : type
    guard let format = HIDReportTemplate.Format.named.first(where: { $0.0 == whole })?.1 else {
      let near = NameSuggestion.nearest(
        to: type, in: HIDReportTemplate.Format.named.map(\.0))
      throw Problem(
        message: "unknown type \(quoted(type)) in ${\(text)}",
        help: ["u16", "i16", "u24", "i24", "u32", "i32"].contains(type)
          ? "say which byte comes first: \(type)le or \(type)be"
          : near.map { "did you mean \"\($0)\"?" } ?? typeHelp)
    }
    var options: [String: String] = [:]
    for word in words {
      let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2, options.updateValue(pair[1], forKey: pair[0]) == nil else {
        throw Problem(
          message: "expected NAME=VALUE in ${\(text)}, found \(quoted(String(word)))",
          help: "such as seed=a3 or unit=1ms")
      }
    }
    let source = try source(name, format, &options, text)
    if let unknown = options.keys.sorted().first {
      throw Problem(
        message: "${\(text)} has no option \(quoted(unknown))",
        help: "only crc32 has a seed, and only time has a unit")
    }
    var integer = HIDReportTemplate.Integer(source, as: format)
    (integer.shift, integer.mask) = (shift, mask)
    return isHalf ? .half(.integer(integer)) : .part(.integer(integer))
  }

  /// Reads a type with a shift and a mask behind it: `u8`, `u8&3f`, `u16le>>4`, `u8>>4&07`.
  private func bits(
    _ word: Substring, _ term: Substring
  ) throws(Problem) -> (type: String, shift: Int, mask: UInt32?) {
    let parts = word.split(separator: "&", omittingEmptySubsequences: false)
    let shifted = parts[0].split(separator: ">", omittingEmptySubsequences: false)
    guard parts.count <= 2, shifted.count == 1 || shifted.count == 3 && shifted[1].isEmpty else {
      throw bitsProblem(word, term)
    }
    let type = String(shifted[0])
    var shift = 0
    if shifted.count == 3 {
      guard let number = Self.number(shifted[2]), (0...31).contains(number) else {
        throw bitsProblem(word, term)
      }
      shift = number
    }
    guard parts.count == 2 else { return (type, shift, nil) }
    guard (1...8).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ hexDigit($0) != nil }),
      let mask = UInt32(parts[1], radix: 16)
    else {
      throw bitsProblem(word, term)
    }
    return (type, shift, mask)
  }

  private func bitsProblem(_ word: Substring, _ term: Substring) -> Problem {
    Problem(
      message:
        "expected a type with a shift or a mask in ${\(term)}, found \(quoted(String(word)))",
      help: "such as u8>>4 for the bits from bit 4 on, or u8&3f for those of the mask 3f")
  }

  private var typeHelp: String {
    "the types are \(([Self.halfType] + HIDReportTemplate.Format.named.map(\.0)).joined(separator: ", "))"
  }

  private func source(
    _ name: String, _ format: HIDReportTemplate.Format, _ options: inout [String: String],
    _ text: Substring
  ) throws(Problem) -> HIDReportTemplate.Source {
    switch name {
    case "instance": return .instance
    case "device": return .device
    case "counter":
      guard isStamp else {
        throw Problem(
          message: "${\(text)} is allowed only in a stamp",
          help: "elsewhere count in a state: \"set\": {\"count\": \"+1\"}")
      }
      return .counter
    case "time": return .time(unit: try unit(options.removeValue(forKey: "unit"), text))
    case "crc32":
      guard format.byteCount == 4 else {
        throw Problem(message: "a CRC-32 does not fit in ${\(text)}", help: "use u32le or u32be")
      }
      let seed = options.removeValue(forKey: "seed") ?? ""
      guard seed.isEmpty || HexText.bytes(word: seed) != nil, seed.utf8.count <= 128 else {
        throw Problem(
          message: "expected the seed as bytes in hexadecimal, found \(quoted(seed))",
          help: "such as seed=a3")
      }
      return .crc32(seed: HexText.bytes(word: seed) ?? [])
    default: break
    }
    guard let bytes = try reportBytes(name, text) else {
      return .value(try valueName(name, "${\(text)}"))
    }
    switch bytes {
    case .request(let range?) where range.count == 1: return .request(range.lowerBound)
    case .stateBytes(let name, let range) where range.count == 1:
      return .stateBytes(name, range.lowerBound)
    case .report(let type, let id, let range) where range.count == 1:
      return .report(type, id, range.lowerBound)
    default:
      throw Problem(
        message: "${\(text)} has a range of bytes; expected one offset, since "
          + "\"\(format.name)\" says how many bytes the number has",
        help: "write the first byte, such as ${request[2]:\(format.name)}")
    }
  }

  private func unit(_ text: String?, _ term: Substring) throws(Problem) -> Duration {
    guard let text else { return .microseconds(1) }
    guard let unit = TimeUnit.duration(text), unit > .zero else {
      throw Problem(
        message: "expected a unit in ${\(term)}, found \(quoted(text))",
        help: "such as unit=1ms or unit=1/3us")
    }
    return unit
  }

  private func bytesTerm(_ name: String) throws(Problem) -> HIDReportTemplate.Part {
    if let bytes = try reportBytes(name, name[...]) { return bytes }
    if case .bytes(let count) = states[name] { return .state(name, count: count) }
    if Self.reservedNames.contains(name) || states[name] != nil || control(name) != nil {
      throw Problem(
        message: "${\(name)} is a number without a type", help: "such as ${\(name):u8}")
    }
    throw unknownName(name, "${\(name)}")
  }

  /// Reads `request`, `request[2..5]`, `input 48[1..11]`, `feature[3]` or `colours[0..2]`, of a
  /// state; `nil` for another name.
  private func reportBytes(
    _ name: String, _ term: Substring
  ) throws(Problem) -> HIDReportTemplate.Part? {
    let bracket = name.firstIndex(of: "[") ?? name.endIndex
    let words = name[..<bracket].split(separator: " ")
    guard let first = words.first else { return nil }
    if words == ["request"] {
      guard hasRequest else {
        throw Problem(
          message: "${\(term)} is allowed only where the host has sent a report",
          help: "only behaviours for \"output\" and \"set\" have a request")
      }
      return .request(try range(name[bracket...], term))
    }
    if words.count == 1, bracket != name.endIndex,
      case .bytes(let count) = states[String(name[..<bracket])],
      let range = try range(name[bracket...], term)
    {
      try check(range, of: String(first), count, term)
      return .stateBytes(String(first), range)
    }
    guard let type = HIDReportType.allCases.first(where: { "\($0)" == first }) else { return nil }
    let id =
      words.count == 2
      ? Self.number(words[1]).flatMap(UInt8.init(exactly:)).flatMap(HIDReportID.init(rawValue:))
      : nil
    guard words.count == 1 || words.count == 2 && id != nil, let declared = byteCount(type, id)
    else {
      throw Problem(
        message: "the report descriptor declares no report \(quoted(words.joined(separator: " ")))",
        help: "such as ${input 1[1..4]}, or ${input[0..3]} for an unnumbered report")
    }
    guard declared > 0 else {
      throw Problem(
        message: "\(words.joined(separator: " ")) has no bytes, and ${\(term)} reads them",
        help: "remove the term")
    }
    guard let range = try range(name[bracket...], term) else {
      return .report(type, id, 0...declared - 1)
    }
    try check(range, of: words.joined(separator: " "), declared, term)
    return .report(type, id, range)
  }

  /// Checks that the bytes of a term are among those of its source.
  private func check(
    _ range: ClosedRange<Int>, of source: String, _ count: Int, _ term: Substring
  ) throws(Problem) {
    guard range.upperBound >= count else { return }
    throw Problem(
      message: "\(source) has \(count.counting("byte")), and ${\(term)} reads byte "
        + "\(range.upperBound)", help: Self.offsetHelp)
  }

  /// Returns the number that up to five digits make; nil for other texts.
  private static func number(_ text: some StringProtocol) -> Int? {
    let isNumber = text.utf8.count <= 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? Int(text) : nil
  }

  /// Reads the byte offsets after a source, `[2]` or `[2..5]`; `nil` for an empty text.
  private func range(
    _ text: Substring, _ term: Substring
  ) throws(Problem) -> ClosedRange<Int>? {
    guard !text.isEmpty else { return nil }
    let ends = text.dropFirst().dropLast().split(separator: ".", omittingEmptySubsequences: false)
    let numbers = ends.compactMap { Self.number($0) }
    if text.last == "]", numbers.count == 1, ends.count == 1 { return numbers[0]...numbers[0] }
    if text.last == "]", numbers.count == 2, ends.count == 3, ends[1].isEmpty,
      numbers[0] <= numbers[1], numbers[1] < HIDReportDescriptor.maximumReportByteCount
    {
      return numbers[0]...numbers[1]
    }
    throw Problem(
      message:
        "expected the offsets of bytes in ${\(term)}, found \(quoted(String(text)))",
      help: "such as [2] or [2..5]; \(Self.offsetHelp)")
  }

  /// Finds the state or control with a name.
  func valueName(_ name: String, _ place: String) throws(Problem) -> HIDValueName {
    switch states[name] {
    case .bytes:
      throw Problem(
        message: "\(quoted(name)) in \(place) is bytes; expected a number",
        help: place.hasPrefix("${")
          ? "write a state of bytes without a type: ${\(name)}"
          : "only numbers can be compared")
    case .integer, .bool: return .state(name)
    case nil: break
    }
    if let control = control(name) { return .control(name, control) }
    throw unknownName(name, place)
  }

  private func unknownName(_ name: String, _ place: String) -> Problem {
    let near = NameSuggestion.nearest(to: name, in: states.keys.sorted() + Self.reservedNames)
    return Problem(
      message: "unknown name \(quoted(name)) in \(place)",
      help: near.map { "did you mean \"\($0)\"?" }
        ?? "write the name of a state of this file, of a control such as led.capsLock, or one of "
        + Self.reservedNames.joined(separator: ", "))
  }

  /// The help text about offsets in a report.
  private static let offsetHelp = "bytes count from 0; byte 0 of a numbered report is its ID"

  private func trimmed(_ text: Substring) -> String {
    text.split(separator: " ").joined(separator: " ")
  }

  // MARK: Patterns

  /// Reads a pattern such as `01 ?? 03 ...`.
  static func pattern(_ text: String, _ what: String) throws(Problem) -> HIDBytePattern {
    var bytes: [HIDBytePattern.Byte] = []
    var isPrefix = false
    for word in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      guard !isPrefix else {
        throw Problem(
          message: "\"...\" is allowed only at the end of \(what)", help: "use ?? for single bytes")
      }
      if word == "..." {
        isPrefix = true
      } else if let more = HIDBytePattern.bytes(word: word) {
        bytes += more
      } else {
        throw Problem(
          message: "expected \(what) as bytes in hexadecimal, found \(quoted(String(word)))",
          help: HIDBytePattern.help)
      }
    }
    return HIDBytePattern(bytes: bytes, isPrefix: isPrefix)
  }
}
