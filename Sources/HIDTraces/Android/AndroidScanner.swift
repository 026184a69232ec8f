// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of a file with commands of Android's `hid` program, one by one, in constant memory.
///
/// A copy continues from the same position, independent of the original.
struct AndroidScanner: Sendable {
  /// The result of reading one value of the file.
  enum Step: Sendable {
    /// The first command of a new device.
    ///
    /// The index of the device is the next one among the devices.
    case register(AndroidDevice, id: Int)
    /// A command to a device, with the index of the device.
    case command(AndroidCommand, device: Int)
    /// Text that is not JSON, a value that is not a command, or a command that is not valid.
    case bad([HIDTextProblem])
    /// A value in the middle of which the file ends, with the location where it begins.
    case truncated(HIDTextLocation)
  }

  /// The longest command, in bytes.
  static let maximumByteCount = 1 << 20
  private static let chunkByteCount = 64 << 10

  private let source: HIDTraceSource
  private var framer: StreamFramer
  private var offset = 0
  private var hasEnded = false
  /// The problem of an incomplete value, kept until the next read shows whether the file ends
  /// there; nil if there is none.
  private var unended: HIDTextProblem?
  /// The value after an incomplete value, which was already read; nil if there is none.
  private var ahead: StreamFramer.Frame?
  /// The index of each device by its number, with the line that registers the device.
  private var places: [Int: (place: Int, line: Int)] = [:]
  /// The number of values that ``next()`` has returned.
  private(set) var count = 0
  /// The line in which the value that was returned last begins; for text that is not JSON, the line
  /// of the problem.
  private(set) var line = 0

  init(_ source: HIDTraceSource) {
    self.source = source
    framer = StreamFramer(file: source.name, maximumByteCount: Self.maximumByteCount)
  }

  /// Reads the next value; nil at the end.
  mutating func next() throws(HIDTraceError) -> Step? {
    guard let frame = try nextFrame() else {
      guard let problem = unended else { return nil }
      unended = nil
      count += 1
      line = problem.location.line
      return .truncated(problem.location)
    }
    if let problem = unended {
      // The file continues after the value, so the file was not cut there.
      unended = nil
      ahead = frame
      return bad(problem)
    }
    switch frame {
    case .value(let node): return step(node)
    case .bad(var problem):
      guard framer.isTruncated else { return bad(problem) }
      problem.location = framer.startLocation
      unended = problem
      return try next()
    }
  }

  private mutating func bad(_ problem: HIDTextProblem) -> Step {
    count += 1
    line = problem.location.line
    return .bad([problem])
  }

  private mutating func nextFrame() throws(HIDTraceError) -> StreamFramer.Frame? {
    if let frame = ahead {
      ahead = nil
      return frame
    }
    while true {
      if let frame = framer.next() { return frame }
      guard !hasEnded else { return nil }
      var chunk = try source.bytes(at: offset, count: Self.chunkByteCount)
      if chunk.isEmpty {
        hasEnded = true
        framer.finish()
      }
      let isMarked = offset == 0 && chunk.starts(with: [0xEF, 0xBB, 0xBF])
      offset += chunk.count
      if isMarked { chunk.removeFirst(3) }
      framer.append(chunk)
    }
  }

  private mutating func step(_ node: JSONNode) -> Step {
    count += 1
    line = node.location.line
    let id: Int
    let command: AndroidCommand
    do throws(HIDTraceError) {
      (id, command) = try AndroidCommandReader.read(node, file: source.name)
    } catch {
      return .bad(error.problems)
    }
    if let known = places[id] {
      guard case .register = command else { return .command(command, device: known.place) }
      return .bad([
        problem("device \(id) is registered already, in line \(known.line)", at: node.location)
      ])
    }
    guard case .register(let device) = command else {
      return .bad([
        AndroidCommandReader.unregistered(id, file: source.name, at: node.location)
      ])
    }
    guard places.count < HIDTraceReader.maximumDeviceCount else {
      return .bad([
        problem(HIDTraceReader.tooManyDevices, at: node.location)
      ])
    }
    places[id] = (places.count, line)
    return .register(device, id: id)
  }

  private func problem(_ message: String, at location: HIDTextLocation) -> HIDTextProblem {
    HIDTextProblem(file: source.name, location: location, message: message)
  }
}
