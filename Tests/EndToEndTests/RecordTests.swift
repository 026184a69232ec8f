// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDTraces
import Testing

extension EndToEndTests {
  @Suite("record") struct RecordTests {
    /// A device with vendor usages: input, output and feature reports of three bytes each.
    static let vendor = """
      {"hidsim": 1, "name": "NAME", "vendorID": "0x1209", "productID": 7, "serialNumber": "V-1",
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 03 09 01 81 02 09 01 91 02 09 01 b1 02 c0"},
       "reports": [{"type": "feature", "initial": "0a 0b 0c"}]}
      """

    @Test(
      "the traffic of another hidsim's device is recorded byte for byte and in order",
      arguments: TestBus.available)
    func told(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let file = try bench.vendor("vendor")
        let run = try await bench.start("drive", file)
        let node = try #require(try await run.event("plugged").node)
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record("vendor", "-o", path)
        try await run.command(#"{"command": "report", "bytes": "01 02 03", "token": 1}"#)
        #expect(try await bench.finish("set", node, "output", "11", "12", "13").status == 0)
        #expect(try await bench.finish("get", node, "feature").output.first == "0a 0b 0c")
        #expect(try await bench.finish("set", node, "feature", "21", "22", "23").status == 0)
        #expect(try await bench.finish("get", node, "feature", "9").status == 64)
        try await run.command(#"{"command": "report", "bytes": "04 05 06", "token": 2}"#)
        try await run.closeInput()
        #expect(try await run.status == 0)
        // The run has ended, and so its device is unplugged.
        #expect(try await recorder.status == 0)
        let trace = try bench.trace(path)
        let device = try #require(trace.devices.first)
        #expect(trace.devices.count == 1)
        #expect(device.name == "vendor" && device.serialNumber == "V-1")
        #expect(
          device.identity
            == HIDTraceDevice.Identity(busType: 3, vendorID: 0x1209, productID: 7))
        // The kernel's own driver opens the device as well, but this shows only as opens and
        // closes.
        #expect(
          trace.words.filter { $0 != "opened" && $0 != "closed" } == [
            "0 input 01 02 03", "0 output 11 12 13", "0 get feature 0a 0b 0c",
            "0 set feature 21 22 23 acknowledged", "0 input 04 05 06", "unplugged",
          ])
        #expect(trace.words.count { $0 == "opened" } == 3)
        #expect(trace.words.count { $0 == "closed" } == 3)
        let last = try #require(recorder.errors.lines.last)
        #expect(last == "\(path): 2 reports, 1 output report, 2 requests, 0 lost here")
      }
    }

    @Test(
      "the reports of three devices of one run are recorded in the order in which they were sent",
      arguments: TestBus.available)
    func order(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let names = ["one", "two", "three"]
        let files = try names.map { try bench.vendor($0) }
        let run = try await bench.start(
          program: Bench.binary, ["drive"] + files)
        for _ in names { try await run.event("plugged") }
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record("one", "two", "three", "-o", path)
        var sent: [String] = []
        var commands = ""
        for number in 0..<300 {
          let device = [0, 2, 1, 1, 0, 2, 0][number % 7]
          let bytes = [UInt8(number & 0xff), UInt8(number >> 8), UInt8(device)]
          sent.append("\(device) input \(bytes.hexText)")
          commands +=
            #"{"command": "report", "device": "\#(names[device])", "bytes": "\#(bytes.hexText)"}"#
        }
        try await run.command(commands + #"{"command": "sync", "token": "all"}"#)
        recorder.signal(SIGINT)
        #expect(try await recorder.status == 0)
        #expect(try bench.trace(path).words == sent)
        #expect(
          try #require(recorder.errors.lines.last).contains(
            #"300 reports ("one" 128, "two" 86, "three" 86), 0 lost here"#))
        try await bench.end(run)
      }
    }

