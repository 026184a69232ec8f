// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The root command of the program.
struct HIDSim: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hidsim",
    abstract: "Simulates HID devices on Linux: keyboards, mice, gamepads, yours.",
    discussion: """
      Programs that use HID devices are tested without hardware: hidsim plugs a device that a file describes, plays \
      its user from a script, and checks what the program sends back.

        hidsim run keyboard.json                 plug a keyboard, print its events
        hidsim tap capsLock --to keyboard        press a key, in another terminal
        hidsim test tests -- ./app               play each script of a folder
        hidsim vm -- hidsim test tests -- ./app  the same without /dev/uhid
        hidsim list                              list all HID devices
        hidsim lint my.json                      find faults in a descriptor

      Exit status:
        0   success
        1   a script, replay or strict check failed, or traces differ
        64  wrong arguments, or options that contradict each other
        65  a file has wrong contents
        66  a file or device does not exist
        69  hidsim needs something that is missing
        70  a defect of hidsim
        71  a limit is reached: open files, threads, space, memory, nodes
        74  standard output or a file cannot be written
        77  no permission, or the bus that was asked for cannot be used
      With -- COMMAND, the status of COMMAND.

      Completion of commands, files and devices, for bash, zsh or fish:
        source <(hidsim --generate-completion-script bash)

      NO_COLOR=1 turns colours off.
      """,
    version: "0.1.0, unreleased",
    groupedSubcommands: groups)

  /// The commands, grouped by purpose.
  private static let groups = [
    CommandGroup(
      name: "Device",
      subcommands: [
        RunCommand.self, BenchCommand.self, StickCommand.self, DriveCommand.self,
        ServeCommand.self, AndroidCommand.self, DevicesCommand.self,
      ]),
    CommandGroup(
      name: "Test",
      subcommands: [InitCommand.self, TestCommand.self, VMCommand.self, DoctorCommand.self]),
    CommandGroup(
      name: "Input",
      subcommands: [
        TapCommand.self, TypeCommand.self, MoveCommand.self, ClickCommand.self,
        ScrollCommand.self, ConsumerCommand.self, TouchCommand.self, PadCommand.self,
        SendCommand.self, ScriptCommand.self, LayoutsCommand.self,
      ]),
    CommandGroup(
      name: "Inspection",
      subcommands: [
        ListCommand.self, ShowCommand.self, MonitorCommand.self, GetCommand.self, SetCommand.self,
        PedalsCommand.self,
      ]),
    CommandGroup(
      name: "Trace",
      subcommands: [
        RecordCommand.self, ProxyCommand.self, ReplayCommand.self, ConvertCommand.self,
        DiffCommand.self, StatCommand.self, HTMLCommand.self,
      ]),
    CommandGroup(
      name: "Descriptor",
      subcommands: [
        CloneCommand.self, DescribeCommand.self, LintCommand.self, DecodeCommand.self,
        EncodeCommand.self, SchemaCommand.self,
      ]),
  ]

  /// The names of all commands.
  static let commandNames = groups.flatMap {
    $0.subcommands.compactMap { $0.configuration.commandName }
  }
}

/// Rewriting of command lines of version 0.1 whose spelling has changed.
enum OldSpelling {
  /// Returns the words of a command line with an old spelling replaced.
  ///
  /// If there is an old spelling, the call prints the new one on standard error.
  ///
  /// - Parameter arguments: The words before `--`.
  static func replaced(in arguments: [String]) -> [String] {
    guard arguments.first == "run" else { return arguments }
    let options = [("--stdio", ["drive"]), ("--android", ["android", "play"])]
    for (option, command) in options where arguments.contains(option) {
      let name = "hidsim \(command.joined(separator: " "))"
      Output.shared.note(
        "hidsim: hidsim run \(option) is now \(name): use \(name); "
          + "the next version will refuse \(option)")
      // `drive` and `android play` always print JSON, and have no option for it.
      return command + arguments.dropFirst().filter { $0 != option && $0 != "--json" }
    }
    return arguments
  }
}
