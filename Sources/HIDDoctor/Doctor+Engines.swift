// SPDX-License-Identifier: Apache-2.0

import KernelBus
import SystemPackage

/// The machines that hidsim vm starts.
extension Doctor {
  var engines: [Finding] {
    guard !surroundings.isOwnMachine else { return [] }
    guard vmScript != nil else {
      return [
        Finding(
          "vm", .note,
          "hidsim vm is not there: it comes with a checkout, the archive and the Debian package, not with a wheel"
        )
      ]
    }
    return [userMode, emulator]
  }

  private var userMode: Finding {
    let (_, processor) = machine.system
    guard processor == "x86_64" else {
      return Finding(
        "vm uml", .note, "User-Mode Linux runs on x86_64, and this is \(processor)")
    }
    let scope = machine.text("/proc/sys/kernel/yama/ptrace_scope").flatMap { Int($0.prefix(1)) }
    if let scope, scope == 3 || scope == 2 && machine.userID != 0 {
      return Finding(
        "vm uml", .note, "User-Mode Linux needs ptrace, which is forbidden here (yama, \(scope))",
        fixes: ["hidsim vm --engine qemu -- CMD"])
    }
    if let vmScript, machine.exists("\(vmScript).d/kernel/linux") {
      return Finding("vm uml", .fine, "its kernel came with hidsim: hidsim vm -- CMD")
    }
    let missing = ["gcc", "make", "flex", "bison", "bc"].filter { !machine.isProgram($0) }
    guard missing.isEmpty else {
      return Finding(
        "vm uml", .note, "to build its kernel, once, it needs \(missing.joined(separator: ", "))",
        fixes: ["sudo apt-get install gcc make flex bison bc"])
    }
    return Finding("vm uml", .fine, "can be built and started: hidsim vm -- CMD")
  }

  private var emulator: Finding {
    let (_, processor) = machine.system
    guard processor == "x86_64" else {
      return Finding(
        "vm qemu", .note, "hidsim starts machines on x86_64 alone, and this is \(processor)")
    }
    let program = "qemu-system-\(processor)"
    guard machine.isProgram(program) else {
      return Finding(
        "vm qemu", .note, "there is no \(program)",
        fixes: ["sudo apt-get install qemu-system"])
    }
    switch machine.refusal(of: "/dev/kvm") {
    case nil:
      return Finding(
        "vm qemu", .fine,
        "\(program) is there, and /dev/kvm can be opened; hidsim vm --status tries it")
    case .noSuchFileOrDirectory:
      return Finding(
        "vm qemu", .note,
        "\(program) is there, and no KVM: it emulates, which takes ten seconds and more")
    case let error:
      return Finding(
        "vm qemu", .note,
        "\(program) is there, and /dev/kvm cannot be opened (\(error ?? .permissionDenied)): it emulates",
        fixes: ["sudo usermod --append --groups kvm \"$USER\"  # then log in again"])
    }
  }
}
