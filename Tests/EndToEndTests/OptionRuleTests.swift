// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("options that contradict each other") struct OptionRuleTests {
    /// Words of a command line, and the start of its message: a command or an option, "excludes" or
    /// "needs", and the other part of the command line.
    private static let refused: [(words: String, message: String)] = [
      ("bench -- true", "hidsim bench excludes a command after --"),
      ("serve keyboard.json -- true", "hidsim serve excludes a command after --"),
      ("drive -- true", "hidsim drive excludes a command after --"),
      ("android play x -- true", "hidsim android play excludes a command after --"),
      ("drive --force", "--force needs --record"),
      ("tap a --to k --via unix:s", "--to excludes --via"),
      ("tap a --via unix:s --bus loopback", "--via excludes --bus"),
      ("tap a --to k --password p", "--password needs --via"),
      ("type a --to k --speed 2", "--speed needs --via"),
      ("move 1 1 --to k --via unix:s", "--to excludes --via"),
      ("click --to k --via unix:s", "--to excludes --via"),
      ("consumer mute --to k --via unix:s", "--to excludes --via"),
      ("touch 1 1 --to k --via unix:s", "--to excludes --via"),
      ("scroll 1 --via unix:s --horizontal", "--horizontal excludes --via"),
      ("layouts --text a", "--text needs a layout"),
      ("drive --bus kernel --fidelity kernel", "--bus kernel excludes --fidelity"),
      ("android play x --redact", "--redact needs --record"),
      ("run x --send - -- true", "--send - excludes a command after --"),
      (
        "run x --timeline virtual --script s -- true",
        "--timeline virtual excludes a command after --"
      ),
      ("run x --timeline virtual --script s --send -", "--timeline virtual excludes --send -"),
      ("run x --timeline virtual --script s --bench", "--timeline virtual excludes --bench"),
      (
        "run x --timeline virtual --script s --fidelity kernel",
        "--timeline virtual excludes --fidelity kernel"
      ),
      (
        "run x --timeline virtual --script s --bus kernel",
        "--timeline virtual excludes --bus kernel"
      ),
      ("run x --timeline virtual", "--timeline virtual needs --script"),
      ("run x --junit j", "--junit needs --script"), ("run x --tap t", "--tap needs --script"),
      ("run x --script s --junit - --tap -", "--junit - excludes --tap -"),
      ("run x --script s --junit - -- true", "a command after -- excludes --junit -"),
      ("run x --script s --tap - -- true", "a command after -- excludes --tap -"),
      ("run x --wait-command -- true", "--wait-command needs --script"),
      ("run x --expect-all", "--expect-all needs --script"),
      ("run x --set a=1", "--set a needs --script"),
      ("run x --force", "--force needs --record"), ("run x --redact", "--redact needs --record"),
      ("run x --bus loopback --live", "--bus loopback excludes --live"),
      ("run x --bus kernel --fidelity kernel", "--bus kernel excludes --fidelity"),
      ("test x --list -- true", "--list excludes a command after --"),
      ("test x --list --junit j", "--list excludes --junit"),
      ("test x --list --tap t", "--list excludes --tap"),
      ("test x --list -x", "--list excludes --fail-fast"),
      ("test x --list --set a=1", "--list excludes --set"),
      ("test x --list --jobs 2", "--list excludes --jobs"),
      ("test x --list --timeout 60s", "--list excludes --timeout"),
      ("test x --list --strict", "--list excludes --strict"),
      ("test x --junit - --tap -", "--junit - excludes --tap -"),
      ("test x --timeline virtual -- true", "--timeline virtual excludes a command after --"),
      ("test x --timeline virtual --bus kernel", "--timeline virtual excludes --bus kernel"),
      ("test x --bus loopback --live", "--bus loopback excludes --live"),
      ("replay x --onto y --device z", "--onto excludes --device"),
      ("replay x --onto y --assert", "--onto excludes --assert"),
      ("replay x --onto y --wait-reader 1s", "--onto excludes --wait-reader"),
      ("replay x --onto y --record z", "--onto excludes --record"),
      ("replay x --onto y -- true", "--onto excludes a command after --"),
      ("replay x --force", "--force needs --record"),
      ("replay x --assert --loop 2", "--assert excludes --loop"),
      ("replay x --assert --within 1s --instant", "--within excludes --instant"),
      ("replay x --assert --within 1s --interval 1s", "--within excludes --interval"),
      ("replay x --within 1s", "--within needs --assert"),
      ("replay x --assert-gets", "--assert-gets needs --assert"),
      ("replay x --allow-more", "--allow-more needs --assert"),
      ("replay x --ignore y", "--ignore needs --assert"),
      ("replay x --instant --interval 1s", "--instant excludes --interval"),
      ("replay x --instant --speed 2", "--instant excludes --speed"),
      ("replay x --instant --skip-pauses 1s", "--instant excludes --skip-pauses"),
      ("replay x --instant --spin", "--instant excludes --spin"),
      ("replay x --instant --realtime", "--instant excludes --realtime"),
      ("replay x --interval 1s --speed 2", "--interval excludes --speed"),
      ("replay x --interval 1s --skip-pauses 1s", "--interval excludes --skip-pauses"),
      ("replay x --bus loopback --live", "--bus loopback excludes --live"),
      ("replay x --bus kernel --fidelity lossless", "--bus kernel excludes --fidelity"),
      ("replay - --descriptor -", "- as the trace excludes --descriptor -"),
      ("show x --timeout 1s", "--timeout needs --read"),
      ("show x --read --listen 1s", "--read excludes --listen"),
      ("monitor x --raw --json", "--raw excludes --json"),
      ("pedals --json -- true", "--json excludes a command after --"),
      ("describe x --as diff", "--as diff needs another file or device"),
      ("describe x y", "\"y\" needs --as diff"),
      (
        "describe x --as hex --reading specification",
        "--reading specification needs --as tree, json or diff"
      ),
      ("describe - - --as diff", "- as the file excludes - as the other"),
      ("lint --list x", "--list excludes \"x\""),
      ("lint --list --strict", "--list excludes --strict"),
      ("lint --list --quiet", "--list excludes --quiet"),
      ("lint --list --silence x", "--list excludes --silence"),
      ("lint --list --from hex", "--list excludes --from"),
      ("lint --list --pick 1", "--list excludes --pick"),
      ("decode - -", "- as the file excludes - as the reports"),
      ("clone x --force", "--force needs -o"),
      ("clone x --timeout 1s", "--timeout needs --features"),
      ("clone x --features --pick 1", "--features excludes --pick"),
      ("clone keyboard.json --features", "--features needs a device that is plugged"),
      ("record x --force", "--force needs -o FILE"),
      ("record x --force -o -", "--force needs -o FILE"),
      ("proxy x -- true", "a command after -- needs -o FILE"),
      ("proxy x --force", "--force needs -o FILE"),
      ("proxy x --bus loopback --live", "--bus loopback excludes --live"),
      ("stick --junit -", "--junit needs --script"),
      ("stick --script x --tap - -- true", "a command after -- excludes --tap -"),
      ("stick --set a=b", "--set a needs --script"),
      ("convert x - --force", "--force excludes - as the output"),
      ("convert - x --descriptor -", "- as the trace excludes --descriptor -"),
      ("html x - --force", "--force excludes - as the output"),
      ("diff - -", "- as the first trace excludes - as the second"),
      ("diff x y --input-only --opens", "--input-only excludes --opens"),
      ("diff x y --input-only --packets", "--input-only excludes --packets"),
      ("stat - --descriptor -", "- as the trace excludes --descriptor -"),
      ("vm --build --status", "--status excludes --build"),
      ("vm --status -- true", "--status excludes a command after --"),
      ("vm --status --engine qemu", "--status excludes --engine"),
      ("vm --build -- true", "--build excludes a command after --"),
      ("vm --build --memory 2G", "--build excludes --memory"),
      ("vm --engine uml --cpus 2 -- true", "--engine uml excludes --cpus"),
    ]

    /// The commands that have no options that exclude each other.
    private static let others: Set<String> = [
      "list", "get", "set", "send", "script", "encode", "devices", "schema", "doctor", "help",
      "init", "pad",
    ]

    @Test("options that contradict each other are refused (64) with both names and a remedy")
    func refusals() async throws {
      try await Bench.run(.loopback) { bench in
        for (words, message) in Self.refused {
          let done = try await bench.finish(
            program: Bench.binary, words.split(separator: " ").map(String.init))
          #expect(done.status == 64, "\(words): \(done)")
          #expect(done.output == [], "\(words)")
          let line = try #require(done.errors.first, "\(words)")
          #expect(
            line.hasPrefix("Error: \(message): ") || line.hasPrefix("hidsim: \(message): "),
            "\(words): \(line)")
          #expect(line.split(separator: "; ").count > 1, "\(words): no remedy in \(line)")
        }
      }
    }

    @Test(
      "every command has refused options in this suite, or is in the list of commands without any")
    func commands() async throws {
      try await Bench.run(.loopback) { bench in
        let help = try await bench.finish("--help").output
        let sections = help.split { $0.hasSuffix(" SUBCOMMANDS:") }.dropFirst()
        var names: [String] = []
        for line in sections.joined() where line.prefix(3).filter({ $0 == " " }).count == 2 {
          names += line.split(separator: " ").prefix(1).map(String.init)
        }
        names.removeAll { $0 == "See" }
        #expect(names.count > 20, "\(names)")
        let known = Set(
          Self.refused.compactMap { $0.words.split(separator: " ").first.map(String.init) })
        for name in names { #expect(known.contains(name) != Self.others.contains(name), "\(name)") }
      }
    }
  }
}
