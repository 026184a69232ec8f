// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBusDirectory
import HIDSimulator
import HIDText
import HIDWire
import KeyboardLayouts

/// The options of commands that drive a device which another hidsim has plugged.
struct PluggedDeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device: node, number of hidsim list, name or words, vendor:product.",
      valueName: "device"), completion: Completion.devices)
  var to: String
  @OptionGroup var busOptions: BusOptions

  /// Finds a device, and the way to the hidsim that has plugged it.
  ///
  /// - Parameter asWhole: Whether what is done is about all interfaces of the device, so that any of them names it.
  static func find(
    _ word: String, on busOptions: BusOptions, asWhole: Bool = false
  ) async throws -> (HIDDeviceRecord, DriveClient) {
    let record = try await DeviceArgument.find(
      word, on: busOptions, asWhole: asWhole, isDriven: true
    ).record
    guard record.isOurs else {
      throw Failure(
        .wrongArguments,
        "\(word) is not simulated: this command drives only devices that hidsim has plugged")
    }
    let directory = try BusDirectory.shared()
    do throws(DriveClient.NotFound) {
      return (record, try DriveClient.find(record.id, in: directory))
    } catch {
      let reason =
        switch error {
        case .nobody:
          """
          no running hidsim of this user has plugged \(word) in the bus directory \(directory.path); another user or \
          program, or a hidsim with another bus directory, may have plugged it
          """
        case .unanswered: unanswered(word)
        case .refused(let message): "the hidsim that has plugged \(word) refuses: \(message)"
        case .lacking(let error):
          throw Failure(
            HIDWireError.lacking(error, "looking for the hidsim process that has plugged \(word)"))
        }
      throw Failure(.unavailable, reason)
    }
  }

  /// The message about a device whose hidsim does not answer.
  static func unanswered(_ device: String) -> String {
    "the hidsim that has plugged \(device) does not answer: it may be stopped"
  }

  /// The message about a device whose hidsim ended before it answered.
  static func ended(_ device: String) -> String { "the hidsim that plugged \(device) has ended" }

  /// Has the hidsim that has plugged the device carry out a command.
  ///
  /// - Parameter asWhole: Whether the command is for all interfaces of the device, so that any of them names it.
  func drive(
    _ command: String, asWhole: Bool = false, _ fill: (inout JSONLine) -> Void
  ) async throws {
    var (_, client) = try await Self.find(to, on: busOptions, asWhole: asWhole)
    let label = client.label
    let answer = client.command(command) { line in
      line.add("device", .string(label))
      fill(&line)
    }
    guard let answer else { throw Failure(.failed, Self.ended(to)) }
    guard case .string(let message)? = answer["error"]?.value else { return }
    var lines = [message]
    if case .string(let help)? = answer["help"]?.value { lines[0] += "; \(help)" }
    if case .array(let instead)? = answer["instead"]?.value {
      for case .string(let line) in instead.map(\.value) { lines.append(line) }
    }
    throw Failure(.failed, lines.joined(separator: "\n"))
  }
}

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

struct TapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap", abstract: "Press and release keys of a simulated device.",
    discussion: """
      Another hidsim of the same user has plugged the device.

        hidsim tap leftCtrl+c enter --to keyboard
      """)

  @OptionGroup var options: PluggedDeviceOptions
  @Argument(
    help: ArgumentHelp("Keys or buttons; + joins those held together.", valueName: "key")) var keys:
    [String]

  func run() async throws {
    try await reporting {
      let lines = keys.map { "tap \(Self.word($0))" }.joined(separator: "\n")
      try await options.drive("script", asWhole: true) { $0.add("text", .string(lines)) }
    }
  }

  /// A word of a script: what is more than a name, such as `button 3`, stands in quotes.
  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain && !text.isEmpty ? text : HIDScript.quoted(text)
  }
}

struct TypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "type", abstract: "Type a text on a simulated keyboard.",
    usage: "hidsim type <text> --to <device> [<options>]",
    discussion: """
      Another hidsim of the same user has plugged the keyboard. A keyboard sends keys, and the host makes characters of \
      them: --layout says which layout the host has. If the layout cannot type a character, hidsim names it and types \
      nothing.

        hidsim type "Hello" --to keyboard
        hidsim type "Größe: 5 €" --layout de-DE --to keyboard
      """)

  @OptionGroup var options: PluggedDeviceOptions
  @OptionGroup var layoutOptions: LayoutOptions
  @Flag(help: "Leave out characters that the layout cannot type.") var skipMissing = false
  @Argument(help: "The text.") var text: String

  func run() async throws {
    try await reporting {
      let layout = try layoutOptions.find()
      // Before anything is sent: the message has no place in a script.
      do throws(UntypableText) {
        _ = try layout.strokes(for: text, skippingMissing: skipMissing)
      } catch {
        throw Failure(
          .wrongArguments,
          "\(error); name another layout with --layout, leave the characters out, or add --skip-missing"
        )
      }
      let line = HIDScript.typing(text, layout: layout.code, skippingMissing: skipMissing)
      try await options.drive("script", asWhole: true) { $0.add("text", .string(line)) }
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
  /// Texts by names.
  fileprivate static func texts(_ texts: [String: String]) -> JSONText {
    .object { line in
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) { line.add(name, .string(text)) }
    }
  }
}
