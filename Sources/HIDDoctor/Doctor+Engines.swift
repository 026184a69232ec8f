// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import IOLoop
import SystemPackage

/// The checks of the machines that `hidsim vm` starts.
extension Doctor {
  var engines: [Finding] {
    guard !surroundings.isOwnMachine else { return [] }
    guard let vmScript else {
      return [
        Finding(
          "vm", .note,
          """
          hidsim vm is not installed: it is part of a checkout, of the archive and of the Debian \
          package, but not of the wheel
          """
        )
      ]
    }
    guard machine.isExecutable(vmScript) else {
      return [
        Finding(
          "vm", .warning, "hidsim vm needs \(vmScript), which is missing or not executable",
          fixes: ProcessEnvironment["HIDSIM_VM_SCRIPT"] == nil ? [] : ["unset HIDSIM_VM_SCRIPT"])
      ]
    }
    return [userMode(vmScript), emulator]
  }

  private func userMode(_ vmScript: String) -> Finding {
    let (_, processor) = machine.system
    guard processor == "x86_64" else {
      return Finding(
        "vm uml", .note, "User-Mode Linux runs on x86_64 only; this machine is \(processor)")
    }
    let scope = machine.text("/proc/sys/kernel/yama/ptrace_scope").flatMap { Int($0.prefix(1)) }
    if let scope, scope == 3 || scope == 2 && machine.userID != 0 {
      return Finding(
        "vm uml", .note,
        """
        User-Mode Linux needs ptrace, which this kernel forbids \
        (/proc/sys/kernel/yama/ptrace_scope is \(scope))
        """,
        fixes: ["hidsim vm --engine qemu -- CMD"])
    }
    if machine.exists("\(vmScript).d/kernel/linux") {
      return Finding("vm uml", .fine, "its kernel came with hidsim; run: hidsim vm -- CMD")
    }
    if machine.hasBuiltKernel {
      return Finding(
        "vm uml", .fine,
        """
        a kernel is in the cache; run: hidsim vm -- CMD, which builds another one first if this one \
        has an old configuration
        """)
    }
    let missing = missingPackages
    guard missing.isEmpty else {
      let text =
        "its kernel is not built yet; the build needs \(missing.joined(separator: ", "))"
      guard machine.isProgram("apt-get") else {
        return Finding(
          "vm uml", .note,
          """
          \(text) (Debian's package names); there is no apt-get: install them another way, or use \
          hidsim's archive, which includes a kernel
          """)
      }
      // The number in the package's name is known only to apt.
      let remark =
        missing.contains("linux-source") ? "  # or, if apt has it, a newer linux-source-X" : ""
      return Finding(
        "vm uml", .note, text,
        fixes: [
          "\(asRoot("apt-get update")) && \(asRoot("apt-get install \(missing.joined(separator: " "))"))\(remark)"
        ])
    }
    return Finding(
      "vm uml", .fine,
      "its kernel can be built once, in a few minutes; run: hidsim vm --build")
  }

  /// The missing packages that building a kernel needs, by Debian's names, as in `scripts/vm`.
  ///
  /// For `linux-source`, `scripts/vm` names the newest `linux-source-X` that apt finds, if it finds
  /// any.
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
        "vm qemu", .note, "hidsim vm runs on x86_64 only; this machine is \(processor)")
    }
    let program = "qemu-system-\(processor)"
    guard machine.isProgram(program) else {
      return Finding(
        "vm qemu", .note, "\(program) is not installed, or not on PATH",
        fixes: machine.isProgram("apt-get") ? [asRoot("apt-get install qemu-system-x86")] : [])
    }
    switch machine.refusal(of: "/dev/kvm") {
    case nil:
      return Finding(
        "vm qemu", .fine,
        "\(program) is installed, and /dev/kvm can be opened; to try it, run: hidsim vm --status")
    case .noSuchFileOrDirectory:
      return Finding(
        "vm qemu", .note,
        """
        \(program) is installed, but there is no /dev/kvm: it emulates the processor, and a \
        machine starts in ten seconds or more
        """
      )
    case let error:
      return Finding(
        "vm qemu", .note,
        """
        \(program) is installed, but /dev/kvm cannot be opened \
        (\(error ?? .permissionDenied)): it emulates the processor, which is slower
        """,
        fixes: machine.userID == 0
          ? [] : ["sudo usermod --append --groups kvm \"$USER\"  # then log in again"])
    }
  }
}