    @Test("a terminal shows the progress of a recording in one line, which is erased at the end")
    func progress() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", try bench.vendor("vendor"))
        try await run.event("plugged")
        let path = bench.folder.appending(path: "a.hid").path
        // A carriage return ends a line here, so that overwritten text counts.
        let terminal = """
          import os, pty, sys
          def read(fd): return os.read(fd, 1024).replace(b"\\r", b"\\n")
          sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], read)))
          """
        let recorder = try await bench.start(
          program: "python3", ["-c", terminal, Bench.binary, "record", "vendor", "-o", path])
        try await eventually { (try? bench.trace(path))?.devices.count == 1 }
        try await run.command(
          String(repeating: #"{"command": "report", "bytes": "01 02 03"}"#, count: 5)
            + #"{"command": "sync", "token": 1}"#)
        let line = try await recorder.line { $0.contains("5 reports") }
        #expect(
          line.contains(/a\.hid: 5 reports.*, [0-9]+ a second; Ctrl-C ends\e\[K$/), "\(line)")
        try await bench.end(run)
        #expect(try await recorder.status == 0)
        let last = recorder.output.lines.suffix(2)
        #expect(last.first == "\u{1B}[K" || last.contains { $0.hasPrefix("\u{1B}[K") }, "\(last)")
        #expect(last.contains { $0.hasSuffix("a.hid: 5 reports, 0 lost here") }, "\(last)")
      }
    }

