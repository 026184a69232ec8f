// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces
import Testing

@Suite("Devices of recordings")
struct RecordingDeviceTests {
  private func devices(_ text: String) throws -> [HIDDeviceDefinition] {
    let recording = try HIDTrace(Array(text.utf8), name: "a.hid")
    return try HIDDeviceDefinition.devices(of: recording.devices, name: "a.hid")
  }

  @Test("a recording's devices have its names, numbers, buses and descriptors")
  func identity() throws {
    let devices = try devices(
      "D: 0\nR: 7 05 01 09 06 a1 01 c0\nN: Kbd\nI: 5 046d c077\nD: 1\nR: 7 05 01 09 02 a1 01 c0\n")
    #expect(devices.map(\.name) == ["Kbd", "recorded device"])
    #expect(devices.map(\.vendorID) == [0x046D, 0])
    #expect(devices.map(\.productID) == [0xC077, 0])
    #expect(devices.map(\.transport) == [.bluetooth, .usb])
    #expect(devices[1].interfaces[0].descriptor.bytes == [5, 1, 9, 2, 0xA1, 1, 0xC0])
  }

  @Test("the file of a recording's device has the last of each declared report, and no others")
  func fileOfRecording() throws {
    let descriptor = RuntimeDescriptor.numbered
    let device = try devices(
      """
      R: \(descriptor.count) \(descriptor.hexText)
      #! hidsim trace 1
      #! report feature 3 4 03 01 02 03
      #! report feature 9 2 09 01
      #! report output 8 2 08 01
      #! report feature 3 4 03 04 05 06

      """)[0]
    // A driver can ask for the other reports of the device.
    #expect(device.interfaces[0].initialReports.map(\.id?.rawValue) == [9, 8, 3])
    let copy = try HIDDeviceFile.parse(HIDDeviceFile.write(device), name: "copy") { _ in [] }
    #expect(copy.interfaces[0].initialReports.map(\.bytes) == [[3, 4, 5, 6]])
  }

  @Test("control characters in a device name become spaces, and a long name is cut to 127 bytes")
  func names() throws {
    let long = String(repeating: "é", count: 100)
    let devices = try devices("R: 3 a1 01 c0\nN: \u{1B}[2J\(long)\n")
    #expect(devices[0].name == " [2J" + String(repeating: "é", count: 61))
  }

  @Test("a descriptor that the kernel would refuse is an error with its line")
  func badDescriptor() {
    #expect { try devices("N: x\nR: 1 c0\n") } throws: {
      "\($0)"
        == "a.hid:2:1: the kernel would not start device 0: byte 0: an End Collection without "
        + "a Collection before it; remove it"
    }
  }

  @Test("the shipped script caps.hidscript is read, and each of its lines has an interface")
  func scripts() throws {
    let script = try HIDScript.parse(
      try Library.bytes("scripts/caps.hidscript"), name: "caps.hidscript")
    let resolved = try script.resolved(for: [try Library.device("keyboard.json")])
    #expect(resolved.statements.map(\.location.line) == [4, 5, 6])
    #expect(script.deviceFiles.map(\.name) == ["keyboard.json"])
    #expect(resolved.statements.allSatisfy { $0.interface != nil })
  }
}
