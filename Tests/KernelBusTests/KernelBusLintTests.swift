// SPDX-License-Identifier: Apache-2.0

@testable import HIDBus
import Testing

/// Tests of the descriptors that the kernel bus refuses.
///
/// They plug no device.
@Suite struct KernelBusLintTests {
  /// Returns a vendor's application collection (usage 1) around some items.
  private func device(_ items: [UInt8]) -> [UInt8] {
    [0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01] + items + [0xc0]
  }

  /// An output report of 4,096 bytes: with the byte for a report ID, one byte more than uhid has
  /// room for.
  private let long: [UInt8] = [
    0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x96, 0x00, 0x10, 0x09, 0x01, 0x91, 0x02,
  ]
  /// A resolution multiplier of 32 bits in a feature report, whose range is the whole of 32 bits.
  private let multiplier: [UInt8] = [
    0x17, 0, 0, 0, 0x80, 0x27, 0xff, 0xff, 0xff, 0x7f, 0x75, 0x20, 0x95, 0x01,
    0x0b, 0x48, 0x00, 0x01, 0x00, 0xb1, 0x02,
  ]

  @Test("a descriptor without errors is accepted, with or without warnings")
  func accepted() {
    #expect(KernelBus.refusal(of: plainDescriptor, named: "x") == nil)
    let empty: [UInt8] = [0x15, 0x00, 0x25, 0x01, 0x75, 0x08, 0x95, 0x00, 0x09, 0x01, 0x81, 0x02]
    #expect(KernelBus.refusal(of: device(empty), named: "x") == nil)
  }

  @Test("a report that is too long for uhid is refused as a limit")
  func limit() throws {
    let error = try #require(KernelBus.refusal(of: device(long), named: "x"))
    #expect(error.kind == .limitReached)
  }

  @Test("a descriptor that stops the kernel, or that it refuses, is an invalid argument")
  func stops() throws {
    #expect(
      KernelBus.refusal(of: device(multiplier), named: "x")?.kind == .invalidArgument)
    #expect(KernelBus.refusal(of: [0xc0], named: "x")?.kind == .invalidArgument)
  }

  @Test("the refusal has all errors, each with its fix, and another bus as a remedy")
  func message() throws {
    let error = try #require(KernelBus.refusal(of: device(long + multiplier), named: "x y"))
    #expect(error.kind == .invalidArgument)
    let lines = error.message.split(separator: "\n")
    try #require(lines.count == 5)
    #expect(
      lines[0]
        == "plug \"x y\" through /dev/uhid: Linux cannot use this report descriptor; use --bus loopback, or correct it:"
    )
    #expect(lines[1].hasPrefix("  error: byte 19: ") && lines[1].hasSuffix(" [report-over-uhid]"))
    #expect(lines[2].hasPrefix("    fix: split the report"))
    #expect(
      lines[3].hasPrefix("  error: byte 35: ") && lines[3].hasSuffix(" [multiplier-stops-linux]"))
    #expect(lines[4].hasPrefix("    fix: write the range"))
  }
}
