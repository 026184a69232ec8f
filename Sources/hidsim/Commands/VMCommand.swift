// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDSimulator
import IOLoop
import SystemPackage

struct VMCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vm", abstract: "Run a command on a Linux kernel with /dev/uhid.",
    usage: "hidsim vm [<options>] [--] <command> ...",
    discussion: """
      Boots a small machine in which every program sees the devices of hidsim: hidraw, evdev, hidapi, SDL. It needs no rights \
      and no /dev/uhid on this machine. Inside, COMMAND is root. It has this environment, these standard files and the files \
      of this machine at the same paths. It can write to the working directory and to $TMPDIR, which is fresh; with \
      --writable to all files that you can write to. When COMMAND ends, the processes that it left running end, too.

        hidsim vm -- hidsim run keyboard.json -- python3 app.py
        hidsim vm --build                                make the kernel ready

      Engines: uml is User-Mode Linux, ready in 0.2 s, for x86-64 where ptrace is allowed. It has one CPU, so that it does \
      not show races. Its kernel is built once, in three to six minutes. qemu is a distribution's kernel in QEMU, with two \
      CPUs: some seconds with KVM, ten and more without. auto is uml where it works, else qemu.

      Without Landlock (Linux 6.2) the limit on writing guards against accidents only: root inside can undo it. A message of \
      uml says so.

      Exit status: that of COMMAND; 69 if a package is missing, with the command that installs it; 70 if the kernel did \
      not boot.
      """)

  /// The engine that boots the machine.
  enum Engine: String, ExpressibleByArgument, CaseIterable {
    case auto, uml, qemu
  }

  @Option(help: "uml, qemu or auto; default: HIDSIM_VM_ENGINE, else auto.") var engine: Engine?
  @Flag(
    inversion: .prefixedNo, help: "Start udevd inside; default: no with uml, yes with qemu.")
  var udev: Bool?
  @Option(help: ArgumentHelp("The memory; default: 1G.", valueName: "size")) var memory: String?
  @Option(help: ArgumentHelp("The number of CPUs, with qemu; default: 2.", valueName: "number"))
  var cpus: Int?
  @Flag(
    help: ArgumentHelp(
      "With qemu: a virtual nanosecond is one instruction.",
      discussion: "CLOCK_MONOTONIC inside then counts instructions, and the machine has one CPU."))
  var icount = false
  @Option(
    help: ArgumentHelp("Words to add to the kernel's command line.", valueName: "words"))
  var append: String?
  @Option(
    help: ArgumentHelp("Write the kernel's log to a file.", valueName: "file"),
    completion: Completion.files)
  var kernelLog: String?
  @Flag(help: "Let COMMAND write to all files that you can write to.") var writable = false
  @Flag(help: ArgumentHelp("The default, as in scripts/vm.", visibility: .hidden))
  var readOnly = false
  @Flag(help: "Print when the machine was ready and when it ended.") var timing = false
  @Flag(help: "Build what the engine needs, and run no command.") var build = false
  @Flag(help: "Print which engines are ready, and run no command.") var status = false

  func validate() throws {
    let hasCommand = Passthrough.words != nil
    try OptionRule.check(
      .excludes(
        "--status", status,
        [
          "a command after --": hasCommand, "--build": build, "--engine": engine != nil,
          "--udev": udev == true, "--no-udev": udev == false, "--memory": memory != nil,
          "--cpus": cpus != nil, "--icount": icount, "--append": append != nil,
          "--kernel-log": kernelLog != nil, "--writable": writable, "--timing": timing,
        ], because: "--status prints which engines are ready, and starts no machine"),
      .excludes(
        "--build", build,
        [
          "a command after --": hasCommand, "--udev": udev == true, "--no-udev": udev == false,
          "--memory": memory != nil, "--cpus": cpus != nil, "--icount": icount,
          "--append": append != nil, "--kernel-log": kernelLog != nil, "--writable": writable,
          "--timing": timing,
        ], because: "--build prepares an engine, and starts no machine"),
      .excludes(
        "--engine uml", engine == .uml, ["--cpus": cpus != nil, "--icount": icount],
        because: "uml has one CPU and uses the real clock", remedy: "give it with --engine qemu"),
      .excludes(
        "--writable", writable, ["--read-only": readOnly], because: "they contradict each other"),
      .excludes(
        "--icount", icount, ["--cpus": cpus.map { $0 != 1 } == true],
        because: "with --icount the machine has one CPU"))
    if !build, !status, Passthrough.words?.isEmpty ?? true {
      throw ValidationError("there is no command: hidsim vm -- COMMAND")
    }
  }

  func run() async throws {
    try await reporting {
      guard let script = Self.script else {
        throw Failure(
          .unavailable,
          "scripts/vm, which starts the machine, is missing beside and above this program: set HIDSIM_VM_SCRIPT to its path"
        )
      }
      try become(
        ([script, "--as", "hidsim vm"] + options).map { Array($0.utf8) + [0] }
          + (Passthrough.words.map { [Array("--".utf8) + [0]] + Passthrough.bytes(of: $0) } ?? []))
    }
  }

  private var options: [String] {
    var words: [String] = []
    if let engine { words += ["--engine", engine.rawValue] }
    if let udev { words.append(udev ? "--udev" : "--no-udev") }
    if let memory { words += ["--memory", memory] }
    if let cpus { words += ["--cpus", "\(cpus)"] }
    if icount { words.append("--icount") }
    if let append { words += ["--append", append] }
    if let kernelLog { words += ["--kernel-log", kernelLog] }
    words.append(writable ? "--writable" : "--read-only")
    if timing { words.append("--timing") }
    if build { words.append("--build") }
    if status { words.append("--status") }
    return words
  }

  /// The options whose value is the next word.
  private static let optionsWithValues = [
    "--engine", "--memory", "--cpus", "--append", "--kernel-log",
  ]

  /// Returns the number of words before the command: options and their values.
  ///
  /// In a command line without `--`, the first word that is not an option begins the command.
  static func ownCount(of words: some Sequence<String>) -> Int {
    var count = 0
    var isValue = false
    for word in words {
      guard isValue || word.hasPrefix("-") else { break }
      isValue = !isValue && optionsWithValues.contains(word)
      count += 1
    }
    return count
  }

  /// The path of the script that starts the machine; nil if there is none.
  ///
  /// It is `$HIDSIM_VM_SCRIPT`, which is not checked, or else the first executable `scripts/vm`
  /// beside a folder of the library.
  static var script: String? {
    if let named = ProcessEnvironment["HIDSIM_VM_SCRIPT"] { return named }
    return HIDDeviceLibrary.folders.lazy
      .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "scripts/vm").path }
      .first { access($0, X_OK) == 0 }
  }

  /// Replaces this process by another program, which keeps its environment and standard files.
  ///
  /// - Parameter words: The path of the program and its arguments, each with a 0 at its end.
  private func become(_ words: [[UInt8]]) throws {
    // This thread may have blocked signals, and the program would inherit that mask.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    execv(words[0], arguments)
    let error = Errno(rawValue: errno)
    for argument in arguments { free(argument) }
    throw Failure(
      .unavailable,
      "\(String(decoding: words[0].dropLast(), as: UTF8.self)): cannot be run: \(error)")
  }
}
