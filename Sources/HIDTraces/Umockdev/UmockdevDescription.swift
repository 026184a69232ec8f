// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The HID devices of umockdev's description, a `.umockdev` file.
///
/// The file has blocks of lines with blank lines between them. `P:` is the path below /sys, `N:`
/// the node in /dev, `E:` a property, and `H:` an attribute in hexadecimal. A HID device is a block
/// with `H: report_descriptor=`. Its node is in a block whose path is below that of the device.
struct UmockdevDescription: Sendable {
  /// The devices, in the order of the file.
  private(set) var devices: [(path: String, device: HIDTraceDevice)] = []
  /// The names of the hidraw nodes, with their paths.
  private var nodes: [(name: String, path: String)] = []
  private var block = Block()

  private struct Block {
    var path = ""
    var node: String?
    var device: HIDTraceDevice?
    var name: String?
    var physicalPath: String?
    var serialNumber: String?
    var identity: HIDTraceDevice.Identity?
  }

  /// Reads a description.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - findings: Receives the problems of the file's content.
  /// - Throws: An error if the file cannot be read, or if a line is too long.
  init(_ source: HIDTraceSource, _ findings: inout UmockdevFindings) throws(HIDTraceError) {
    var lines = UmockdevLines(source)
    while var line = try lines.next(), !findings.isFull {
      // The line ends with CR LF.
      if line.bytes.last == 0x0D { line.bytes.removeLast() }
      if line.bytes.isEmpty {
        finishBlock(source.name, &findings)
      } else if !line.hasEnd {
        findings.warn(
          HIDTextProblem(
            file: source.name, location: line.place(),
            message: TraceLines.cutMessage))
      } else {
        do throws(HIDTextProblem) { try read(line, source.name) } catch { findings.doubt(error) }
      }
    }
    finishBlock(source.name, &findings)
    for node in nodes.reversed() {
      guard let index = index(above: node.path), let number = Int(node.name.dropFirst(6)) else {
        continue
      }
      devices[index].device.number = number
    }
  }

  /// Returns the device of a node such as `hidraw5`; nil if it is not described.
  func device(node: String) -> HIDTraceDevice? {
    guard let path = nodes.first(where: { $0.name == node })?.path else { return nil }
    return index(above: path).map { devices[$0].device }
  }

  /// Returns the index of the nearest device above a path; nil if there is none.
  ///
  /// The devices of a receiver are below the receiver's own device.
  private func index(above path: String) -> Int? {
    devices.indices.filter { path.hasPrefix(devices[$0].path + "/") }
      .max { devices[$0].path.utf8.count < devices[$1].path.utf8.count }
  }

  // MARK: Reading

  private mutating func finishBlock(
    _ file: String, _ findings: inout UmockdevFindings
  ) {
    defer { block = Block() }
    if let node = block.node { nodes.append((node, block.path)) }
    guard var device = block.device else { return }
    guard devices.count < HIDTraceReader.maximumDeviceCount else {
      return findings.fail(
        HIDTextProblem(
          file: file, location: HIDTextLocation(line: device.line, column: 1),
          message: HIDTraceReader.tooManyDevices))
    }
    device.name = block.name
    device.physicalPath = block.physicalPath
    device.serialNumber = block.serialNumber
    device.identity = block.identity
    devices.append((block.path, device))
  }

  private mutating func read(
    _ line: UmockdevLines.Line, _ file: String
  ) throws(HIDTextProblem) {
    let bytes = line.bytes
    guard let letter = bytes.first, letter != 0x23 else { return }
    guard bytes.dropFirst().starts(with: [0x3A, 0x20]), (0x41...0x5A).contains(letter) else {
      throw HIDTextProblem(
        file: file, location: line.place(),
        message: "expected a line such as \"P: …\" or \"E: …\", found "
          + quoted(String(decoding: bytes, as: UTF8.self), limit: 20))
    }
    let rest = bytes.dropFirst(3)
    switch letter {
    case 0x50: block.path = text(rest.prefix(4096))
    case 0x4E where rest.starts(with: Array("hidraw".utf8)):
      // The content of the node can follow, in hexadecimal.
      let node = rest.prefix { $0 != 0x3D }
      // More nodes cannot be useful, because the number of devices is limited.
      if node.count < 16, nodes.count < 1024 { block.node = text(node) }
    case 0x45: try property(rest, line, file)
    case 0x48: try attribute(rest, line, file)
    default: break
    }
  }

  private mutating func property(
    _ rest: ArraySlice<UInt8>, _ line: UmockdevLines.Line, _ file: String
  ) throws(HIDTextProblem) {
    guard let equals = rest.firstIndex(of: 0x3D) else { return }
    let value = rest[(equals + 1)...]
    let shown = value.isEmpty ? nil : text(value.prefix(1024))
    switch text(rest[..<equals].prefix(16)) {
    case "HID_NAME": block.name = shown
    case "HID_PHYS": block.physicalPath = shown
    case "HID_UNIQ": block.serialNumber = shown
    case "HID_ID":
      let parts = value.split(separator: 0x3A, omittingEmptySubsequences: false).map(number)
      guard parts.count == 3, let busType = parts[0], let vendorID = parts[1],
        let productID = parts[2]
      else {
        throw HIDTextProblem(
          file: file, location: line.place(equals + 1),
          message: "expected bus, vendor and product, found \(quoted(text(value)))",
          help: "write them in hexadecimal, such as 0003:00001050:00000120")
      }
      block.identity = HIDTraceDevice.Identity(
        busType: busType, vendorID: vendorID, productID: productID)
    default: break
    }
  }

  private mutating func attribute(
    _ rest: ArraySlice<UInt8>, _ line: UmockdevLines.Line, _ file: String
  ) throws(HIDTextProblem) {
    let key = Array("report_descriptor=".utf8)
    guard rest.starts(with: key) else { return }
    let digits = rest.dropFirst(key.count)
    let limit = HIDTraceReader.maximumDescriptorByteCount
    guard let bytes = hexadecimal(digits) else {
      let wrong = digits.firstIndex { hexDigit($0) == nil }
      throw HIDTextProblem(
        file: file, location: line.place(wrong ?? digits.endIndex),
        message: "expected the descriptor in hexadecimal, found "
          + (wrong.map { describe(byte: digits[$0]) } ?? "an odd number of digits"))
    }
    guard (1...limit).contains(bytes.count) else {
      throw HIDTextProblem(
        file: file, location: line.place(digits.startIndex),
        message: "the descriptor is \(bytes.count) bytes long; expected 1 to \(limit)")
    }
    block.device = HIDTraceDevice(descriptor: bytes, line: line.number)
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private func number(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard (1...8).contains(digits.count) else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard let digit = hexDigit(digit) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return UInt16(exactly: value)
  }
}

/// Returns the bytes of pairs of hexadecimal digits; nil for other text or an odd number of digits.
func hexadecimal(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(digits.count / 2)
  var index = digits.startIndex
  while index < digits.endIndex {
    guard let high = hexDigit(digits[index]), let low = hexDigit(digits[index + 1]) else {
      return nil
    }
    bytes.append(high << 4 | low)
    index += 2
  }
  return bytes
}
