// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDText

/// The options of commands that drive a device which another hidsim has plugged.
struct PluggedDeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The device: node, number of hidsim list, name or words, vendor:product.",
      valueName: "device"), completion: Completion.devices)
  var to: String
  @OptionGroup var busOptions: BusOptions

  /// Finds a device, and connects to the hidsim that has plugged it.
  ///
  /// - Parameter asWhole: True if the command concerns all interfaces of the device, so that a word
  ///   may match several of them.
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
        case .notPlugged:
          """
          no running hidsim of this user has plugged \(word) in the bus directory \(directory.path); another user or \
          program, or a hidsim with another bus directory, may have plugged it
          """
        case .notResponding: notResponding(word)
        case .refused(let message): "the hidsim that has plugged \(word) refuses: \(message)"
        case .lacking(let error):
          throw Failure(
            HIDBusError.lacking(error, "looking for the hidsim process that has plugged \(word)"))
        }
      throw Failure(.unavailable, reason)
    }
  }

  /// Returns the message about a device whose hidsim does not answer.
  static func notResponding(_ device: String) -> String {
    "the hidsim that has plugged \(device) does not answer: it may be stopped"
  }

  /// Returns the message about a device whose hidsim ended before it answered.
  static func ended(_ device: String) -> String { "the hidsim that plugged \(device) has ended" }

  /// Sends a command to the hidsim that has plugged the device of `--to`, and waits for its answer.
  ///
  /// - Parameters:
  ///   - asWhole: True if the command concerns all interfaces of the device, so that the word may
  ///     match several of them.
  ///   - fill: Adds the members of the command.
  /// - Throws: A failure with the error in the answer, or if no such device or no answer is found.
  func drive(
    _ command: String, asWhole: Bool = false, _ fill: (inout JSONLine) -> Void
  ) async throws {
    try await Self.drive(to, on: busOptions, command, asWhole: asWhole, fill)
  }

  /// Sends a command to the hidsim that has plugged a device, and waits for its answer.
  ///
  /// - Parameters:
  ///   - asWhole: True if the command concerns all interfaces of the device, so that `device` may
  ///     match several of them.
  ///   - fill: Adds the members of the command.
  /// - Throws: A failure with the error in the answer, or if no such device or no answer is found.
  static func drive(
    _ device: String, on busOptions: BusOptions, _ command: String, asWhole: Bool = false,
    _ fill: (inout JSONLine) -> Void
  ) async throws {
    var (_, client) = try await find(device, on: busOptions, asWhole: asWhole)
    let label = client.label
    let answer = client.command(command) { line in
      line.add("device", .string(label))
      fill(&line)
    }
    guard let answer else { throw Failure(.failed, ended(device)) }
    guard case .string(let message)? = answer["error"]?.value else { return }
    var lines = [message]
    if case .string(let help)? = answer["help"]?.value { lines[0] += "; \(help)" }
    if case .array(let instead)? = answer["instead"]?.value {
      for case .string(let line) in instead.map(\.value) { lines.append(line) }
    }
    throw Failure(.failed, lines.joined(separator: "\n"))
  }
}
