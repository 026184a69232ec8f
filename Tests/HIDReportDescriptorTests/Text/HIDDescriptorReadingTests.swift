// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import Testing

/// Tests with the mouse of HID 1.11, appendix E.10, in the notations of people and tools.
@Suite("Reading descriptors as text")
struct HIDDescriptorReadingTests {
  static let mouse: [UInt8] = [
    0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x09, 0x01, 0xa1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03,
    0x15, 0x00, 0x25, 0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x01,
    0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06,
    0xc0, 0xc0,
  ]

  private func read(
    _ text: String, _ format: HIDDescriptorFormat? = nil
  ) throws -> [HIDDescriptorText] {
    try HIDDescriptorText.read(Array(text.utf8), name: "a.txt", format: format)
  }

  /// Reads one descriptor, whose format must be found from its content.
  private func only(_ text: String, _ format: HIDDescriptorFormat) throws -> HIDDescriptorText {
    let all = try read(text)
    #expect(all.count == 1)
    let only = try #require(all.first)
    #expect(only.format == format)
    return only
  }

  // MARK: Hex

  @Test(
    "bytes in hex are read, however they are separated",
    arguments: [
      "05 01 09 02", "05010902", "0501 0902\n", "0x05, 0x01,\r\n0x09, 0x02,\r\n",
      "{0x5,0x1,0x9,0x2}",
      "[05, 01, 09, 02]", "(05)(01)(09)(02)", "\\x05\\x01\\x09\\x02",
      "b'\\x05\\x01' \\\n b'\\x09\\x02'",
      "0X05 0X01 0x09U 0x02u8", "05\t01\t09\t02", "05 01 // 99 99\n09 02",
      "05 01 /* 99\n 99 */ 09 02",
      "# head\n05 01 ; tail\n09 02 # 99", "\u{FEFF}05 01 09 02", "5 1 9 2", "05 1 9 2",
      "00000000: 0501 0902                                ....\n",
      "00000000  05 01 09 02                              |....|\n00000004\n",
      "0000: 05 01\n0002: 09 02", "05 01 \"09 02\"", "05\r01\r09\r02",
    ])
  func hex(text: String) throws {
    #expect(try only(text, .hex).bytes == [0x05, 0x01, 0x09, 0x02])
  }

  @Test("numbers of one or three digits without letters are decimal, with letters they are hex")
  func decimal() throws {
    #expect(try only("[5, 1, 9, 2, 161, 1, 192]", .hex).bytes == [5, 1, 9, 2, 161, 1, 192])
    #expect(try only("5 1 9 2 a1 1 c0", .hex).bytes == [5, 1, 9, 2, 0xa1, 1, 0xc0])
    #expect(try only("10 20 30", .hex).bytes == [0x10, 0x20, 0x30])
  }

