// SPDX-License-Identifier: Apache-2.0

import HIDText
import Testing

@Suite("TextScanner")
struct TextScannerTests {
  @Test("lines end with LF, CRLF or CR, columns count scalars, and a byte order mark is no column")
  func places() {
    var scanner = TextScanner(Array("\u{FEFF}é1\r\n2\r3\n4".utf8), file: "a")
    var places: [String] = []
    while let byte = scanner.byte {
      if (0x30...0x39).contains(byte) { places.append("\(scanner.location)") }
      scanner.advance()
    }
    #expect(places == ["1:2", "2:1", "3:1", "4:1"])
    scanner.advance()
    #expect(scanner.location == HIDTextLocation(line: 4, column: 2))
    #expect(scanner.found == "the end of the file")
  }

  @Test("a block comment is skipped whole, and one without an end is an error at its start")
  func comments() throws {
    var scanner = TextScanner(Array("/* a\n * b */c /* d".utf8), file: "a")
    #expect(try scanner.skipBlockComment())
    #expect(try !scanner.skipBlockComment())
    #expect(scanner.location == HIDTextLocation(line: 2, column: 8))
    #expect(scanner.word() == "c")
    scanner.skipBlanks()
    let problem = try #require(throws: HIDTextProblem.self) { try scanner.skipBlockComment() }
    #expect(
      problem.description
        == "a:2:10: expected the end of the comment, */, found the end of the file")
  }
}
