// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import Testing
import TestSupport

@Suite("Reports from controls by name", .timeLimit(.minutes(5)))
struct HIDReportComposerTests {
  /// A keyboard and a mouse in one descriptor: report 1 has keys and lamps; report 2 has X and Y,
  /// as input and as feature.
  private static let combination: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x85, 0x01, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00,
    0x25, 0x65, 0x75, 0x08, 0x95, 0x02, 0x81, 0x00, 0x05, 0x08, 0x19, 0x01, 0x29, 0x02, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x91, 0x02, 0xc0,
    0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x02, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7f,
    0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0x09, 0x30, 0x09, 0x31, 0xb1, 0x02, 0xc0,
  ]

  private func compose(
    _ assignments: String..., type: HIDReportType? = nil, id: HIDReportID? = nil,
    controls: [String: String] = [:], of bytes: [UInt8] = combination
  ) throws -> [[UInt8]] {
    var composer = HIDReportComposer(
      try HIDReportDescriptor(parsing: bytes), controls: controls, type: type, reportID: id)
    for assignment in assignments { try composer.set(assignment) }
    return composer.reports.map(\.bytes)
  }

  @Test("each report with a named control is composed with its ID, in the order of the names")
  func reports() throws {
    #expect(try compose("a") == [[0x01, 0x04, 0x00]])
    #expect(
      try compose("y=5", "a", "genericDesktop.x=-1") == [[0x02, 0xff, 0x05], [0x01, 0x04, 0x00]])
    #expect(try compose("led.capsLock") == [[0x01, 0x02]])
    #expect(try compose() == [])
  }

  @Test("a letter that is a key and an axis means the one that its value suits")
  func letters() throws {
    #expect(try compose("x") == [[0x01, 0x1b, 0x00]])
    #expect(try compose("x=on") == [[0x01, 0x1b, 0x00]])
    #expect(try compose("x=5") == [[0x02, 0x05, 0x00]])
    #expect(try compose("x=100%") == [[0x02, 0x7f, 0x00]])
    #expect(try compose("x=-1n") == [[0x02, 0x81, 0x00]])
    #expect(try compose("x=1", id: HIDReportID(rawValue: 2)) == [[0x02, 0x01, 0x00]])
  }

  @Test("a name of the device file comes first, and a usage is found by its name or its number")
  func names() throws {
    #expect(try compose("a=3", controls: ["a": "genericDesktop.y"]) == [[0x02, 0x00, 0x03]])
    #expect(try compose("keyboardOrKeypad.keyboardB") == [[0x01, 0x05, 0x00]])
    #expect(try compose("0x0001.0x0030=9") == [[0x02, 0x09, 0x00]])
    #expect(try compose("0x07.0x06") == [[0x01, 0x06, 0x00]])
  }

  @Test("a type or an ID selects the report that has the named control")
  func choice() throws {
    #expect(try compose("genericDesktop.x=3", type: .feature) == [[0x02, 0x03, 0x00]])
    let problem = #expect(throws: HIDReportComposer.Problem.self) {
      try compose("a", type: .output)
    }
    #expect(problem?.message == "no output report has a control \"a\"")
    let other = #expect(throws: HIDReportComposer.Problem.self) {
      try compose("a", id: HIDReportID(rawValue: 2))
    }
    #expect(other?.message == "no report 2 has a control \"a\"")
  }

  static let problems = [
    (
      "leftShfit",
      "no report has a control \"leftShfit\"; use a name that hidsim decode prints"
    ),
    ("led.capsLok", "no report has a control \"led.capsLok\"; did you mean \"led.capsLock\"?"),
    ("x=", "\"x=\": expected a value, found \"\"; such as on, off, 12, 50%, 0.5n or 12.5p"),
    ("x=101%", "\"x=101%\": \"101%\" is out of range; percentages go from 0% to 100%"),
    ("x=128", "\"x=128\": genericDesktop.x cannot be 128; expected -127 to 127"),
    ("=1", "no report has a control \"\""),
    ("", "no report has a control \"\""),
    ("a=5", "\"a=5\": keyboardOrKeypad.keyboardA cannot be 5; expected 0 to 1"),
  ]

  @Test("a wrong assignment is refused with its message", arguments: problems)
  func problem(assignment: String, message: String) throws {
    let problem = #expect(throws: HIDReportComposer.Problem.self) { try compose(assignment) }
    #expect(problem?.description.hasPrefix(message) == true, "\(problem?.description ?? "")")
  }

  @Test("an assignment that is refused leaves the reports as they were")
  func unchanged() throws {
    var composer = HIDReportComposer(try HIDReportDescriptor(parsing: Self.combination))
    try composer.set("a")
    try composer.set("b")
    for refused in ["c", "x=500", "nothing"] {
      #expect(throws: HIDReportComposer.Problem.self) { try composer.set(refused) }
    }
    #expect(composer.reports.map(\.bytes) == [[0x01, 0x04, 0x05]])
    try composer.set("a=off")
    #expect(composer.reports.map(\.bytes) == [[0x01, 0x05, 0x00]])
  }

  @Test("a 64-bit element takes its largest value, and refuses values outside its range")
  func wide() throws {
    let bytes: [UInt8] = [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x09, 0x02, 0x75, 0x40, 0x95, 0x01, 0x81, 0x02,
      0xc0,
    ]
    #expect(
      try compose("0xff00.0x0002=9223372036854775807", of: bytes)
        == [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]])
    #expect(
      try compose("0xff00.0x0002=0x123456789ab", of: bytes)
        == [[0xab, 0x89, 0x67, 0x45, 0x23, 0x01, 0x00, 0x00]])
    for refused in ["9223372036854775808", "-1", "0x"] {
      #expect(throws: HIDReportComposer.Problem.self) {
        try compose("0xff00.0x0002=\(refused)", of: bytes)
      }
    }
  }

  @Test(
    "each control of the corpus can be set by its name to both ends of its range",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func roundTrip() async throws {
    var count = 0
    for row in try DescriptorCorpus.rows("index.tsv") where row[0].hasSuffix(".hex") {
      await Task.yield()
      let file = String(row[0])
      let bytes = try DescriptorCorpus.bytes(file)
      guard let descriptor = try? HIDReportDescriptor(parsing: bytes), descriptor.elementCount < 300
      else { continue }
      for layout in descriptor.reports {
        for control in layout.controls {
          guard let range = layout.settableRange(of: control),
            (1...64).contains(layout.fields[control.fieldIndex].bitSize)
          else { continue }
          let name = descriptor.name(of: control)
          for value in [range.lowerBound, range.upperBound] {
            var composer = HIDReportComposer(descriptor, type: layout.type)
            do {
              try composer.set("\(name)=\(value)")
            } catch {
              Issue.record("\(file): \(name)=\(value): \(error)")
              continue
            }
            let made = try #require(composer.reports.first)
            if made.layout != layout || layout.value(of: control, in: made.bytes) != value {
              Issue.record("\(file): \(name)=\(value) made \(made.bytes)")
            }
          }
        }
      }
      count += 1
    }
    #expect(count >= 300)
  }
}
