// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSessions
import HIDSimulator
import HIDText
import InputStick

/// The options for the target of input: a device that another hidsim has plugged, or the host of a
/// stick (a simulated InputStick, which clients drive by packets on a link).
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

  /// Returns the usage line of a command.
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

  /// Requests the hidsim that has plugged the device to play script commands, and waits until they
  /// are played.
  func play(_ lines: [String]) async throws {
    try await PluggedDeviceOptions.drive(
      to ?? "", on: busOptions, "script", asWhole: true
    ) { $0.add("text", .string(lines.joined(separator: "\n"))) }
  }
}

extension StickEndpoint {
  /// Reads the endpoint of a stick that a client connects to.
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

/// Handling of negative numbers among the arguments, which the parser would take for options.
enum SignedNumbers {
  /// The commands whose arguments can be negative numbers.
  private static let commands: Set<String> = ["move", "scroll"]
  /// The options of these commands that have no value.
  private static let flags: Set<String> = ["--horizontal"]

  /// Moves the numbers to the end, after `--`, where the parser does not take them for options.
  ///
  /// Values of options stay. A command line of another command, with `--`, or without a negative
  /// number is returned unchanged.
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
  /// Returns a word for a script, in quotes if it is more than a plain name, such as `button 3`.
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
