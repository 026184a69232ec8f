// SPDX-License-Identifier: Apache-2.0

import Glibc
import KernelBus
import SystemPackage

/// The machines that hidsim vm starts.
extension Doctor {
  var engines: [Finding] {
    guard !surroundings.isOwnMachine else { return [] }
    guard let vmScript else {
      return [
        Finding(
          "vm", .note,
          "hidsim vm is missing: it comes with a checkout, the archive and the Debian package, not with a wheel"
        )
      ]
    }
    guard machine.isExecutable(vmScript) else {
      return [
        Finding(
          "vm", .warning, "\(vmScript), which starts machines, is missing or cannot be run",
          fixes: getenv("HIDSIM_VM_SCRIPT") == nil ? [] : ["unset HIDSIM_VM_SCRIPT"])
      ]
    }
    return [userMode(vmScript), emulator]
  }

  private func userMode(_ vmScript: String) -> Finding {
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
    if machine.exists("\(vmScript).d/kernel/linux") {
      return Finding("vm uml", .fine, "its kernel came with hidsim: hidsim vm -- CMD")
    }
    if machine.hasBuiltKernel {
      return Finding("vm uml", .fine, "its kernel is built: hidsim vm -- CMD")
    }
    let missing = missingPackages
    guard missing.isEmpty else {
      let text = "to build its kernel, once, it needs \(missing.joined(separator: ", "))"
      guard machine.isProgram("apt-get") else {
        return Finding(
          "vm uml", .note,
          "\(text), as Debian calls them, and there is no apt-get; the archive has a kernel in it")
      }
      return Finding(
        "vm uml", .note, text,
        fixes: [
          "\(asRoot("apt-get update")) && \(asRoot("apt-get install \(missing.joined(separator: " "))"))"
        ])
    }
    return Finding(
      "vm uml", .fine, "its kernel can be built, in a few minutes, once: hidsim vm -- CMD")
  }

  /// The packages that building a kernel takes, and that are not there, as Debian calls them; as `scripts/vm` has them.
  private var missingPackages: [String] {
    let programs = [
      ("gcc", "gcc"), ("make", "make"), ("flex", "flex"), ("bison", "bison"), ("bc", "bc"),
      ("xz", "xz-utils"), ("bzip2", "bzip2"),
    ]
    var missing = programs.filter { !machine.isProgram($0.0) }.map(\.1)
    if !machine.exists("/usr/include/stdio.h") { missing.append("libc6-dev") }
    if !machine.hasKernelSource { missing.append("linux-source") }
    return missing
  }

  private var emulator: Finding {
    let (_, processor) = machine.system
    guard processor == "x86_64" else {
      return Finding(
        "vm qemu", .note, "hidsim starts machines on x86_64 only, and this is \(processor)")
    }
    let program = "qemu-system-\(processor)"
    guard machine.isProgram(program) else {
      return Finding(
        "vm qemu", .note, "there is no \(program)",
        fixes: machine.isProgram("apt-get") ? [asRoot("apt-get install qemu-system-x86")] : [])
    }
    switch machine.refusal(of: "/dev/kvm") {
    case nil:
      return Finding(
        "vm qemu", .fine,
        "\(program) is there, and /dev/kvm can be opened; hidsim vm --status tries it")
    case .noSuchFileOrDirectory:
      return Finding(
        "vm qemu", .note,
        "\(program) is there, without KVM: it emulates a processor, and starts in ten seconds or more"
      )
    case let error:
      return Finding(
        "vm qemu", .note,
        "\(program) is there, and /dev/kvm cannot be opened (\(error ?? .permissionDenied)): it emulates",
        fixes: machine.userID == 0
          ? [] : ["sudo usermod --append --groups kvm \"$USER\"  # then log in again"])
    }
  }
}
