// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDSimulator
import SystemPackage

struct VMCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vm", abstract: "Run a command on a Linux kernel of its own that has /dev/uhid.",
    usage: "hidsim vm [<options>] -- <command> ...",
    discussion: """
      Boots a small machine in which every program sees the devices of hidsim: hidraw, evdev, hidapi, SDL. It needs no \
      rights here and no /dev/uhid. COMMAND is root in it, with this environment, these standard files, and this machine's \
      files at the same paths. It can write to the working directory, and to $TMPDIR, which is fresh; with --writable to \
      all that you can write to. Where Landlock (Linux 6.2) is missing, uml says that this is a guard against accidents, which \
      root inside can undo. What it leaves running ends with it.

        hidsim vm -- hidsim run keyboard.json --script caps.hidscript -- python3 my_led_app.py

      uml is User-Mode Linux: a fifth of a second from start to end, on x86-64, where ptrace is allowed. It has one \
      CPU, so that races do not show. Its kernel is built once, in three to six minutes. qemu is a distribution's \
      kernel in QEMU, with two CPUs: some seconds where there is KVM, ten and more elsewhere. auto takes uml, and says so \
      where it cannot be.

      The exit status is that of COMMAND; 69 where something is missing, with the commands that install it, which root \
      has done; 70 where the kernel did not boot.
      """)

  /// What boots the machine.
  enum Engine: String, ExpressibleByArgument, CaseIterable {
    case auto, uml, qemu
  }

  @Option(help: "What boots the machine; without, HIDSIM_VM_ENGINE, else auto.") var engine: Engine?
  @Flag(
    inversion: .prefixedNo, help: "Start udevd inside; without, uml does not and qemu does.")
  var udev: Bool?
  @Option(help: "How much memory it has; without, 1G.") var memory: String?
  @Option(help: "How many CPUs it has: qemu only.") var cpus: Int?
  @Option(help: ArgumentHelp("Keep the kernel's log in a file.", valueName: "file"))
  var kernelLog: String?
  @Flag(help: "Let the command write to all files that you can write to.") var writable = false
  @Flag(help: "Say when the machine was up and when it was over.") var timing = false
  @Flag(help: "Build what the engine needs, and end.") var build = false
  @Flag(help: "Say which engines are ready, and end.") var status = false

  func validate() throws {
    let hasCommand = Passthrough.words != nil
    try OptionRule.check(
      .excludes(
        "--status", status,
        [
          "a command after --": hasCommand, "--build": build, "--engine": engine != nil,
          "--udev": udev == true, "--no-udev": udev == false, "--memory": memory != nil,
          "--cpus": cpus != nil, "--kernel-log": kernelLog != nil, "--writable": writable,
          "--timing": timing,
        ], because: "it says which engines are ready, and starts none"),
      .excludes(
        "--build", build,
        [
          "a command after --": hasCommand, "--udev": udev == true, "--no-udev": udev == false,
          "--memory": memory != nil, "--cpus": cpus != nil, "--kernel-log": kernelLog != nil,
          "--writable": writable, "--timing": timing,
        ], because: "it makes the engine ready, and starts none"),
      .excludes(
        "--engine uml", engine == .uml, ["--cpus": cpus != nil],
        because: "uml has one CPU", remedy: "give --cpus with --engine qemu"))
    if !build, !status, Passthrough.words?.isEmpty ?? true {
      throw ValidationError("there is no command: name one after --")
    }
  }

  func run() async throws {
    try await reporting {
      guard let script = Self.script else {
        throw Failure(
          .unavailable,
          "scripts/vm, which starts the machine, is neither beside this program nor above it: HIDSIM_VM_SCRIPT names it"
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
    if let kernelLog { words += ["--kernel-log", kernelLog] }
    if !writable { words.append("--read-only") }
    if timing { words.append("--timing") }
    if build { words.append("--build") }
    if status { words.append("--status") }
    return words
  }

  /// The script that starts the machine: `$HIDSIM_VM_SCRIPT`, else that of the installation or checkout this program is in.
  static var script: String? {
    if let named = getenv("HIDSIM_VM_SCRIPT"), named.pointee != 0 { return String(cString: named) }
    return HIDDeviceLibrary.folders.lazy
      .map { URL(filePath: $0).deletingLastPathComponent().appending(path: "scripts/vm").path }
      .first { access($0, X_OK) == 0 }
  }

  /// Becomes another program, to which everything that this one was given is.
  ///
  /// - Parameter words: Its path and its arguments, a 0 at the end of each.
  private func become(_ words: [[UInt8]]) throws {
    // Threads of this program have signals blocked, which it would inherit.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    execv(words[0], arguments)
    let error = Errno(rawValue: errno)
    for argument in arguments { free(argument) }
    throw Failure(
      .unavailable, "\(String(decoding: words[0].dropLast(), as: UTF8.self)): \(error)")
  }
}
