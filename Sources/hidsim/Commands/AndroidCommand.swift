// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import UnixSignals

struct AndroidCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "android", abstract: "Play streams of Android's hid program.",
    subcommands: [AndroidPlayCommand.self])
}

struct AndroidPlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play streams of Android's hid program.",
    usage: "hidsim android play <file> ... [<options>]",
    discussion: """
      FILE holds the JSON commands that Android's tests send to its hid program; - is standard input. hidsim registers \
      the devices and sends their reports as that program does: not before a reader has the device open. It prints what \
      hosts send as that program prints it, one JSON object a line. It plays several files one after the other, each with \
      devices of its own.

        hidsim android play gamepad.json
        cat asus_gamepad_register.json reports.json | hidsim android play -

      Exit status: 1 if a command fails, or with --strict.
      """)

  @Argument(
    help: ArgumentHelp("Streams of commands; - is standard input.", valueName: "file"),
    completion: Completion.files)
  var files: [String]
  @OptionGroup(title: "Bus options") var busOptions: PlugBusOptions
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  func validate() throws {
    try OptionRule.check(
      .excludesCommand(
        "hidsim android play",
        because: "hidsim android play uses standard input and output as Android's program does"))
  }

  func run() async throws { try await reporting { try await play() } }

  /// Plays the streams, one after the other.
  private func play() async throws {
    let contents = try files.map { file in
      (name: file, bytes: file == "-" ? nil : try InputFiles.stream(file))
    }
    try recording.check()
    let bus = try busOptions.bus()
    let session = RunSession(
      [], on: bus, printer: nil, keepsInput: false, trace: try recording.file(on: bus.kind),
      isRedacted: recording.redact)
    let signals = await UnixSignalsSequence.catchEndSignals()
    let android = AndroidSession(
      session.hub, tell: { Output.shared.print($0) }, rest: { await Output.shared.settle() },
      complain: { Output.shared.complain($0) })
    _ = try await session.run {
      let input = try StandardInput.chunks()
      await untilEnded(ending.bound, signals: signals) {
        for (name, bytes) in contents {
          if let bytes {
            await android.run(AsyncStream<[UInt8]>.one(bytes), file: name)
          } else {
            await android.run(input, file: "standard input")
          }
        }
      }
    }
    let traceStatus = session.tellTrace()
    if traceStatus != 0 { throw ExitCode(traceStatus) }
    let passes = !ending.strict || Strict.passes(session.log.totals)
    if android.failureCount > 0 || !passes { throw ExitCode(1) }
  }
}

extension AsyncStream where Element: Sendable {
  /// Makes a stream of one element.
  fileprivate static func one(_ element: Element) -> Self {
    AsyncStream { continuation in
      continuation.yield(element)
      continuation.finish()
    }
  }
}
