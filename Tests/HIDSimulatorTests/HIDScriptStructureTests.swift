// SPDX-License-Identifier: Apache-2.0

import HIDText
import KeyboardLayouts
import Testing
import TestSupport

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Blocks, variables and included files of scripts", .timeLimit(.minutes(1)))
struct HIDScriptStructureTests {
  private struct Missing: Error, CustomStringConvertible {
    let description = "there is no such file"
  }

  private func parse(
    _ text: String, _ variables: [String: String] = [:], files: [String: String] = [:]
  ) throws -> HIDScript {
    try HIDScript.parse(Array(text.utf8), name: "dir/a.hidscript", variables: variables) { name in
      guard let text = files[name] else { throw Missing() }
      return Array(text.utf8)
    }
  }

  private func commands(_ text: String, _ variables: [String: String] = [:]) throws
    -> [HIDScript.Command]
  {
    try parse(text, variables).statements.map(\.command)
  }

  /// Returns the commands, including those of blocks, each as often as it runs.
  private func unrolled(_ statements: [HIDScript.Statement]) -> [HIDScript.Command] {
    statements.flatMap { statement -> [HIDScript.Command] in
      guard case .repeated(let count, let body) = statement.command else {
        return [statement.command]
      }
      return (0..<count).flatMap { _ in unrolled(body) }
    }
  }

