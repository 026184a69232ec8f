// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import HIDTraces
import TestSupport
import Testing

@Suite("umockdev's recordings as traces")
struct UmockdevTraceTests {
  /// Two hidraw nodes.
  ///
  /// hidraw3 has unnumbered reports, two bytes of input and three of output; hidraw12 has one
  /// numbered input report.
  private static let description = """
    P: /devices/pci0/usb1/1-1:1.0/0003:1209:0001.0007/hidraw/hidraw3
    N: hidraw3=00
    E: SUBSYSTEM=hidraw
    A: dev=240:3\\n

    P: /devices/pci0/usb1/1-1:1.0/0003:1209:0001.0007
    E: HID_ID=0003:00001209:00000001
    E: HID_NAME=Pad = 1
    E: HID_PHYS=usb-1/input0
    E: HID_UNIQ=
    H: report_descriptor=05010902A1010930750895028102093195039102C0

    P: /devices/virtual/misc/uhid/0005:1209:0002.0008
    E: HID_ID=0005:00001209:00000002
    H: report_descriptor=05010902A10185010930750895028102C0

    P: /devices/virtual/misc/uhid/0005:1209:0002.0008/hidraw/hidraw12
    N: hidraw12

    """

  private static let ioctls = """
    @DEV /dev/hidraw3
    HIDIOCGRDESCSIZE 0 0A000000
    HIDIOCGFEATURE(3) 3 000102
     HIDIOCGFEATURE(3) 3 000304
    HIDIOCGFEATURE(4) -1 09000000
    HIDIOCGFEATURE(4) 2 0708FFFF
    HIDIOCSFEATURE(3) 3 000506
    HIDIOCSFEATURE(2) -1 0201
    USBDEVFS_REAPURB 0 1 129 0 0 8 8 0 nonsense
    @DEV /dev/bus/usb/001/002
    HIDIOCSFEATURE(2) 2 0909

    """

  private func read(
    _ script: String, _ siblings: [String: String] = [".umockdev": description],
    lenient: Bool = false, descriptors: [[UInt8]] = []
  ) throws -> HIDTrace {
    try HIDTrace(
      Array(script.utf8), name: "dir.d/pad.script",
      options: HIDTraceReadingOptions(
        isLenient: lenient, descriptors: descriptors,
        sibling: { siblings[$0].map { Array($0.utf8) } }))
  }

  private func text(_ event: HIDTraceEvent) -> String {
    let what =
      switch event.kind {
      case .input(let bytes): "input \(bytes)"
      case .output(let bytes): "output \(bytes)"
      case .setReport(let set): "set \(set.id?.rawValue ?? 0) \(set.report) \(set.answer)"
      default: "something else"
      }
    return "\(event.microseconds) \(event.device) \(event.line) \(what)"
  }

