// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDTraces
import TestSupport
import Testing

/// True if devices can be attached to the kernel's virtual USB host controllers.
private let hasUSBBus = access("/sys/devices/platform/vhci_hcd.0/attach", W_OK) == 0

extension EndToEndTests {
  /// Captures, replays and copies of devices on the USB bus.
  @Suite(
    "USB devices that are recorded, replayed and copied",
    .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: hasUSBBus, "vhci_hcd cannot be used: run the tests in scripts/vm"))
  struct USBCaptureKernelTests {
    /// A program that runs another one while it reads usbmon.
    ///
    /// It prints how the transfers in usbmon and in a capture differ, each endpoint by itself.
    ///
    /// `SET_ADDRESS` and the traffic of the hub do not reach the device. The flag
    /// `URB_NO_TRANSFER_DMA_MAP` is not part of USB/IP.
    private static let comparison = """
      import ctypes, fcntl, os, struct, subprocess, sys, threading
      class Get(ctypes.Structure):
          _fields_ = [("head", ctypes.c_void_p), ("data", ctypes.c_void_p), ("room", ctypes.c_size_t)]
      def packet(head, data):
          values = struct.unpack("<QcBBBHBBqiiII8siiII", head)
          ident, kind, transfer, endpoint, device = values[:5]
          setup, data = values[13].hex(), bytes(data[:values[12]]).hex()
          flags = values[16] & ~4
          return ident, device, kind.decode(), endpoint, (transfer, values[6], values[7]) + values[10:13] + (
              setup, values[14], flags, data)
      folder = "/sys/devices/platform/vhci_hcd.0"
      buses = [int(n[3:]) for n in os.listdir(folder) if n.startswith("usb") and n[3:].isdigit()]
      node = os.open("/dev/usbmon%d" % min(buses), os.O_RDWR | os.O_NONBLOCK)
      seen, over = [], threading.Event()
      def pump():
          while True:
              ended = over.is_set()
              head, data = ctypes.create_string_buffer(64), ctypes.create_string_buffer(65536)
              get = Get(ctypes.addressof(head), ctypes.addressof(data), 65536)
              try:
                  fcntl.ioctl(node, 0x4018920A, get)
                  seen.append(packet(head.raw, data.raw))
              except BlockingIOError:
                  if ended: return
                  over.wait(0.01)
      pumping = threading.Thread(target=pump)
      pumping.start()
      path = sys.argv[1]
      status = subprocess.run(sys.argv[2:], stdout=sys.stderr).returncode
      over.set()
      pumping.join()
      own, at, bytes_ = [], 0, open(path, "rb").read()
      while at < len(bytes_):
          block, length = struct.unpack_from("<II", bytes_, at)
          if block == 6:
              count = struct.unpack_from("<I", bytes_, at + 20)[0]
              own.append(packet(bytes_[at + 28:at + 92], bytes_[at + 92:at + 28 + count]))
          at += length
      theirs, addressing = [], set()
      for one in seen:
          if one[1] == 1: continue
          if one[2] == "S" and one[4][6].startswith("0005"): addressing.add(one[0])
          elif one[0] in addressing: addressing.discard(one[0])
          else: theirs.append(one)
      def lanes(packets):
          found = {}
          for one in packets:
              lane = 0 if one[4][0] == 2 else one[3]
              found.setdefault(lane, []).append(one[2:])
          return found
      ours, kernels = lanes(own), lanes(theirs)
      print("lanes", sorted(ours) == sorted(kernels), "status", status)
      for lane in sorted(ours):
          print(lane, len(ours[lane]) > 1, [pair for pair in zip(ours[lane], kernels[lane]) if pair[0] != pair[1]],
              len(ours[lane]) - len(kernels[lane]))
      """

    @Test("a capture has the transfers that usbmon records, with the same bytes")
    func usbmon() async throws {
      try await Bench.run(.kernel) { bench in
        let path = bench.folder.appending(path: "a.pcapng").path
        let script = try bench.file(
          "lamp.hidscript",
          """
          needs keyboard.json
          wait reader hidraw within 20s
          tap a
          expect led.capsLock on within 10s
          tap b
          """)
        let program = """
          import os
          node = os.open(os.environ["HIDSIM_HIDRAW"], os.O_RDWR)
          while 0x04 not in os.read(node, 8)[2:]:
              pass
          os.write(node, bytes([0x00, 0x02]))
          while 0x05 not in os.read(node, 8)[2:]:
              pass
          """
        let done = try await bench.finish(
          program: "python3",
          [
            "-c", Self.comparison, path, Bench.binary, "run", "--bus", "usb", "--script", script,
            "--wait-command", "--record", path, "--", "python3", "-c", program,
          ])
        #expect(
          done.output == ["lanes True status 0", "0 True [] 0", "129 True [] 0"],
          "\(done.errorText)")
      }
    }

    /// Returns the enumeration of the devices of a capture, without the indices in the capture.
    private func enumeration(_ trace: HIDTrace) -> [[CapturedUSBDevice.Descriptor]?] {
      trace.devices.map { $0.usb?.device.descriptors }
    }

    @Test("the replay of a capture has its enumeration and its reports")
    func replay() async throws {
      try await Bench.run(.kernel) { bench in
        let first = bench.folder.appending(path: "first.pcapng").path
        let second = bench.folder.appending(path: "second.pcapng").path
        let script = try bench.file(
          "a.hidscript", "needs dualsense.json\nwait reader hidraw within 20s\ntap cross\n")
        let reader = ["--", "sh", "-c", "exec sleep 1000 < $HIDSIM_HIDRAW"]
        let run = try await bench.finish(
          program: Bench.binary,
          ["run", "--bus", "usb", "--script", script, "--record", first] + reader)
        #expect(run.status == 0, "\(run.errorText)")
        let replay = try await bench.finish(
          program: Bench.binary,
          [
            "replay", first, "--bus", "usb", "--wait-reader", "20s", "--for", "50s", "--record",
            second, "--", "sh", "-c", "head -c 64 $HIDSIM_HIDRAW > /dev/null",
          ])
        #expect(replay.status == 0, "\(replay.errorText)")
        #expect(!replay.errorText.contains("warning: \(first)"), "\(replay.errorText)")
        let (original, copy) = (try bench.trace(first), try bench.trace(second))
        #expect(enumeration(original) == enumeration(copy))
        #expect(enumeration(original).allSatisfy { $0?.isEmpty == false })
        #expect(original.devices.map(\.name) == copy.devices.map(\.name))
        let inputs = [original, copy].map { trace in
          trace.events.filter { if case .input = $0.kind { true } else { false } }.map(\.kind)
        }
        #expect(!inputs[0].isEmpty && inputs[0].first == inputs[1].first)
      }
    }

    @Test("a replayed device has the interface numbers and endpoints of its capture")
    func numbers() async throws {
      try await Bench.run(.kernel) { bench in
        var fixture = CaptureDeviceFixture(interfaces: [
          .init(number: 0, interfaceClass: 0xFF, endpoints: [(0x83, 2), (0x03, 2)]),
          .init(
            number: 2, endpoints: [(0x84, 3), (0x02, 3)],
            descriptor: CaptureDeviceFixture.vendorDescriptor),
          .init(
            number: 5, endpoints: [(0x81, 3)],
            descriptor: CaptureDeviceFixture.keyboardDescriptor),
        ])
        fixture.serialNumber = "CAP-1"
        var builder = CaptureBuilder()
        builder.plug(fixture)
        builder.input(0x84, [2, 7, 8, 9])
        builder.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
        let path = bench.folder.appending(path: "odd.pcapng")
        try Data(builder.bytes).write(to: path)
        let program = """
          import glob, os, sys
          own = [d for d in glob.glob("/sys/bus/usb/devices/*") if os.path.exists(d + "/serial")
              and open(d + "/serial").read().strip() == "CAP-1"]
          numbers = sorted(int(open(i + "/bInterfaceNumber").read(), 16) for i in glob.glob(own[0] + "/*:1.*"))
          ends = sorted(os.path.basename(e) for e in glob.glob(own[0] + "/*:1.*/ep_*"))
          nodes = [glob.glob(own[0] + "/*:1." + n + "/*/hidraw/*")[0] for n in "25"]
          files = [os.open("/dev/" + os.path.basename(n), os.O_RDWR) for n in nodes]
          os.write(files[0], bytes([2, 4, 5, 6]))
          print(numbers, ends, *[os.read(f, 64).hex() for f in files])
          """
        let done = try await bench.finish(
          program: Bench.binary,
          [
            "replay", path.path, "--bus", "usb", "--wait-reader", "20s", "--json", "--",
            "python3", "-c", program,
          ])
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          done.output == [
            "[0, 2, 5] ['ep_02', 'ep_03', 'ep_81', 'ep_83', 'ep_84'] 02070809 0000040000000000"
          ], "\(done.errorText)")
        #expect(done.errorText.contains("02 04 05 06"), "\(done.errorText)")
      }
    }

    @Test(
      "the copy of a device is the same USB device",
      arguments: [
        "dualsense.json", "keyboard.json", "mouse.json", "switch-pro.json", "inputstick.json",
      ])
    func copy(file: String) async throws {
      try await Bench.run(.kernel) { bench in
        let (run, node) = try await bench.plug(file, "--bus", "usb")
        let path = bench.folder.appending(path: "copy.json").path
        let clone = try await bench.finish("clone", node, "-o", path)
        #expect(clone.status == 0, "\(clone.errorText)")
        let original = try await bench.finish("describe", file, "--as", "usb")
        let copy = try await bench.finish("describe", path, "--as", "usb")
        #expect(copy.status == 0 && copy.output == original.output, "\(copy.errorText)")
        run.signal(SIGKILL)
      }
    }
  }
}
