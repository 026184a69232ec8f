// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HIDBus
import IOLoop
import Testing

/// Tests of a scanner with a made-up sysfs, and of the kernel's messages about devices.
///
/// Nodes that must exist are links to `/dev/null`.
@Suite struct KernelScannerTests {
  private static let name = "0003:00001209:0000BEEF.0005"
  private static let uevent = """
    DRIVER=hid-generic
    HID_ID=0003:00001209:0000BEEF
    HID_NAME=hidsim = test
    HID_PHYS=hidsim-800000000000ab00/input0
    HID_UNIQ=
    MODALIAS=hid:b0003g0001v00001209p0000BEEF

    """

  @Test("a device that gets a node is read with its descriptor, identity and address")
  func arrives() throws {
    let tree = try TemporaryFiles()
    var scanner = KernelScanner(DeviceTree(root: tree.root))
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
    let tree = try TemporaryFiles()
    try tree.device(Self.name, uevent: Self.uevent)
    for path in [
      "hidraw", "hidraw/hidraw7", "input", "input/input3", "input/input3/event9", "input/input3/id",
    ] {
      tree.folder("\(Self.name)/\(path)")
    }
    try tree.file("\(Self.name)/input/input3/id/version", "0123\n")
    let device = try #require(KernelDevice(folder: Self.name, in: DeviceTree(root: tree.root)))
    #expect(device.hidraw == "hidraw7")
    #expect(device.events == ["event9"])
    #expect(device.version == 0x0123)
    #expect(device.record?.eventNodes == ["/dev/input/event9"])
  }

  @Test("input nodes are in the order in which the kernel made them")
  func inputOrder() throws {
    let tree = try TemporaryFiles()
    try tree.device(Self.name, uevent: Self.uevent)
    for path in [
      "input", "input/input10", "input/input10/event7", "input/input9", "input/input9/event11",
    ] {
      tree.folder("\(Self.name)/\(path)")
    }
    let device = try #require(KernelDevice(folder: Self.name, in: DeviceTree(root: tree.root)))
    #expect(device.events == ["event11", "event7"])
  }

  @Test("a device that is gone is forgotten")
  func leaves() throws {
    let tree = try TemporaryFiles()
    var scanner = KernelScanner(DeviceTree(root: tree.root))
    try tree.device(Self.name, uevent: Self.uevent)
    _ = scanner.scan(at: .now)
    #expect(scanner.devices.count == 1)
    tree.remove(Self.name)
    #expect(scanner.scan(at: .now).removed.isEmpty, "it was never usable")
    #expect(scanner.devices.isEmpty)
  }

  @Test(
    "a folder that is not a HID device is passed over",
    arguments: [
      "", "0003:1209:0001", "x:y:z.w", "0003:1209:0001.0005.6", "10003:1:2.3", "0003:1:2.x",
    ])
  func foreign(_ name: String) throws {
    let tree = try TemporaryFiles()
    if !name.isEmpty { try tree.device(name, uevent: "") }
    var scanner = KernelScanner(DeviceTree(root: tree.root))
    #expect(scanner.scan(at: .now).added.isEmpty)
    #expect(scanner.devices.isEmpty)
  }