  @Test("a description alone is read as its HID devices, without events")
  func description() throws {
    let trace = try HIDTrace(Array(Self.description.utf8), name: "pad.umockdev")
    #expect(
      trace.devices == [
        HIDTraceDevice(
          number: 3,
          descriptor: [
            0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x30, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02,
            0x09, 0x31, 0x95, 0x03, 0x91, 0x02, 0xC0,
          ],
          name: "Pad = 1", physicalPath: "usb-1/input0",
          identity: HIDTraceDevice.Identity(busType: 3, vendorID: 0x1209, productID: 1), line: 11),
        HIDTraceDevice(
          number: 12,
          descriptor: [
            0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x85, 0x01, 0x09, 0x30, 0x75, 0x08, 0x95, 0x02,
            0x81, 0x02, 0xC0,
          ],
          identity: HIDTraceDevice.Identity(busType: 5, vendorID: 0x1209, productID: 2), line: 15),
      ])
    #expect(trace.events == [] && trace.warnings == [])
  }

  @Test(
    "reads are input, writes are output, delays add up, and blocks are taken apart into reports")
  func script() throws {
    let trace = try read(
      """
      # a comment
      d 0 /dev/hidraw3
      w 2 ^@^`^[a
      r 10 ^@ ab
      f 20 -
      w 0 ^@abc^@def
      d 0 /dev/hidraw12
      r 1 ^Axy^Azz
      d 0 /dev/hidraw3
      r 5 c
      w 3 ^@d
      r 1 abc
      Q 0 -
      r 1 nothing of this
      """)
    #expect(trace.devices.map(\.number) == [3, 12])
    #expect(
      trace.events.map(text) == [
        "2000 0 3 output 5e 1b 61", "12000 0 4 input 00 20", "12000 0 4 input 61 62",
        "12000 0 6 output 61 62 63", "12000 0 6 output 64 65 66", "13000 1 8 input 01 78 79",
        "13000 1 8 input 01 7a 7a", "18000 0 10 input 63", "21000 0 11 output 64",
        "22000 0 12 input 61 62 63",
      ])
    #expect(
      trace.warnings.map(\.description) == [
        "dir.d/pad.script:12:1: the 3 bytes are not a whole number of the device's input reports; "
          + "they are read as one report"
      ])
  }

  @Test("ioctls give initial reports, requests before the first report, and the descriptor")
  func ioctls() throws {
    let trace = try read(
      "d 0 /dev/hidraw3\nr 1 ab", [".umockdev": Self.description, ".ioctl": Self.ioctls])
    #expect(
      trace.devices[0].reports == [
        HIDTraceInitialReport(type: .feature, id: nil, bytes: HIDReportBytes([1, 2])),
        HIDTraceInitialReport(
          type: .feature, id: HIDReportID(rawValue: 7), bytes: HIDReportBytes([7, 8])),
      ])
    #expect(
      trace.events.map(text) == [
        "0 0 0 set 0 05 06 acknowledged", "0 0 0 set 2 02 01 error", "1000 0 2 input 61 62",
      ])
    let other = "@DEV /dev/hidraw0\nHIDIOCGRDESC 0 0300000005010902FFFF\n"
    let alone = try read("d 0 /dev/hidraw0\n", [".ioctl": other])
    #expect(alone.devices == [HIDTraceDevice(descriptor: [5, 1, 9])])
  }

  @Test("given report descriptors that no device needs are a warning")
  func unusedDescriptors() throws {
    let one = try read("d 0 /dev/hidraw7\nr 1 a\n", [:], descriptors: [[6], [7]])
    #expect(one.devices.map(\.descriptor) == [[6]])
    #expect(
      one.warnings.map(\.description) == [
        "dir.d/pad.script:1:1: 1 of the given report descriptors is not used; each device of the "
          + "recording already has one"
      ])
    let none = try read("d 0 /dev/hidraw3\nr 1 ab\n", descriptors: [[6], [7]])
    #expect(
      none.warnings.map(\.message) == ["2 of the given report descriptors are not used"])
    let description = try read(Self.description, [:], descriptors: [[6]])
    #expect(
      description.warnings.map(\.message) == ["1 of the given report descriptors is not used"])
    #expect(try read("d 0 /dev/hidraw7\nr 1 a\n", [:], descriptors: [[6]]).warnings == [])
  }

  @Test("a script without a description takes descriptors from the options, or is refused")
  func unknownDevice() throws {
    let trace = try read(
      "d 0 /dev/hidraw7\nr 1 abc\nd 0 /dev/hidraw8\nr 1 x\n", [:], descriptors: [[6], [7]])
    #expect(trace.devices.map(\.descriptor) == [[6], [7]])
    #expect(trace.devices.map(\.number) == [7, 8])
    #expect(trace.events.map(text) == ["1000 0 2 input 61 62 63", "2000 1 4 input 78"])
    let help =
      "put dir.d/pad.umockdev beside the script, "
      + "or give the report descriptor with --descriptor FILE"
    for (script, message) in [
      ("#\nd 0 /dev/hidraw7\nr 1 a", "2:1: the report descriptor of /dev/hidraw7 is not known"),
      ("r 1 a", "1:1: the report descriptor of the device is not known"),
      ("d 0 /dev/hidraw7\n", "1:1: the report descriptor of /dev/hidraw7 is not known"),
    ] {
      for isLenient in [false, true] {
        #expect {
          try read(script, [:], lenient: isLenient)
        } throws: {
          "\($0)" == "dir.d/pad.script:\(message); \(help)"
        }
      }
    }
    // If a description has two devices, it is unknown which device the script is for.
    #expect(throws: HIDTraceError.self) { try read("d 0 /dev/hidraw7\nr 1 a") }
  }

  @Test(
    "a bad line is refused with its place, and left out with a warning in lenient mode",
    arguments: [
      ("x 1 ab", "1: unknown operation \"x\"; the operations are d, r, w, f, Q and #"),
      ("rr 1 ab", "1: unknown operation \"rr\"; the operations are d, r, w, f, Q and #"),
      ("r 1", "4: expected milliseconds and data, found the end of the line"),
      ("r  ab", "3: expected milliseconds from 0 to 4294967295, found \"\""),
      ("r 4294967296 ab", "3: expected milliseconds from 0 to 4294967295, found \"4294967296\""),
      ("r -1 ab", "3: expected milliseconds from 0 to 4294967295, found \"-1\""),
      (
        "r 1 a^1", "6: expected an escape such as ^A, found ^ and \"1\"; write ^ itself as ^`"
      ),
      (
        "r 1 a^",
        "6: expected an escape such as ^A, found ^ and the end of the line; write ^ itself as ^`"
      ),
      (
        "w 1 \tb",
        "5: expected data without control characters, found the byte 0x09; "
          + "write a byte below 32 as an escape, such as ^A for 1"
      ),
      (
        "d 0 /dev/input/event0",
        "5: expected a hidraw node such as /dev/hidraw0, found \"/dev/input/event0\""
      ),
      ("d", "1: expected a hidraw node such as /dev/hidraw0, found \"d\""),
    ])
  func bad(_ line: String, _ message: String) throws {
    let script = "d 0 /dev/hidraw3\n\(line)\nr 7 ab\n"
    #expect {
      try read(script)
    } throws: {
      "\($0)" == "dir.d/pad.script:2:" + message
    }
    let trace = try read(script, lenient: true)
    #expect(trace.warnings.map(\.description) == ["dir.d/pad.script:2:" + message])
    // The time of a line passes even if the rest of the line is not valid.
    let time = line.hasPrefix("r 1 a") || line.hasPrefix("w 1") ? 8000 : 7000
    #expect(trace.events.map(text) == ["\(time) 0 3 input 61 62"])
  }

  @Test(
    "a last line that is not a whole report is left out with a warning, and a whole one is read",
    arguments: [
      ("r 1 ab", 2), ("r 1 abcd", 3), ("r 1 a", 1), ("r 1 a^", 1), ("r 1 abc", 1), ("r 1", 1),
      ("r", 1), ("w 1 ^@abc", 2), ("w 1 ^@ab", 1),
    ])
  func cut(_ last: String, _ count: Int) throws {
    let trace = try read("d 0 /dev/hidraw3\nr 7 ab\n" + last)
    #expect(trace.events.count == count)
    let warning =
      "dir.d/pad.script:3:1: the file ends in the middle of this line, which is left out"
    #expect(trace.warnings.map(\.description) == (count == 1 ? [warning] : []))
  }

  @Test(
    "a bad line of a file beside the script is refused with the name of that file",
    arguments: [
      (
        ".umockdev", "P: /devices/a\nnonsense\n",
        #"umockdev:2:1: expected a line such as "P: …" or "E: …", found "nonsense""#
      ),
      (
        ".umockdev", "P: /devices/a\nE: HID_ID=3:4\n",
        "umockdev:2:11: expected bus, vendor and product, found \"3:4\"; "
          + "write them in hexadecimal, such as 0003:00001050:00000120"
      ),
      (
        ".umockdev", "P: /devices/a\nH: report_descriptor=05g1\n",
        "umockdev:2:24: expected the descriptor in hexadecimal, found \"g\""
      ),
      (
        ".umockdev", "P: /devices/a\nH: report_descriptor=051\n",
        "umockdev:2:25: expected the descriptor in hexadecimal, found an odd number of digits"
      ),
      (
        ".umockdev", "P: /devices/a\nH: report_descriptor=\n",
        "umockdev:2:22: the descriptor is 0 bytes long; expected 1 to 4096"
      ),
      (
        ".ioctl", "@DEV /dev/hidraw3\n HIDIOCGFEATURE(4) 2 0\n",
        "ioctl:2:1: expected \"HIDIOCGFEATURE\", its return value, and bytes in hexadecimal, "
          + "found \" HIDIOCGFEATURE(4) 2 0\""
      ),
    ])
  func badSibling(_ end: String, _ text: String, _ message: String) throws {
    var siblings = [".umockdev": Self.description]
    siblings[end] = text
    #expect {
      try read("d 0 /dev/hidraw3\nr 1 ab", siblings)
    } throws: {
      "\($0)" == "dir.d/pad." + message
    }
    siblings[end] = end == ".ioctl" ? text : Self.description + "\n" + text
    let trace = try read("d 0 /dev/hidraw3\nr 1 ab", siblings, lenient: true)
    #expect(trace.warnings.count == 1 && trace.events.count == 1)
  }

  @Test("CRLF line ends end blocks, too")
  func carriageReturns() throws {
    let description = Self.description.replacing("\n", with: "\r\n")
    let trace = try read("d 0 /dev/hidraw3\nr 1 ab\n", [".umockdev": description])
    #expect(trace.devices.map(\.name) == ["Pad = 1"])
    #expect(trace.events.map(text) == ["1000 0 2 input 61 62"])
  }

  @Test("a device behind a receiver is a device of its own, in any order of the blocks")
  func receiver() throws {
    let receiver = "P: /devices/a/0003:046D:C52B.0003"
    let blocks = [
      "\(receiver)/hidraw/hidraw3\nN: hidraw3\n",
      "\(receiver)\nE: HID_NAME=Receiver\nH: report_descriptor=0501\n",
      "\(receiver)/0003:046D:4024.0004/hidraw/hidraw5\nN: hidraw5\n",
      "\(receiver)/0003:046D:4024.0004\nE: HID_NAME=Keyboard\nH: report_descriptor=0502\n",
    ]
    for order in [blocks, blocks.reversed()] {
      let text = order.joined(separator: "\n")
      let trace = try read(
        "d 0 /dev/hidraw5\nr 1 a\nd 0 /dev/hidraw3\nr 1 b\n", [".umockdev": text])
      #expect(trace.devices.map(\.name) == ["Keyboard", "Receiver"])
      #expect(trace.devices.map(\.descriptor) == [[5, 2], [5, 1]])
      let alone = try HIDTrace(Array(text.utf8), name: "a.umockdev")
      #expect(
        Set(alone.devices.map { "\($0.name ?? "") \($0.number)" }) == ["Keyboard 5", "Receiver 3"])
    }
  }

  @Test("the delay of a line that is left out is kept")
  func timePasses() throws {
    let trace = try read(
      "d 0 /dev/hidraw3\nr 1000 ab\nr 5000 ^z\nr 10 cd\n", lenient: true)
    #expect(trace.events.map(\.microseconds) == [1_000_000, 6_010_000])
  }

  @Test(
    "a description without a HID device is refused, and a cut one is read without its last line")
  func descriptionEnds() throws {
    let bytes = Array(Self.description.utf8)
    let cut = bytes.count - 14
    let trace = try HIDTrace(Array(bytes[..<cut]), name: "p")
    #expect(trace.devices.map(\.number) == [3, 0])
    #expect(
      trace.warnings.map(\.description) == [
        "p:17:1: the file ends in the middle of this line, which is left out"
      ])
    #expect {
      try HIDTrace(Array("P: /devices/a\nN: hidraw0\n".utf8), name: "p")
    } throws: {
      "\($0)"
        == "p:1:1: the file describes no HID device; "
        + "a HID device has a line \"H: report_descriptor=…\""
    }
  }

  @Test(
    "a file of umockdev is detected by its first line",
    arguments: [
      ("P: /devices/x\n", true), ("\n# c\nd 0 /dev/hidraw5\n", true), ("w 12 ^@", true),
      ("P: usb-1/input0\n", false), ("D: 0\n", false), ("R: 1 06\n", false), ("d 0 x", false),
      ("r one two", false), ("", false),
    ])
  func detected(_ text: String, _ isUmockdev: Bool) throws {
    let format = try? HIDTraceFormat.detect(HIDTraceSource(name: "x", bytes: Array(text.utf8)))
    #expect((format == .umockdev) == isUmockdev)
  }

  @Test("files with changed bytes are read or refused")
  func mutations() throws {
    let script = Array("d 0 /dev/hidraw3\nw 2 ^@^`^[a\nr 10 ^@ ab\nf 2 -\nr 1 ab\n".utf8)
    for seed in 0..<900 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var files = [
        script, Array(Self.description.utf8), Array(Self.ioctls.utf8),
      ]
      let changed = Int(seed % 3)
      files[changed] = mutated(files[changed], using: &random)
      let beside = [".umockdev": files[1], ".ioctl": files[2]]
      for isLenient in [false, true] {
        for file in files.prefix(changed == 1 ? 2 : 1) {
          do throws(HIDTraceError) {
            let trace = try HIDTrace(
              file, name: "m",
              options: HIDTraceReadingOptions(
                format: .umockdev, isLenient: isLenient, sibling: { beside[$0] }))
            #expect(!trace.devices.isEmpty, "seed \(seed)")
            #expect(trace.events.allSatisfy { trace.devices.indices.contains($0.device) })
          } catch {
            #expect((1...20).contains(error.problems.count), "seed \(seed)")
          }
        }
      }
    }
  }

  @Test(
    "umockdev's session with a security key is read with all its packets",
    .enabled(if: RecordingCorpus.folder != nil, "no corpus"))
  func securityKey() throws {
    let script = try RecordingCorpus.bytes("umockdev/fido2.script")
    let trace = try HIDTrace(
      script, name: "fido2.script",
      options: HIDTraceReadingOptions(sibling: { try? RecordingCorpus.bytes("umockdev/fido2" + $0) }
      ))
    #expect(trace.warnings == [])
    let device = try #require(trace.devices.first)
    #expect(trace.devices.count == 1 && device.number == 5)
    #expect(device.name == "Yubico Security Key by Yubico")
    #expect(device.identity == .init(busType: 3, vendorID: 0x1050, productID: 0x120))
    #expect(device.descriptor.count == 34)
    // The test counts the bytes of lines: packets of 64 bytes, with a 0 in front of those that were
    // written.
    var counts: [UInt8: Int] = [:]
    var total = 0
    for line in script.split(separator: 0x0A).dropFirst() {
      let parts = line.split(separator: 0x20, maxSplits: 2)
      counts[line[line.startIndex], default: 0] += parts[2].count - parts[2].count { $0 == 0x5E }
      total += try #require(Int(String(decoding: parts[1], as: UTF8.self)))
    }
    var inputs = 0
    var outputs = 0
    for event in trace.events {
      switch event.kind {
      case .input(let bytes) where bytes.count == 64: inputs += 1
      case .output(let bytes) where bytes.count == 64: outputs += 1
      default: Issue.record("\(event)")
      }
    }
    // The escape "^`" has two bytes, and no second "^"; "^^" has one.
    let doubled = zip(script, script.dropFirst()).count { $0 == 0x5E && $1 == 0x5E }
    #expect(inputs * 64 + outputs * 65 == counts.values.reduce(0, +) + doubled)
    #expect(inputs == 19 && outputs == 5)
    #expect(trace.events.last?.microseconds == Int64(total) * 1000)
    // The first event is CTAPHID_INIT on the broadcast channel; its answer follows.
    guard case .output(let first)? = trace.events.first?.kind else {
      Issue.record("no output first")
      return
    }
    #expect(Array(Array(first).prefix(7)) == [0xFF, 0xFF, 0xFF, 0xFF, 0x86, 0, 8])
  }
}
