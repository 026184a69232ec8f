// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A HID device of the kernel in sysfs, with the nodes, LEDs and batteries that its driver made.
struct KernelDevice {
  /// The device's hidraw node.
  let node: String
  private let folder: URL

  /// Finds the device that has a hidraw node.
  init(node: String) {
    self.node = node
    folder = URL(filePath: "/sys/class/hidraw/\(URL(filePath: node).lastPathComponent)/device")
      .resolvingSymlinksInPath()
  }

  /// The kernel's name of the device: bus, vendor, product, number.
  var name: String { folder.lastPathComponent }

  /// The name of the driver that has taken the device.
  var driver: String {
    folder.appending(path: "driver").resolvingSymlinksInPath().lastPathComponent
  }

  /// Returns the event nodes by the names of their input devices.
  func eventNodes() throws -> [String: String] {
    var nodes: [String: String] = [:]
    for input in try names(in: "input") {
      let name = try text("input/\(input)/name")
      for node in try names(in: "input/\(input)") where node.hasPrefix("event") {
        nodes[name] = "/dev/input/\(node)"
      }
    }
    return nodes
  }

  /// Opens the event node of the input device with this name.
  func open(_ name: String) throws -> EvdevNode {
    let nodes = try eventNodes()
    guard let path = nodes[name] else { throw EndToEndError("no event node \(name) in \(nodes)") }
    return try EvdevNode(path)
  }

  /// Returns the bits that are set in a mask of an event node's device: `capabilities/key`,
  /// `properties` and others.
  ///
  /// The file has the highest bits first.
  func bits(_ mask: String, of node: String) throws -> Set<Int> {
    let event = URL(filePath: node).lastPathComponent
    let words = try String(
      contentsOfFile: "/sys/class/input/\(event)/device/\(mask)", encoding: .utf8
    )
    .split(whereSeparator: \.isWhitespace).reversed()
    var bits: Set<Int> = []
    for (index, word) in words.enumerated() {
      let value = try #require(UInt64(word, radix: 16))
      for bit in 0..<64 where value >> bit & 1 == 1 { bits.insert(index * 64 + bit) }
    }
    return bits
  }

  /// Returns the text of a file in the device's folder, without the white space at its ends.
  func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns the folder of the one LED whose name ends in `suffix`.
  func lamp(_ suffix: String) throws -> URL {
    let root = URL(filePath: "/sys/class/leds")
    let all = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    let found = all.filter {
      $0.hasSuffix(suffix)
        && root.appending(path: $0).resolvingSymlinksInPath().path.hasPrefix(folder.path + "/")
    }
    guard let name = found.first, found.count == 1 else {
      throw EndToEndError("not one lamp \(suffix) of \(self.name) in \(all)")
    }
    return root.appending(path: name)
  }

  /// Returns colour and function of all the LEDs that the driver made.
  func lamps() throws -> [String] {
    try names(in: "leds").map { $0.split(separator: ":").suffix(2).joined(separator: ":") }
  }

  /// Returns a value of the device's battery, such as `capacity` or `status`.
  func battery(_ value: String) throws -> String {
    let batteries = try names(in: "power_supply")
    let battery = try #require(batteries.first, "no battery")
    return try text("power_supply/\(battery)/\(value)")
  }

  /// Requests a feature report through hidraw (HIDIOCGFEATURE).
  ///
  /// The first byte of the returned report is its ID.
  func feature(_ id: UInt8, byteCount: Int) throws -> [UInt8] {
    let file = Glibc.open(node, O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      throw EndToEndError("open \(node): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: byteCount)
    bytes[0] = id
    let request = UInt(0xc000_4807) | UInt(byteCount) << 16
    let length = bytes.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(file, request, $0) } ?? -1
    }
    guard length >= 0 else {
      throw EndToEndError("feature \(id) of \(node): \(String(cString: strerror(errno)))")
    }
    return Array(bytes.prefix(Int(length)))
  }

  private func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
  }
}

extension URL {
  /// Writes `text` to this file of sysfs.
  func write(_ text: String) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw EndToEndError("open \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw EndToEndError("write \(text) to \(path): \(String(cString: strerror(errno)))")
    }
  }
}