  @Test("a listing is made again if an entry vanished, since the next one may be missing")
  func listing() {
    // The entry b is removed while the first listing stands at it; the listing then skips c.
    var listings = [["a", "b", "d"], ["a", "c", "d"]]
    #expect(
      SysFS.allNames {
        listings.removeFirst()
      } isThere: {
        $0 != "b"
      } == ["a", "c", "d"])
    #expect(listings.isEmpty)
    // If an entry goes during every listing, the result has the entries of all listings.
    var count = 0
    let names = SysFS.allNames {
      count += 1
      return count.isMultiple(of: 2) ? ["a", "gone \(count)"] : ["c", "gone \(count)"]
    } isThere: {
      !$0.hasPrefix("gone")
    }
    #expect(names == ["a", "c"])
  }

  @Test("a device that vanishes while it is read is ignored")
  func vanishes() throws {
    let tree = try TemporaryFiles()
    tree.folder(Self.name)
    #expect(KernelDevice(folder: Self.name, in: DeviceTree(root: tree.root)) == nil)
    try tree.file("\(Self.name)/uevent", "HID_NAME")
    #expect(KernelDevice(folder: Self.name, in: DeviceTree(root: tree.root)) == nil)
    try tree.file("\(Self.name)/report_descriptor", [0xff, 0xff])
    let device = try #require(KernelDevice(folder: Self.name, in: DeviceTree(root: tree.root)))
    #expect(device.name == "")
    #expect(device.record == nil)
  }

  // MARK: When a driver is done

  /// Makes a scanner of a made-up machine whose device is in the middle of a driver's probe.
  private func probing(_ files: TemporaryFiles) throws -> KernelScanner {
    for folder in ["sys", "dev", "dev/input"] { files.folder(folder) }
    for node in ["hidraw7", "input/event9"] { files.link("dev/\(node)", to: "/dev/null") }
    var scanner = KernelScanner(
      DeviceTree(root: "\(files.root)/sys", nodes: "\(files.root)/dev"))
    #expect(scanner.scan(at: .now).added.isEmpty)
    try nodes(files)
    return scanner
  }

  private func nodes(_ files: TemporaryFiles) throws {
    try files.device("sys/\(Self.name)", uevent: Self.uevent)
    for path in ["hidraw", "hidraw/hidraw7", "input", "input/input3", "input/input3/event9"] {
      files.folder("sys/\(Self.name)/\(path)")
    }
  }

  @Test("a device with all its nodes is not usable before its driver is bound")
  func bound() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    #expect(scanner.note(DriverChange(.added, Self.name)) == nil)
    #expect(scanner.scan(at: .now.advanced(by: .seconds(60))).added.isEmpty)
    #expect(scanner.note(DriverChange(.bound, Self.name)) == nil)
    #expect(scanner.scan(at: .now).added.map(\.folder) == [Self.name])
  }

  @Test("a device that loses its driver is removed, and added again with the next driver")
  func rebound() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    _ = scanner.note(DriverChange(.bound, Self.name))
    #expect(scanner.scan(at: .now).added.count == 1)
    #expect(scanner.note(DriverChange(.unbound, Self.name))?.folder == Self.name)
    let (added, removed) = scanner.scan(at: .now)
    #expect(added.isEmpty)
    #expect(removed.isEmpty, "it was told already")
    #expect(scanner.note(DriverChange(.unbound, Self.name)) == nil)
    _ = scanner.note(DriverChange(.bound, Self.name))
    #expect(scanner.scan(at: .now).added.map(\.folder) == [Self.name])
  }

  @Test("a device without messages, or after lost ones, is usable after the probe time")
  func deaf() throws {
    for hasHeard in [false, true] {
      let files = try TemporaryFiles()
      var scanner = try probing(files)
      if hasHeard { _ = scanner.note(DriverChange(.added, Self.name)) }
      scanner.noteLoss()
      let start = MonotonicTime.now
      #expect(scanner.scan(at: start).added.isEmpty)
      #expect(scanner.isUnsettled)
      let later = start.advanced(by: KernelScanner.probeTime)
      #expect(scanner.scan(at: later).added.map(\.folder) == [Self.name])
      #expect(!scanner.isUnsettled)
      // The device starts again, with another driver.
      let path = "hidsim-800000000000ab00/input0"
      #expect(scanner.forget(physicalPath: path)?.folder == Self.name)
      #expect(scanner.scan(at: later).added.isEmpty)
    }
  }

  @Test("a device that was there before the scanner listened is usable at once")
  func before() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    scanner.forgetAll()
    #expect(scanner.scan(at: .now).added.map(\.folder) == [Self.name])
  }

  @Test("a message names the HID device that it is about")
  func devices() {
    func folder(_ text: String) -> String? {
      Array(text.utf8).withUnsafeBytes { DeviceMessage($0)?.folder }
    }
    let path = "/devices/virtual/misc/uhid/0003:1209:BEEF.0005"
    let properties = "\0ACTION=add\0DEVPATH=\(path)/hidraw/hidraw3\0SUBSYSTEM=hidraw\0"
    #expect(folder("add@\(path)\0SUBSYSTEM=hid\0") == "0003:1209:BEEF.0005")
    #expect(folder("add@\(path)/hidraw/hidraw3\(properties)") == "0003:1209:BEEF.0005")
    #expect(
      DeviceMessage(action: nil, path: "\(path)/hidraw/hidraw3") { _ in nil }?.folder
        == "0003:1209:BEEF.0005", "a message that libudev has read")
    #expect(
      folder("add@\(path)/0003:046D:4026.0006/input/input9\0") == "0003:046D:4026.0006",
      "a device below a receiver")
    for other in [
      "", "@", "add@", "add@/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0\0SUBSYSTEM=usb\0",
      "libudev\0DEVPATH=\(path)\0", "libudev\0", "add@/a:b:c.d:e\0", "add@/::.\0",
    ] {
      #expect(folder(other) == nil, "\(other)")
    }
  }

  @Test("a scan of changed devices reads a device after its driver's probe, and no other")
  func changed() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    let other = "0003:00001209:0000BEEF.0006"
    try files.device("sys/\(other)", uevent: Self.uevent)
    _ = scanner.note(DriverChange(.added, Self.name))
    #expect(scanner.scan(at: .now, changed: [Self.name]).added.isEmpty)
    _ = scanner.note(DriverChange(.bound, Self.name))
    #expect(scanner.scan(at: .now, changed: []).added.isEmpty)
    #expect(scanner.scan(at: .now, changed: [Self.name]).added.map(\.folder) == [Self.name])
    #expect(scanner.devices[other] == nil, "no message was about it")
    files.remove("sys/\(Self.name)")
    #expect(scanner.scan(at: .now, changed: [Self.name]).removed.map(\.folder) == [Self.name])
    #expect(scanner.devices[Self.name] == nil)
  }

  /// Returns a message of the kernel about the device or a device below it.
  private func message(_ action: String, _ below: String, _ properties: String) -> DeviceMessage? {
    Array("\(action)@/devices/virtual/misc/uhid/\(Self.name)\(below)\0\(properties)\0".utf8)
      .withUnsafeBytes { DeviceMessage($0) }
  }

  @Test("a device whose messages were all heard is read from them, and has its nodes")
  func heard() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    func note(_ action: String, _ below: String, _ properties: String) -> KernelDevice? {
      message(action, below, properties).flatMap { scanner.note($0) }
    }
    _ = note("add", "", "SUBSYSTEM=hid")
    _ = note("add", "/input/input9", "SUBSYSTEM=input\0PRODUCT=3/1209/beef/102")
    _ = note("add", "/input/input9/event9", "SUBSYSTEM=input")
    _ = note("add", "/input/input9/input9::capslock", "SUBSYSTEM=leds")
    _ = note("add", "/hidraw/hidraw7", "SUBSYSTEM=hidraw")
    let bound = "SUBSYSTEM=hid\0DRIVER=heard\0HID_ID=x\0HID_NAME=a name\nb\0HID_PHYS=p\0HID_UNIQ=u"
    _ = note("bind", "", bound)
    let device = try #require(scanner.scan(at: .now, changed: [Self.name]).added.first)
    #expect((device.name, device.physicalPath, device.uniq) == ("a name", "p", "u"))
    #expect((device.driver, device.hidraw, device.events) == ("heard", "hidraw7", ["event9"]))
    #expect(device.version == 0x102 && device.country == 0x21)
    // The kernel removes the nodes before it unbinds the driver.
    for node in ["/hidraw/hidraw7", "/input/input9/event9", "/input/input9"] {
      _ = note("remove", node, "SUBSYSTEM=\(node.hasPrefix("/hidraw") ? "hidraw" : "input")")
    }
    #expect(note("unbind", "", "SUBSYSTEM=hid")?.folder == Self.name)
    // The next driver makes another node, which this machine does not have.
    _ = note("add", "/hidraw/hidraw8", "SUBSYSTEM=hidraw")
    _ = note("bind", "", bound)
    #expect(scanner.scan(at: .now, changed: [Self.name]).added.isEmpty)
    let next = try #require(scanner.devices[Self.name])
    #expect(next.hidraw == "hidraw8" && next.events == [] && next.version == 0)
    // A scan of all devices reads sysfs, whatever the messages were.
    #expect(scanner.scan(at: .now).added.map(\.name) == ["hidsim = test"])
  }

  @Test("a message that a user has caused changes nothing")
  func synthetic() throws {
    let files = try TemporaryFiles()
    var scanner = try probing(files)
    func note(_ action: String, _ below: String, _ properties: String) {
      _ = message(action, below, properties).flatMap { scanner.note($0) }
    }
    note("add", "", "SUBSYSTEM=hid")
    note("add", "/hidraw/hidraw7", "SUBSYSTEM=hidraw")
    note("add", "", "SUBSYSTEM=hid\0SYNTH_UUID=0")
    note("bind", "", "SUBSYSTEM=hid\0DRIVER=heard\0HID_ID=x\0HID_NAME=n\0HID_PHYS=p\0HID_UNIQ=u")
    #expect(scanner.scan(at: .now, changed: [Self.name]).added.map(\.hidraw) == ["hidraw7"])
    note("add", "", "SUBSYSTEM=hid\0SYNTH_UUID=0")
    #expect(scanner.scan(at: .now, changed: [Self.name]).removed.isEmpty)
    #expect(scanner.usable == [Self.name])
  }

  @Test("only the kernel's messages about HID devices are driver changes")
  func messages() {
    func change(_ text: String) -> DriverChange? {
      Array(text.utf8).withUnsafeBytes { DeviceMessage($0)?.change }
    }
    let properties = "\0ACTION=bind\0DEVPATH=x\0SUBSYSTEM=hid\0DRIVER=hid-generic\0"
    let path = "/devices/virtual/misc/uhid/0003:1209:BEEF.0005"
    #expect(
      change("bind@\(path)\(properties)") == DriverChange(.bound, "0003:1209:BEEF.0005"))
    #expect(
      change("add@\(path)\0SUBSYSTEM=hid\0") == DriverChange(.added, "0003:1209:BEEF.0005"))
    for other in [
      "", "@", "bind@", "bind", "libudev\0\0SUBSYSTEM=hid\0", "bind@\(path)\0SUBSYSTEM=hidraw\0",
      "bind@\(path)\0SUBSYSTEM=hidx\0", "change@\(path)\(properties)", "bind@x\(properties)",
      "a/b@c\0SUBSYSTEM=hid\0", "\0\0\0",
    ] {
      #expect(change(other) == nil, "\(other)")
    }
  }
}

extension TemporaryFiles {
  /// Makes a device as it is before a driver is bound: with an empty descriptor, and without nodes.
  fileprivate func device(_ name: String, uevent: String) throws {
    folder(name)
    try file("\(name)/uevent", uevent)
    try file("\(name)/report_descriptor", [])
    try file("\(name)/country", "21\n")
  }
}
