// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import IOLoop

@testable import HIDBus

/// The properties of an event node that programs see, of the running kernel or as predicted.
struct KernelNode: Equatable, CustomStringConvertible {
  var name: String
  var properties: [Int]
  /// The codes of the events by type; the types are under `ev`.
  var events: [String: [Int]]
  /// The ranges of the absolute axes: minimum, maximum, fuzz, flat, resolution.
  var axes: [Int: [Int32]]

  /// The number of values and names that are compared.
  var factCount: Int {
    1 + properties.count + events.values.reduce(0) { $0 + $1.count } + axes.count * 5
  }

  var description: String {
    let events = events.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let axes = axes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "\(name) properties=\(properties) \(events.joined(separator: " ")) \(axes)"
  }

  /// Makes the node that a mapping predicts.
  init(_ node: EvdevNode) {
    name = node.name(ofDevice: PluggedDevice.name)
    properties = node.properties.map { Int($0.rawValue) }
    events = ["ev": node.eventTypes.map { Int($0.rawValue) }]
    let names: [(EvdevEventType, String)] = [
      (.key, "key"), (.relative, "rel"), (.absolute, "abs"), (.miscellaneous, "msc"),
      (.led, "led"),
    ]
    for (type, name) in names {
      events[name] = node.codes.filter { $0.type == type }.map { Int($0.number) }
    }
    axes = Dictionary(
      uniqueKeysWithValues: node.axes.map {
        (Int($0.code.number), [$0.minimum, $0.maximum, $0.fuzz, $0.flat, $0.resolution])
      })
    for name in ["snd", "sw", "ff"] { events[name] = [] }
  }

  /// Returns the nodes of a device, in the order in which the kernel made them.
  ///
  /// - Parameter folder: The device's folder under `/sys/bus/hid/devices`.
  static func all(of folder: String) -> [KernelNode] {
    let inputs = "/sys/bus/hid/devices/\(folder)/input"
    return SysFS.names(in: inputs).filter { $0.hasPrefix("input") }
      .sorted { (Int($0.dropFirst(5)) ?? 0) < (Int($1.dropFirst(5)) ?? 0) }
      .map { KernelNode(reading: "\(inputs)/\($0)") }
  }

  private init(reading input: String) {
    name = SysFS.line("\(input)/name") ?? ""
    properties = Self.numbers(SysFS.line("\(input)/properties"))
    events = [:]
    for type in ["ev", "key", "rel", "abs", "msc", "led", "snd", "sw", "ff"] {
      events[type] = Self.numbers(SysFS.line("\(input)/capabilities/\(type)"))
    }
    axes = [:]
    guard let axis = events["abs"], !axis.isEmpty,
      let node = SysFS.names(in: input).first(where: { $0.hasPrefix("event") })
    else { return }
    let file = open("/dev/input/\(node)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    for number in axis {
      // EVIOCGABS(number) returns the value, and then the five numbers that are kept here.
      var info = [Int32](repeating: 0, count: 6)
      guard clinux_ioctl(file, 0x8018_4540 + UInt(number), &info) == 0 else { continue }
      axes[number] = Array(info.dropFirst())
    }
  }

  /// Returns the bits that are set in a bitmap of sysfs, which has words of 64 bits in hex, the
  /// highest first.
  private static func numbers(_ bitmap: String?) -> [Int] {
    let words = (bitmap ?? "").split(separator: " ").reversed().map { UInt64($0, radix: 16) ?? 0 }
    return words.enumerated().flatMap { index, word in
      (0..<64).filter { word & 1 << UInt64($0) != 0 }.map { index * 64 + $0 }
    }
  }
}
