// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The content of a recording without its events: the result of the first pass over the file.
struct LibinputOutline: Sendable {
  /// The largest number of entries; a recording with more is an error.
  static let maximumEntryCount = 1024

  /// One entry of `devices`: an evdev node, several of which can belong to one HID device.
  struct Entry: Sendable {
    /// The index of the entry in the file, from 0.
    var index: Int
    var line: LibinputLine
    var name: String?
    var identity: HIDTraceDevice.Identity?
    var version: UInt16?
    var descriptor: [UInt8]?
    var descriptorLine = 0
    /// The events; nil if the entry has no list of events.
    var events: LibinputItems?
    /// The numbers of the hidraw nodes whose reports are among the events.
    var nodes: [Int] = []

    var title: String { "device \(index)" + (name.map { " (\(quoted($0)))" } ?? "") }
  }

  private(set) var entries: [Entry] = []
  private(set) var warnings = TraceWarnings()
  /// The offset of the event in the middle of which the file ends; nil if there is none.
  private(set) var cutOffset: Int?
  /// The problem of a recording that was cut; nil if no cut was found.
  private(set) var cut: HIDTextProblem?

  private let isLenient: Bool
  private var lines: LibinputLines
  private var declaredCount: Int64?

  /// The name of the file in messages.
  var file: String { lines.source.name }

  /// Reads the outline of a recording.
  ///
  /// - Throws: The first problem in the layout of the file, or in a part that is read.
  init(_ source: HIDTraceSource, isLenient: Bool) throws(HIDTraceError) {
    lines = LibinputLines(source)
    self.isLenient = isLenient
    try readAll()
    let end = try lines.bytes(at: max(0, lines.offset - 1), count: 1).last
    if cut == nil, lines.isCut, end != 0x5D, end != 0x7D {
      reportCut(
        HIDTextProblem(
          file: source.name, location: HIDTextLocation(line: lines.number - 1, column: 1),
          message: "the recording ends in the middle of a line: it was cut"))
    }
    if let declaredCount, declaredCount > entries.count {
      warnings.add(
        HIDTextProblem(
          file: source.name, location: .start,
          message: "expected \(declaredCount) devices, as ndevices says, found \(entries.count)",
          help: "libinput writes the devices after the first when it stops; stop it with Ctrl+C"))
    }
  }

  private mutating func readAll() throws(HIDTraceError) {
    var found: Set<String> = []
    while let line = try lines.next() {
      if line.isBlank || (found.isEmpty && line.start.starts(with: [0x2D, 0x2D, 0x2D])) {
        continue
      }
      guard line.indentation == 0, !line.mayBeItem, let key = line.key else {
        // The file was cut in the middle of this word.
        if !line.hasBreak, !found.isEmpty { return }
        throw failure(
          "expected a key such as \"devices:\", found \(text(line))", at: line, line.indentation,
          help: "hidsim reads only the layout that libinput writes")
      }
      if ["version", "ndevices", "devices"].contains(key.name), !found.insert(key.name).inserted {
        throw failure("the key \(quoted(key.name)) appears more than once", at: line, key.column)
      }
      switch key.name {
      case "version": try readVersion(line, key)
      case "ndevices": declaredCount = try readNumber(line, key)
      case "devices": try readDevices(line, key)
      default: _ = try lines.block(line, under: key.column)
      }
      found.insert("")
    }
    for key in ["version", "devices"] where !found.contains(key) {
      throw HIDTraceError(
        HIDTextProblem(
          file: lines.source.name, location: .start,
          message: "expected a recording of libinput, found no key \(quoted(key))"))
    }
  }

  private mutating func readVersion(
    _ line: LibinputLine, _ key: LibinputKey
  ) throws(HIDTraceError) {
    guard try readNumber(line, key) == 1 else {
      throw failure(
        "expected version 1 of libinput's recordings, found \(quoted(key.value))", at: line,
        key.column, help: "hidsim reads only version 1")
    }
  }

  private mutating func readNumber(
    _ line: LibinputLine, _ key: LibinputKey
  ) throws(HIDTraceError) -> Int64? {
    let piece = try lines.smallBlock(line, key).piece(lines)
    do throws(LibinputFault) {
      return piece.number(try piece.value(of: key.name))
    } catch {
      throw error.error
    }
  }
}

// MARK: - Devices

extension LibinputOutline {
  private mutating func readDevices(
    _ line: LibinputLine, _ key: LibinputKey
  ) throws(HIDTraceError) {
    guard isNothing(key.value) else {
      throw failure(
        "expected the devices on the lines after \"devices:\", found "
          + "\(quoted(key.value, limit: 20)) on the same line",
        at: line, key.column,
        help: "hidsim reads only the layout that libinput writes")
    }
    var indentation: Int?
    while let line = try lines.next() {
      if line.isBlank { continue }
      if line.indentation == 0, !line.mayBeItem { return lines.goBack(to: line) }
      guard let column = line.itemColumn, line.indentation == indentation ?? line.indentation else {
        if !line.hasBreak { return }
        throw failure(
          "expected a device such as \"- node:\", found \(text(line))", at: line, line.indentation,
          help: "hidsim reads only the layout that libinput writes")
      }
      indentation = line.indentation
      guard entries.count < Self.maximumEntryCount else {
        throw failure(
          "the recording has more than \(Self.maximumEntryCount) devices", at: line, column)
      }
      try readDevice(line, column)
    }
  }