    @Test(
      "a device of another program is recorded byte for byte, up to the last report under way",
      arguments: TestBus.available)
    func opened(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let device = try await bench.plugHere("alone")
        let node = try #require(device.records.first?.address)
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record(node, "-o", path)
        let sent = (0..<2000).map { [UInt8($0 & 0xff), UInt8($0 >> 8), 7] }
        // The kernel keeps 63 reports for a reader that does not get to run, and does not report
        // how many were read.
        let step = bus == .kernel ? 60 : sent.count
        for start in stride(from: 0, to: sent.count, by: step) {
          let end = min(start + step, sent.count)
          try await device.send(Array(sent[start..<end]))
          try await eventually { try bus != .kernel || bench.trace(path).events.count >= end }
        }
        recorder.signal(SIGTERM)
        #expect(try await recorder.status == 0)
        #expect(try bench.trace(path).words == sent.map { "0 input \($0.hexText)" })
        #expect(
          try #require(recorder.errors.lines.last)
            == "\(path): 2000 reports, 0 lost here"
            + (bus == .kernel ? ", kernel losses: unknown" : ""))
        await device.unplug()
      }
    }

    @Test(
      "an unplugged device is noted, and the recording goes on until the last one is unplugged",
      arguments: TestBus.available)
    func unplugged(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let here = try await bench.plugHere("here")
        let run = try await bench.start("drive", try bench.vendor("there"))
        try await run.event("plugged")
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record("here", "there", "-o", path)
        try await here.send([[1, 1, 1]])
        await here.unplug()
        try await eventually { try bench.trace(path).words.contains("unplugged") }
        try await run.command(#"{"command": "report", "bytes": "02 02 02", "token": 1}"#)
        try await run.command(#"{"command": "unplug", "token": 2}"#)
        #expect(try await recorder.status == 0)
        let trace = try bench.trace(path)
        #expect(
          trace.words == ["0 input 01 01 01", "unplugged", "1 input 02 02 02", "unplugged"])
        #expect(trace.events.map(\.device) == [0, 0, 1, 1])
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("a name records all interfaces of a device, and a node records one")
    func composite() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "inputstick.json")
        var nodes: [String] = []
        for _ in 0..<4 { nodes.append(try #require(try await run.event("plugged").node)) }
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record("InputStick", nodes[1], "-o", path)
        recorder.signal(SIGINT)
        #expect(try await recorder.status == 0)
        #expect(try bench.trace(path).devices.count == 4)
        let one = try await bench.record(nodes[1], "--for", "1ms")
        #expect(try await one.status == 0)
        #expect(try HIDTrace(Array(one.output.text.utf8), name: "-").devices.count == 1)
        try await bench.end(run)
      }
    }

    @Test("a killed recorder leaves a readable trace of the first reports, without gaps")
    func killed() async throws {
      try await Bench.run(.loopback) { bench in
        let device = try await bench.plugHere("alone")
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record("alone", "-o", path)
        let sending = Task {
          for number in 0..<200_000 {
            try await device.send([[UInt8(number & 0xff), UInt8(number >> 8 & 0xff), 0]])
            if Task.isCancelled { return }
          }
        }
        try await eventually { try bench.trace(path).events.count >= 1000 }
        recorder.signal(SIGKILL)
        #expect(try await recorder.status == 128 + SIGKILL)
        sending.cancel()
        _ = try? await sending.value
        let words = try bench.trace(path).words
        #expect(words.count >= 1000)
        #expect(
          words
            == words.indices.map {
              "0 input \([UInt8($0 & 0xff), UInt8($0 >> 8 & 0xff), 0].hexText)"
            })
        await device.unplug()
      }
    }

    /// Returns a report with a number of 24 bits.
    private static func report(_ number: Int) -> [UInt8] {
      [UInt8(number & 0xff), UInt8(number >> 8 & 0xff), UInt8(number >> 16)]
    }

    @Test("a recorder that cannot write counts the lost reports, and notes them at their place")
    func lost() async throws {
      try await Bench.run(.loopback) { bench in
        let device = try await bench.plugHere("alone")
        let path = bench.folder.appending(path: "pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        #expect(pipe >= 0)
        defer { close(pipe) }
        let recorder = try await bench.record("alone", "-o", path)
        var total = 0
        func send(_ count: Int) async throws {
          try await device.send((total..<total + count).map(Self.report))
          total += count
        }
        // The device sends more reports than all buffers hold until the pipe is read. The recorder
        // holds 4 MiB of lines that are being written, 4 MiB of collected lines, and about 100,000
        // reports on their way to it: 400,000 reports at most.
        try await send(600_000)
        // Now the test reads the pipe. The trace notes the losses at the next report that is sent.
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        func readOn() -> Bool {
          let count = read(pipe, &buffer, buffer.count)
          if count > 0 { bytes += buffer[..<count] }
          return count > 0
        }
        var isTold = false
        while !isTold {
          try Task.checkCancellation()
          let start = max(0, bytes.count - 10)
          if !readOn() { try await send(1) }
          isTold = bytes[start...].contains(sequence: Array("#! lost".utf8))
        }
        await device.unplug()
        try await eventually {
          while readOn() {}
          return String(decoding: bytes.suffix(100), as: UTF8.self).contains("#! unplug")
        }
        #expect(try await recorder.status == 0)
        let trace = try HIDTrace(bytes, name: "pipe")
        var next = 0
        var lost = 0
        var wrong: [String] = []
        for event in trace.events {
          switch event.kind {
          case .input(let report):
            let number = Int(report[0]) | Int(report[1]) << 8 | Int(report[2]) << 16
            if number != next { wrong.append("\(number) in place of \(next)") }
            next = number + 1
          case .lost(let count):
            lost += count
            next += count
          default: break
          }
        }
        #expect(wrong == [])
        #expect(next == total && lost > 0, "\(next) with \(lost) lost")
        #expect(
          try #require(recorder.errors.lines.last)
            == "\(path): \(total - lost) reports, \(lost) lost here")
      }
    }

    @Test(
      "a slow reader gets the whole trace, and one that reads nothing for 2 s loses the rest (74)")
    func slowReader() async throws {
      try await Bench.run(.loopback) { bench in
        let device = try await bench.plugHere("alone")
        // A recorder can keep this number of reports, which is several times what a pipe holds.
        let count = 20_000
        func recorder(_ name: String) async throws -> (process: HidsimProcess, pipe: Int32) {
          let path = bench.folder.appending(path: name).path
          #expect(mkfifo(path, 0o600) == 0)
          let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
          #expect(pipe >= 0)
          return (try await bench.record("alone", "-o", path), pipe)
        }
        let read = try await recorder("read")
        defer { close(read.pipe) }
        let unread = try await recorder("unread")
        defer { close(unread.pipe) }
        try await device.send(
          (0..<count).map(Self.report))
        await device.unplug()
        // The reads take longer, in total, than the recorder waits for a reader that reads nothing.
        // A reader that reads slowly must still get all reports.
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let size = Glibc.read(read.pipe, &buffer, buffer.count)
          if size == 0 { break }
          if size > 0 { bytes += buffer[..<size] }
          try await Task.sleep(for: .milliseconds(400))
        }
        #expect(try await read.process.status == 0)
        #expect(try HIDTrace(bytes, name: "pipe").words.count == count + 1)
        #expect(try await unread.process.status == 74)
        #expect(
          try #require(unread.process.errors.lines.last).hasSuffix(
            "unread: the reader read nothing for 2 s; the rest of the trace is lost"))
      }
    }

    @Test(
      "a redacted trace has an a for each typed character, and no serial number",
      arguments: TestBus.available)
    func redacted(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", "keyboard.json")
        let node = try #require(try await run.event("plugged").node)
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record(node, "--redact", "-o", path)
        try await run.command(
          #"{"command": "script", "text": "type \"Pq\"\ntap escape", "token": 1}"#)
        recorder.signal(SIGINT)
        #expect(try await recorder.status == 0)
        try bench.expectRedacted(path)
        try await bench.end(run)
      }
    }

    @Test("an existing file and a file that cannot be written are refused")
    func files() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug(try bench.vendor("vendor"))
        let file = try bench.file("mine.hid", "mine")
        let there = try await bench.finish("record", node, "-o", file, "--for", "1ms")
        #expect(there.status == 64)
        #expect(there.errors == ["hidsim: \(file): the file exists; add --force to overwrite it"])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let forced = try await bench.finish("record", node, "-o", file, "--force", "--for", "1ms")
        #expect(forced.status == 0)
        #expect(try bench.trace(file).devices.count == 1)
        let nowhere = try await bench.finish("record", node, "-o", "/nowhere/a.hid")
        #expect(nowhere.status == 74)
        #expect(nowhere.errorText.contains("/nowhere/a.hid: cannot be written: No such file"))
        let full = try await bench.finish("record", node, "-o", "/dev/full")
        #expect(full.status == 74)
        #expect(full.errors.last == RunRecordTests.isFull)
        #expect(try await bench.finish("record").status == 64)
        #expect(try await bench.finish("record", "nothing").status == 66)
        try await bench.end(run)
      }
    }

    @Test("a reader that closes standard output ends the recording with status 0")
    func head() async throws {
      try await Bench.run(.loopback) { bench in
        let device = try await bench.plugHere("alone")
        let head = try await bench.start(
          program: "sh",
          ["-c", "{ \"$0\" record alone; echo $? >&2; } | head -n 2", Bench.binary])
        try await head.note(containing: "recording ")
        let sending = Task {
          while !Task.isCancelled { try await device.send([[1, 2, 3]]) }
        }
        #expect(try await head.status == 0)
        sending.cancel()
        #expect(head.output.lines.count == 2)
        #expect(
          head.errors.lines.suffix(2) == [
            "standard output: its reader has gone; the recording ends", "0",
          ])
        _ = try? await sending.value
        await device.unplug()
      }
    }

    @Test(
      "record --open opens the device, and a script that waits for a reader goes on",
      arguments: TestBus.available)
    func opens(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let script = try bench.file("a.hidscript", "wait reader within 50s\nreport 01 02 03\n")
        let (run, node) = try await bench.plug(try bench.vendor("vendor"), "--script", script)
        let path = bench.folder.appending(path: "a.hid").path
        let recorder = try await bench.record(node, "--open", "-o", path)
        #expect(try await run.status == 0)
        #expect(try await recorder.status == 0)
        #expect(try bench.trace(path).words.contains("0 input 01 02 03"))
      }
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(sequence: [UInt8]) -> Bool {
    Data(self).range(of: Data(sequence)) != nil
  }
}
