// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDBus

@Suite("Boot reports")
struct USBBootReportTests {
  private func bytes(_ hex: String) -> [UInt8] {
    hex.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
  }

  private func reports(
    _ hex: String, _ boot: USBInterfaceDescription.Boot
  ) throws -> USBBootReports {
    try #require(USBBootReports(try HIDReportDescriptor(parsing: bytes(hex)), boot))
  }

  // Report 1: eight modifiers and 120 keys, a bit each. Report 2: a media key.
  private let wide = """
    05 01 09 06 A1 01 85 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02
    19 00 29 77 95 78 81 02 C0
    05 0C 09 01 A1 01 85 02 09 E9 15 00 25 01 75 01 95 01 81 02 95 07 81 01 C0
    """

  @Test("a keyboard with a bit for each key sends up to six keys in the order of their presses")
  func keyboard() throws {
    var reports = try reports(wide, .keyboard)
    func report(_ modifiers: UInt8, _ keys: Int...) -> [UInt8] {
      var report = [1, modifiers] + [UInt8](repeating: 0, count: 15)
      for key in keys { report[2 + key / 8] |= 1 << UInt8(key % 8) }
      return report
    }
    #expect(reports.report(after: report(2, 0x05)) == [2, 0, 5, 0, 0, 0, 0, 0])
    #expect(reports.report(after: report(0, 0x05, 0x04)) == [0, 0, 5, 4, 0, 0, 0, 0])
    #expect(reports.report(after: report(0, 0x04)) == [0, 0, 4, 0, 0, 0, 0, 0])
    #expect(
      reports.report(after: report(1, 4, 5, 6, 7, 8, 9, 10)) == [1, 0, 1, 1, 1, 1, 1, 1])
    #expect(reports.report(after: report(0)) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(reports.report(after: [2, 1]) == nil)
  }

  @Test("a mouse sends three buttons, and movements of at most 127")
  func mouse() throws {
    // Five buttons, x and y of 16 bits, a wheel.
    var reports = try reports(
      """
      05 01 09 02 A1 01 09 01 A1 00 05 09 19 01 29 05 15 00 25 01 75 01 95 05 81 02
      75 03 95 01 81 01 05 01 09 30 09 31 16 01 80 26 FF 7F 75 10 95 02 81 06
      09 38 15 81 25 7F 75 08 95 01 81 06 C0 C0
      """, .mouse)
    #expect(reports.report(after: [0x15, 5, 0, 0xFE, 0xFF, 1]) == [5, 5, 0xFE])
    #expect(reports.report(after: [0, 0xE8, 3, 0x18, 0xFC, 0]) == [0, 127, 0x81])
    #expect(reports.report(after: [2]) == [2, 0, 0])
  }

  @Test("an interface without a boot protocol has none")
  func none() throws {
    #expect(USBBootReports(try HIDReportDescriptor(parsing: bytes(wide)), .none) == nil)
  }
}
