// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HIDBus

@Suite("The kernel's virtual USB host controllers") struct VirtualHostControllerTests {
  /// Makes a folder like that of two controllers with three ports each, the first of the first in
  /// use, and removes it after `body`.
  private func withControllers(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "vhci-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = folder.appending(path: "vhci_hcd.0/usb3/3-1")
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    let header = "hub port sta spd dev      sockfd local_busid\n"
    let first = """
      hs  0000 006 002 00010001 000003 3-1
      hs  0001 004 000 00000000 000000 0-0
      ss  0002 004 000 00000000 000000 0-0
      ss  0003 004 000 00000000 000000 0-0

      """
    let second = """
      hs  0004 004 000 00000000 000000 0-0
      hs  0005 004 000 00000000 000000 0-0

      """
    for (name, lines) in [("status", first), ("status.1", second)] {
      try Data((header + lines).utf8).write(to: folder.appending(path: "vhci_hcd.0/\(name)"))
    }
    try body(folder)
  }

  @Test("free ports are those of all controllers for high speed and below")
  func ports() throws {
    try withControllers { folder in
      let ports = VirtualHostController(devices: folder.path).freePorts()
      #expect(ports.map(\.number) == [1, 4, 5])
      #expect(
        ports.map(\.physicalPath) == [
          "usb-vhci_hcd.0-2", "usb-vhci_hcd.1-1", "usb-vhci_hcd.1-2",
        ])
    }
  }

  @Test("a port has a device while the kernel has its folder")
  func device() throws {
    try withControllers { folder in
      let controller = VirtualHostController(devices: folder.path)
      #expect(controller.hasDevice(on: .init(number: 0, controller: 0, place: 1)))
      #expect(!controller.hasDevice(on: .init(number: 1, controller: 0, place: 2)))
      #expect(!controller.hasDevice(on: .init(number: 4, controller: 1, place: 1)))
    }
  }

  @Test("a device is suspended if the kernel's file says so, and unknown without the file")
  func suspension() throws {
    try withControllers { folder in
      let controller = VirtualHostController(devices: folder.path)
      let port = VirtualHostController.Port(number: 0, controller: 0, place: 1)
      #expect(controller.name(of: port) == "3-1")
      #expect(controller.hasSuspendedDevice(on: port) == nil)
      let power = folder.appending(path: "vhci_hcd.0/usb3/3-1/power")
      try FileManager.default.createDirectory(at: power, withIntermediateDirectories: true)
      for (status, isSuspended) in [
        ("active", false), ("suspending", false), ("suspended", true), ("resuming", false),
      ] {
        try Data("\(status)\n".utf8).write(to: power.appending(path: "runtime_status"))
        #expect(controller.hasSuspendedDevice(on: port) == isSuspended, "\(status)")
      }
      #expect(controller.name(of: .init(number: 4, controller: 1, place: 1)) == nil)
    }
  }

  @Test("a port whose last device is being removed is taken only if there is no other")
  func removal() throws {
    try withControllers { folder in
      let controller = VirtualHostController(devices: folder.path)
      func addDevice(_ path: String) throws {
        try FileManager.default.createDirectory(
          at: folder.appending(path: path), withIntermediateDirectories: true)
      }
      try addDevice("vhci_hcd.0/usb3/3-2")
      #expect(controller.emptyPorts().map(\.number) == [4, 5])
      try addDevice("vhci_hcd.1/usb5/5-1")
      try addDevice("vhci_hcd.1/usb5/5-2")
      #expect(controller.emptyPorts().map(\.number) == [1, 4, 5])
    }
  }

  @Test("without the driver there are no ports")
  func missing() {
    #expect(VirtualHostController(devices: "/nonexistent").freePorts().isEmpty)
  }

  @Test("the link of a port names the device on it")
  func link() throws {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    let device = HIDDeviceID(rawValue: 1 << 63 | 5 << 8)
    try USBPortLink.publish(HIDDeviceID(rawValue: 1 << 63), at: "usb-vhci_hcd.0-2", in: directory)
    try USBPortLink.publish(device, at: "usb-vhci_hcd.0-2", in: directory)
    let path = "usb-vhci_hcd.0-2/input3"
    #expect(
      USBPortLink.deviceID(at: path, in: directory)
        == HIDDeviceID(rawValue: 1 << 63 | 5 << 8 | 3))
    for other in ["usb-vhci_hcd.0-1/input3", "usb-vhci_hcd.0-2", "usb-0000:00:14.0-2/input0"] {
      #expect(USBPortLink.deviceID(at: other, in: directory) == nil)
    }
    USBPortLink.remove(HIDDeviceID(rawValue: 1 << 63), at: "usb-vhci_hcd.0-2", in: directory)
    #expect(USBPortLink.deviceID(at: path, in: directory) != nil, "the link is another device's")
    // The device has no file: the link is left from a killed process.
    _ = try DeviceEntry.readAll(in: directory)
    #expect(USBPortLink.deviceID(at: path, in: directory) == nil)
  }
}
