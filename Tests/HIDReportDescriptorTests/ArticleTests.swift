// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import Testing

/// Tests of the article's code: each line of its blocks must be found here, word for word, except
/// comments and the lines whose output is compared.
@Suite("the article about the model")
struct ArticleTests {
  private let bytes = Example.mouse

  @Test("the article's examples have the results in their comments")
  func examples() throws {
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    for report in descriptor.reports {
      print(report.type, report.id as Any, report.byteCount, "bytes")
      for field in report.fields where !field.isPadding {
        print(
          "  bit \(field.bitOffset): \(field.count) x \(field.bitSize) bits",
          field.usages.map(\.name))
      }
    }
    #expect(descriptor.reports.map(\.byteCount) == [4])
    #expect(descriptor.reports[0].fields.map(\.count) == [8, 3])

    let wheel = descriptor.controls(named: "genericDesktop.wheel", type: .input)[0]
    let mouse = descriptor.reports[0]
    let moved: [UInt8] = [0b0000_0001, 0x05, 0xfb, 0xff]
    #expect(mouse.value(of: wheel, in: moved) == -1)
    #expect(mouse.value(of: .genericDesktop(.y), in: moved) == -5)

    let decoder = HIDReportDecoder(mouse)
    var values = [Int64](repeating: 0, count: decoder.valueCount)
    var span = values.mutableSpan
    _ = decoder.decode(moved.span, into: &span)
    var changes: [String] = []
    decoder.forEachChange(from: nil, to: moved.span) { control, _, value in
      changes.append("\(descriptor.name(of: control)) \(value)")
    }
    #expect(values == [1, 0, 0, 0, 0, 0, 0, 0, 5, -5, -1])
    #expect(
      changes == [
        "button 1 1", "genericDesktop.x 5", "genericDesktop.y -5", "genericDesktop.wheel -1",
      ])

    var report = HIDReportBuilder(mouse)
    try report.set(.button(1), to: 1)
    try report.set(.genericDesktop(.x), to: -5)
    #expect(report.bytes == [1, 0xfb, 0, 0])
  }

  @Test("the examples of readings, refusal and text have the results in their comments")
  func others() throws {
    let ambiguous: [UInt8] = [
      0x05, 0x01, 0x09, 0x04, 0xa1, 0x01,  // a joystick
      0x09, 0x30, 0x15, 0x00, 0x25, 0xff,  // X, from 0 to ff
      0x75, 0x08, 0x95, 0x01, 0x81, 0x02, 0xc0,
    ]
    let linux = try HIDReportDescriptor(parsing: ambiguous)
    let letter = try HIDReportDescriptor(parsing: ambiguous, reading: .specification)
    #expect(linux.reports[0].fields[0].logicalMaximum == 255)
    #expect(letter.reports[0].fields[0].logicalMaximum == -1)
    #expect(HIDReportDescriptor.lint(ambiguous).map(\.code) == ["logical-maximum-sign"])

    do {
      _ = try HIDReportDescriptor(parsing: [0xa1, 0x01])
      Issue.record("accepted")
    } catch {
      #expect("\(error)" == "byte 0: this Collection has no End Collection")
    }

    let found = try HIDDescriptorText.read(Array("05 01 09 02 a1 01 c0".utf8), name: "mail")
    let text = HIDDescriptorText.text(found[0].bytes, as: .lines)
    #expect(
      text == """
        Usage Page (Generic Desktop)
        Usage (Mouse)
        Collection (Application)
        End Collection

        """)
  }

  @Test("every line of the article's code is compiled here, or what it prints is checked")
  func compiled() throws {
    let tests = URL(fileURLWithPath: #filePath)
    let article = tests.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(
        "Sources/HIDReportDescriptor/HIDReportDescriptor.docc/TheModel.md")
    let compiled = try String(contentsOf: tests, encoding: .utf8).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let blocks = try String(contentsOf: article, encoding: .utf8).components(
      separatedBy: "```swift\n"
    ).dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    #expect(blocks.count >= 7)
    for line in blocks.flatMap({ $0.split(separator: "\n") }) {
      var code = line.trimmingCharacters(in: .whitespaces)
      if code.hasPrefix("//") { continue }
      // In the article `value  // 5` stands for an expectation, and printed text is compared.
      if let comment = code.range(of: "  // ") {
        let shown = code[..<comment.lowerBound]
        if compiled.contains(where: { $0.hasPrefix("#expect(\(shown) ==") }) { continue }
        if shown == "print(error)" { continue }
      }
      if code == "print(descriptor.name(of: control), value)" {
        code = "changes.append(\"\\(descriptor.name(of: control)) \\(value)\")"
      }
      #expect(compiled.contains(code), "not compiled: \(code)")
    }
  }
}
