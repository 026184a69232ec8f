// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import Testing

@Suite struct HIDReportLengthsTests {
  /// 8 bytes of input, 1 of output, no feature; no report IDs.
  static let plain: [UInt8] = [
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
    0x95, 0x08, 0x09, 0x01, 0x81, 0x02, 0x95, 0x01, 0x09, 0x01, 0x91, 0x02, 0xc0,
  ]
  /// Input 1 (4 bytes) and 255 (2 bytes), the ID not counted; output without an ID (2 bytes).
  static let numbered: [UInt8] = [
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
    0x95, 0x02, 0x09, 0x01, 0x91, 0x02,
    0x85, 0x01, 0x95, 0x04, 0x09, 0x01, 0x81, 0x02,
    0x85, 0xff, 0x95, 0x02, 0x09, 0x01, 0x81, 0x02, 0xc0,
  ]
  /// Input without an ID (3 bytes), and input 1 (2 bytes): the kernel takes both in one type.
  static let mixed: [UInt8] = [
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
    0x95, 0x03, 0x09, 0x01, 0x81, 0x02,
    0x85, 0x01, 0x95, 0x02, 0x09, 0x01, 0x81, 0x02, 0xc0,
  ]

  private func lengths(_ bytes: [UInt8]) throws -> HIDReportLengths {
    HIDReportLengths(try HIDReportDescriptor(parsing: bytes))
  }

