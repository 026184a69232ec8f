// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The USB bus of this machine.
enum USBBus {
  /// True if devices can be attached to the kernel's virtual USB host controllers.
  static let isThere = access("/sys/devices/platform/vhci_hcd.0/attach", W_OK) == 0
  static let reason: Comment = "vhci_hcd cannot be used: run the tests in scripts/vm"
}

extension EndToEndTests {
  /// Devices on the USB bus, as other programs find them in sysfs.
  @Suite(
    "the USB bus", .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: USBBus.isThere, USBBus.reason))
  struct USBBusTests {
    /// A USB device in sysfs.
    private struct Device: Equatable {
      private static let devices = "/sys/bus/usb/devices"
      let name: String

      /// Finds the device with a serial number; nil if there is none.
      init?(serialNumber: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.devices)
        guard let found = names.first(where: { Self.text("\($0)/serial") == serialNumber })
        else { return nil }
        name = found
      }

      private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: "\(devices)/\(path)").map {
          String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
      }

      /// The folder of the device.
      var folder: String { "\(Self.devices)/\(name)" }

      /// Returns an attribute of the device, or of one of its interfaces.
      func attribute(_ attribute: String, interface: Int? = nil) -> String? {
        Self.text("\(name)\(interface.map { ":1.\($0)" } ?? "")/\(attribute)")
      }
    }

    @Test("the kernel finds the identity, the speed and the interface of a device")
    func identity() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "keyboard.json", "--bus", "usb", "--json")
        _ = try await run.event("plugged")
        let device = try #require(try Device(serialNumber: "KB-1"))
        #expect(device.attribute("manufacturer") == "hidsim")
        #expect(device.attribute("product") == "keyboard")
        #expect(device.attribute("idVendor") == "1209")
        #expect(device.attribute("bcdDevice") == "0100")
        #expect(device.attribute("speed") == "12")
        #expect(device.attribute("bInterfaceNumber", interface: 0) == "00")
        #expect(device.attribute("bInterfaceClass", interface: 0) == "03")
        let listed = try await bench.finish("list").output
        #expect(listed.contains { $0.contains("hidsim keyboard") && $0.hasSuffix("(simulated)") })
        try await bench.end(run)
        #expect(try Device(serialNumber: "KB-1") == nil)
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("the interfaces of a device are those of one USB device, and each has its node")
    func composite() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("run", "inputstick.json", "--bus", "usb", "--json")
        var nodes: Set<String> = []
        for _ in 0..<4 { nodes.insert(try #require(try await run.event("plugged").node)) }
        #expect(nodes.count == 4)
        let device = try #require(try Device(serialNumber: "IS-1"))
        #expect(device.attribute("bNumInterfaces") == "4")
        for interface in 0..<4 {
          #expect(device.attribute("bInterfaceNumber", interface: interface) == "0\(interface)")
        }
        try await bench.end(run)
      }
    }

    @Test("a script passes, and its input and its answers reach the host")
    func script() async throws {
      try await Bench.run(.kernel) { bench in
        let script = try bench.file(
          "lamp.hidscript",
          """
          needs keyboard.json
          wait reader hidraw within 20s
          tap a
          expect led.capsLock on within 10s
          """)
        let program = """
          import os
          node = os.open(os.environ["HIDSIM_HIDRAW"], os.O_RDWR)
          while 0x04 not in os.read(node, 8)[2:]:
              pass
          os.write(node, bytes([0x00, 0x02]))
          os.read(node, 8)
          """
        let done = try await bench.finish(
          "run", "--bus", "usb", "--script", script, "--", "python3", "-c", program)
        #expect(done.status == 0, "\(done.output) \(done.errors)")
      }
    }

    @Test("what the host does with the device itself is in the log, in JSON and in scripts")
    func hostEvents() async throws {
      try await Bench.run(.kernel) { bench in
        let script = try bench.file(
          "events.hidscript",
          """
          needs inputstick.json
          unplug
          plug
          expect event usb configuration 1 within 10s
          @mouse expect event usb idle 0s within 10s
          """)
        let done = try await bench.finish("run", "--bus", "usb", "--script", script)
        #expect(done.status == 0, "\(done.output) \(done.errors)")
        #expect(done.output.contains { $0.hasSuffix(": usb: the host has chosen configuration 1") })
        let run = try await bench.start("run", "keyboard.json", "--bus", "usb", "--json")
        let event = try await run.event("usb")
        #expect(event.change == "configuration")
        #expect(event.message == "the host has chosen configuration 1")
        _ = try await run.event("plugged")
        try await bench.end(run)
      }
    }

    @Test("the page's state of a device has its endpoints, and whether the kernel has suspended it")
    func state() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("bench", "mouse.json", "--bus", "usb")
        let line = try await run.line { $0.contains("the bench is at ") }
        let link = try #require(line.split(separator: " ").last)
        let device = try #require(try Device(serialNumber: "MS-1"))
        // Reads the state, sets the device to be suspended while no program uses it, and back. A
        // kernel without power management suspends no device.
        let program = """
          import json, os, sys, time, urllib.request
          state, power = sys.argv[1:]
          def read():
            with urllib.request.urlopen(state) as answer: return json.load(answer)
          def set(name, value):
            with open(f"{power}/{name}", "w") as file: file.write(value)
          def wait(value):
            end = time.monotonic() + 60
            while (found := read())["suspended"] != value:
              if time.monotonic() > end: sys.exit(f"suspended is not {value}: {found}")
              time.sleep(0.01)
          if os.path.exists(f"{power}/control"):
            set("autosuspend_delay_ms", "0"); set("control", "auto"); wait(True)
            set("control", "on"); wait(False)
          found = read()
          endpoint = found["interfaces"][0]["endpoints"][0]
          print(found["place"], found["served"], found["connected"], found["configuration"],
            found["suspended"])
          print(endpoint["address"], endpoint["direction"], endpoint["period"], endpoint["transfers"])
          """
        let power = "\(device.folder)/power"
        let done = try await bench.finish(
          program: "python3", ["-c", program, "\(link)usb?device=hidsim%20mouse", power])
        #expect(done.status == 0, "\(done.errors)")
        let managesPower = access("\(power)/control", F_OK) == 0
        #expect(
          done.output == [
            "\(device.name) False True 1 \(managesPower ? "False" : "None")", "129 in 1000 0",
          ])
        try await bench.end(run)
      }
    }

    @Test("the node of a killed run is gone within a second, and nothing is left of the run")
    func killed() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug("gamepad.json", "--bus", "usb")
        let killed = ContinuousClock.now
        run.signal(SIGKILL)
        try await eventually { access(node, F_OK) != 0 }
        #expect(ContinuousClock.now - killed < .seconds(1))
        try await eventually { try Device(serialNumber: "GP-1") == nil }
        // The next program that looks for devices removes the files.
        #expect(try await bench.devices().isEmpty)
        #expect(try bench.leftovers() == [])
        let (next, _) = try await bench.plug("gamepad.json", "--bus", "usb")
        try await bench.end(next)
      }
    }

    /// A host that imports a device, and gives its connection to the kernel, as `usbip attach`.
    private static let host = """
      import socket, sys
      connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      connection.sendall(b"\\x01\\x11\\x80\\x03\\0\\0\\0\\0" + sys.argv[2].encode().ljust(32, b"\\0"))
      reply = connection.recv(320, socket.MSG_WAITALL)
      if len(reply) != 320:
          sys.exit("refused: " + reply.hex())
      speed = int.from_bytes(reply[304:308], "big")
      with open("/sys/devices/platform/vhci_hcd.0/attach", "w") as attach:
          attach.write(f"0 {connection.fileno()} 65537 {speed}")
      """

    /// Starts `hidsim serve` at a free port, and returns the port, too.
    private func serve(
      _ bench: Bench, _ arguments: String...
    ) async throws -> (run: HidsimProcess, port: String) {
      let run = try await bench.start(
        program: Bench.binary, ["serve"] + arguments + ["--listen", "127.0.0.1:0", "--json"])
      let note = try await run.note(containing: "serving at 127.0.0.1:")
      let port = note.split(separator: "127.0.0.1:", maxSplits: 1).last?.prefix { $0.isNumber }
      _ = try await run.event("plugged")
      return (run, String(try #require(port)))
    }

    @Test("a host imports a served device, another one does not get it, and a program drives it")
    func served() async throws {
      try await Bench.run(.kernel) { bench in
        let (run, port) = try await serve(bench, "keyboard.json", "--input")
        let attach = ["-c", Self.host, port, "1-1"]
        #expect(try await bench.finish(program: "python3", attach).status == 0)
        _ = try await run.event("opened")
        try await eventually { try Device(serialNumber: "KB-1") != nil }
        let refused = try await bench.finish(program: "python3", attach)
        #expect(refused.errorText.contains("refused"))
        #expect(try await bench.finish("tap", "a", "--to", "usbip:1-1").status == 0)
        #expect(try await run.event("input").bytes == "00 00 04 00 00 00 00 00")
        let detach = "echo 0 > /sys/devices/platform/vhci_hcd.0/detach"
        #expect(try await bench.finish(program: "/bin/sh", ["-c", detach]).status == 0)
        _ = try await run.event("closed")
        try await eventually { try Device(serialNumber: "KB-1") == nil }
        #expect(try await bench.finish(program: "python3", attach).status == 0)
        try await eventually { try Device(serialNumber: "KB-1") != nil }
        run.signal(SIGKILL)
        try await eventually { try Device(serialNumber: "KB-1") == nil }
        #expect(try await bench.devices().isEmpty)
        #expect(try bench.leftovers() == [])
      }
    }
  }
}
