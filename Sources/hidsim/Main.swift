// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import Dispatch
import Glibc
import HIDText
import SystemPackage

/// Does nothing.
///
/// It is the handler of SIGPIPE, and can run on any thread.
private func passOver(_ signal: Int32) {}

@main
enum Main {
  static func main() async {
    openStandardFiles()
    guard hasDescriptors(4) else {
      Output.shared.complain(
        "\(Errno.tooManyOpenFiles); hidsim needs at least 8 open files, and about 32 to plug a device: "
          + "raise the limit (ulimit -n)")
      exit(Failure.Status.noResources.rawValue)
    }
    // If the address space is limited, further arenas of malloc would take the space of later
    // threads.
    if Threads.areAddressesLimited { clinux_use_one_arena() }
    do throws(Failure) {
      try Threads.check(Threads.forTasks)
    } catch {
      Output.shared.complain(error.description)
      exit(error.status.rawValue)
    }
    if let number = firstInvalidWord {
      Output.shared.complain(
        "argument \(number), \(quoted(CommandLine.arguments[number])), is not UTF-8; "
          + "hidsim takes names and texts in UTF-8 only: rename the file")
      exit(Failure.Status.wrongArguments.rawValue)
    }
    // With a handler, a write to a pipe without a reader returns an error, and does not end the
    // process without a message. The command of `run` inherits an ignored signal, but not a
    // handler.
    signal(SIGPIPE, passOver)
    // Swift's own handler treats SIGQUIT (Ctrl-\) as a crash: it prints a backtrace, and the
    // program goes on.
    signal(SIGQUIT, SIG_DFL)
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "vm" {
      let rest = arguments.dropFirst()
      let count = VMCommand.ownCount(of: rest)
      let own = rest.prefix(count), command = Array(rest.dropFirst(count))
      if !own.contains("--"), !command.isEmpty {
        exit(await Passthrough.$words.withValue(command) { await run(["vm"] + own) })
      }
    }
    let parts = arguments.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    guard let own = parts.first, parts.count == 2,
      let command = own.first, Passthrough.commands.contains(command)
    else {
      exit(await run(Array(arguments)))
    }
    exit(await Passthrough.$words.withValue(Array(parts[1])) { await run(Array(own)) })
  }

  /// Returns the message about a command that does not exist; nil if the first words name a command
  /// that exists, or none.
  private static func complaint(about arguments: [String]) -> String? {
    let isHelp = arguments.first == "help"
    guard let word = isHelp ? arguments.dropFirst().first : arguments.first,
      !word.hasPrefix("-"), word != "help", !HIDSim.commandNames.contains(word)
    else { return nil }
    let near = NameSuggestion.nearest(to: word, in: HIDSim.commandNames)
    let remedy =
      if let near {
        "did you mean \"\(near)\"?"
      } else if word.hasSuffix(".json") {
        "hidsim run \(word) plugs a device file"
      } else if word.hasSuffix(".hidscript") {
        "hidsim test \(word) plays a script"
      } else {
        "hidsim --help lists the commands"
      }
    return "unknown command \(quoted(word)); \(remedy)"
  }

  /// Runs a command, and waits until its output is written.
  ///
  /// - Parameter arguments: The words of the command line, without those of another program.
  /// - Returns: The exit status.
  private static func run(_ arguments: [String]) async -> Int32 {
    if let complaint = complaint(about: arguments) {
      Output.shared.complain(complaint)
      return await Output.shared.finish(Failure.Status.wrongArguments.rawValue)
    }
    let arguments = SignedNumbers.separated(in: OldSpelling.replaced(in: arguments))
    var status: Int32 = 0
    do {
      var command = try await HIDSim.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      status = HIDSim.exitCode(for: error).rawValue
      let message = HIDSim.fullMessage(for: error)
      // With status 0, the message is the help, the version or the completion script that the user
      // requested.
      if !message.isEmpty {
        if status == 0 { Output.shared.print(message) } else { Output.shared.note(message) }
      }
    }
    return await Output.shared.finish(status)
  }
}

/// Returns whether the process can open `count` more files.
///
/// Without a few free files, libraries that hidsim uses end the process without a message.
private func hasDescriptors(_ count: Int) -> Bool {
  let copies = (0..<count).map { _ in dup(STDERR_FILENO) }.filter { $0 >= 0 }
  for copy in copies { close(copy) }
  return copies.count == count
}

/// The index of the first argument that is not UTF-8; nil if there is none.
///
/// Another program's words after `--` are not checked.
///
/// Swift replaces the invalid bytes: hidsim would not find the file, or would write to a wrong one.
private var firstInvalidWord: Int? {
  let words = CommandLine.arguments
  let passes = words.count > 1 && Passthrough.commands.contains(words[1])
  for number in words.indices.dropFirst() {
    if passes, words[number] == "--" { return nil }
    guard let word = CommandLine.unsafeArgv[number] else { return nil }
    if String(validatingCString: word) == nil { return number }
  }
  return nil
}

/// Opens `/dev/null` in place of standard files that are closed.
///
/// Otherwise the first files and sockets that hidsim opens would get their numbers.
private func openStandardFiles() {
  for descriptor in 0...2 as ClosedRange<Int32> where fcntl(descriptor, F_GETFD) == -1 {
    // `open` returns the lowest free number. All numbers below `descriptor` are open by now.
    _ = open("/dev/null", O_RDWR)
  }
}