  private func mismatch(_ lengths: HIDReportLengths, _ report: [UInt8]) -> HIDReportLengths
    .Mismatch?
  {
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report.span)
      return nil
    } catch {
      return error
    }
  }

  @Test("an unnumbered input report has exactly the declared length")
  func checkPlain() throws {
    let lengths = try lengths(Self.plain)
    #expect(mismatch(lengths, [1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(mismatch(lengths, [1, 2, 3, 4, 5, 6, 7]) == .short(declared: 8, found: 7))
    #expect(mismatch(lengths, [0, 1, 2, 3, 4, 5, 6, 7, 8]) == .long(declared: 8, found: 9))
    #expect(mismatch(lengths, []) == .empty)
    #expect(lengths.byteCount(.input, nil) == 8)
    #expect(lengths.byteCount(.input, HIDReportID(rawValue: 1)) == nil)
    #expect(lengths.byteCount(.feature, nil) == nil)
    #expect(lengths.longest(.input) == 8)
    #expect(lengths.uniform(.input) == 8)
    #expect(lengths.longest(.feature) == 0)
    #expect(lengths.uniform(.feature) == nil)
    #expect(lengths.numberedReports == [])
  }

  @Test("a numbered input report has the length declared for its ID, including the ID")
  func checkNumbered() throws {
    let lengths = try lengths(Self.numbered)
    #expect(mismatch(lengths, [1, 2, 3, 4, 5]) == nil)
    #expect(mismatch(lengths, [0xff, 2, 3]) == nil)
    #expect(mismatch(lengths, [1, 2, 3]) == .short(declared: 5, found: 3))
    #expect(mismatch(lengths, [0xff, 2, 3, 4]) == .long(declared: 3, found: 4))
    #expect(mismatch(lengths, [2, 2, 3]) == .undeclared(HIDReportID(rawValue: 2)))
    #expect(mismatch(lengths, [0, 2, 3]) == .undeclared(nil))
    #expect(lengths.longest(.input) == 5)
    #expect(lengths.uniform(.input) == nil)
    #expect(lengths.numberedReports == [.input])
    #expect(!lengths.isNumbered(.output))
    #expect(lengths.byteCount(.output, nil) == 2)
  }

  @Test("a report may exceed the declared length up to 4,096 bytes where long input is allowed")
  func checkLong() throws {
    var descriptor = try HIDReportDescriptor(parsing: Self.plain)
    descriptor.allowsLongInput = true
    let lengths = HIDReportLengths(descriptor)
    #expect(mismatch(lengths, [1, 2, 3, 4, 5, 6, 7, 8]) == nil)
    #expect(mismatch(lengths, [1, 2, 3, 4, 5, 6, 7, 8, 9]) == nil)
    #expect(mismatch(lengths, [UInt8](repeating: 1, count: 4096)) == nil)
    #expect(
      mismatch(lengths, [UInt8](repeating: 1, count: 4097)) == .long(declared: 8, found: 4097))
    #expect(mismatch(lengths, [1, 2, 3]) == .short(declared: 8, found: 3))
    #expect(mismatch(lengths, []) == .empty)
    #expect(lengths.uniform(.input) == nil)
    #expect(lengths.uniform(.output) == 1)
    #expect(try lengths != self.lengths(Self.plain))
    descriptor = try HIDReportDescriptor(parsing: Self.numbered)
    descriptor.allowsLongInput = true
    #expect(mismatch(HIDReportLengths(descriptor), [1, 2, 3, 4, 5, 6]) == nil)
    #expect(
      mismatch(HIDReportLengths(descriptor), [2, 2, 3, 4, 5, 6])
        == .undeclared(HIDReportID(rawValue: 2)))
  }

  @Test("an input report of a device without input reports is undeclared")
  func noInput() throws {
    let output: [UInt8] = [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
      0x95, 0x02, 0x09, 0x01, 0x91, 0x02, 0xc0,
    ]
    #expect(mismatch(try lengths(output), [1, 2]) == .undeclared(nil))
  }

  @Test(
    "an unnumbered report of a type with IDs is undeclared, and its length includes a leading 0")
  func checkMixed() throws {
    let lengths = try lengths(Self.mixed)
    #expect(lengths.isNumbered(.input))
    #expect(mismatch(lengths, [1, 8, 9]) == nil)
    #expect(mismatch(lengths, [0, 7, 8, 9]) == .undeclared(nil))
    #expect(mismatch(lengths, [7, 8, 9]) == .undeclared(HIDReportID(rawValue: 7)))
    #expect(lengths.byteCount(.input, nil) == nil)
    // The kernel delivers 00 and three bytes: four bytes, another length than that of report 1.
    #expect(lengths.longest(.input) == 4)
    #expect(lengths.uniform(.input) == nil)
  }

  @Test("a leading 0 is dropped only from a report that is one byte longer than declared")
  func normalize() throws {
    let lengths = try lengths(Self.plain)
    func dropped(_ raw: [UInt8]) -> Int {
      lengths.normalized(HIDReportBytes(raw), type: .output).dropping
    }
    #expect(dropped([0x02]) == 0)  // the kernel's LED path
    #expect(dropped([0x00]) == 0)  // the same, all off
    #expect(dropped([0x00, 0x02]) == 1)  // hidraw
    #expect(dropped([0x00, 0x00]) == 1)
    #expect(dropped([0x01, 0x02]) == 0)
    #expect(dropped([0x00, 0x02, 0x03]) == 0)
    #expect(dropped([]) == 0)
    // No feature report is declared, so the bytes stay as they are.
    #expect(lengths.normalized(HIDReportBytes([0, 1]), type: .feature).dropping == 0)
  }

  @Test("a numbered report keeps its ID")
  func normalizeNumbered() throws {
    let lengths = try lengths(Self.numbered)
    let (id, dropping) = lengths.normalized(HIDReportBytes([1, 2, 3]), type: .input)
    #expect(id == HIDReportID(rawValue: 1))
    #expect(dropping == 0)
    #expect(lengths.normalized(HIDReportBytes([0, 2]), type: .input).id == nil)
    #expect(lengths.normalized(HIDReportBytes([]), type: .input).id == nil)
  }
}

@Suite struct HIDPhysicalPathTests {
  @Test("a path is written with a device ID of sixteen digits, and read as the same path")
  func roundTrip() throws {
    let path = HIDPhysicalPath(deviceID: HIDDeviceID(rawValue: 0x8000_0000_0000_ab00), interface: 3)
    #expect(path.description == "hidsim-800000000000ab00/input3")
    #expect(HIDPhysicalPath("hidsim-800000000000ab00/input3") == path)
    var live = path
    live.isLive = true
    #expect(live.description == "hidsim-800000000000ab00/input3/live")
    #expect(HIDPhysicalPath(live.description) == live)
    live.allowsLongInput = true
    // A rule of udev matches `/live` only at the end.
    #expect(live.description == "hidsim-800000000000ab00/input3/long/live")
    #expect(HIDPhysicalPath(live.description) == live)
    live.isLive = false
    #expect(live.description == "hidsim-800000000000ab00/input3/long")
    #expect(HIDPhysicalPath(live.description) == live)
    #expect(path.interfaceID.rawValue == 0x8000_0000_0000_ab03)
    #expect(path.interfaceID.isOurs)
    #expect(HIDDeviceID(rawValue: 1).description == "0000000000000001")
  }

