// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDWire
import IOLoop
import Testing

@testable import KernelBus

/// Reads a made-up sysfs.
///
/// That its devices become usable takes nodes in `/dev`: the conformance tests see to it.
@Suite struct KernelScannerTests {
  /// A folder that looks like `/sys/bus/hid/devices`, removed with its last user.
  private final class Tree {
    let root: String

    init() throws {
      var path = Array("/tmp/hidsim-sysfs-XXXXXX".utf8CString)
      try #require(mkdtemp(&path) != nil)
      root = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove(root) }

    private func remove(_ path: String) {
      for name in SysFS.names(in: path) { remove("\(path)/\(name)") }
      if rmdir(path) != 0 { unlink(path) }
    }

    func folder(_ path: String) { mkdir("\(root)/\(path)", 0o700) }

    func file(_ path: String, _ bytes: [UInt8]) throws {
      let file = try #require(fopen("\(root)/\(path)", "w"))
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }

    func file(_ path: String, _ text: String) throws { try file(path, Array(text.utf8)) }

    /// A device as it stands before a driver is bound: with everything but descriptor and nodes.
    func device(_ name: String, uevent: String) throws {
      folder(name)
      try file("\(name)/uevent", uevent)
      try file("\(name)/report_descriptor", [])
      try file("\(name)/country", "21\n")
    }

    func remove(device: String) { remove("\(root)/\(device)") }
  }

  private static let name = "0003:00001209:0000BEEF.0005"
  private static let uevent = """
    DRIVER=hid-generic
    HID_ID=0003:00001209:0000BEEF
    HID_NAME=hidsim = test
    HID_PHYS=hidsim-800000000000ab00/input0
    HID_UNIQ=
    MODALIAS=hid:b0003g0001v00001209p0000BEEF

    """

  @Test("a device is there once it has a node, with the descriptor of that moment")
  func arrives() throws {
    let tree = try Tree()
    var scanner = KernelScanner(root: tree.root)
    #expect(scanner.scan(at: .now).added.isEmpty)
    try tree.device(Self.name, uevent: Self.uevent)
    #expect(scanner.scan(at: .now).added.isEmpty)
    try tree.file("\(Self.name)/report_descriptor", [0x05, 0x01])
    tree.folder("\(Self.name)/hidraw")
    tree.folder("\(Self.name)/hidraw/hidraw-none")
    #expect(scanner.scan(at: .now).added.isEmpty)
    let device = try #require(scanner.devices[Self.name])
    #expect(scanner.missingNodes(of: device) == ["/dev/hidraw-none"])
    #expect(device.descriptor == [0x05, 0x01])
    #expect(device.name == "hidsim = test")
    #expect(device.physicalPath == "hidsim-800000000000ab00/input0")
    #expect(device.uniq == "")
    #expect(device.bus == 3)
    #expect(device.vendorID == 0x1209)
    #expect(device.productID == 0xbeef)
    #expect(device.instance == 5)
    #expect(device.country == 0x21)
    let record = try #require(device.record)
    #expect(record.id.rawValue == 0x8000_0000_0000_ab00)
    #expect(record.address == "/dev/hidraw-none")
  }

  @Test("input nodes and the release number are found below the device")
  func inputs() throws {
    let tree = try Tree()
    try tree.device(Self.name, uevent: Self.uevent)
    for path in [
      "hidraw", "hidraw/hidraw7", "input", "input/input3", "input/input3/event9", "input/input3/id",
    ] {
      tree.folder("\(Self.name)/\(path)")
    }
    try tree.file("\(Self.name)/input/input3/id/version", "0123\n")
    let device = try #require(KernelDevice(folder: Self.name, root: tree.root))
    #expect(device.hidraw == "hidraw7")
    #expect(device.events == ["event9"])
    #expect(device.version == 0x0123)
    #expect(device.record?.eventNodes == ["/dev/input/event9"])
  }

  @Test("a device that is gone is forgotten")
  func leaves() throws {
    let tree = try Tree()
    var scanner = KernelScanner(root: tree.root)
    try tree.device(Self.name, uevent: Self.uevent)
    _ = scanner.scan(at: .now)
    #expect(scanner.devices.count == 1)
    tree.remove(device: Self.name)
    #expect(scanner.scan(at: .now).removed.isEmpty, "it was never usable")
    #expect(scanner.devices.isEmpty)
  }

  @Test(
    "a folder that is no HID device is passed over",
    arguments: [
      "", "0003:1209:0001", "x:y:z.w", "0003:1209:0001.0005.6", "10003:1:2.3", "0003:1:2.x",
    ])
  func foreign(_ name: String) throws {
    let tree = try Tree()
    if !name.isEmpty { try tree.device(name, uevent: "") }
    var scanner = KernelScanner(root: tree.root)
    #expect(scanner.scan(at: .now).added.isEmpty)
    #expect(scanner.devices.isEmpty)
  }

  @Test("a device that vanishes while it is read is not there")
  func vanishes() throws {
    let tree = try Tree()
    tree.folder(Self.name)
    #expect(KernelDevice(folder: Self.name, root: tree.root) == nil)
    try tree.file("\(Self.name)/uevent", "HID_NAME")
    #expect(KernelDevice(folder: Self.name, root: tree.root) == nil)
    try tree.file("\(Self.name)/report_descriptor", [0xff, 0xff])
    let device = try #require(KernelDevice(folder: Self.name, root: tree.root))
    #expect(device.name == "")
    #expect(device.record == nil)
  }
}