  @Test("each byte has its line and column")
  func places() throws {
    let text = try only("# é\n05 01\n  /* é */ 09, 0x02 a101", .hex)
    #expect(
      (0..<7).map { text.location(ofByte: $0).map(\.description) } == [
        "2:1", "2:4", "3:11", "3:15", "3:20", "3:20", "3:20",
      ])
  }

  // MARK: C

  @Test("arrays of C are read, however they are declared and commented")
  func c() throws {
    let source = """
      /* {0x00} */ #include <x.h>
      // const uint8_t no[] = { 1 };
      #define MANY { 0x01, \\
                     0x02 }
      static int count = 3; static const char *text = "= { 0x07 }", c = '"';
      static const struct hid_driver driver = { .name = "x", .id = 0x1234 };
      static const unsigned char first[4] = { 0x05, 0x01,  // Usage Page
        0x09, /* Usage */ 0x02 };
      PROGMEM const uint8_t _second [ ] __attribute__((aligned(4))) = {5U, 0X01, 011, 0b10, -1,};
      static const unsigned short keymap[] = { 0, 216, KEY_A };
      static const char * const names[] = { "a", "b" };
      static const u8 table[] = { [0x42] = 3, [0x43] = KEY_A };
      void f(u8 id) { u8 command[] = { 0x01, id }; int x = count; if (x == 3) { g(x); } }
      char empty[0] = {};
      """
    let all = try read(source)
    #expect(all.map(\.format) == [.c, .c, .c])
    #expect(all.map(\.name) == ["first", "_second", "empty"])
    #expect(all.map(\.bytes) == [[5, 1, 9, 2], [5, 1, 9, 2, 0xff], []])
    #expect(all[0].location(ofByte: 2) == HIDTextLocation(line: 8, column: 3))
    #expect(all[0].location(ofByte: 3) == HIDTextLocation(line: 8, column: 21))
  }

  @Test("arrays of C++ and Rust are read")
  func others() throws {
    #expect(
      try only("constexpr std::array<uint8_t, 2> desc = {0x05, 0x01};", .c).bytes == [5, 1])
    #expect(try only("pub const DESC: [u8; 2] = [0x05, 0x01u8];", .c).bytes == [5, 1])
    let rust = try only("const DESC: &[u8] = &[0x05, 0x01];", .c)
    #expect(rust.bytes == [5, 1])
    #expect(rust.name == "DESC")
  }

  // MARK: Text

  @Test("hid-decode's lines are read, also behind a # as hid-recorder prints them")
  func text() throws {
    let lines = """
      0x05, 0x01,                    // Usage Page (Generic Desktop)        0
      0x09, 0x02,                    // Usage (Mouse)                       2
      0xa1, 0x01,                    // Collection (Application)            4
      0xc0,                          // End Collection                      6
      """
    let bytes: [UInt8] = [5, 1, 9, 2, 0xa1, 1, 0xc0]
    let text = try only(lines, .text)
    #expect(text.bytes == bytes)
    #expect(text.location(ofByte: 6) == HIDTextLocation(line: 4, column: 1))
    let commented = lines.split(separator: "\n").map { "# \($0)\n" }.joined()
    #expect(try only(commented, .text).bytes == bytes)
    #expect(
      try only("05 01    Usage Page (Generic Desktop)\nC0  End Collection", .hex).bytes == [
        5, 1, 0xc0,
      ])
  }

  // MARK: Lines

  @Test("the lines of HID 1.11, appendix E.10, are read")
  func specification() throws {
    let lines = """
      Usage Page (Generic Desktop),
      Usage (Mouse),
      Collection (Application),
        Usage (Pointer),
        Collection (Physical),
          Usage Page (Buttons),
          Usage Minimum (1), Usage Maximum (3),
          Logical Minimum (0),
          Logical Maximum (1),      ; Fields return values from 0 to 1
          Report Count (3),
          Report Size (1),
          Input (Data, Variable, Absolute),   ;3 button bits
          Report Count (1),
          Report Size (5),
          Input (Constant),         ;5 bit padding
          Usage Page (Generic Desktop),
          Usage (X), Usage (Y),
          Logical Minimum (-127), Logical Maximum (127),
          Report Size (8), Report Count (2),
          Input (Data, Variable, Relative),   ;2 position bytes (X & Y)
        End Collection,
      End Collection
      """
    let text = try only(lines, .lines)
    #expect(text.bytes == Self.mouse)
    #expect(text.location(ofByte: 14) == HIDTextLocation(line: 7, column: 24))
  }

  @Test("the capitals and underscores of the HID Descriptor Tool are read")
  func capitals() throws {
    let lines = """
      USAGE_PAGE (Generic Desktop)
      USAGE (Mouse)
      COLLECTION (Application)
        USAGE (Pointer)
        COLLECTION (Physical)
          USAGE_PAGE (Button)
          USAGE_MINIMUM (Button 1)
          USAGE_MAXIMUM (Button 3)
          LOGICAL_MINIMUM (0)
          LOGICAL_MAXIMUM (1)
          REPORT_COUNT (3)
          REPORT_SIZE (1)
          INPUT (Data,Var,Abs)
          REPORT_COUNT (1)
          REPORT_SIZE (5)
          INPUT (Cnst,Ary,Abs)
          USAGE_PAGE (Generic Desktop)
          USAGE (X)
          USAGE (Y)
          LOGICAL_MINIMUM (-127)
          LOGICAL_MAXIMUM (127)
          REPORT_SIZE (8)
          REPORT_COUNT (2)
          INPUT (Data,Var,Rel)
        END_COLLECTION
      END_COLLECTION
      """
    #expect(try only(lines, .lines).bytes == Self.mouse)
  }

  @Test(
    "the words of many tools are read",
    arguments: [
      ("Usage Page (Generic Desktop Controls)", [0x05, 0x01]),
      ("Usage Page (0xFF00)", [0x06, 0x00, 0xff]),
      ("Usage Page (Vendor Defined Page 1)", [0x06, 0x00, 0xff]),
      ("Usage Page (Vendor Defined 0xFF12)", [0x06, 0x12, 0xff]),
      ("Usage Page (Vendor Usage Page 0xff01)", [0x06, 0x01, 0xff]),
      ("Usage Page (Consumer Devices)\nUsage (Volume Up)", [0x05, 0x0c, 0x09, 0xe9]),
      ("Usage Page (Key Codes)\nUsage (LeftControl)", [0x05, 0x07, 0x09, 0xe0]),
      ("Usage Page (keyboardOrKeypad)\nUsage (keyboardA)", [0x05, 0x07, 0x09, 0x04]),
      ("Usage (LED: Caps Lock)", [0x0b, 0x02, 0x00, 0x08, 0x00]),
      ("Usage (0x10030)", [0x0b, 0x30, 0x00, 0x01, 0x00]),
      ("Usage (0x00000030)", [0x0b, 0x30, 0x00, 0x00, 0x00]), ("Usage (0x30)", [0x09, 0x30]),
      ("Usage (Vendor Usage 0x12)", [0x09, 0x12]), ("Usage (Vendor Usage 18)", [0x09, 0x12]),
      ("Usage Page (Sensors)\nUsage (Biometric: Heart Rate)", [0x05, 0x20, 0x09, 0x16]),
      ("Collection (Named Array)", [0xa1, 0x04]), ("Collection (0x80)", [0xa1, 0x80]),
      ("Collection (Vendor_defined 0x81)", [0xa1, 0x81]),
      (
        "Input (Data, Variable, Absolute, No Wrap, Linear, No Preferred, Null State)", [0x81, 0x62]
      ),
      ("Feature (Data Var Abs NoPref Vol Buff)", [0xb2, 0xa2, 0x01]), ("Input ()", [0x81, 0x00]),
      ("Output (Cnst|Var|Rel|Wrap|NonLin)", [0x91, 0x1f]), ("Input (0x02)", [0x81, 0x02]),
      ("Unit (Eng Rot:Angular Pos)", [0x65, 0x14]), ("Unit (None)", [0x65, 0x00]),
      ("Unit (SILinear: cm * g * s⁻²)", [0x66, 0x11, 0xe1]), ("Unit (Degrees)", [0x65, 0x14]),
      ("Unit (SI Linear: cm^2 * g * s^-3 * A^-1)", [0x67, 0x21, 0xd1, 0xf0, 0x00]),
      ("Unit (centimetersPerSecond)", [0x66, 0x11, 0xf0]), ("Unit (0x11)", [0x65, 0x11]),
      ("Unit Exponent (-3)", [0x55, 0x0d]), ("Logical Maximum (255)", [0x26, 0xff, 0x00]),
      ("Logical Maximum (255) [1 byte]", [0x25, 0xff]), ("Log Min (-1)", [0x15, 0xff]),
      ("Physical Maximum (0x7fff) [4 bytes]", [0x47, 0xff, 0x7f, 0x00, 0x00]),
      ("Report ID (0)", [0x85, 0x00]), ("Push\nPop", [0xa4, 0xb4]),
      ("Delimiter (Open)", [0xa9, 0x01]),
      ("String Index (4), Designator Minimum (1)", [0x79, 0x04, 0x49, 0x01]),
      ("Usage Page (Generic Desktop)        05 01", [0x05, 0x01]),
      ("Usage (Mouse) 0x0A, 0x02, 0x00\nEnd Collection C0", [0x0a, 0x02, 0x00, 0xc0]),
      ("Usage Page (Button)    12\nEnd Collection   14", [0x05, 0x09, 0xc0]),
      ("Push; Pop ; Report Size (8) ; Report Size", [0xa4, 0xb4, 0x75, 0x08]),
      ("// c\nPush // c\n/* c */ Pop # c", [0xa4, 0xb4]),
      ("Push\n[c5 01]\n  [00 0b]", [0xa4, 0xc5, 0x01, 0x00, 0x0b]),
    ] as [(String, [UInt8])])
  func words(text: String, bytes: [UInt8]) throws {
    #expect(try only(text, .lines).bytes == bytes)
  }

  // MARK: Recordings and the kernel

  @Test("a recording gives the descriptor of each R: line, with the name and numbers of its device")
  func recording() throws {
    let all = try read(
      """
      # EVEMU is something else
      D: 0
      R: 4 05 01 09 02 \r
      N: A mouse
      I: 3 46d c077
      P: usb-1
      D: 1
      N: B
      # 0x05, 0x01, // Usage Page (Generic Desktop) 0
      R: 2 C0 c0
      D: 0
      E: 0.000001 1 05
      """)
    #expect(all.map(\.format) == [.recording, .recording])
    #expect(all.map(\.bytes) == [[5, 1, 9, 2], [0xc0, 0xc0]])
    #expect(all.map(\.name) == ["A mouse", "B"])
    #expect(
      all.map(\.identity) == [
        HIDDescriptorText.Identity(busType: 3, vendorID: 0x46d, productID: 0xc077), nil,
      ])
    #expect(all[0].location(ofByte: 1) == HIDTextLocation(line: 3, column: 9))
  }

  @Test("the kernel's rdesc file gives the bytes before its first empty line, and not the fields")
  func debugfs() throws {
    let text = """
      05 01 09 02 a1 01 c0 \n
        INPUT(1)[INPUT]
          Field(0)
            Physical(GenericDesktop.Pointer)
            Usage(3)
              Button.0001
            Logical Minimum(0)
            Flags( Variable Absolute )

      Button.0001 ---> Key.LeftBtn
      """
    #expect(try only(text, .debugfs).bytes == [5, 1, 9, 2, 0xa1, 1, 0xc0])
    let unnumbered = "05 01 \n\n  OUTPUT[OUTPUT]\n    Field(0)\n"
    #expect(try only(unnumbered, .debugfs).bytes == [5, 1])
  }

  // MARK: JSON

  @Test("items in JSON are read alone, and in a device file of one or of several interfaces")
  func json() throws {
    let items = #"[{"usagePage": 1, "usage": "mouse"}, {"hex": "a1 01"}, "endCollection"]"#
    let bytes: [UInt8] = [5, 1, 9, 2, 0xa1, 1, 0xc0]
    let alone = try only(items, .items)
    #expect(alone.bytes == bytes)
    #expect(alone.location(ofByte: 3) == HIDTextLocation(line: 1, column: 19))
    #expect(try only(#"{"hex": [5, "0x01"]}"#, .items).bytes == [5, 1])
    let device = try only(
      "// c\n{\"name\": \"M\", \"vendorID\": \"0x1209\", \"productID\": 2, \"reportDescriptor\": \(items)}",
      .items)
    #expect(device.bytes == bytes)
    #expect(device.name == "M")
    #expect(device.identity == HIDDescriptorText.Identity(vendorID: 0x1209, productID: 2))
    let several = try read(
      "{\"name\": \"M\", \"interfaces\": [{\"name\": \"a\", \"reportDescriptor\": \(items)}, "
        + "{\"reportDescriptor\": {\"hex\": \"c0\"}}]}")
    #expect(several.map(\.bytes) == [bytes, [0xc0]])
    #expect(several.map(\.name) == ["M a", "M"])
  }

  // MARK: Binary

  @Test("a binary file is distinguished from text, and has no lines")
  func binary() throws {
    for bytes: [UInt8] in [Self.mouse, [0xc0], [0x05, 0x01], [0x00]] {
      let all = try HIDDescriptorText.read(bytes, name: "a.bin")
      #expect(all.map(\.bytes) == [bytes])
      #expect(all.map(\.format) == [.binary])
      #expect(all[0].location(ofByte: 0) == nil)
    }
  }

  @Test("a format can be forced")
  func forced() throws {
    #expect(try read("05 01", .binary).map(\.bytes) == [Array("05 01".utf8)])
    #expect(try read("", .hex).map(\.bytes) == [[]])
    #expect(try read("05 01", .text).map(\.bytes) == [[5, 1]])
  }
}
