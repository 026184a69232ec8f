// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText

struct SendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Send an input report from a simulated device.",
    discussion: """
      Another hidsim of the same user has plugged the device (run, drive, replay, on either bus). A report that is shorter \
      than declared is filled up with zeros.

        hidsim send 00 00 04 00 00 00 00 00 --to keyboard
      """)

  @OptionGroup var options: PluggedDeviceOptions
  @Argument(help: "The bytes in hex, with the report ID first if it is numbered.") var bytes:
    [String]

  func run() async throws {
    try await reporting {
      let bytes = try ReportArguments.bytes(bytes)
      try await options.drive("report") { $0.add("bytes", .bytes(bytes)) }
    }
  }
}

struct ScriptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "script", abstract: "Play a script on a simulated device.",
    discussion: """
      Another hidsim of the same user has plugged the device. Keys that the script presses and does not release stay \
      pressed.

        hidsim script caps.hidscript --to keyboard

      Exit status: 1 if the script fails; the message says what happened instead.
      """)

  @OptionGroup var options: PluggedDeviceOptions
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Set the script's variable $NAME; repeatable.",
      valueName: "name=value"))
  var settings: [ScriptVariable] = []
  @Argument(help: "The script (.hidscript).", completion: Completion.scripts) var file: String

  func run() async throws {
    try await reporting {
      let variables = ScriptVariable.values(settings)
      let script = try InputFiles.scriptText(file, variables: variables)
      try await options.drive("script", asWhole: true) { line in
        line.add("text", .string(script.text))
        line.add("name", .string(file))
        line.add("set", .texts(variables))
        line.add("files", .texts(script.files))
      }
    }
  }
}

extension JSONText {
  /// Makes an object of texts, sorted by their names.
  fileprivate static func texts(_ texts: [String: String]) -> JSONText {
    .object { line in
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) { line.add(name, .string(text)) }
    }
  }
}
