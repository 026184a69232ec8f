// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// umockdev's recording of the ioctls of hidraw nodes, a `.ioctl` file.
///
/// A line `@DEV /dev/hidraw5` begins a node. Each line after it has a name, the return value, and
/// the memory in hexadecimal. The file has no times.
struct UmockdevIoctls: Sendable {
  /// The recorded data of one node.
  struct Node: Sendable {
    var descriptor: [UInt8]?
    /// The answers to `HIDIOCGFEATURE`: the first one for each ID.
    var reports: [HIDTraceInitialReport] = []
    /// The reports of `HIDIOCSFEATURE`, set or refused, in the order of the file.
    var sets: [HIDTraceSet] = []
  }

  /// The largest number of ioctls that are kept; further ones are ignored.
  private static let maximumCount = 4096

  private var nodes: [String: Node] = [:]
  private var count = 0

  /// Reads a list of ioctls, and ignores the ioctls of nodes other than hidraw.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - findings: Receives the problems of the file's content.
  /// - Throws: An error if the file cannot be read, or if a line is too long.
  init(_ source: HIDTraceSource, _ findings: inout UmockdevFindings) throws(HIDTraceError) {
    var lines = UmockdevLines(source)
    var node: String?
    while let line = try lines.next(), !findings.isFull {
      let words = line.bytes.split(maxSplits: 3) { $0 == 0x20 || $0 == 0x0D }
      guard let name = words.first else { continue }
      if name.elementsEqual("@DEV".utf8) {
        node = words.count > 1 ? hidrawNode(words[1]) : nil
      } else if let node, name.starts(with: Array("HIDIOC".utf8)) {
        do throws(HIDTextProblem) {
          try read(String(decoding: name, as: UTF8.self), words, node, line, source.name)
        } catch {
          findings.doubt(error)
        }
      }
    }
  }

  subscript(node: String) -> Node? { nodes[node] }

  private mutating func read(
    _ name: String, _ words: [ArraySlice<UInt8>], _ node: String, _ line: UmockdevLines.Line,
    _ file: String
  ) throws(HIDTextProblem) {
    let isGet = name.hasPrefix("HIDIOCGFEATURE")
    let isSet = name.hasPrefix("HIDIOCSFEATURE")
    guard isGet || isSet || name == "HIDIOCGRDESC", count < Self.maximumCount else { return }
    guard words.count == 3, let result = Int(String(decoding: words[1], as: UTF8.self)),
      let memory = hexadecimal(words[2])
    else {
      throw HIDTextProblem(
        file: file, location: line.place(),
        message: "expected \"\(isGet ? "HIDIOCGFEATURE" : isSet ? "HIDIOCSFEATURE" : name)\", "
          + "its return value, and bytes in hexadecimal, found "
          + quoted(String(decoding: line.bytes.prefix(160), as: UTF8.self), limit: 60))
    }
    count += 1
    if isGet {
      guard result > 0, result <= memory.count else { return }
      get(Array(memory.prefix(result)), node)
    } else if isSet {
      guard !memory.isEmpty, memory.count <= HIDTraceReader.maximumReportByteCount else { return }
      let id = HIDReportID(rawValue: memory[0])
      nodes[node, default: Node()].sets.append(
        HIDTraceSet(
          type: .feature, id: id, report: report(memory),
          answer: result < 0 ? .error : .acknowledged))
    } else if result >= 0, memory.count >= 4 {
      // The size has the byte order of the recording machine. All relevant machines are
      // little-endian.
      let size = Int(memory[0]) | Int(memory[1]) << 8 | Int(memory[2]) << 16 | Int(memory[3]) << 24
      guard (1...HIDTraceReader.maximumDescriptorByteCount).contains(size),
        memory.count >= 4 + size
      else { return }
      nodes[node, default: Node()].descriptor = Array(memory[4..<4 + size])
    }
  }

  private mutating func get(_ memory: [UInt8], _ node: String) {
    guard memory.count <= HIDTraceReader.maximumReportByteCount else { return }
    let id = HIDReportID(rawValue: memory[0])
    guard nodes[node]?.reports.contains(where: { $0.id == id }) != true else { return }
    nodes[node, default: Node()].reports.append(
      HIDTraceInitialReport(type: .feature, id: id, bytes: report(memory)))
  }

  /// Returns a report from hidraw's memory, without the 0 that means no ID.
  private func report(_ memory: [UInt8]) -> HIDReportBytes {
    HIDReportBytes(memory[0] == 0 ? Array(memory.dropFirst()) : memory)
  }
}

/// Returns the name of the hidraw node in a path such as `/dev/hidraw5`; nil for other paths.
func hidrawNode(_ path: ArraySlice<UInt8>) -> String? {
  let start = Array("/dev/".utf8)
  guard path.starts(with: start + Array("hidraw".utf8)), path.count < 24 else { return nil }
  return String(decoding: path.dropFirst(start.count), as: UTF8.self)
}
