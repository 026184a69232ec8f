// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDSimulator
import HIDBus
import HIDText
import TestSupport
import Testing

@Suite("Writing device files")
struct DeviceFileWritingTests {
  /// Returns the device without the locations of its interfaces, which differ from file to file.
  private func placeless(_ device: HIDDeviceDefinition) -> HIDDeviceDefinition {
    var device = device
    for index in device.interfaces.indices { device.interfaces[index].location = .start }
    return device
  }

  private func readAgain(_ device: HIDDeviceDefinition) throws -> HIDDeviceDefinition {
    try HIDDeviceFile.parse(
      HIDDeviceFile.write(device, comment: ["a \"copy\"", "of it"]), name: "copy"
    ) { _ in [] }
  }

  @Test("each shipped device is the same after it is written and read")
  func library() throws {
    for name in try Library.names() {
      let device = try Library.device(name)
      #expect(try placeless(readAgain(device)) == placeless(device), "\(name)")
    }
  }

  @Test("a device with every key and odd values is the same after it is written and read")
  func everything() throws {
    let descriptor = """
      "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 85 01 95 03 09 01 b1 02 85 02 95 02 09 02 91 02 85 03 95 01 09 03 81 02 c0"}
      """
    let text = """
      {"hidsim": 1, "name": "\\"é\\\\", "vendorID": 1, "productID": 65535, "version": "0x0a10",
       "manufacturer": "m", "serialNumber": "s", "transport": "0x1f", "physicalPath": "usb-1",
       "country": 33,
       "interfaces": [
         {"name": "one", \(descriptor),
          "reports": [{"type": "feature", "id": 1, "initial": "01 02 03"},
            {"type": "input", "id": 3, "stamp": {"0": "${counter:u8}"}},
            {"type": "output", "id": 2, "anyLength": true}],
          "controls": {"z": {"type": "input", "id": 3, "bit": 2},
            "y2": {"type": "input", "id": 3, "bit": 5}, "a": "0xff00.0x0002",
            "y": {"type": "feature", "id": 1, "bit": 8, "bits": 16, "signed": true,
              "minimum": -7, "maximum": 99, "usage": "button 3"}},
          "behaviours": [
            {"on": {"get": "feature", "id": 1}, "reply": "09", "delay": "1500us"},
            {"on": {"set": "feature", "id": 1}, "error": true},
            {"on": {"output": "07 08", "id": 2}, "send": {"id": 3, "bytes": "05"}, "delay": "2s"},
            {"on": {"output": "?? 09", "id": 2}, "detach": true},
            {"on": {"output": "?3 4?", "id": 2}, "send": {"id": 3, "bytes": "${level:u4>>4&7}a"}},
            {"on": {"output": "80/c1 ...", "id": 2}, "send": [{"id": 3, "bytes": "2${request[1]:u4}"}, {"id": 3, "bytes": "${level:u8>>2}"}]},
            {"on": {"output": "...", "id": 2}, "when": {"mode": [1, {"minimum": 3, "maximum": 4}]},
             "send": [{"id": 3, "bytes": "06"}, {"id": 3, "bytes": "${request[1]:u8}", "after": "1ms"}]},
            {"on": {"output": "any", "by": "output"}, "set": {"mode": "+1", "level": "${request[1]:i16be}", "on": true,
             "key": "${request[1..2]} 07"}, "delay": "1ms", "detach": "20ms"},
            {"on": {"set": "output", "id": 2, "bytes": "01 ..."}, "none": true},
            {"on": {"set": "output", "id": 2}, "when": {"mode": 1}, "delay": "0ms"},
            {"on": {"set": "output", "id": 2}, "delay": "0ms"},
            {"on": {"get": "output", "id": 2}, "reply": "02 ${crc32:u32le seed=a3} ${request_:u8}",
             "exact": true},
            {"on": "plug", "set": {"mode": 0}},
            {"on": "open", "set": {"level": "-7"}},
            {"on": "close", "when": {"a": 0}, "set": {"request_": 3}},
            {"on": {"timer": "15ms"}, "send": {"id": 3, "bytes":
             "${time:u8 unit=1/3us}"}},
            {"on": {"timer": "2s"}, "send": {"id": 3}},
            {"on": {"usb": "idle 500ms"}, "send": {"id": 3}},
            {"on": {"usb": "clear 81"}, "send": {"id": 3}},
            {"on": {"timer": "2s"}, "send": {"id": 3, "bytes": "${feature 1[1]:u8}"}},
            {"on": {"timer": "2s"}, "send": {"id": 3, "bytes": "${output 2[1]}"}},
            {"on": {"timer": "1s"}, "send": {"id": 3, "bytes": "${instance:u8}"}},
            {"on": {"timer": "1s"}, "send": {"id": 3, "bytes": "${device:u8}"}}],
          "switches": [{"when": {"mode": [1, {"minimum": 3}]}, "press": {"pedal": "z+y2", "pad": "z"}},
            {"press": {"pedal": "y2"}}],
          "switchRepeats": [{"when": {"mode": 1}, "once": true},
            {"when": {"mode": 2}, "delay": "500ms", "interval": {"state": "level", "unit": "4/255s"}},
            {"delay": {"state": "mode", "unit": "1ms"}, "interval": {"state": "mode", "per": "4s"}}],
          "state": {"mode": {"type": "u8", "initial": 2}, "level": {"type": "i16", "initial": -5},
            "on": {"type": "bool"}, "request_": {"type": "u32", "initial": 4294967295},
            "key": {"type": "bytes", "count": 3, "initial": "01 02"}}},
         {"reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 75 08 95 01 09 02 81 02 09 03 91 02 c0"},
          "behaviours": [{"on": {"output": "07"}, "send": "05"}]}]}
      """

    let device = try HIDDeviceFile.parse(Array(text.utf8), name: "all") { _ in [] }
    #expect(device.transport == .other(busType: 0x1f))
    #expect(try placeless(readAgain(device)) == placeless(device))
  }

