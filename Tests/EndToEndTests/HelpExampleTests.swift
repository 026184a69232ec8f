// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
  /// The examples of `hidsim help COMMAND`, run in a folder with the files that they name.
  @Suite("examples of the help") struct HelpExampleTests {
    /// The beginnings of the examples that are not run here, since they need a virtual machine or
    /// the completion of a shell.
    ///
    /// Other tests cover `hidsim vm` and the completion.
    private static let elsewhere = ["hidsim vm ", "source <(hidsim --generate-completion-script"]

    /// The number of parts in which the examples are run, because of the time limit.
    ///
    /// The kernel bus needs time for each device.
    private static let partCount = 12

    @Test(
      "every example of the help but those of vm and shell completion runs and succeeds",
      arguments: TestBus.available, 0..<partCount)
    func examples(bus: TestBus, part: Int) async throws {
      try await Bench.run(bus) { bench in
        let examples = try await HelpTests.pages(bench).flatMap { name, lines in
          lines.prefix(while: { !$0.hasPrefix("USAGE:") })
            .compactMap(Self.example).map { (name, $0) }
        }
        // There are fewer examples only if the format of the help has changed.
        #expect(examples.count > 60, "\(examples.count) examples")
        for (index, (name, example)) in examples.enumerated() where index % Self.partCount == part {
          try await Self.run(example, of: name, bench)
        }
      }
    }

    /// Runs the commands of pages that name the reader's own devices, captures and programs.
    @Test(
      "every command of the pages Recording and USBCaptures succeeds",
      arguments: TestBus.available, ["Recording", "USBCaptures"])
    func pages(bus: TestBus, page: String) async throws {
      try await Bench.run(bus) { bench in
        let text = try String(
          contentsOfFile: Bench.checkout("Sources/HIDTraces/HIDTraces.docc/\(page).md"),
          encoding: .utf8)
        // Every second part is a block; the name of its language is on its first line.
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 && $0.element.hasPrefix("\n") }.map(\.element)
        let commands = blocks.flatMap { $0.split(separator: "\n") }.filter {
          $0.hasPrefix("hidsim ")
        }
        #expect(commands.count > 3, "\(commands)")
        for command in commands {
          let words = command.replacing(/\ *#.*$/, with: "")
          try await Self.run(String(words), of: page, bench)
        }
      }
    }

    /// Returns the command in a line of help, without its explanation; nil if there is none.
    private static func example(_ line: String) -> String? {
      guard let match = line.firstMatch(of: /^\ \ ((?:hidsim|echo|cat) .*?)(?:\ \ +.*)?$/) else {
        return nil
      }
      let command = String(match.1)
      return elsewhere.contains(where: command.hasPrefix) ? nil : command
    }

    /// Runs an example in a folder of its own, with the devices plugged that it names.
    private static func run(_ example: String, of name: String, _ bench: Bench) async throws {
      let folder = bench.folder.appending(path: "example")
      defer { try? FileManager.default.removeItem(at: folder) }
      try await write(filesIn: folder, for: example, bench)
      var runs: [HidsimProcess] = []
      var command = example
      for (words, file) in devices where command.contains(words) {
        let (run, node) = try await bench.plug(folder.appending(path: file).path)
        runs.append(run)
        if words.hasPrefix("/dev/") { command = command.replacing(words, with: node) }
      }
      if command.contains("unix:/tmp/stick") {
        let (run, place) = try await bench.stick([
          "--listen", "unix:\(folder.appending(path: "stick").path)",
        ])
        command = command.replacing("unix:/tmp/stick", with: place)
        runs.append(run)
      }
      // Shorten a time at the end: a command that runs for 2s runs for 20ms here.
      command.replace(/\b(\d+)s$/) { "\($0.1)0ms" }
      let isEndless = isEndless(command)
      let process = try await bench.start(in: folder, isEndless ? "exec \(command)" : command)
      try await process.closeInput()
      if isEndless {
        try await eventually { process.output.lines.count + process.errors.lines.count > 0 }
        process.signal(SIGINT)
      }
      #expect(try await process.status == 0, "\(name): \(example)\n\(process.transcript)")
      for run in runs { try await bench.end(run) }
    }

    /// Returns whether a command runs until Ctrl-C.
    private static func isEndless(_ command: String) -> Bool {
      // `hidsim pedals` runs its command at each press.
      if command.hasPrefix("hidsim pedals") { return true }
      guard !command.contains(" -- "), !command.contains("--for "), !command.contains("--script ")
      else { return false }
      return ["run", "bench", "serve", "stick", "monitor", "record", "proxy"].contains {
        "\(command) ".hasPrefix("hidsim \($0) ")
      }
    }

    /// The devices that examples name, and their files.
    ///
    /// A node in `/dev` is replaced by that of the plugged device, so that no other device of the
    /// machine is used.
    private static let devices = [
      ("hidsim show keyboard", "keyboard.json"), ("hidsim monitor keyboard", "keyboard.json"),
      ("hidsim get keyboard", "keyboard.json"), ("hidsim set keyboard", "keyboard.json"),
      ("hidsim record keyboard", "keyboard.json"), ("--to keyboard", "keyboard.json"),
      ("--to mouse", "mouse.json"), ("--to touchpad", "precision-touchpad.json"),
      ("--to InputStick", "inputstick.json"),
      ("\"My keyboard\"", "my-keyboard.json"), ("\"My mouse\"", "my-mouse.json"),
      ("\"My pad\"", "my-pad.json"), ("\"My gamepad\"", "my-gamepad.json"),
      ("/dev/hidraw0", "my-pad.json"), ("/dev/hidraw3", "my-pad.json"),
    ]

    /// A report descriptor with input report 1 and feature report 3, which has two bytes.
    private static let pad =
      "05 01 09 05 a1 01 15 00 25 01 75 01 95 08 05 09 19 01 29 08 85 01 81 02 "
      + "06 00 ff 26 ff 00 75 08 95 02 09 01 85 03 b1 02 c0"

    /// Writes the files that an example reads, but none that it writes.
    private static func write(
      filesIn folder: URL, for example: String, _ bench: Bench
    ) async throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
        try Data(bytes).write(to: folder.appending(path: name))
      }
      func write(_ name: String, _ text: String) throws { try write(name, text.utf8) }
      func run(_ command: String) async throws {
        let process = try await bench.start(in: folder, command)
        try await process.closeInput()
        #expect(try await process.status == 0, "\(command)\n\(process.transcript)")
      }

      for name in ["keyboard", "mouse", "gamepad", "precision-touchpad", "inputstick"] {
        let file = try String(contentsOfFile: "\(Bench.descriptors)/\(name).json", encoding: .utf8)
        try write("\(name).json", file)
        try write("my-\(name).json", file.replacing("\"hidsim \(name)\"", with: "\"My \(name)\""))
      }
      try write(
        "my-pad.json",
        """
        {"hidsim": 1, "name": "My pad", "vendorID": "0x1209", "productID": 3,
         "reportDescriptor": {"hex": "\(pad)"}}
        """)
      try write("my.json", try Data(contentsOf: folder.appending(path: "keyboard.json")))
      try write("caps.hidscript", "tap capsLock\n")
      try write("pad.hidscript", "tap button1\n")
      try write("pin.hidscript", "link delay 100ms\n")
      for (name, text) in [
        ("app", "exit 0"), ("game", "exit 0"), ("program", "exit 0"),
        ("my-program", "exec hidsim set \"$HIDSIM_DEVICE\" output 02"),
        ("turn-page", "echo \"$PEDAL\""),
      ] {
        try write(name, "#!/bin/sh\n\(text)\n")
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o755], ofItemAtPath: folder.appending(path: name).path)
      }

      let mouse = try await bench.finish("describe", "mouse.json", "--as", "hex").output.joined(
        separator: " ")
      let bytes = mouse.split(separator: " ").compactMap { UInt8($0, radix: 16) }
      try write("mouse.hex", mouse)
      try write("mouse.bin", bytes)
      try write("old.hex", mouse)
      try write("new.hex", mouse.replacing("29 03", with: "29 05"))
      func trace(_ descriptor: String, _ report: String) -> String {
        let count = descriptor.split(separator: " ").count
        return """
          R: \(count) \(descriptor)
          N: a device
          I: 3 1209 0001
          E: 000000.000000 \(report)
          E: 000000.010000 \(report)

          """
      }
      for name in ["mouse", "recorded", "replayed"] {
        try write("\(name).hid", trace(mouse, "4 01 05 00 00"))
      }
      for name in ["a", "b"] { try write("\(name).hid", trace(pad, "2 01 80")) }
      try write(
        "recording.hid", try Data(contentsOf: URL(filePath: "\(Bench.fixtures)/two-devices.hid")))
      try write(
        "asus_gamepad_register.json",
        """
        {"id": 1, "command": "register", "name": "pad", "vid": 4617, "pid": 3, "bus": "usb",
         "descriptor": [\(pad.split(separator: " ").map { "0x\($0)" }.joined(separator: ", "))]}
        """)
      try write(
        "results.json", #"{"title": "tests", "summary": "", "environment": [], "parts": []}"#)
      try write("reports.json", "{\"id\": 1, \"command\": \"delay\", \"duration\": 1}\n")
      if example.hasPrefix("hidsim android") {
        try await run("cat asus_gamepad_register.json reports.json > gamepad.json")
      }
      var capture = CaptureBuilder()
      capture.plug(.keyboard)
      capture.input(0x81, [0, 0, 4, 0, 0, 0, 0, 0])
      if example.contains("--device 2") {
        capture.device += 1
        let interface = CaptureDeviceFixture.Interface(
          number: 0, endpoints: [(0x81, 3)], descriptor: bytes)
        capture.plug(
          CaptureDeviceFixture(productID: 2, interfaces: [interface]), withReports: false)
        capture.input(0x81, [1, 5, 0, 0])
      }
      for name in ["capture", "board"] { try write("\(name).pcapng", capture.bytes) }
      if example.contains("pad.hid") {
        try await run(
          "hidsim run gamepad.json --script pad.hidscript --record pad.hid")
      }
      if example.contains("session.hid --assert") {
        try await run("hidsim run keyboard.json --record session.hid -- ./my-program")
      }
      if example.contains("hidsim test tests") { try await run("hidsim init") }
      for output in outputs(of: example) {
        try? FileManager.default.removeItem(at: folder.appending(path: output))
      }
    }

    /// Returns the files that a command writes.
    private static func outputs(of command: String) -> [String] {
      let words = command.split(separator: " ").map(String.init)
      let named = zip(words, words.dropFirst()).filter { $0.0 == "-o" || $0.0 == ">" }.map(\.1)
      return named + (words[1] == "convert" ? [words[3]] : [])
    }
  }
}

extension Bench {
  /// Starts a command of bash in a folder, with `hidsim` on its path.
  fileprivate func start(in folder: URL, _ command: String) async throws -> HidsimProcess {
    try await start(
      program: "bash",
      ["-c", "cd \"$1\" && PATH=\"${0%/*}:$PATH\"; \(command)", Self.binary, folder.path])
  }
}
