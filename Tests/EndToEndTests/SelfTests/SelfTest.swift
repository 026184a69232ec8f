// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDTraces
import TestSupport

/// One of the kernel's own HID self-tests: a device, the reports it sent, and the events that
/// followed.
///
/// The events are those that the self-test read from one evdev node, with the drivers of Linux
/// 6.12.107, and accepted as right.
struct SelfTest: Sendable {
  /// A point in the self-test at which it took the pending events.
  struct Look: Decodable, Sendable {
    /// The number of reports that the device had sent.
    var afterReports: Int
    /// The kind of the node that the events were read from: a name of ``EventNodeKind``.
    var application: String
    /// All events since the previous look: type, code and value, with those that end a packet.
    var events: [[Int]]

    private enum CodingKeys: String, CodingKey {
      case afterReports = "after_reports"
      case application, events
    }
  }

  /// The name of the self-test: its file, its class (a kind of device) and its function.
  let name: String
  let recording: HIDTrace
  /// The looks in order, all of the same application.
  let looks: [Look]

  private static let folder = "kernel-selftests/traces"

  /// Reads a self-test of the corpus.
  init(_ name: String) throws {
    self.name = name
    recording = try HIDTrace(
      Array(try DescriptorCorpus.text("\(Self.folder)/\(name).hid").utf8), name: "\(name).hid")
    let expected = try DescriptorCorpus.text("\(Self.folder)/\(name).expected.json")
    looks = Self.split(try JSONDecoder().decode([Look].self, from: Data(expected.utf8)), of: name)
  }

  /// The names of all self-tests in order; empty if there is no corpus.
  static let names: [String] = {
    let path = DescriptorCorpus.directory.appending(path: folder).path
    let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return files.sorted().filter { $0.hasSuffix(".hid") }.map { String($0.dropLast(4)) }
  }()

  /// Returns the file and class of a self-test, which name its device.
  static func device(of name: String) -> String {
    let function = name.dropFirst("test_".count).range(of: "_test_")
    return String(name[..<(function?.lowerBound ?? name.endIndex)])
  }

  /// Returns the looks of a self-test; in one self-test, the second look is split in two.
  ///
  /// In that self-test (Testelan, `max_contact`) the second report came 116 ms after the first.
  /// hid-multitouch had lifted the fingers after 100 ms, so the first packet of the second look
  /// belongs before the second report. That packet becomes the only packet of a look of its own.
  private static func split(_ looks: [Look], of name: String) -> [Look] {
    guard name == "test_multitouch_Testelan_04f3_000c_test_mt_max_contact",
      let end = looks.last?.events.firstIndex(of: [0, 0, 0])
    else { return looks }
    var lifted = looks[1]
    var second = looks[1]
    lifted.afterReports = 1
    lifted.events = Array(looks[1].events[...end])
    second.events = Array(looks[1].events[(end + 1)...])
    return [looks[0], lifted, second]
  }
}