  @Test(
    "each accepted descriptor of the corpus has the same bytes after it is written and read",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() throws {
    var count = 0
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") {
      guard let bytes = try? DescriptorCorpus.bytes(String(row[0])),
        let descriptor = try? HIDReportDescriptor(parsing: bytes)
      else { continue }
      let device = HIDDeviceDefinition(
        name: "x", vendorID: 1, productID: 2,
        interfaces: [HIDInterfaceDefinition(descriptor: descriptor)])
      let again = try readAgain(device)
      #expect(again.interfaces.map(\.descriptor.bytes) == [bytes], "\(row[0])")
      count += 1
    }
    #expect(count > 500)
  }

  @Test("the interfaces of a device are the records with its physical path and IDs, in their order")
  func interfaces() throws {
    func record(_ number: UInt64, _ path: String, productID: UInt32 = 1) -> HIDDeviceRecord {
      HIDDeviceRecord(
        id: HIDDeviceID(rawValue: number), bus: .kernel, address: "/dev/hidraw\(number)",
        identity: HIDDeviceIdentity(name: "x", vendorID: 1, productID: productID),
        physicalPath: path, descriptorBytes: [])
    }
    let usb = [
      record(1, "usb-0000:00:14.0-1/input10"), record(2, "usb-0000:00:14.0-1/input2"),
      record(3, "usb-0000:00:14.0-10/input0"), record(4, "usb-0000:00:14.0-1/input0", productID: 2),
    ]
    let radio = [record(5, "00:11:22:33:44:55"), record(6, "00:11:22:33:44:55"), record(7, "")]
    let ours = [1, 0].map {
      record(8 + $0, "hidsim-8000000000000100/input\($0)\($0 == 1 ? "/long" : "")")
    }
    let all = usb + radio + ours
    #expect(usb[0].interfaces(among: all) == [usb[1], usb[0]])
    #expect(usb[2].interfaces(among: all) == [usb[2]])
    #expect(usb[3].interfaces(among: all) == [usb[3]])
    for one in radio { #expect(one.interfaces(among: all) == [one]) }
    #expect(ours[0].interfaces(among: all) == [ours[1], ours[0]])
  }
}
