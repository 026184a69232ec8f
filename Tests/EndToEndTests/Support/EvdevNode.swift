// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// An event of linux/input.h, without its time.
struct EvdevEvent: Equatable, CustomStringConvertible {
  static let byteCount = 24

  var type: UInt16
  var code: UInt16
  var value: Int32

  static func key(_ code: UInt16, _ value: Int32) -> Self {
    Self(type: 1, code: code, value: value)
  }
  static func relative(_ code: UInt16, _ value: Int32) -> Self {
    Self(type: 2, code: code, value: value)
  }
  static func absolute(_ code: UInt16, _ value: Int32) -> Self {
    Self(type: 3, code: code, value: value)
  }

  var description: String { "\(type)/\(code)=\(value)" }

  /// The bytes in host byte order, after 16 bytes of time.
  fileprivate var bytes: [UInt8] {
    [UInt8](repeating: 0, count: 16) + [UInt8(type & 0xff), UInt8(type >> 8)]
      + [UInt8(code & 0xff), UInt8(code >> 8)]
      + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  fileprivate init(bytes: ArraySlice<UInt8>) {
    let raw = Array(bytes)
    type = UInt16(raw[16]) | UInt16(raw[17]) << 8
    code = UInt16(raw[18]) | UInt16(raw[19]) << 8
    value = Int32(truncatingIfNeeded: raw[20..<24].reversed().reduce(0) { $0 << 8 | Int64($1) })
  }

  init(type: UInt16, code: UInt16, value: Int32) {
    self.type = type
    self.code = code
    self.value = value
  }
}

/// An event node of the kernel, read and written as programs do.
final class EvdevNode {
  let path: String
  private let descriptor: Int32
  /// The events that were read but not yet returned.
  private var pending: [EvdevEvent] = []

  /// Opens a node.
  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw EndToEndError("open \(path): \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Reads until these events have come in this order, with any events between them.
  ///
  /// - Throws: An error with the events that came instead, after ten to twenty seconds, or if the
  ///   node is gone.
  /// - Returns: All events up to the last wanted one, without EV_SYN and EV_MSC.
  @discardableResult
  func wait(for wanted: [EvdevEvent]) throws -> [EvdevEvent] {
    var missing = wanted[...]
    var seen: [EvdevEvent] = []
    let end = ContinuousClock.now + .seconds(10)
    while true {
      while let wanted = missing.first, !pending.isEmpty {
        let event = pending.removeFirst()
        if event == wanted { missing = missing.dropFirst() }
        if event.type != 0, event.type != 4 { seen.append(event) }
      }
      guard !missing.isEmpty else { return seen }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard ContinuousClock.now < end, poll(&waiting, 1, 10_000) == 1 else {
        throw EndToEndError("\(path): \(missing) did not come after \(seen.suffix(60))")
      }
      let events = readOnce()
      guard !events.isEmpty else { throw EndToEndError("\(path) is gone, before \(missing)") }
      pending += events
    }
  }

  /// Waits for events, and returns all that are available then; none if the node is gone.
  ///
  /// - Throws: An error after ten seconds without an event.
  func next() throws -> [EvdevEvent] {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard !pending.isEmpty || poll(&waiting, 1, 10_000) == 1 else {
      throw EndToEndError("no event came at \(path)")
    }
    return available()
  }

  /// Returns the events that are available, without waiting.
  func available() -> [EvdevEvent] {
    var events = pending
    pending = []
    while case let more = readOnce(), !more.isEmpty { events += more }
    return events
  }

  /// Reads once; returns no event if none is available, or if the node is gone.
  private func readOnce() -> [EvdevEvent] {
    var bytes = [UInt8](repeating: 0, count: 64 * EvdevEvent.byteCount)
    let length = read(descriptor, &bytes, bytes.count)
    return stride(from: 0, to: max(0, length), by: EvdevEvent.byteCount).map {
      EvdevEvent(bytes: bytes[$0..<$0 + EvdevEvent.byteCount])
    }
  }

  /// Writes an event (EV_LED, EV_FF …), and EV_SYN after it.
  func write(_ event: EvdevEvent) throws {
    let bytes = event.bytes + EvdevEvent(type: 0, code: 0, value: 0).bytes
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw EndToEndError("write \(event) to \(path): \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the kernel's state of an axis: value, minimum, maximum, fuzz, flat, resolution
  /// (EVIOCGABS).
  func axis(_ code: UInt16) throws -> [Int32] {
    var info = [Int32](repeating: 0, count: 6)
    try control(0x8018_4540 + UInt(code), &info)
    return info
  }

  /// Uploads a rumble effect of one second and plays it (EVIOCSFF, EV_FF).
  ///
  /// - Parameter strong: The magnitude of the heavy motor.
  /// - Parameter weak: The magnitude of the light motor.
  func rumble(strong: UInt16, weak: UInt16) throws {
    // struct ff_effect: type FF_RUMBLE, ID -1 (a new effect), direction, trigger, replay of 1000
    // ms, then the magnitudes.
    var effect = [UInt16](repeating: 0, count: 24)
    effect[0] = 0x50
    effect[1] = 0xffff
    effect[5] = 1000
    effect[8] = strong
    effect[9] = weak
    try control(0x4030_4580, &effect)
    try write(EvdevEvent(type: 0x15, code: effect[1], value: 1))
  }

  /// Uploads a constant force and plays it (EVIOCSFF, EV_FF).
  ///
  /// - Parameter level: The force, at most 0x7fff.
  /// - Parameter direction: The direction as in linux/input.h: 0x4000 is left.
  /// - Parameter milliseconds: How long the force lasts.
  func force(_ level: UInt16, direction: UInt16, milliseconds: UInt16) throws {
    // struct ff_effect: type FF_CONSTANT, ID -1 (a new effect), direction, trigger, replay, level.
    var effect = [UInt16](repeating: 0, count: 24)
    effect[0] = 0x52
    effect[1] = 0xffff
    effect[2] = direction
    effect[5] = milliseconds
    effect[8] = level
    try control(0x4030_4580, &effect)
    try write(EvdevEvent(type: 0x15, code: effect[1], value: 1))
  }

  private func control<Value: BitwiseCopyable>(_ request: UInt, _ values: inout [Value]) throws {
    let result = values.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(descriptor, request, $0) } ?? -1
    }
    guard result >= 0 else {
      throw EndToEndError(
        "ioctl \(String(request, radix: 16)) of \(path): \(String(cString: strerror(errno)))")
    }
  }
}