  @Test("a place precedes hidsim's part of a path, and the longest path has 63 bytes")
  func places() throws {
    let id = HIDDeviceID(rawValue: 0x8000_0000_0000_ab00)
    let path = HIDPhysicalPath(place: "usb-0000:00:14.0-2", deviceID: id, interface: 1)
    #expect(path.description == "usb-0000:00:14.0-2/hidsim-800000000000ab00/input1")
    #expect(HIDPhysicalPath(path.description) == path)
    let nested = HIDPhysicalPath(
      place: "a/b.c", deviceID: id, interface: 0, allowsLongInput: true, isLive: true)
    #expect(nested.description == "a/b.c/hidsim-800000000000ab00/input0/long/live")
    #expect(HIDPhysicalPath(nested.description) == nested)
    let longest = HIDPhysicalPath(
      place: String(repeating: "p", count: HIDPhysicalPath.maximumPlaceByteCount), deviceID: id,
      interface: 9, allowsLongInput: true, isLive: true)
    #expect(longest.description.utf8.count == 63)
    for bad in [
      "", "/", "a/", "/a", "a//b", "a b", "ä", "hidsim-1", "a/hidsim-2", "a\n",
      String(repeating: "p", count: 23),
    ] {
      #expect(!HIDPhysicalPath.isPlace(bad), "\(bad)")
      let without = HIDPhysicalPath(place: bad, deviceID: id, interface: 0)
      #expect(without.description == "hidsim-800000000000ab00/input0")
    }
  }

  @Test(
    "a text that only resembles a path of hidsim is refused",
    arguments: [
      "", "hidsim-", "usb-0000:00:14.0-1/input0", "hidsim-800000000000ab00",
      "hidsim-800000000000ab00/", "hidsim-800000000000ab00/input",
      "hidsim-800000000000ab00/input256",
      "hidsim-800000000000ab00/input-1", "hidsim-800000000000ab00/input+1",
      "hidsim-800000000000ab00/input01", "hidsim-800000000000AB00/input0",
      "hidsim-+00000000000ab00/input0", "hidsim-800000000000ab00/input0/x",
      "hidsim-800000000000ab00/input0/live/long", "hidsim-800000000000ab00/input0/long/long",
      "hidsim-800000000000ab00/input0/long/x", "hidsim-800000000000ab00/input0/",
      "/hidsim-800000000000ab00/input0", "a b/hidsim-800000000000ab00/input0",
      "hidsim-1/hidsim-800000000000ab00/input0", "x/hidsim-800000000000ab00",
      "hidsim-800000000000ab001/input0", "hidsim-80000000000ab00/input0",
    ])
  func refused(_ text: String) { #expect(HIDPhysicalPath(text) == nil) }
}

@Suite struct HIDReportBatchTests {
  @Test("a batch keeps the bounds of its reports")
  func ranges() {
    var batch = HIDReportBatch()
    #expect(batch.isEmpty)
    batch.append([1, 2, 3])
    batch.append([])
    batch.append([4].span)
    #expect(batch.count == 3)
    #expect(batch.byteCount == 4)
    #expect((0..<3).map(batch.byteRange(ofReport:)) == [0..<3, 3..<3, 3..<4])
    batch.withBytes { bytes in
      #expect(bytes.count == 4)
      #expect(bytes[3] == 4)
    }
    batch.removeAll()
    #expect(batch.isEmpty)
    #expect(batch.byteCount == 0)
    batch.append([9])
    #expect(batch.byteRange(ofReport: 0) == 0..<1)
  }
}
