// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEndTests {
  /// Commands that send input through a stick, as a phone does.
  @Suite("input through a stick") struct StickInputTests {
    /// Runs a command of hidsim that ends by itself.
    private func hidsim(_ bench: Bench, _ words: String...) async throws -> Finished {
      try await bench.finish(program: Bench.binary, words)
    }

    /// Returns the bytes of the input reports that an interface sent.
    private func reports(_ run: HidsimProcess, _ interface: String) -> [String] {
      run.output.lines.compactMap { Event($0) }
        .filter { $0.event == "input" && $0.device == "InputStick/\(interface)" }
        .compactMap(\.bytes)
    }

    @Test(
      "the reports of each command arrive at its interface",
      arguments: TestBus.available, [nil, "abc123"])
    func commands(bus: TestBus, password: String?) async throws {
      try await Bench.run(bus) { bench in
        let options = password.map { ["--password", $0] } ?? []
        let (run, place) = try await bench.stick(options)
        let via = ["--via", place] + options
        for words in [
          ["type", "Zy", "--layout", "de-DE"], ["tap", "leftCtrl+c", "a+b"], ["move", "-200", "3"],
          ["click", "right"], ["scroll", "-3"], ["consumer", "volumeIncrement", "e2"],
          ["touch", "50", "25.5"], ["pad", "1", "3", "--x", "-127"],
        ] {
          let done = try await bench.finish(program: Bench.binary, words + via)
          #expect(done.status == 0, "\(words): \(done.errorText)")
          #expect(done.errorText.isEmpty)
        }
        try await run.event("input") { $0.bytes == "03 00 00 00 00 00 00" }
        #expect(
          reports(run, "keyboard") == [
            "02 00 00 00 00 00 00 00", "02 00 1c 00 00 00 00 00", "00 00 00 00 00 00 00 00",
            "00 00 1d 00 00 00 00 00", "00 00 00 00 00 00 00 00",
            "01 00 00 00 00 00 00 00", "01 00 06 00 00 00 00 00", "00 00 00 00 00 00 00 00",
            "00 00 04 05 00 00 00 00", "00 00 00 00 00 00 00 00",
          ])
        #expect(
          reports(run, "mouse") == [
            "00 9c 01 00", "00 9c 02 00", "00 00 00 00", "02 00 00 00", "00 00 00 00",
            "00 00 00 fd",
          ])
        #expect(
          reports(run, "consumer") == [
            "01 e9 00", "01 00 00", "01 e2 00", "01 00 00",
            "04 02 88 13 f6 09", "04 03 88 13 f6 09", "04 02 88 13 f6 09", "04 00 88 13 f6 09",
            "03 05 00 81 00 00 00", "03 00 00 00 00 00 00",
          ])
        try await bench.end(run)
      }
    }

    @Test("a long text arrives whole, with the credits of old firmware")
    func longText() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, place) = try await bench.stick(["--firmware", "0.98"])
        let text = String(repeating: "hello world ", count: 40)
        let done = try await hidsim(bench, "type", text, "--via", place, "--speed", "0")
        #expect(done.status == 0, "\(done.errorText)")
        try await run.line { $0.contains("\"state\":\"disconnected\"") }
        // With speed 0, a key is released only before it is pressed again, and at the end.
        let keys = reports(run, "keyboard").map { $0.split(separator: " ")[2] }
        let pressed = zip(["00"] + keys, keys).filter { $0 != $1 && $1 != "00" }.map(\.1)
        let codes = text.map { character in
          character == " " ? "2c" : String(Int(character.asciiValue ?? 0) - 93, radix: 16)
        }
        #expect(pressed.map { Int($0, radix: 16) } == codes.map { Int($0, radix: 16) })
        #expect(keys.last == "00")
        try await bench.end(run)
      }
    }

    @Test("an input that cannot be sent is an error with its reason, and sends nothing")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, place) = try await bench.stick(["--password", "abc123"])
        let nowhere = try await hidsim(bench, "type", "a", "--via", "\(place)-none")
        #expect(nowhere.status == 69)
        #expect(nowhere.errorText.contains("no stick answers at \(place)-none"))
        let without = try await hidsim(bench, "tap", "a", "--via", place)
        #expect(without.status == 77)
        #expect(without.errorText.contains("has a password: add --password"))
        let wrong = try await hidsim(bench, "tap", "a", "--via", place, "--password", "b")
        #expect(wrong.status == 77)
        #expect(wrong.errorText.contains("the password is not that of the stick"))
        let key = try await hidsim(bench, "tap", "entr", "--via", place)
        #expect(key.status == 64)
        #expect(key.errorText.contains("there is no key \"entr\""))
        #expect(key.errorText.contains("did you mean enter?"))
        let text = try await hidsim(bench, "type", "ä", "--via", place)
        #expect(text.errorText.contains("the layout en-US cannot type \"ä\""))
        let script = bench.folder.appending(path: "suspend.hidscript")
        try "link suspend\n".write(to: script, atomically: true, encoding: .utf8)
        #expect(try await bench.finish("script", script.path, "--to", "InputStick").status == 0)
        let asleep = try await hidsim(bench, "tap", "a", "--via", place, "--password", "abc123")
        #expect(asleep.status == 69)
        #expect(asleep.errorText.contains("the host has suspended the stick"))
        try await bench.end(run)
        #expect(reports(run, "keyboard").isEmpty)
      }
    }

    @Test("a password on a machine whose OpenSSL refuses MD5 is an error that says so")
    func withoutMD5() async throws {
      try await Bench.run(.loopback) { bench in
        let settings = bench.folder.appending(path: "openssl.cnf")
        try """
        openssl_conf = start
        [start]
        alg_section = algorithms
        [algorithms]
        default_properties = fips=yes
        """.write(to: settings, atomically: true, encoding: .utf8)
        let stick = try await bench.finish(
          program: "env",
          [
            "OPENSSL_CONF=\(settings.path)", Bench.binary, "stick", "--bus", "loopback",
            "--password", "abc123",
          ])
        #expect(stick.status == 69)
        #expect(
          stick.errorText.contains("libcrypto cannot be used (it refuses MD5"),
          "\(stick.errorText)")
        #expect(stick.errorText.contains("allow MD5 in OpenSSL's configuration"))
        #expect(!stick.errorText.contains("plugged"), "no device is plugged")
      }
    }

    @Test("a password without OpenSSL is an error of the stick and of its client")
    func withoutOpenSSL() async throws {
      try await Bench.run(.loopback) { bench in
        // The dynamic loader does not search further when it finds a file with the name of the
        // library that is no library.
        for name in ["libcrypto.so.3", "libcrypto.so.1.1"] {
          try Data().write(to: bench.folder.appending(path: name))
        }
        func hidsimAlone(_ words: String...) async throws -> Finished {
          try await bench.finish(
            program: "env", ["LD_LIBRARY_PATH=\(bench.folder.path)", Bench.binary] + words)
        }
        let stick = try await hidsimAlone("stick", "--bus", "loopback", "--password", "abc123")
        #expect(stick.status == 69)
        #expect(
          stick.errorText.contains("--password: OpenSSL's libcrypto cannot be loaded"),
          "\(stick.errorText)")
        #expect(stick.errorText.contains("install OpenSSL 3"))
        #expect(!stick.errorText.contains("plugged"), "no device is plugged")
        let open = try await hidsimAlone("stick", "--bus", "loopback", "--for", "10ms")
        #expect(open.status == 0, "\(open.errorText)")
        let (run, place) = try await bench.stick(["--password", "abc123"])
        let client = try await hidsimAlone("tap", "a", "--via", place, "--password", "abc123")
        #expect(client.status == 69)
        #expect(
          client.errorText.contains("this program cannot encrypt; install OpenSSL 3"),
          "\(client.errorText)")
        try await bench.end(run)
      }
    }

    @Test("the same commands drive a plugged device with --to, also with negative numbers")
    func directly() async throws {
      try await Bench.run(.loopback) { bench in
        let mouse = try await bench.plug("mouse.json", "--input")
        for words in [
          ["move", "10", "-5"], ["move", "-10", "5"], ["click"], ["scroll", "--horizontal", "-2"],
          ["scroll", "-2"],
        ] {
          let done = try await bench.finish(
            program: Bench.binary, words + ["--to", "hidsim mouse"])
          #expect(done.status == 0, "\(words): \(done.errorText)")
        }
        try await mouse.run.event("input") { $0.bytes == "00 00 00 fe 00" }
        let bytes = mouse.run.output.lines.compactMap { Event($0) }
          .filter { $0.event == "input" }.compactMap(\.bytes)
        #expect(
          bytes == [
            "00 0a fb 00 00", "00 f6 05 00 00", "01 00 00 00 00", "00 00 00 00 00",
            "00 00 00 00 fe", "00 00 00 fe 00",
          ])
        try await bench.end(mouse.run)
      }
    }
  }
}
