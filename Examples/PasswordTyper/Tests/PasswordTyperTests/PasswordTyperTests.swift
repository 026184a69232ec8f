// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardLayouts
import PasswordTyper
import Testing

@Suite("A macro") struct MacroTests {
  @Test("its actions are the fields, texts, keys and pauses, in their order")
  func actions() throws {
    let macro = try Macro("url%key=Tab%USER%delay=20%type=a=b%pass%key=ctrl+shift+z")
    #expect(
      try macro.actions(for: Entry(user: "me", password: "pw", url: "x.org")) == [
        .text("x.org"), .key(0x2B, modifiers: 0), .text("me"), .pause(milliseconds: 20),
        .text("a=b"), .text("pw"), .key(0x1D, modifiers: 0x03),
      ])
  }

  @Test(
    "an action that is none is named, with its position",
    arguments: [
      ("user%usr", 2, "expected user, pass, url, type=, key= or delay="), ("", 1, "expected user"),
      ("key=hyper+a", 1, "expected a key"), ("pass%key=", 2, "expected a key"),
      ("delay=soon", 1, "expected milliseconds"), ("delay=-1", 1, "expected milliseconds"),
    ])
  func problems(text: String, position: Int, reason: String) throws {
    let problem = #expect(throws: Macro.Problem.self) { try Macro(text) }
    #expect(problem?.position == position)
    #expect(problem?.description.contains(reason) == true)
  }
}

@Suite("A password typer, from its call to the keys that a PC receives", .timeLimit(.minutes(1)))
@MainActor struct PasswordTyperTests {
  private let entry = Entry(user: "jörg", password: "zY@€^2")

  @Test("the PC reads the entry", arguments: ["en-US", "de-DE", "fr-CH"], [nil, "secret"])
  func entry(layout: String, stickPassword: String?) async throws {
    var entry = entry
    if layout == "en-US" { entry = Entry(user: "joe", password: "zY@^2") }
    let stick = try await Stick(password: stickPassword)
    let typer = PasswordTyper(layout: layout, stickPassword: stickPassword)
    try await typer.type(
      try Macro("user%key=tab%delay=10%pass%key=enter"), for: entry, through: stick.place)
    #expect(try await stick.end(layout) == "\(entry.user)\t\(entry.password)\n")
  }

  @Test("a stick that refuses the password, and a character without a key: nothing is typed")
  func refusals() async throws {
    let stick = try await Stick(password: "secret")
    let macro = try Macro("user%pass")
    await #expect(throws: (any Error).self) {
      try await PasswordTyper(layout: "de-DE", stickPassword: "Secret")
        .type(macro, for: entry, through: stick.place)
    }
    await #expect(throws: PasswordTyper.NoKey("ö")) {
      try await PasswordTyper(layout: "en-US", stickPassword: "secret")
        .type(macro, for: entry, through: stick.place)
    }
    #expect(try await stick.end("de-DE") == "")
  }
}

/// A stick that `hidsim stick` simulates, and the PC that it is plugged into.
private final class Stick: Sendable {
  /// An event that hidsim prints.
  private struct Event: Decodable {
    let event: String
    let device: String?
    let bytes: String?
    let state: String?
    let link: String?
  }

  /// The location where clients find the stick.
  let place: String
  private let process: Process
  private let events: AsyncStream<Event>
  private let folder: URL

  init(password: String?) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "typer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    process = Process()
    // The program hidsim is built beside this test.
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "hidsim")
    process.arguments =
      ["stick", "--bus", "loopback", "--json", "--input"]
      + (password.map { ["--password", $0] } ?? [])
    process.environment = ProcessInfo.processInfo.environment
      .merging(["HIDSIM_BUS_DIR": folder.path]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    events = Self.events(of: pipe.fileHandleForReading)
    var place: String?
    for await event in events where event.state == "listening" {
      place = event.link
      break
    }
    self.place = try #require(place, "hidsim stick has ended")
  }

  /// Returns a stream of the events that hidsim prints, until hidsim ends.
  private static func events(of output: FileHandle) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    Thread.detachNewThread {
      var rest = Data()
      while case let data = output.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          if let event = try? JSONDecoder().decode(Event.self, from: rest[..<end]) {
            continuation.yield(event)
          }
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }
    return stream
  }

  /// Unplugs the stick.
  ///
  /// - Returns: The text that a PC with the layout has read.
  func end(_ layout: String) async throws -> String {
    process.terminate()
    var strokes: [KeyStroke] = []
    var key: UInt8 = 0
    for await event in events where event.event == "input" {
      let bytes = (event.bytes ?? "").split(separator: " ").compactMap { UInt8($0, radix: 16) }
      if bytes[2] != 0, bytes[2] != key {
        strokes.append(KeyStroke(KeyModifiers(rawValue: bytes[0]), bytes[2]))
      }
      key = bytes[2]
    }
    #expect(key == 0, "no key stays down")
    try? FileManager.default.removeItem(at: folder)
    return try #require(KeyboardLayout(code: layout)).text(of: strokes)
  }
}
