// SPDX-License-Identifier: Apache-2.0

import HIDText

extension HIDRecording {
  /// The longest recording that is read, in bytes.
  public static let maximumByteCount = 256 << 20
  /// The most devices one recording can hold.
  public static let maximumDeviceCount = 256
  /// The longest report descriptor the kernel takes, in bytes.
  public static let maximumDescriptorByteCount = 4096
  /// The longest report that exists anywhere in the kernel, in bytes.
  public static let maximumReportByteCount = 16384

  /// Reads the text of hid-recorder, in any of its dialects.
  ///
  /// - Parameters:
  ///   - bytes: The text. It can be hostile.
  ///   - name: What messages call it.
  ///   - lenient: Whether a wrong byte count, an odd stamp, a second descriptor and lines that nobody
  ///     knows are warnings instead of errors.
  /// - Returns: The recording, with at least one device, each with a descriptor.
  /// - Throws: The problems of the text, up to twenty.
  public static func parse(
    _ bytes: [UInt8], name: String, lenient: Bool = false
  ) throws(HIDRecordingError) -> HIDRecording {
    var parser = HIDRecordingParser(file: name, isLenient: lenient)
    guard bytes.count <= maximumByteCount else {
      parser.fail(
        "the recording is \(bytes.count) bytes long, and the limit is \(maximumByteCount)",
        at: .start)
      throw HIDRecordingError(problems: parser.problems)
    }
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      parser.read(line)
      if parser.problems.count >= HIDRecordingParser.maximumProblemCount { break }
    }
    return try parser.finish()
  }
}

/// The state of reading one recording, line by line.
private struct HIDRecordingParser {
  static let maximumProblemCount = 20
  static let maximumWarningCount = 100

  let file: String
  let isLenient: Bool
  var problems: [HIDTextProblem] = []

  private var devices: [PartialDevice] = []
  private var extensions: [HIDRecording.Extension] = []
  private var warnings: [HIDTextProblem] = []
  private var current = 0  // the number of the current device, as `D:` gives it
  private var line = 0
  private var hasTooManyDevices = false

  init(file: String, isLenient: Bool) {
    self.file = file
    self.isLenient = isLenient
  }

  struct PartialDevice {
    var index: Int
    var line: Int
    var descriptor: [UInt8]?
    var descriptorLine = 0
    var name: String?
    var physicalPath: String?
    var identity: HIDRecording.Identity?
    var events: [HIDRecording.Event] = []
    var originals: [HIDRecording.Event] = []
  }

  mutating func read(_ text: ArraySlice<UInt8>) {
    line += 1
    var words = WordScanner(text.last == 0x0D ? text.dropLast() : text)
    if line == 1, words.text.starts(with: [0xEF, 0xBB, 0xBF]) { words.skip(3) }
    words.skipBlanks()
    guard let letter = words.text.first else { return }
    if letter == 0x23 {
      if words.text.dropFirst().first == 0x21 {
        words.skip(2)
        let text = words.remainder()
        extensions.append(HIDRecording.Extension(text: text, device: current, line: line))
      }
      return
    }
    let start = words.column
    guard words.text.dropFirst().first == 0x3A else {
      let found = quoted(words.remainder(), limit: 20)
      return doubt(
        "expected a line such as \"R: …\", \"E: …\" or \"# …\", found \(found)", at: start)
    }
    words.skip(2)
    switch letter {
    case 0x44: readSwitch(&words)
    case 0x52: readDescriptor(&words)
    case 0x4E:
      if let text = readText(&words) { withDevice { $0.name = text } }
    case 0x50:
      if let text = readText(&words) { withDevice { $0.physicalPath = text.isEmpty ? nil : text } }
    case 0x49: readIdentity(&words)
    case 0x45:
      if let event = readEvent(&words) { withDevice { $0.events.append(event) } }
    case 0x42:
      if let event = readEvent(&words) { withDevice { $0.originals.append(event) } }
    case 0x41...0x5A, 0x61...0x7A:
      let prefix = Character(Unicode.Scalar(letter))
      warn("nobody knows lines that begin with \"\(prefix):\"; this one is left out", at: start)
    default:
      doubt("expected a letter before \":\", found \(describe(byte: letter))", at: start)
    }
  }

