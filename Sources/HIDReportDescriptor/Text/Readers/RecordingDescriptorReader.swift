// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of the descriptors in a hid-recorder recording: `R:` lines, with their `D:`,
/// `N:` and `I:` lines.
///
/// Reports are skipped, and also comments, with two exceptions. `#! hidsim trace` marks a recording
/// by hidsim. After it, `#! unidentified` marks an `I:` line without information.
struct RecordingDescriptorReader {
  private var scanner: TextScanner
  private var devices: [Device] = []
  private var indices: [Int: Int] = [:]
  private var current = 0
  /// True if the `#!` lines from here on are hidsim's.
  private var hasMarks = false

  private struct Device {
    var descriptor: DescriptorBytes?
    var line = 0
    var name: String?
    var identity: HIDDescriptorText.Identity?
  }

  init(_ bytes: [UInt8], file: String) { scanner = TextScanner(bytes, file: file) }

  consuming func read() throws(HIDTextProblem) -> [HIDDescriptorText] {
    while scanner.byte != nil {
      scanner.skipBlanks()
      if let letter = scanner.byte, scanner.peek(1) == 0x3a { try readHeader(letter) }
      if scanner.byte == 0x23, scanner.peek(1) == 0x21 { try readMark() }
      scanner.skipLine()
      scanner.advance()
    }
    let descriptors = devices.compactMap { device in
      device.descriptor.map {
        HIDDescriptorText(
          bytes: $0.bytes, format: .recording, name: device.name, identity: device.identity,
          places: $0.places)
      }
    }
    guard !descriptors.isEmpty else {
      throw scanner.problem(
        "expected a recording, found no R: line", at: .start,
        help: "a recording holds a report descriptor as \"R: 64 05 01 …\"")
    }
    return descriptors
  }

  private mutating func readHeader(_ letter: UInt8) throws(HIDTextProblem) {
    guard letter == 0x44 || letter == 0x52 || letter == 0x4e || letter == 0x49 else { return }
    scanner.advance(by: 2)
    scanner.skipBlanks()
    let location = scanner.location
    switch letter {
    case 0x44:
      let word = scanner.word()
      guard let index = Int(word), (0...65_535).contains(index) else {
        throw scanner.problem(
          "expected a device number from 0 to 65535, found \(found(word))", at: location)
      }
      current = index
    case 0x4e:
      let name = String(decoding: scanner.line(), as: UTF8.self)
      try change { $0.name = name }
    case 0x49: try readIdentity()
    default: try readDescriptor()
    }
  }

  private mutating func readMark() throws(HIDTextProblem) {
    scanner.advance(by: 2)
    scanner.skipBlanks()
    let word = scanner.word()
    if hasMarks, word == "unidentified" { return try change { $0.identity = nil } }
    scanner.skipBlanks()
    if word == "hidsim", scanner.word() == "trace" { hasMarks = true }
  }

  private mutating func readIdentity() throws(HIDTextProblem) {
    var numbers: [UInt16] = []
    for part in ["bus", "vendor", "product"] {
      scanner.skipBlanks()
      let location = scanner.location
      let word = scanner.word()
      let digits = word.drop { $0 == "0" }
      guard !word.isEmpty, let number = UInt16(digits.isEmpty ? "0" : digits, radix: 16) else {
        throw scanner.problem(
          "expected the \(part) as a hexadecimal number from 0 to ffff, found \(found(word))",
          at: location, help: "the line is \"I: bus vendor product\", such as \"I: 3 046d c077\"")
      }
      numbers.append(number)
    }
    let identity = HIDDescriptorText.Identity(
      busType: numbers[0], vendorID: numbers[1], productID: numbers[2])
    try change { $0.identity = identity }
  }

  private mutating func readDescriptor() throws(HIDTextProblem) {
    let countLocation = scanner.location
    let word = scanner.word()
    guard let count = Int(word), count >= 0 else {
      throw scanner.problem(
        "expected the descriptor's byte count, found \(found(word))", at: countLocation)
    }
    var descriptor = DescriptorBytes()
    scanner.skipBlanks()
    while !scanner.isAtLineEnd {
      let location = scanner.location
      let digits = scanner.word()
      guard (1...2).contains(digits.utf8.count), let byte = UInt8(digits, radix: 16) else {
        throw scanner.problem(
          "expected a byte as two hexadecimal digits, found \(found(digits))", at: location)
      }
      try descriptor.append([byte], at: location, of: scanner)
      scanner.skipBlanks()
    }
    guard count == descriptor.bytes.count else {
      throw scanner.problem(
        "expected \(count) bytes of the descriptor, found \(descriptor.bytes.count)",
        at: countLocation, help: "the line may have been cut short")
    }
    let line = countLocation.line
    var earlier: Int?
    try change {
      if $0.descriptor != nil { earlier = $0.line }
      $0.descriptor = descriptor
      $0.line = line
    }
    if let earlier {
      throw scanner.problem(
        "device \(current) has a report descriptor already, in line \(earlier)", at: countLocation,
        help: "with several devices, write a \"D: …\" line before each")
    }
  }

  private func found(_ word: String) -> String { word.isEmpty ? scanner.found : quoted(word) }

  private mutating func change(_ body: (inout Device) -> Void) throws(HIDTextProblem) {
    if let index = indices[current] { return body(&devices[index]) }
    guard devices.count < HIDDescriptorText.maximumDescriptorCount else {
      throw scanner.problem(
        "the recording has more than \(HIDDescriptorText.maximumDescriptorCount) devices")
    }
    var device = Device()
    body(&device)
    indices[current] = devices.count
    devices.append(device)
  }
}