  private mutating func readDevice(_ first: LibinputLine, _ column: Int) throws(HIDTraceError) {
    var entry = Entry(index: entries.count, line: first)
    var found: Set<String> = []
    var line = first
    repeat {
      guard let key = line.key else {
        if !line.hasBreak { break }
        throw failure(
          "expected a key of a device such as \"evdev:\", found \(text(line))", at: line,
          line.indentation, help: "hidsim reads only the layout that libinput writes")
      }
      if ["evdev", "hid", "events"].contains(key.name), !found.insert(key.name).inserted {
        throw failure(
          "\(entry.title) has the key \(quoted(key.name)) more than once", at: line, key.column)
      }
      switch key.name {
      case "evdev":
        let range = try lines.smallBlock(line, key)
        let known = try whole(range, "device") { (piece) throws(LibinputFault) in
          try piece.description()
        }
        entry.name = known?.name
        entry.identity = known?.identity
        entry.version = known?.version
      case "hid":
        let range = try lines.smallBlock(line, key)
        let bytes = try whole(range, "report descriptor") { (piece) throws(LibinputFault) in
          try piece.bytes(
            piece.value(of: "hid"), of: "report descriptor",
            maximum: HIDTraceReader.maximumDescriptorByteCount)
        }
        if let bytes, let bytes, !bytes.isEmpty {
          entry.descriptor = bytes
          entry.descriptorLine = line.number
        }
      case "events": try readEvents(line, key, &entry)
      default: _ = try lines.block(line, under: column)
      }
    } while try nextKey(&line, column)
    entries.append(entry)
  }

  /// Reads the line of the next key of a device; returns false at the end of the device.
  private mutating func nextKey(
    _ line: inout LibinputLine, _ column: Int
  ) throws(HIDTraceError) -> Bool {
    while let next = try lines.next() {
      if next.isBlank { continue }
      guard next.indentation == column, !next.mayBeItem else {
        lines.goBack(to: next)
        return false
      }
      line = next
      return true
    }
    return false
  }

  private mutating func readEvents(
    _ line: LibinputLine, _ key: LibinputKey, _ entry: inout Entry
  ) throws(HIDTraceError) {
    guard isNothing(key.value) else {
      throw failure(
        "expected the events on the lines after \"events:\", found "
          + "\(quoted(key.value, limit: 20)) on the same line",
        at: line, key.column,
        help: "hidsim reads only the layout that libinput writes")
    }
    entry.events = LibinputItems(
      LibinputLines(lines.source, offset: lines.offset, number: lines.number), under: key.column,
      findsNodes: false)
    var items = LibinputItems(lines, under: key.column, findsNodes: true)
    while let item = try items.next() {
      lines = items.lines
      var nodes = item.nodes
      if nodes?.isEmpty ?? true || item.range.isLast {
        let isLenient = isLenient
        let reports = try whole(item.range, "event") { (piece) throws(LibinputFault) in
          try piece.reports(isLenient: isLenient)
        }
        if reports == nil { cutOffset = item.range.offset }
        nodes = reports?.reports.map(\.node)
      }
      for node in nodes ?? [] where !entry.nodes.contains(node) {
        guard entry.nodes.count < HIDTraceReader.maximumDeviceCount else {
          throw failure(
            "\(entry.title) has more than \(HIDTraceReader.maximumDeviceCount) hidraw nodes",
            at: entry.line, 0)
        }
        entry.nodes.append(node)
      }
    }
    lines = items.lines
  }
}

// MARK: - Cut files

extension LibinputOutline {
  /// Reads a part of the file; reports a cut and returns nil if the file ends in the middle of it.
  private mutating func whole<Value>(
    _ range: LibinputRange, _ what: String,
    _ read: (LibinputPiece) throws(LibinputFault) -> Value
  ) throws(HIDTraceError) -> Value? {
    let piece = try range.piece(lines)
    let problem = HIDTextProblem(
      file: piece.file, location: HIDTextLocation(line: range.line, column: 1),
      message: "the recording ends in the middle of this \(what): it was cut",
      help: "the part before it is read")
    let isCut = range.isLast && lines.isCut
    let endsWhole = isCut ? try hasWholeEnd() : true
    do throws(LibinputFault) {
      let value = try read(piece)
      if endsWhole { return value }
    } catch {
      guard range.isLast, error.isIncomplete || !endsWhole else { throw error.error }
    }
    reportCut(problem)
    return nil
  }

  /// Returns whether a file without a final line break ends after a whole value.
  ///
  /// The last byte that is not a space must be a line break or a closing bracket.
  private func hasWholeEnd() throws(HIDTraceError) -> Bool {
    let count = min(lines.offset, 64)
    let tail = try lines.bytes(at: lines.offset - count, count: count)
    guard let last = tail.last(where: { $0 != 0x20 }) else { return false }
    return [0x0A, 0x5D, 0x7D].contains(last)
  }

  private mutating func reportCut(_ problem: HIDTextProblem) {
    guard cut == nil else { return }
    cut = problem
    warnings.add(problem)
  }

  private func isNothing(_ value: String) -> Bool {
    ["", "[]", "[ ]", "null", "~"].contains(value)
  }

  private func text(_ line: LibinputLine) -> String {
    quoted(String(decoding: line.start, as: UTF8.self), limit: 20)
  }

  private func failure(
    _ message: String, at line: LibinputLine, _ column: Int, help: String? = nil
  ) -> HIDTraceError {
    HIDTraceError(lines.problem(message, at: line, column, help: help))
  }
}
