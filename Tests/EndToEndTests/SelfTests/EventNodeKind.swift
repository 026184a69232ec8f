// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The kind of device that an evdev node belongs to, by its capabilities.
struct EventNodeKind {
  private var keys: Set<Int>
  private var axes: Set<Int> = []
  private var motions: Set<Int> = []
  private var properties: Set<Int> = []
  private var otherKeys: Set<Int> = []
  private var otherProperties: Set<Int> = [accelerometer]

  // Numbers from linux/input-event-codes.h.
  private static let (pointer, direct, accelerometer) = (0, 1, 6)
  private static let (keyA, left, start, touch) = (30, 0x110, 0x13b, 0x14a)
  private static let (pen, stylus) = (0x140, 0x14b)

  /// The kinds, by the names of applications in the self-tests.
  private static let named: [String: EventNodeKind] = [
    "Key": EventNodeKind(keys: [keyA], otherProperties: [pointer, direct, accelerometer]),
    "Mouse": EventNodeKind(keys: [left], motions: [0, 1]),
    "Touch Screen": EventNodeKind(
      keys: [touch], axes: [0, 1], properties: [direct], otherKeys: [pen, stylus]),
    "Touch Pad": EventNodeKind(
      keys: [left], axes: [0, 1], properties: [pointer], otherKeys: [pen, stylus]),
    "Pen": EventNodeKind(keys: [stylus], axes: [0, 1]),
    "Game Pad": EventNodeKind(keys: [start], axes: [0, 1, 3, 4]),
    "Joystick": EventNodeKind(keys: [start], axes: [0, 1, 3, 4]),
  ]

  /// Finds the node of a kind.
  ///
  /// If several nodes are of the kind, the function returns the last one, as the self-tests do.
  static func find(_ application: String, among nodes: [String]) throws -> String {
    guard let kind = named[application] else { throw EndToEndError("no kind \(application)") }
    guard let node = try nodes.last(where: kind.fits) else {
      throw EndToEndError("none of \(nodes) is a \(application)")
    }
    return node
  }

  private func fits(_ node: String) throws -> Bool {
    let folder = "/sys/class/input/\(node.dropFirst("/dev/input/".count))/device"
    let theirKeys = try Self.numbers("\(folder)/capabilities/key")
    let theirProperties = try Self.numbers("\(folder)/properties")
    return try theirKeys.isSuperset(of: keys) && theirKeys.isDisjoint(with: otherKeys)
      && theirProperties.isSuperset(of: properties)
      && theirProperties.isDisjoint(with: otherProperties)
      && Self.numbers("\(folder)/capabilities/abs").isSuperset(of: axes)
      && Self.numbers("\(folder)/capabilities/rel").isSuperset(of: motions)
  }

  /// Returns the bits that are set in a file of sysfs: words of 64 bits in hex, the highest word
  /// first.
  private static func numbers(_ path: String) throws -> Set<Int> {
    let words = try String(contentsOfFile: path, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).reversed().map { UInt64($0, radix: 16) ?? 0 }
    return Set(
      words.enumerated().flatMap { index, word in
        (0..<64).filter { word >> UInt64($0) & 1 == 1 }.map { index * 64 + $0 }
      })
  }
}