  @Test("repeat blocks are read with their counts, nested, and on one line or several")
  func blocks() throws {
    let script = try parse(
      "repeat 2\n report 01\n repeat 3 ; report 02 ; end\nend\nreport 03\nrepeat 0 ; report 04 ; end\n"
        + "repeat 9\nend")
    let inner = [[1], [2], [2], [2]] as [[UInt8]]
    #expect(
      unrolled(script.statements) == (inner + inner + [[3]]).map { HIDScript.Command.report($0) })
    #expect(script.statements.map(\.location.line) == [1, 5, 6])
    #expect(script.statements[0].text == "repeat 2")
  }

  @Test("device in a block selects for the rest of the block and for the commands after it")
  func targets() throws {
    let script = try parse("repeat 2; release; device b; release; end; release")
    guard case .repeated(2, let body) = script.statements[0].command else {
      Issue.record("no block")
      return
    }
    #expect(body.map(\.target?.text) == [nil, "b"])
    #expect(script.statements[1].target?.text == "b")
  }

  private func strokes(_ text: String) throws -> [KeyStroke] {
    try #require(KeyboardLayout(code: "en-US")).strokes(for: text)
  }

  @Test(
    "a variable replaces a word or a part of it, also in strings, and outside values come first")
  func variables() throws {
    let text = """
      let n 5; wait ${n}ms
      let report 0102; report $report 0${n}
      let who World
      type "Hi $who$$"; let who "a b"; type "$who"
      let twice "$who$who"
      let n 7; wait ${n}ms
      """
    #expect(
      try commands(text) == [
        .wait(.milliseconds(5)), .report([1, 2, 5]),
        .type(text: "Hi World$", strokes: try strokes("Hi World$")),
        .type(text: "a b", strokes: try strokes("a b")),
        .wait(.milliseconds(7)),
      ])
    #expect(try commands("let n 5; wait ${n}ms", ["n": "9"]) == [.wait(.milliseconds(9))])
    #expect(try commands("repeat $n; wait 1s; end", ["n": "3"]).count == 1)
    #expect(try commands("wait $a_1", ["a_1": "1s"]) == [.wait(.seconds(1))])
  }

  @Test("the value of a variable is one word, whatever it contains")
  func noSplitting() {
    for value in ["1s; unplug", "1s # no", "1s 2s", "", "\"1s\""] {
      #expect(throws: HIDScriptError.self) { try commands("wait $v", ["v": value]) }
    }
  }

  @Test(
    "a mistake in blocks or variables is an error with its place",
    arguments: [
      ("repeat 2\ntap a", "1:1: this \"repeat\" has no \"end\"; write end after the block"),
      ("tap a; end", "1:8: there is no block to end; \"repeat 10\" begins one"),
      ("repeat; end", "1:7: expected the number of repetitions, found the end of the command"),
      ("repeat x; end", "1:8: expected the number of repetitions, found \"x\"; such as repeat 10"),
      ("repeat -1; end", "1:8: the number of repetitions is -1; expected 0 to 1000000"),
      (
        "repeat 1000001; end",
        "1:8: the number of repetitions is 1000001; expected 0 to 1000000"
      ),
      (
        "repeat 2; hold; end",
        "1:11: \"hold\" is not allowed in a block; write \"hold\" as the last command"
      ),
      ("loop 3", "1:1: expected a command, found \"loop\"; did you mean \"repeat\"?"),
      (
        "wait $n",
        "1:6: there is no variable \"n\"; write let n VALUE in an earlier line, or give --set n=VALUE"
      ),
      ("let speed 5; wait ${sped}ms", "1:19: there is no variable \"sped\"; did you mean $speed?"),
      ("type \"a $b\"", "1:9: there is no variable \"b\""),
      (
        "type \"5$\"",
        "1:8: expected the name of a variable after \"$\"; such as $speed or ${speed}"
      ),
      ("type \"$5\"", "1:7: expected the name of a variable after \"$\""),
      ("wait ${n", "1:6: expected \"}\" after \"${n\""),
      (
        "let 5 x",
        "1:5: \"5\" cannot be the name of a variable; use up to 64 letters, digits and _, with a"
      ),
      ("let a", "1:6: expected the value, found the end of the command; such as let speed 50%"),
      (
        "let a b c", "1:9: expected the end of the command, found \"c\"; write a value with spaces"
      ),
      ("let n 5x; wait $n", "1:16: expected a duration, found \"5x\" ($n)"),
      ("let k leftCtrl+; tap $k", "1:22: expected a key or button beside \"+\", found nothing"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try parse(text)
    } throws: {
      "\($0)".hasPrefix("dir/a.hidscript:" + expected)
    }
  }

  @Test("an outside variable that the script does not have is an error with the nearest name")
  func unknown() {
    #expect { try parse("let speed 5", ["sped": "1"]) } throws: {
      "\($0)".hasSuffix("1:1: the script has no variable \"sped\"; did you mean \"speed\"?")
    }
  }

  @Test("variables or nesting that make a script too long or too deep are an error")
  func bounds() {
    var text = "let a \(String(repeating: "x", count: 60_000))\n"
    text += "type \"\(String(repeating: "$a", count: 100))\"\n"
    #expect { try parse(text) } throws: {
      "\($0)".contains("the variables make the script longer than 4194304 bytes")
    }
    #expect { try parse("let a \(String(repeating: "x", count: 65_537))") } throws: {
      "\($0)".contains("1:7: the value is longer than 65536 bytes")
    }
    let deep = (0..<17).map { _ in "repeat 2\n" }.joined() + "tap a\n"
    #expect { try parse(deep + String(repeating: "end\n", count: 17)) } throws: {
      "\($0)" == "dir/a.hidscript:17:1: blocks are nested deeper than 16"
    }
  }

  @Test("an included file's lines replace its include line, with variables, device and blocks")
  func including() throws {
    let script = try parse(
      "let n 1\nrepeat 2; include sub/b.hidscript; end\nwait ${n}ms\nrelease",
      files: [
        "dir/sub/b.hidscript": "include \"./c.hidscript\"\nwait ${n}ms",
        "dir/sub/c.hidscript": "let n 2\ndevice d",
      ])
    guard case .repeated(2, let body) = script.statements[0].command else {
      Issue.record("no block")
      return
    }
    #expect(body.map(\.command) == [.wait(.milliseconds(2))])
    #expect(body.map(\.file) == ["dir/sub/b.hidscript"])
    #expect(script.statements[1].command == .wait(.milliseconds(2)))
    #expect(script.statements[1].file == "dir/a.hidscript")
    #expect(script.statements[2].target?.text == "d")
  }

  @Test("files with mistakes that include one another twice are read a limited number of times")
  func manyIncludes() throws {
    let text = "x;include a/b;x;include a/c;x"
    var count = 0
    do throws(HIDScriptError) {
      _ = try HIDScript.parse(Array(text.utf8), name: "s") { _ in
        count += 1
        return Array(text.utf8)
      }
      Issue.record("it was read")
    } catch {
      #expect(error.problems.count == 20)
    }
    #expect(count < 40)
  }

  @Test(
    "a mistake in an included file or in an include line is an error with its file and place",
    arguments: [
      (
        "include b", "dir/b:2:1: expected a command, found \"tapp\"; did you mean \"tap\"?",
        "\ntapp a"
      ),
      ("include x", "dir/a.hidscript:1:9: cannot read \"x\": there is no such file", ""),
      ("include ../b", "dir/a.hidscript:1:9: the path \"../b\" leaves the script's folder", ""),
      (
        "include sub/../b", "dir/a.hidscript:1:9: the path \"sub/../b\" leaves the script's folder",
        ""
      ),
      (
        "include /etc/passwd", "dir/a.hidscript:1:9: the path \"/etc/passwd\" leaves the script's",
        ""
      ),
      (
        "include b",
        "dir/b:1:9: the script includes itself: dir/a.hidscript includes dir/b includes "
          + "dir/a.hidscript", "include ././a.hidscript"
      ),
      ("include b", "dir/b:1:9: the script includes itself: dir/b includes dir/b", "include b"),
      ("repeat 2; include b", "dir/b:1:1: there is no block to end", "end"),
      ("include b; end", "dir/b:1:1: this \"repeat\" has no \"end\"", "repeat 2; tap a"),
      (
        "include b\ntap a", "dir/a.hidscript:2:1: a command follows the \"hold\" at dir/b:1",
        "hold"
      ),
      ("include", "dir/a.hidscript:1:8: expected the file to include, found the end of the", ""),
    ])
  func includeErrors(_ text: String, _ expected: String, _ included: String) {
    #expect {
      try parse(text, files: ["dir/b": included, "dir/a.hidscript": text])
    } throws: {
      "\($0)".hasPrefix(expected)
    }
  }

  @Test("includes that are too deep, too long together or not allowed are an error")
  func includeBounds() {
    var files: [String: String] = [:]
    for index in 0..<40 { files["dir/f\(index)"] = "include f\(index + 1)" }
    #expect { try parse("include f0", files: files) } throws: {
      "\($0)" == "dir/f14:1:9: included files are nested deeper than 16"
    }
    files["dir/long"] = String(repeating: "#", count: 1 << 20)
    #expect {
      try parse("include long\ninclude long\ninclude long\ninclude long", files: files)
    } throws: {
      "\($0)".hasPrefix(
        "dir/a.hidscript:4:9: the script is 4194355 bytes long with the files it includes")
    }
    #expect {
      try HIDScript.parse(Array("include b".utf8), name: "a")
    } throws: {
      "\($0)"
        == "a:1:9: include is not allowed here; write the commands of \"b\" here instead"
    }
  }

  @Test("the device files that a script and its includes need are kept in order, with their places")
  func needs() throws {
    let script = try parse(
      "# first\nneeds keyboard.json \"my mouse.json\"\ninclude b\ntap a",
      files: ["dir/b": "let x 1 ; needs ../$x.json"])
    #expect(script.deviceFiles.map(\.name) == ["keyboard.json", "my mouse.json", "../1.json"])
    #expect(
      script.deviceFiles.map { "\($0.file):\($0.location)" }
        == ["dir/a.hidscript:2:7", "dir/a.hidscript:2:21", "dir/b:1:17"])
    #expect(script.statements.count == 1)
  }

  @Test(
    "needs after a command, without a device file or with too many is an error",
    arguments: [
      ("tap a ; needs b", "dir/a.hidscript:1:9: \"needs\" follows a command"),
      ("repeat 2 ; needs b ; end", "dir/a.hidscript:1:12: \"needs\" follows a command"),
      ("needs", "dir/a.hidscript:1:6: expected a device file, found the end of the"),
      ("needs \"\"", "dir/a.hidscript:1:7: expected a device file, found an empty string"),
      (
        "needs" + String(repeating: " k", count: 257),
        "dir/a.hidscript:1:519: the script needs more than 256 device files"
      ),
    ])
  func needsErrors(_ text: String, _ expected: String) {
    #expect {
      try parse(text)
    } throws: {
      "\($0)".hasPrefix(expected)
    }
  }

  @Test("the program of a script is kept with its words and its place")
  func program() throws {
    let script = try parse(
      "let x 1 ; needs k.json\ninclude b\ntap a",
      files: ["dir/b": "program ./app --number $x \"two words\""])
    let program = try #require(script.program)
    #expect(program.words == ["./app", "--number", "1", "two words"])
    #expect("\(program.file):\(program.location)" == "dir/b:1:1")
    #expect {
      try script.withoutProgram()
    } throws: {
      "\($0)".hasPrefix(
        "dir/b:1:1: the script has a line \"program …\", and this command starts no program")
    }
    #expect(try parse("tap a").withoutProgram().program == nil)
  }

  @Test(
    "program after a command, without a name or a second time is an error",
    arguments: [
      ("tap a ; program b", "dir/a.hidscript:1:9: \"program\" follows a command"),
      ("program", "dir/a.hidscript:1:8: expected a program, found the end of the"),
      ("program \"\"", "dir/a.hidscript:1:9: expected a program, found an empty string"),
      (
        "program a ; program b",
        "dir/a.hidscript:1:13: the script names a second program; the first is at dir/a.hid"
      ),
    ])
  func programErrors(_ text: String, _ expected: String) {
    #expect {
      try parse(text)
    } throws: {
      "\($0)".hasPrefix(expected)
    }
  }

  @Test("an unknown name in an included file in a block is an error before any device is plugged")
  func resolving() throws {
    let keyboard = try Library.device("keyboard.json")
    #expect {
      try parse("repeat 2; include b; end", files: ["dir/b": "tap entr"]).resolved(for: [keyboard])
    } throws: {
      "\($0)".hasPrefix("dir/b:1:5: unknown key or button \"entr\"")
    }
  }

  @Test("a block runs its number of times, and a failure names the turn of each block")
  func playing() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.run("repeat 2; repeat 3; tap a; end; report 00 00 05; report 00; end")
      let a: [[UInt8]] = [[0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]
      let turn = a + a + a + [[0, 0, 5, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]
      #expect(stage.inputs == turn + turn)
      let failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run(
          """
          expect led.capsLock off
          repeat 3
            host set led.capsLock on
            repeat 2
              expect led.numLock off
              host set led.numLock on
              expect led.numLock on within 20s
            end
          end
          """)
      }
      #expect(
        failure?.problem.message
          == "expected led.numLock off, and it is on, in turn 1 of 3, in turn 2 of 2")
      #expect(failure?.problem.location == HIDTextLocation(line: 5, column: 5))
    }
  }

  @Test("a long block ends when its script is cancelled, with the place of the current command")
  func cancelling() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      let script = Task { try await stage.run("repeat 1000000\nrepeat 1000000; tap a; end\nend") }
      #expect(await stage.wait { if case .input = $0 { true } else { false } })
      script.cancel()
      let stop = await #expect(throws: HIDScriptStop.self) { try await script.value }
      #expect(stop?.location == HIDTextLocation(line: 2, column: 17))
    }
  }

  @Test("a good script with blocks and variables never traps when its bytes are changed")
  func mutations() {
    let good = Array(
      "let n 3; let t \"$n$$\"\nrepeat $n; wait ${n}ms; include b; end\ntype \"${t}\"; repeat 2\nend"
        .utf8)
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      do throws(HIDScriptError) {
        _ = try HIDScript.parse(
          mutated(good, using: &random), name: "m", variables: ["x": "$n"]
        ) { _ in Array("repeat 2; wait ${n}s; end".utf8) }
      } catch {
        #expect(!error.problems.isEmpty)
      }
    }
  }
}
