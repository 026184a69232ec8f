// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("hidsim drive") struct StreamTests {
    /// Feature reports 3 and 4, and input report 1: each 2 bytes after its ID.
    private static let definition = """
      {"hidsim": 1, "name": "vendor", "vendorID": 4617, "productID": 7,
       "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 85 01 09 01 81 02 85 03 09 03 b1 02 85 04 09 04 b1 02 c0"},
       "reports": [{"type": "feature", "id": 3, "initial": "07 08"}]}
      """

    /// Waits for the line that answers a command.
    private func answer(_ token: Int, _ run: HidsimProcess) async throws -> String {
      try await run.line { $0.contains("\"token\":\(token),") }
    }

    @Test(
      "devices are plugged, driven and unplugged, with results in order after their events",
      arguments: TestBus.available)
    func commands(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", "--input")
        let hello = try await run.event("hello")
        #expect(hello.bus == bus.rawValue)
        try await run.write(
          """
          {"command": "plug", "file": "keyboard.json", "token": 1}
          // any layout {
          {"command": "script", "token": 2,
           "text": "press leftShift\\ntap a"} {"command":"report","bytes":[0x00,0,5]}
          {"command": "state", "token": 3}{"command": "sync", "token": 4}
          {"command": "unplug", "device": "hidsim keyboard", "token": 5}
          {"command": "list", "token": 6}

          """)
        let plugged = try await answer(1, run)
        #expect(plugged.contains(#""device":"hidsim keyboard","plugged":true"#))
        let lines = try await lines(to: 6, run)
        let inputs = lines.filter { $0.contains("\"event\":\"input\"") }.compactMap {
          Event($0)?.bytes
        }
        #expect(
          inputs == [
            "02 00 00 00 00 00 00 00", "02 00 04 00 00 00 00 00", "02 00 00 00 00 00 00 00",
            "00 00 05 00 00 00 00 00",
          ])
        let places = [
          "\"result\":\"script\",\"token\":2", "\"bytes\":\"00 00 05", "\"result\":\"state\"",
          "\"result\":\"sync\"", "\"event\":\"unplugged\"", "\"result\":\"unplug\"",
          "\"devices\":[]",
        ].map { place in lines.firstIndex { $0.contains(place) } }
        #expect(places == places.sorted { ($0 ?? .max) < ($1 ?? .max) } && !places.contains(nil))
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    /// Waits for the line that answers a command, and returns all lines so far.
    private func lines(to token: Int, _ run: HidsimProcess) async throws -> [String] {
      _ = try await answer(token, run)
      return run.output.lines
    }

    @Test(
      "a driving program answers delegated requests, and the device does after the deadline",
      arguments: TestBus.available)
    func delegation(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive")
        try await run.write(
          """
          {"command": "plug", "definition": \(Self.definition), "delegate": {"deadline": "20s"}, "token": 1}

          """)
        _ = try await answer(1, run)
        let nodes = run.output.lines.compactMap { Event($0)?.node }
        let node = try #require(nodes.first)

        func asked(
          _ words: String..., answered: String, isGet: Bool = true
        ) async throws -> Finished {
          async let done = bench.finish(program: Bench.binary, words)
          let request = try await run.event("request")
          #expect(request.kind == (isGet ? "get" : "set"))
          let number = try #require(request.request)
          try await run.write("{\"command\": \"answer\", \"request\": \(number)\(answered)}\n")
          return try await done
        }
        let get = ["get", node, "feature", "3"]
        #expect(
          try await asked("get", node, "feature", "3", answered: #", "bytes": "03 aa bb""#)
            .output.first == "03 aa bb")
        #expect(
          try await asked("get", node, "feature", "3", answered: #", "error": true"#).status != 0)
        #expect(
          try await asked("get", node, "feature", "3", answered: #", "usual": true"#)
            .output.first == "03 07 08")
        #expect(
          try await asked("set", node, "feature", "4", "01 02", answered: "", isGet: false).status
            == 0)
        #expect(
          try await asked(
            "set", node, "feature", "4", "03 04", answered: #", "error": true"#, isGet: false
          ).status != 0)
        #expect(
          try await asked(
            "get", node, "feature", "3", "--timeout", "100ms", answered: #", "none": true"#
          ).status != 0)
        // Another program that drives the device ends. The delegation of the first program stays.
        #expect(try await bench.finish("send", "01 02 03", "--to", node).status == 0)
        #expect(
          try await asked("get", node, "feature", "3", answered: #", "bytes": "03 cc dd""#)
            .output.first == "03 cc dd")
        try await run.write(
          """
          {"command": "delegate", "deadline": "10ms", "token": 2}
          {"command": "answer", "request": 999999, "error": true, "token": 3}

          """)
        #expect(try await answer(3, run).contains("no request 999999 waits for an answer"))
        _ = try await answer(2, run)
        // No program answers the request. So the device does, with the values that were accepted
        // above.
        #expect(try await bench.finish(program: Bench.binary, get).output.first == "03 07 08")
        #expect(try await bench.finish("get", node, "feature", "4").output.first == "04 01 02")
        try await run.closeInput()
        #expect(try await run.status == 1, "one command failed")
      }
    }

    @Test("each report of a batch is sent or refused on its own, with its own line")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "keyboard.json", "--input")
        try await run.write(
          """
          {"command": "report", "bytes": "00 00 04"}
          {"command": "report", "bytes": "00 00 05"}
          {"command": "report", "bytes": "00 00 04 00 00 00 00 00 00"}
          {"command": "report", "bytes": "00 00 06"}
          {"command": "sync", "token": 3}

          """)
        let lines = try await lines(to: 3, run)
        #expect(
          lines.compactMap { Event($0)?.bytes }.map { $0.prefix(8) } == [
            "00 00 04", "00 00 05", "00 00 06",
          ])
        let errors = lines.filter { $0.hasPrefix("{\"error\":") }
        #expect(errors.count == 1 && errors.first?.contains("\"line\":3") == true)
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test("an answer that does not fit its request is refused, and the request still waits")
    func unfitAnswer() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive")
        try await run.write(
          """
          {"command": "plug", "definition": \(Self.definition), "delegate": {"deadline": "20s"}, "token": 1}
          {"command": "script", "text": "host get feature 3 bytes 01 02", "token": 2}

          """)
        let number = try #require(try await run.event("request").request)
        try await run.write(
          """
          {"command": "answer", "request": \(number), "token": 3}
          {"command": "answer", "request": \(number), "bytes": "03 01 02", "token": 4}

          """)
        #expect(try await answer(3, run).contains("cannot have this answer, and still waits"))
        #expect(try await answer(4, run).hasPrefix("{\"result\":\"answer\""))
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test("an event that met the expectation of one script does not meet that of the next")
    func consumedEvents() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "keyboard.json")
        try await run.write(
          """
          {"command": "script", "text": "host set led.capsLock on\\nexpect event output within 20s", "token": 1}
          {"command": "script", "text": "expect event output within 1ms", "token": 2}
          {"command": "sync", "token": 3}

          """)
        let lines = try await lines(to: 3, run)
        #expect(lines.contains { $0.hasPrefix("{\"result\":\"script\",\"token\":1") })
        #expect(lines.contains { $0.hasPrefix("{\"error\":") && $0.contains("\"token\":2") })
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test("consume marks an event as expected by its number")
    func consumedByNumber() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "keyboard.json")
        try await run.write(
          """
          {"command": "script", "text": "host send output bytes 02\\nhost send output bytes 03 ; sync", "token": 1}

          """)
        let numbers = try await lines(to: 1, run).filter { $0.contains("\"event\":\"output\"") }
          .compactMap { $0.firstMatch(of: /"number":([0-9]+)/)?.1 }
        try #require(numbers.count == 2)
        try await run.write(
          """
          {"command": "consume", "event": \(numbers[0]), "token": 2}
          {"command": "script", "text": "expect nothing for 10m", "token": 3}
          {"command": "consume", "event": \(numbers[1]), "token": 4}
          {"command": "script", "text": "expect nothing else", "token": 5}
          {"command": "consume", "event": 1000, "token": 6}
          {"command": "consume", "event": "a", "token": 7}
          {"command": "sync", "token": 8}

          """)
        let lines = try await lines(to: 8, run)
        func told(_ token: Int) -> String? { lines.first { $0.contains("\"token\":\(token),") } }
        #expect(told(3)?.contains("expected nothing for 600s, and this came") == true)
        #expect(told(3)?.contains("output 03") == true && told(3)?.contains("output 02") == false)
        for token in [2, 4, 5] { #expect(told(token)?.hasPrefix("{\"result\"") == true) }
        #expect(told(6)?.contains("no event of a host has the number 1000") == true)
        #expect(told(7)?.contains("expected the number of an event") == true)
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test("a mistake is an error with its place and token, and reading goes on")
    func errors() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "keyboard.json")
        try await run.write(
          """
          {"command": "reprot", "token": 1}
          {"command": "report", "bytes": "00 00 04 00 00 00 00 00 00", "token": 2}
            {"command" "report"}
          ]
          {"command": "script", "text": "tap a\\ntap nokey", "token": 3}
          {"command": "report", "device": "mouse", "bytes": "00", "token": 4}
          {"command": "plug", "definition": {"hidsim": 1, "name": ""}, "token": 5}
          {"command": "script", "text": "expect led.capsLock on", "token": 6}
          {"command": "sync", "token": 7}

          """)
        let lines = try await lines(to: 7, run)
        func error(_ part: String) -> String? {
          lines.first { $0.hasPrefix("{\"error\":") && $0.contains(part) }
        }
        #expect(error("\"token\":1,")?.contains("did you mean \\\"report\\\"?") == true)
        #expect(error("\"token\":1,")?.contains("\"line\":1,\"column\":13") == true)
        #expect(error("\"token\":2,")?.contains("9 bytes") == true)
        #expect(lines.contains { $0.hasPrefix("{\"error\":") && $0.contains("\"line\":3") })
        #expect(error("\"token\":3,")?.contains("script:2:5: unknown key or button") == true)
        #expect(error("\"token\":4,")?.contains("no device is called \\\"mouse\\\"") == true)
        #expect(lines.count { $0.hasPrefix("{\"error\":") && $0.contains("\"token\":5,") } > 1)
        #expect(error("\"token\":6,")?.contains("expected led.capsLock on, and it is off") == true)
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test("a device that is plugged without waiting for its driver takes input at once")
    func withoutWaiting() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive")
        try await run.write(
          """
          {"command": "plug", "definition": \(Self.definition), "wait": false, "token": 1}
          {"command": "report", "bytes": "01 02 03", "device": "vendor", "token": 2}
          {"command": "plug", "definition": \(Self.definition), "wait": 1, "token": 3}

          """)
        // An invalid command is reported as soon as it is read.
        #expect(try await answer(3, run).hasPrefix(#"{"error":"expected true or false"#))
        #expect(try await answer(1, run).contains(#""device":"vendor""#))
        #expect(try await answer(2, run).hasPrefix(#"{"result":"report""#))
        try await run.closeInput()
        #expect(try await run.status == 1)
      }
    }

    @Test(
      "a device plugged without a wait is unusable and removed when its driver refuses it",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func refusedByDriver() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("drive")
        // The IDs are those of a DualSense. Its driver requires features that this device does not
        // have.
        let definition = Self.definition
          .replacing("4617", with: "0x054c").replacing(
            "\"productID\": 7", with: "\"productID\": 0x0ce6")
        try await run.write(
          "{\"command\": \"plug\", \"definition\": \(definition), \"wait\": false, \"token\": 1}\n")
        #expect(try await answer(1, run).contains(#""plugged":false"#))
        #expect(try await run.event("unusable").device == "vendor")
        try await run.write("{\"command\": \"sync\"}{\"command\": \"list\", \"token\": 2}\n")
        #expect(try await answer(2, run).contains(#""devices":[]"#))
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("every example of the article gives the results that the article shows")
    func article() async throws {
      try await Bench.run(.loopback) { bench in
        let article = Bench.checkout("Sources/HIDSessions/HIDSessions.docc/Stream.md")
        let done = try await bench.finish(
          program: "python3",
          [Bench.checkout("Tests/Python/examples.py"), Bench.binary, article])
        #expect(done.output == ["8 examples"], "\(done.errorText)")
      }
    }

    @Test(
      "a Python program plugs and drives devices, answers requests and gets the events of a host",
      arguments: TestBus.available)
    func python(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let program = """
          import sys
          sys.path.insert(0, sys.argv[1])
          import hidsim
          with hidsim.Run(program=sys.argv[2]) as run:
              keyboard = run.plug("keyboard.json")
              run.script("host set led.capsLock on", device=keyboard)
              assert run.wait(event="output")["changes"] == {"led.capsLock": 1}
              pad = run.plug("gamepad.json", delegate={"set": False})
              run.answer = lambda request: {"bytes": "03 2a"} if request["report"] == 3 else {"usual": True}
              run.script("host get feature 3", device=pad)
              assert run.wait(event="get", device=pad)["bytes"] == "03 2a"
              run.script("let KEY b\\ntap $KEY", device=keyboard, KEY="c")
              run.report([0, 0, 4], "00 00 05", device=keyboard)
              assert run.state(keyboard)[0]["reports"][0]["bytes"].startswith("00 00 05")
              try:
                  run.script("tap nokey", device=keyboard)
              except hidsim.Failed as failed:
                  print(failed)
              run.unplug(pad)
              run.wait(event="unplugged", device=pad)
          print(run._process.returncode)
          """
        let done = try await bench.finish(
          program: "python3",
          ["-c", program, Bench.checkout("Python/src"), Bench.binary])
        #expect(done.output.count == 2, "\(done.errorText)")
        #expect(done.output.first?.hasPrefix("script:1:5: unknown key or button") == true)
        #expect(done.output.last == "1")
      }
    }

    @Test("a program that writes 20,000 commands before it reads gets every result in order")
    func noDeadlock() async throws {
      try await Bench.run(.loopback) { bench in
        let count = 20_000
        let script = """
          import json, os, subprocess, sys
          run = subprocess.Popen([sys.argv[1], "drive", "keyboard.json", "--bus", "loopback"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
          for number in range(\(count)):
              run.stdin.write(b'{"command":"report","bytes":"00 00 04","token":%d}\\n' % number)
          run.stdin.close()
          tokens = [json.loads(line).get("token") for line in run.stdout]
          print(len([token for token in tokens if token is not None]),
                [token for token in tokens if token is not None] == list(range(\(count))), run.wait())
          """
        let done = try await bench.finish(program: "python3", ["-c", script, Bench.binary])
        #expect(done.output == ["\(count) True 0"], "\(done.errorText)")
      }
    }

    @Test(
      "a waiting script can be cancelled, and a script with beside delays no other",
      arguments: TestBus.available)
    func cancelling(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("drive", "--input")
        try await run.write(
          """
          {"command": "plug", "file": "keyboard.json", "token": 1}
          {"command": "script", "text": "expect led.numLock on within 60s", "beside": true, "token": 2}
          {"command": "script", "text": "press a", "token": 3}
          {"command": "script", "text": "expect led.capsLock on", "beside": true, "token": 4}
          {"command": "script", "text": "tap b", "beside": true, "token": 5}
          {"command": "script", "text": "expect event output within 60s", "beside": true, "token": 10}
          {"command": "script", "text": "wait 10m", "token": 6}

          """)
        // When command 3 is done, the other commands have begun, in any order.
        _ = try await answer(3, run)
        try await run.write(#"{"command": "cancel", "of": 6, "token": 7}"# + "\n")
        _ = try await answer(6, run)
        try await run.write(#"{"command": "cancel", "of": 6, "token": 8}"# + "\n")
        #expect(try await answer(8, run).contains("no command with this token"))
        try await run.write(
          #"{"command": "script", "text": "host set led.numLock on", "token": 9}"# + "\n")
        #expect(try await answer(2, run).hasPrefix(#"{"result":"script""#))
        try await run.closeInput()
        #expect(try await run.status == 1)
        func told(_ token: Int) -> String? {
          run.output.lines.first { $0.contains("\"token\":\(token),") }
        }
        #expect(told(4)?.contains(#""unmet":true"#) == true)
        #expect(told(5)?.contains(#"beside\" takes only scripts that wait"#) == true)
        #expect(told(6)?.contains(#""error":"stopped""#) == true)
        #expect(told(10)?.hasPrefix(#"{"result":"script""#) == true)
        // The expectation that failed has released no key.
        #expect(
          run.output.lines.compactMap { Event($0) }.filter { $0.event == "input" }.count == 1)
      }
    }

    @Test("a command whose result was read can no longer be cancelled")
    func cancellingTooLate() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive", "keyboard.json")
        for first in stride(from: 0, to: 20_000, by: 1000) {
          // The reports of a batch are sent together, and their results are written one by one.
          try await run.write(
            (first..<first + 1000).map {
              #"{"command": "report", "bytes": "00 00 04", "token": \#($0)}"# + "\n"
            }.joined())
          _ = try await answer(first, run)
          try await run.write(
            #"{"command": "cancel", "of": \#(first), "token": \#(first + 100_000)}"# + "\n")
          let result = try await answer(first + 100_000, run)
          #expect(result.contains("no command with this token"))
        }
      }
    }

    @Test(
      "an end command, and the end of input if asked for, stop all waiting commands",
      arguments: ["{\"command\": \"end\"}\n", nil])
    func ending(last: String?) async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive")
        try await run.write(
          """
          {"command": "end", "when": "input"}
          {"command": "plug", "file": "keyboard.json", "token": 1}
          {"command": "script", "text": "wait 60m", "token": 2}
          {"command": "script", "text": "expect led.capsLock on within 60m", "beside": true, "token": 3}
          {"command": "delay", "duration": "60m", "token": 4}

          """)
        _ = try await answer(1, run)
        if let last { try await run.write(last) } else { try await run.closeInput() }
        #expect(try await run.status == 1)
        let lines = run.output.lines
        for token in [2, 3, 4] {
          let told = lines.first { $0.contains("\"token\":\(token),") }
          #expect(told?.hasPrefix(#"{"error":"stopped""#) == true)
        }
        #expect(lines.contains { Event($0)?.event == "unplugged" })
      }
    }

    @Test("a script of a stream can plug a device that is still being plugged")
    func pluggedMeanwhile() async throws {
      try await Bench.run(.loopback) { bench in
        let run = try await bench.start("drive")
        for token in 1...10 {
          try await run.write(
            """
            {"command": "plug", "file": "inputstick.json", "wait": false}
            {"command": "script", "text": "plug\\ntap a", "token": \(token)}
            {"command": "unplug"}

            """)
          let told = try await answer(token, run)
          #expect(told.hasPrefix("{\"result\":\"script\""), "\(told)")
        }
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test(
      "a device that unplugs itself while its driver starts is unusable and removed",
      .enabled(if: TestBus.testsKernel, TestBus.kernelReason))
    func goneMeanwhile() async throws {
      try await Bench.run(.kernel) { bench in
        let run = try await bench.start("drive")
        try await run.write(
          """
          {"command": "plug", "wait": false, "token": 1, "definition": {
            "hidsim": 1, "name": "shy", "vendorID": "0x057e", "productID": "0x2009",
            "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 3f 85 21 09 01 81 02 85 30 09 02 81 02 85 81 09 03 81 02 85 01 09 04 91 02 85 10 09 05 91 02 85 80 09 06 91 02 c0"},
            "behaviours": [{"on": {"output": "any"}, "detach": "200ms"}]}}

          """)
        _ = try await answer(1, run)
        let event = try await run.event("unusable")
        #expect(event.device == "shy")
        try await run.write("{\"command\": \"list\", \"token\": 2}\n")
        #expect(try await answer(2, run).contains("\"devices\":[]"))
        try await run.closeInput()
        #expect(try await run.status == 0)
      }
    }

    @Test("drive ends on a signal, however much of its output is unread")
    func endedUnread() async throws {
      try await Bench.run(.loopback) { bench in
        let script = """
          import fcntl, signal, subprocess, sys, termios, time
          run = subprocess.Popen([sys.argv[1], "drive", "keyboard.json", "--bus", "loopback"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
          for number in range(5000):
              run.stdin.write(b'{"command":"list","token":%d}\\n' % number)
          run.stdin.flush()
          def waiting(pipe):
              held = bytearray(4)
              fcntl.ioctl(pipe, termios.FIONREAD, held)
              return int.from_bytes(held, sys.byteorder)
          # Waits until all commands are read and the pipe has 16 KiB of results. More may follow.
          while waiting(run.stdin) > 0 or waiting(run.stdout) < 16384:
              time.sleep(0.01)
          run.send_signal(signal.SIGTERM)
          print(run.wait() in (0, 74))
          """
        let done = try await bench.finish(program: "python3", ["-c", script, Bench.binary])
        #expect(done.output == ["True"], "\(done.errorText)")
      }
    }
  }

  @Suite("send, tap, type, script --to") struct DriveTests {
    @Test(
      "send, tap, type and script drive a device that another program has plugged",
      arguments: TestBus.available)
    func drive(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--input")
        #expect(try await bench.finish("tap", "leftCtrl+c", "--to", node).status == 0)
        #expect(try await bench.finish("type", "h\"", "--to", "hidsim keyboard").status == 0)
        #expect(try await bench.finish("send", "00 00 05", "--to", "1209:0001").status == 0)
        let script = try bench.file("s.hidscript", "report 00 00 06\nexpect led.kana off\n")
        #expect(try await bench.finish("script", script, "--to", node).status == 0)
        var seen: [String?] = []
        while seen.last != "00 00 06 00 00 00 00 00" {
          seen.append(try await run.event("input").bytes)
        }
        #expect(
          seen == [
            "01 00 00 00 00 00 00 00", "01 00 06 00 00 00 00 00", "01 00 00 00 00 00 00 00",
            "00 00 00 00 00 00 00 00", "00 00 0b 00 00 00 00 00", "00 00 00 00 00 00 00 00",
            "02 00 00 00 00 00 00 00", "02 00 34 00 00 00 00 00", "02 00 00 00 00 00 00 00",
            "00 00 00 00 00 00 00 00", "00 00 05 00 00 00 00 00", "00 00 06 00 00 00 00 00",
          ])
        // A character with a meaning in scripts is text here.
        #expect(try await bench.finish("type", "$", "--to", node).status == 0)
        #expect(
          try await run.event("input").changes == ["keyboardOrKeypad.keyboardLeftShift": 1])
        #expect(
          try await run.event("input").changes == ["keyboardOrKeypad.keyboard4AndDollar": 1])
        let failing = try await bench.finish("tap", "nokey", "--to", node)
        #expect(failing.status == 1)
        #expect(failing.errorText.contains("unknown key or button \"nokey\""))
        #expect(try await bench.finish("tap", "a", "--to", "nobody").status == 66)
        try await bench.end(run)
        #expect(try await bench.finish("tap", "a", "--to", node).status == 66)
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a run that 64 programs drive refuses the next one with the reason")
    func crowded() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("switch-pro.json")
        let crowd = try await bench.start(
          program: "python3",
          [
            "-c",
            """
            import glob, socket, sys
            path, = [name for name in glob.glob(sys.argv[1] + "/run-*") if not name.endswith(".lock")]
            crowd = [socket.socket(socket.AF_UNIX) for _ in range(64)]
            for one in crowd:
                one.connect(path)
                one.recv(1)
            print("here", flush=True)
            sys.stdin.read()
            """, bench.busFolder.path,
          ])
        try await crowd.line { $0 == "here" }
        let refused = try await bench.finish("tap", "button1", "--to", node)
        #expect(refused.status == 69)
        let reason = "64 programs drive this run, which is the limit"
        #expect(
          refused.errors == ["hidsim: the hidsim that has plugged \(node) refuses: \(reason)"])
        let shown = try await bench.finish("show", node)
        #expect(shown.status == 0)
        #expect(
          shown.errorText.contains(
            "is not shown: the hidsim that has plugged it refuses: \(reason)"))
        try await crowd.closeInput()
        #expect(try await crowd.status == 0)
        try await bench.end(run)
      }
    }

    @Test(
      "a composite device is driven by its name, and a script brings its includes and variables",
      arguments: TestBus.available)
    func composite(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let run = try await bench.start("run", "inputstick.json", "--input", "--json")
        for _ in 0..<4 { _ = try await run.event("plugged") }
        #expect(try await bench.finish("tap", "b", "--to", "InputStick").status == 0)
        let part = try bench.file("part.hidscript", "tap $KEY\nmove 3 4\n")
        let script = try bench.file(
          "whole.hidscript", "let KEY c\ninclude part.hidscript\nexpect led.kana off\n")
        #expect(
          try await bench.finish("script", script, "--set", "KEY=d", "--to", "InputStick").status
            == 0)
        var seen: [[String: Int]] = []
        while seen.last?["genericDesktop.y"] == nil {
          let event = try await run.event("input")
          if let changes = event.changes, !changes.isEmpty { seen.append(changes) }
        }
        #expect(
          seen == [
            ["keyboardOrKeypad.keyboardB": 1], ["keyboardOrKeypad.keyboardB": 0],
            ["keyboardOrKeypad.keyboardD": 1], ["keyboardOrKeypad.keyboardD": 0],
            ["genericDesktop.x": 3, "genericDesktop.y": 4],
          ])
        // Bytes belong to one interface.
        let send = try await bench.finish("send", "00", "--to", "InputStick")
        #expect(send.status == 64)
        #expect(
          send.errorText.contains("4 devices match \"InputStick\"; choose one by node or number"))
        // An error is reported with the position in the file that contains it.
        _ = try bench.file("part.hidscript", "tap nokey\n")
        let failing = try await bench.finish("script", script, "--to", "InputStick")
        #expect(failing.status == 1)
        #expect(failing.errorText.contains("\(part):1:5: unknown key or button \"nokey\""))
        _ = try bench.file("part.hidscript", "taip a\n")
        let wrong = try await bench.finish("script", script, "--to", "InputStick")
        #expect(wrong.status == 65)
        #expect(wrong.errorText.contains("\(part):1:1: "))
        try await bench.end(run)
      }
    }

    @Test("the pressed keys of a killed program are released, and its script does not go on")
    func hangUp() async throws {
      try await Bench.run(.loopback) { bench in
        let (run, node) = try await bench.plug("keyboard.json", "--input")
        let script = try bench.file("hour.hidscript", "press a\nwait 60m\ntap b\n")
        let driver = try await bench.start("script", script, "--to", node)
        #expect(try await run.event("input").bytes == "00 00 04 00 00 00 00 00")
        driver.signal(SIGKILL)
        #expect(try await run.event("input").bytes == "00 00 00 00 00 00 00 00")
        #expect(try await bench.finish("tap", "c", "--to", node).status == 0)
        #expect(try await run.event("input").bytes == "00 00 06 00 00 00 00 00")
        try await bench.end(run)
      }
    }

    @Test("a killed run is ignored by other programs, and its files are removed")
    func killed() async throws {
      try await Bench.run(.loopback) { bench in
        let (dead, _) = try await bench.plug("mouse.json")
        dead.signal(SIGKILL)
        _ = try await dead.status
        let (run, node) = try await bench.plug("keyboard.json")
        #expect(try await bench.finish("tap", "a", "--to", node).status == 0)
        try await bench.end(run)
        #expect(try bench.leftovers().filter { $0.hasPrefix("run-") } == [])
      }
    }
  }
}