  mutating func finish() throws(HIDRecordingError) -> HIDRecording {
    if devices.isEmpty, problems.isEmpty {
      fail(
        "expected a recording, found no R: line", at: .start,
        help: "a recording holds a report descriptor as \"R: 64 05 01 …\"")
    }
    for device in devices where device.descriptor == nil && problems.isEmpty {
      fail(
        "device \(device.index) has no report descriptor",
        at: HIDTextLocation(line: device.line, column: 1),
        help: "it needs a line \"R: 64 05 01 …\"")
    }
    guard problems.isEmpty else { throw HIDRecordingError(problems: problems) }
    for device in devices { warnOfStampsThatGoBack(device) }
    return HIDRecording(
      devices: devices.map {
        HIDRecording.Device(
          index: $0.index, descriptor: $0.descriptor ?? [], descriptorLine: $0.descriptorLine,
          name: $0.name,
          physicalPath: $0.physicalPath, identity: $0.identity, events: $0.events,
          originals: $0.originals)
      },
      extensions: extensions,
      warnings: warnings.sorted { $0.location < $1.location })
  }

  private mutating func warnOfStampsThatGoBack(_ device: PartialDevice) {
    var latest: Int64 = 0
    for event in device.events {
      if event.microseconds < latest {
        warn(
          "the time goes back from \(stamp(latest)) to \(stamp(event.microseconds))",
          at: HIDTextLocation(line: event.line, column: 1))
      }
      latest = event.microseconds
    }
  }
}

// MARK: - Lines

extension HIDRecordingParser {
  private mutating func readSwitch(_ words: inout WordScanner) {
    guard let word = words.next() else {
      return fail("expected a device number, found the end of the line", at: words.column)
    }
    guard let index = decimal(word.text), index <= 65535 else {
      return fail(
        "expected a device number from 0 to 65535, found \(word.quoted)", at: word.column)
    }
    expectEnd(&words)
    current = Int(index)
    withDevice { _ in }
  }

  private mutating func readDescriptor(_ words: inout WordScanner) {
    guard
      let bytes = readCountedBytes(
        &words, "descriptor", maximum: HIDRecording.maximumDescriptorByteCount)
    else { return }
    let file = file
    var doubt: HIDTextProblem?
    let index = current
    let line = line
    withDevice {
      if $0.descriptor != nil {
        doubt = HIDTextProblem(
          file: file, location: HIDTextLocation(line: line, column: 1),
          message: "device \(index) has a report descriptor already, in line \($0.descriptorLine)",
          help: "with several devices a \"D: …\" line stands before each")
      }
      $0.descriptor = bytes
      $0.descriptorLine = line
    }
    if let doubt { self.doubt(doubt.message, at: 1, help: doubt.help) }
  }

  private mutating func readText(_ words: inout WordScanner) -> String? {
    if words.text.first == 0x20 { words.skip(1) }
    let start = words.column
    if String(validating: words.text, as: UTF8.self) == nil {
      warn("the text is not UTF-8; what is not is replaced", at: start)
    }
    return String(decoding: words.text, as: UTF8.self)
  }

  private mutating func readIdentity(_ words: inout WordScanner) {
    var numbers: [UInt16] = []
    for part in ["bus", "vendor", "product"] {
      guard let word = words.next() else {
        return fail(
          "expected the \(part) in hexadecimal, found the end of the line", at: words.column,
          help: "the line is \"I: bus vendor product\", such as \"I: 3 046d c077\"")
      }
      guard word.text.count <= 16, let number = hexadecimal(word.text) else {
        return fail(
          "expected the \(part) as a hexadecimal number to ffff, found \(word.quoted)",
          at: word.column, help: "the line is \"I: bus vendor product\", such as \"I: 3 046d c077\""
        )
      }
      numbers.append(number)
    }
    expectEnd(&words)
    let identity = HIDRecording.Identity(
      busType: numbers[0], vendorID: numbers[1], productID: numbers[2])
    withDevice { $0.identity = identity }
  }

