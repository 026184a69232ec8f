// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSimulator
import HIDText
import InputStick

/// Where the input of a command goes: to a device that another hidsim has plugged, or to a host
/// through a stick.
struct InputTargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device: node, number of hidsim list, name or words, vendor:product.",
      valueName: "device"), completion: Completion.devices)
  var to: String?
  @Option(
    help: ArgumentHelp(
      "The stick to send through: unix:PATH, tcp:PORT or /dev/pts/N.",
      discussion:
        "hidsim connects to it as a phone does. hidsim list --json has the places of sticks.",
      valueName: "stick"), transform: StickEndpoint.connecting)
  var via: StickEndpoint?
  @Option(help: ArgumentHelp("The stick's password.", valueName: "text")) var password: String?
  @OptionGroup var busOptions: BusOptions

  /// The usage line of a command.
  static func usage(_ command: String) -> String {
    "hidsim \(command) (--to <device> | --via <stick>) [<options>]"
  }

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--to", to != nil, ["--via": via != nil], because: "the input goes to one place"),
      .excludes(
        "--via", via != nil, ["--bus": busOptions.bus != nil],
        because: "a stick is found by its place, whatever its bus", remedy: "leave --bus out"),
      .needs(
        "--password", password != nil, "--via", via != nil, because: "only sticks have a password")
    )
    guard to != nil || via != nil else {
      throw ValidationError(
        "the command needs a target: name a device with --to, or a stick with --via")
    }
  }

  /// Has the hidsim that has plugged the device play commands of a script.
  func play(_ lines: [String]) async throws {
    try await PluggedDeviceOptions.drive(
      to ?? "", on: busOptions, "script", asWhole: true
    ) { $0.add("text", .string(lines.joined(separator: "\n"))) }
  }
}

extension StickEndpoint {
  /// Reads the place of a stick that a client connects to.
  static func connecting(_ text: String) throws -> StickEndpoint {
    let place: StickEndpoint
    do throws(Malformed) {
      place = try StickEndpoint(text)
    } catch {
      throw ValidationError("expected unix:PATH, tcp:PORT or /dev/pts/N")
    }
    switch place {
    case .terminal(nil), .tcp(0):
      throw ValidationError("\(text) is no place to connect to; hidsim stick prints the place")
    default: return place
    }
  }
}

/// Negative numbers among the words of a command, which the parser would take for options.
enum SignedNumbers {
  /// The commands that take negative numbers, and their options without a value.
  private static let commands: Set<String> = ["move", "scroll"]
  private static let flags: Set<String> = ["--horizontal"]

  /// Moves the numbers behind `--`, where the parser takes them as they are.
  static func separated(in arguments: [String]) -> [String] {
    guard let command = arguments.first, commands.contains(command), !arguments.contains("--"),
      arguments.contains(where: { $0.hasPrefix("-") && Int($0) != nil })
    else { return arguments }
    var others: [String] = []
    var numbers: [String] = []
    for word in arguments {
      let isValue =
        others.last.map { $0.hasPrefix("--") && !$0.contains("=") && !flags.contains($0) } ?? false
      if !isValue, Int(word) != nil { numbers.append(word) } else { others.append(word) }
    }
    return others + ["--"] + numbers
  }
}

extension HIDScript {
  /// A word of a script: what is more than a name, such as `button 3`, stands in quotes.
  static func word(_ text: String) -> String {
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
