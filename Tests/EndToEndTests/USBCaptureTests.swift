// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDReportDescriptor
import HIDTraces
import Testing

extension EndToEndTests {
  /// Captures of the USB transfers of devices that `hidsim serve` serves, without a kernel.
  @Suite("--record of USB packets") struct USBCaptureTests {
    /// A host that imports a device, reads its device descriptor and its report descriptor, and
    /// then asks for a report, which it prints.
    private static let host = """
      import socket, struct, sys
      connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
      connection.sendall(b"\\x01\\x11\\x80\\x03\\0\\0\\0\\0" + b"1-1".ljust(32, b"\\0"))
      connection.recv(320, socket.MSG_WAITALL)
      def submit(sequence, endpoint, length, setup):
          head = struct.pack(">10I", 1, sequence, 65537, length > 0, endpoint, 512, length, 0, 0, 4)
          connection.sendall(head + setup)
      def reply():
          head = connection.recv(48, socket.MSG_WAITALL)
          return connection.recv(struct.unpack_from(">I", head, 24)[0], socket.MSG_WAITALL)
      submit(1, 0, 18, bytes([0x80, 6, 0, 1, 0, 0, 18, 0]))
      assert len(reply()) == 18
      submit(2, 0, 255, bytes([0x80, 6, 0, 2, 0, 0, 255, 0]))
      reply()
      submit(3, 0, 0, bytes([0, 9, 1, 0, 0, 0, 0, 0]))
      connection.recv(48, socket.MSG_WAITALL)
      submit(4, 0, 255, bytes([0x81, 6, 0, 0x22, 0, 0, 255, 0]))
      reply()
      submit(5, 1, 8, bytes(8))
      print(reply().hex())
      """

    /// Starts `hidsim serve` with a script at a free port, and returns the port, too.
    private func serve(
      _ bench: Bench, _ path: String, then script: String
    ) async throws -> (run: HidsimProcess, port: String) {
      let file = try bench.file(
        "a.hidscript", "needs keyboard.json\nexpect event open within 50s\ntap a\n\(script)\n")
      let run = try await bench.start(
        program: Bench.binary,
        [
          "serve", "--script", file, "--listen", "127.0.0.1:0", "--json", "--record", path,
          "--force",
        ])
      let note = try await run.note(containing: "serving at 127.0.0.1:")
      let port = note.split(separator: "127.0.0.1:", maxSplits: 1).last?.prefix { $0.isNumber }
      return (run, String(try #require(port)))
    }

    @Test("the transfers of a host are a capture, which hidsim reads")
    func served() async throws {
      try await Bench.run(.loopback) { bench in
        let path = bench.folder.appending(path: "a.pcapng").path
        let (run, port) = try await serve(bench, path, then: "")
        let host = try await bench.finish(program: "python3", ["-c", Self.host, port])
        #expect(host.output == ["0000040000000000"], "\(host.errorText)")
        #expect(try await run.status == 0)
        #expect(
          run.errors.lines.joined(separator: "\n").contains("\(path): 10 packets, 0 lost here"))
        let trace = try bench.trace(path)
        #expect(trace.warnings.isEmpty)
        #expect(trace.devices.map(\.physicalPath) == ["usb-1.1/input0"])
        #expect(trace.devices.map(\.identity?.vendorID) == [0x1209])
        #expect(trace.events.map(\.kind) == [.input(HIDReportBytes([0, 0, 4, 0, 0, 0, 0, 0]))])
        let age = Date().timeIntervalSince1970 - (try Self.firstTime(path))
        #expect(age >= 0 && age < 600)
      }
    }

    /// Returns the time of the first packet in seconds since 1970, which follows two blocks.
    private static func firstTime(_ path: String) throws -> Double {
      let bytes = try Array(Data(contentsOf: URL(filePath: path)))
      func word(_ offset: Int) -> UInt64 {
        (0..<4).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
      }
      let packet = 44 + 20
      return Double(word(packet + 12) << 32 | word(packet + 16)) / 1e6
    }

    @Test("the capture of a killed run is read up to its last packet")
    func killed() async throws {
      try await Bench.run(.loopback) { bench in
        let path = bench.folder.appending(path: "a.pcapng").path
        let (run, port) = try await serve(bench, path, then: "wait 100s")
        let host = try await bench.finish(program: "python3", ["-c", Self.host, port])
        #expect(host.output == ["0000040000000000"], "\(host.errorText)")
        // At first the file has no report descriptor.
        try await eventually { (try? bench.trace(path))?.events.count == 1 }
        run.signal(SIGKILL)
        _ = try? await run.status
        #expect(try bench.trace(path).events.count == 1)
      }
    }

    @Test("a full disk ends the run, and the message counts the packets")
    func full() async throws {
      try await Bench.run(.loopback) { bench in
        let path = bench.folder.appending(path: "a.pcapng").path
        #expect(symlink("/dev/full", path) == 0)
        let (run, _) = try await serve(bench, path, then: "wait 100s")
        #expect(try await run.status == 74)
        #expect(
          run.errors.lines.joined(separator: "\n").contains(
            "\(path): cannot be written: No space left on device; it holds no packet"))
      }
    }

    @Test("a capture needs whole USB devices, and cannot be redacted")
    func refused() async throws {
      try await Bench.run(.loopback) { bench in
        let path = bench.folder.appending(path: "a.pcapng").path
        let run = try await bench.finish("run", "keyboard.json", "--record", path)
        #expect(run.status == 64)
        #expect(
          run.errorText.contains(
            "only the USB bus has USB packets to capture: use \"hidsim run --bus usb\""))
        #expect(!FileManager.default.fileExists(atPath: path))
        let record = try await bench.finish("record", "keyboard", "-o", path)
        #expect(record.status == 64 && record.errorText.contains("only the USB bus"))
        let redacted = try await bench.finish(
          "run", "keyboard.json", "--record", path, "--redact")
        #expect(redacted.status == 64 && redacted.errorText.contains("has all bytes"))
      }
    }
  }
}