  private mutating func readEvent(_ words: inout WordScanner) -> HIDRecording.Event? {
    guard let word = words.next() else {
      fail("expected a time, found the end of the line", at: words.column)
      return nil
    }
    let parts = word.text.split(
      separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = decimal(parts[0]), let micros = decimal(parts[1]),
      seconds < 1 << 40, micros < 1_000_000_000
    else {
      fail(
        "expected a time as seconds.microseconds, found \(word.quoted)", at: word.column,
        help: "such as 000001.250000")
      return nil
    }
    if parts[1].count != 6 {
      let before = problems.count
      doubt(
        "expected six digits of microseconds, found \(parts[1].count)", at: word.column,
        help: "they are read as \(micros) microseconds")
      if problems.count > before { return nil }
    }
    guard
      let bytes = readCountedBytes(
        &words, "report", maximum: HIDRecording.maximumReportByteCount)
    else { return nil }
    return HIDRecording.Event(
      microseconds: seconds * 1_000_000 + micros, bytes: bytes, line: line)
  }

  /// Reads a count and as many bytes.
  ///
  /// The count never decides how much memory is used.
  private mutating func readCountedBytes(
    _ words: inout WordScanner, _ what: String, maximum: Int
  ) -> [UInt8]? {
    guard let word = words.next() else {
      fail("expected the \(what)'s byte count, found the end of the line", at: words.column)
      return nil
    }
    guard let count = decimal(word.text) else {
      fail("expected the \(what)'s byte count, found \(word.quoted)", at: word.column)
      return nil
    }
    var bytes: [UInt8] = []
    while let byte = words.next() {
      let digits = byte.text
      guard (1...2).contains(digits.count), let value = hexadecimal(digits) else {
        fail("expected a byte as two hexadecimal digits, found \(byte.quoted)", at: byte.column)
        return nil
      }
      bytes.append(UInt8(truncatingIfNeeded: value))
      guard bytes.count <= maximum else {
        fail("the \(what) is longer than \(maximum) bytes", at: byte.column)
        return nil
      }
    }
    if count != Int64(bytes.count) {
      doubt(
        "expected \(count) bytes of the \(what), found \(bytes.count)", at: word.column,
        help: "the line may have been cut short")
    }
    return bytes
  }

  private mutating func expectEnd(_ words: inout WordScanner) {
    if let word = words.next() {
      doubt("expected the end of the line, found \(word.quoted)", at: word.column)
    }
  }

  private mutating func withDevice(_ body: (inout PartialDevice) -> Void) {
    if let offset = devices.lastIndex(where: { $0.index == current }) {
      body(&devices[offset])
      return
    }
    guard devices.count < HIDRecording.maximumDeviceCount else {
      guard !hasTooManyDevices else { return }
      hasTooManyDevices = true
      return fail(
        "the recording has more than \(HIDRecording.maximumDeviceCount) devices", at: 1)
    }
    var device = PartialDevice(index: current, line: line)
    body(&device)
    devices.append(device)
  }

  private func decimal(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard !digits.isEmpty else { return nil }
    var value: UInt16 = 0
    for byte in digits {
      guard let digit = hexDigit(byte), value <= 0x0FFF else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  private func stamp(_ microseconds: Int64) -> String { recordingStamp(microseconds) }
}

// MARK: - Problems

extension HIDRecordingParser {
  mutating func fail(_ message: String, at location: HIDTextLocation, help: String? = nil) {
    guard problems.count < Self.maximumProblemCount else { return }
    problems.append(
      HIDTextProblem(file: file, location: location, message: message, help: help))
  }

  private mutating func fail(_ message: String, at column: Int, help: String? = nil) {
    fail(message, at: HIDTextLocation(line: line, column: column), help: help)
  }

  /// An error, or a warning where the caller asked for leniency.
  private mutating func doubt(_ message: String, at column: Int, help: String? = nil) {
    if isLenient {
      warn(message, at: column, help: help)
    } else {
      fail(message, at: column, help: help)
    }
  }

  private mutating func warn(_ message: String, at column: Int, help: String? = nil) {
    warn(message, at: HIDTextLocation(line: line, column: column), help: help)
  }

  private mutating func warn(
    _ message: String, at location: HIDTextLocation, help: String? = nil
  ) {
    guard warnings.count <= Self.maximumWarningCount else { return }
    let isLast = warnings.count == Self.maximumWarningCount
    warnings.append(
      HIDTextProblem(
        file: file, location: location, message: isLast ? "more warnings are left out" : message,
        help: isLast ? nil : help))
  }
}

// MARK: - Words

/// The words of one line, each with its column.
private struct WordScanner {
  struct Word {
    var text: ArraySlice<UInt8>
    var column: Int

    var quoted: String { HIDText.quoted(String(decoding: text.prefix(160), as: UTF8.self)) }
  }

  private(set) var text: ArraySlice<UInt8>
  private(set) var column = 1  // in scalars

  init(_ text: ArraySlice<UInt8>) { self.text = text }

  mutating func skip(_ count: Int) {
    column += text.prefix(count).count { $0 & 0xC0 != 0x80 }
    text = text.dropFirst(count)
  }

  mutating func skipBlanks() { skip(text.prefix { $0 == 0x20 || $0 == 0x09 }.count) }

  mutating func next() -> Word? {
    skipBlanks()
    let word = text.prefix { $0 != 0x20 && $0 != 0x09 }
    guard !word.isEmpty else { return nil }
    let start = column
    skip(word.count)
    return Word(text: word, column: start)
  }

  /// What is left, without blanks around it.
  mutating func remainder() -> String {
    skipBlanks()
    var rest = text
    while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
    return String(decoding: rest, as: UTF8.self)
  }
}
