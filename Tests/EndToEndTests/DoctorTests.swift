// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("doctor") struct DoctorTests {
    /// The findings of the doctor, by subject.
    private struct Findings {
      struct Finding: Decodable {
        let subject: String
        let severity: String
        let text: String
        let fixes: [String]
      }

      private struct Whole: Decodable {
        let severity: String
        let findings: [Finding]
      }

      let status: Int32
      let severity: String
      let all: [Finding]

      init(_ done: Finished) throws {
        let line = try #require(done.output.last, "\(done.errors)")
        let whole = try JSONDecoder().decode(Whole.self, from: Data(line.utf8))
        (status, severity, all) = (done.status, whole.severity, whole.findings)
      }

      subscript(_ subject: String) -> Finding? { all.first { $0.subject == subject } }
    }

    /// Runs the doctor from a shell script, which may change the environment first.
    private func findings(_ bench: Bench, by shell: String) async throws -> Findings {
      try Findings(try await bench.finish(program: "/bin/sh", ["-ec", shell]))
    }

    /// Returns shell lines that run `lines` in a copy of the root folder.
    ///
    /// All mounts are undone at the end. The copy has no sign of a container, no udevd, and an
    /// empty `/run`.
    private func elsewhere(_ bench: Bench, _ lines: String) -> String {
      let root = bench.folder.appending(path: "root").path
      return """
        mkdir -p \(root)
        exec unshare --mount sh -ec '
          mount -t tmpfs none \(root)
          for path in /*; do
            if [ -L $path ]; then cp -P $path \(root)
            elif [ -d $path ]; then mkdir \(root)$path; mount --rbind $path \(root)$path; fi
          done
          mount -t tmpfs none \(root)/run
          exec chroot \(root) sh -ec "\(lines)"'
        """
    }

    @Test("doctor prints problems with the commands that fix them, and exits by the worst severity")
    func here() async throws {
      try await Bench.run(.loopback) { bench in
        let found = try Findings(try await bench.finish("doctor", "--json"))
        let order = ["ok", "note", "warning", "problem", "fatal"]
        let places = found.all.compactMap { order.firstIndex(of: $0.severity) }
        #expect(places.count == found.all.count)
        #expect(found.severity == order[places.max() ?? 0])
        #expect(found.status == [0, 0, 1, 2, 3][places.max() ?? 0])
        #expect(found["loopback bus"]?.severity == "ok")
        #expect(found["system"]?.text.hasPrefix("Linux ") == true)
        for finding in found.all where finding.severity == "problem" {
          #expect(!finding.fixes.isEmpty, "\(finding)")
        }
        let text = try await bench.finish("doctor")
        #expect(text.status == found.status)
        for finding in found.all {
          #expect(
            text.output.contains { $0.hasPrefix(finding.severity) && $0.hasSuffix(finding.text) })
          for fix in finding.fixes { #expect(text.output.contains { $0.hasSuffix("$ \(fix)") }) }
        }
      }
    }

    @Test(
      "an unusable /dev/uhid is a problem with a fix, and messages about it name hidsim doctor",
      .enabled(if: !TestBus.kernelIsThere, "/dev/uhid can be opened here"))
    func container() async throws {
      try await Bench.run(.loopback) { bench in
        let found = try Findings(try await bench.finish("doctor", "--json"))
        #expect(found.status == 2)
        #expect(found["/dev/uhid"]?.severity == "problem")
        #expect(found["/dev/uhid"]?.fixes.contains { $0.contains("modprobe uhid") } == true)
        let file = "\(Bench.descriptors)/keyboard.json"
        let refused = try await bench.finish(
          program: Bench.binary, ["run", file, "--bus", "kernel"])
        #expect(refused.status == 77)
        #expect(refused.errorText.hasSuffix("hidsim doctor"))
        let script = try bench.file("s.hidscript", "tap a\n")
        let advised = try await bench.finish(
          program: "/usr/bin/env",
          [
            "HIDSIM_BUS_DIR=\(bench.folder.path)/bus", Bench.binary, "run", file, "--bus", "auto",
            "--script", script,
          ])
        #expect(advised.status == 0)
        #expect(advised.errors.contains { $0.hasSuffix("hidsim doctor") }, "\(advised.errors)")
      }
    }

    @Test("an unusable bus folder is fatal where there is no other bus")
    func folder() async throws {
      try await Bench.run(.loopback) { bench in
        let open = bench.folder.appending(path: "open").path
        try FileManager.default.createDirectory(
          atPath: open, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let found = try await findings(
          bench, by: "HIDSIM_BUS_DIR=\(open) exec \(Bench.binary) doctor --json")
        #expect(found["loopback bus"]?.text.hasSuffix("HIDSIM_BUS_DIR") == true)
        #expect(found["loopback bus"]?.fixes.isEmpty == false)
        #expect(found["loopback bus"]?.severity == "fatal")
        #expect(found.status == 3)
        let refused = try await findingsOfRun(bench, open)
        #expect(refused.status == 77)
        #expect(refused.errorText.hasSuffix("hidsim doctor"))
      }
    }

    private func findingsOfRun(_ bench: Bench, _ folder: String) async throws -> Finished {
      try await bench.finish(
        program: "/usr/bin/env",
        [
          "HIDSIM_BUS_DIR=\(folder)", Bench.binary, "run", "\(Bench.descriptors)/keyboard.json",
          "--bus", "loopback",
        ])
    }

    @Test("an environment variable with an unusable value is a finding with unset as the fix")
    func variables() async throws {
      try await Bench.run(.loopback) { bench in
        let doctor = "exec \(Bench.binary) doctor --json"
        let bus = try await findings(bench, by: "HIDSIM_BUS=nonsense \(doctor)")
        #expect(bus["HIDSIM_BUS"]?.severity == "fatal")
        #expect(bus["HIDSIM_BUS"]?.text.contains("\"nonsense\"") == true)
        #expect(bus["HIDSIM_BUS"]?.fixes == ["unset HIDSIM_BUS"])
        #expect(bus.status == 3)
        let machines = try await findings(
          bench, by: "unset HIDSIM_VM; HIDSIM_VM_SCRIPT=/nonexistent \(doctor)")
        #expect(machines["vm"]?.severity == "warning")
        #expect(machines["vm"]?.fixes == ["unset HIDSIM_VM_SCRIPT"])
        let chosen = try await findings(bench, by: "HIDSIM_BUS=loopback \(doctor)")
        #expect(chosen["HIDSIM_BUS"]?.severity == "note")
      }
    }

    @Test(
      "doctor names all packages for building a kernel, with sudo for users other than root",
      .enabled(if: TestBus.available == [.loopback], "in a machine there is nothing to build"))
    func packages() async throws {
      try await Bench.run(.loopback) { bench in
        let installer = try bench.file("apt-get", "#!/bin/sh\n")
        let bare =
          "chmod +x \(installer); unset XDG_CACHE_HOME; HOME=/nonexistent PATH=\(bench.folder.path)"
        let found = try await findings(bench, by: "\(bare) exec \(Bench.binary) doctor --json")
        let packages = "gcc make flex bison bc xz-utils bzip2"
        let machine = try #require(found["vm uml"])
        #expect(machine.severity == "note")
        let sudo = geteuid() == 0 ? "" : "sudo "
        #expect(machine.fixes.count == 1)
        #expect(
          machine.fixes[0].hasPrefix(
            "\(sudo)apt-get update && \(sudo)apt-get install \(packages)"))
        // The package with the kernel's source may be installed here.
        #expect(
          machine.fixes[0].contains(" linux-source")
            == machine.fixes[0].hasSuffix("  # or, if apt has it, a newer linux-source-X"))
        let emulator = try #require(found["vm qemu"])
        #expect(emulator.fixes == ["\(sudo)apt-get install qemu-system-x86"])
      }
    }

    @Test(
      "a kernel counts as built only in a cache in which no other user can replace it",
      .enabled(if: TestBus.available == [.loopback], "in a machine there is nothing to build"))
    func cache() async throws {
      try await Bench.run(.loopback) { bench in
        let cache = bench.folder.appending(path: "cache").path
        let doctor = "XDG_CACHE_HOME=\(cache) exec \(Bench.binary) doctor --json"
        let safe = try await findings(
          bench, by: "umask 022; mkdir -p \(cache)/hidsim/uml-1; \(doctor)")
        #expect(safe["vm uml"]?.text.hasPrefix("a kernel is in the cache") == true)
        for change in ["chmod 777 \(cache)", "chmod 755 \(cache); chmod 1777 \(cache)/hidsim"] {
          let open = try await findings(bench, by: "\(change); \(doctor)")
          #expect(open["vm uml"]?.text.hasPrefix("a kernel is in the cache") == false, "\(change)")
        }
        let sticky = try await findings(
          bench, by: "chmod 1777 \(cache); chmod 755 \(cache)/hidsim; \(doctor)")
        #expect(sticky["vm uml"]?.text.hasPrefix("a kernel is in the cache") == true)
      }
    }

    @Test("doctor finds no problem on a kernel with uhid, and warns if udevd is missing")
    func kernel() async throws {
      try await Bench.run(.kernel) { bench in
        let found = try Findings(try await bench.finish("doctor", "--json"))
        let hasUdev = access("/run/udev/control", F_OK) == 0
        #expect(found["/dev/uhid"]?.severity == "ok")
        #expect(found["hidraw"]?.severity == "ok")
        #expect(found["udev"]?.severity == (hasUdev ? "ok" : "warning"))
        #expect(found["desktop"]?.severity == "ok")
        #expect(found.status == (hasUdev ? 0 : 1))
        // Other users can enter this folder, so the loopback bus refuses it. The kernel bus works
        // without the folder.
        let folder = bench.folder.appending(path: "open").path
        let withoutFolder = try await findings(
          bench,
          by: "mkdir -m 755 \(folder); HIDSIM_BUS_DIR=\(folder) exec \(Bench.binary) doctor --json")
        #expect(withoutFolder["loopback bus"]?.severity == "warning")
        #expect(withoutFolder.status == 1)
      }
    }

    @Test(
      "a user without permission gets the commands that grant it, and a refused node names doctor")
    func noRights() async throws {
      try await Bench.run(.kernel) { bench in
        try await bench.withProgramForOtherUsers { program in
          let unprivileged = "exec \(Bench.asOtherUser) \(program)"
          let found = try await findings(bench, by: "\(unprivileged) doctor --json")
          #expect(found.status >= 2)
          #expect(found["/dev/uhid"]?.severity == "problem")
          #expect(
            found["/dev/uhid"]?.text
              == "you have no permission to open it (rw-------, user 0, group 0)")
          let copying = found["/dev/uhid"]?.fixes.first { $0.contains("hidsim.rules") } ?? ""
          let words = copying.split(separator: " ").map(String.init)
          try #require(words.count > 3)
          #expect(words[..<2] == ["sudo", "cp"] && access(words[2], R_OK) == 0, "\(copying)")
          #expect(words[2].hasPrefix("/"), "\(copying)")
          let (run, node) = try await bench.plug("keyboard.json")
          let refused = try await bench.finish(
            program: "/bin/sh", ["-c", "\(unprivileged) monitor \(node)"])
          #expect(refused.status == 77)
          #expect(refused.errorText.hasSuffix("hidsim doctor"), "\(refused.errors)")
          try await bench.end(run)
        }
      }
    }

    @Test("without libudev, doctor says so in a note, and a device is found and unplugged")
    func noLibudev() async throws {
      try await Bench.run(.kernel) { bench in
        let done = try await bench.finish(
          program: "/bin/sh",
          [
            "-ec",
            """
            exec unshare --mount sh -ec '
            for library in $(ldconfig -p | sed -n "s/.*libudev.so.1 .* => //p"); do
              mount --bind /dev/null "$(readlink -f "$library")"
            done
            "$0" run \(Bench.descriptors)/keyboard.json -- "$0" list
            exec "$0" doctor --json' \(Bench.binary)
            """,
          ])
        let found = try Findings(done)
        #expect(found["udev"]?.severity == "note")
        #expect(found["udev"]?.text.hasPrefix("libudev cannot be loaded (") == true)
        let listed = done.output.filter {
          $0.contains("hidsim keyboard") && $0.contains("/dev/hidraw")
        }
        #expect(listed.count == 1, "\(done.output) \(done.errors)")
      }
    }

    @Test("an installed udev rule without its group is a warning with groupadd as the fix")
    func rule() async throws {
      try await Bench.run(.kernel) { bench in
        try await bench.withProgramForOtherUsers { program in
          let found = try await findings(
            bench,
            by: """
              umask 022; mkdir -p /run/udev/rules.d; : > /run/udev/rules.d/72-hidsim.rules; chmod o+rw /dev/uhid
              status=0; (exec \(Bench.asOtherUser) \(program) doctor --json) || status=$?
              chmod o-rw /dev/uhid; rm /run/udev/rules.d/72-hidsim.rules; exit $status
              """)
          #expect(found["/dev/uhid"]?.severity == "ok")
          #expect(found["rights"]?.severity == "warning")
          #expect(
            found["rights"]?.text.contains("no group hidsim") == true,
            "\(found["rights"]?.text ?? "")")
          #expect(found["rights"]?.fixes.first?.contains("groupadd") == true)
        }
      }
    }

    @Test("root of a user namespace is a note, and a problem without permission for /dev/uhid")
    func userNamespace() async throws {
      try await Bench.run(.kernel) { bench in
        try await bench.withProgramForOtherUsers { program in
          let inner = "unshare --user --map-root-user \(program) doctor --json"
          let found = try await findings(bench, by: "exec \(inner)")
          #expect(found["/dev/uhid"]?.severity == "ok")
          #expect(found["user namespace"]?.severity == "note")
          let unmapped = try await findings(
            bench, by: "exec unshare --user \(program) doctor --json")
          #expect(unmapped["user namespace"]?.severity == "note")
          let refused = try await findings(bench, by: "exec \(Bench.asOtherUser) \(inner)")
          #expect(
            refused["/dev/uhid"]?.text.contains("root of a user namespace has no permission")
              == true)
          #expect(refused["/dev/uhid"]?.severity == "problem")
        }
      }
    }

    @Test("a session at a seat is a note, and on a text console a warning")
    func seat() async throws {
      try await Bench.run(.kernel) { bench in
        let session =
          "mkdir -p /run/systemd/seats /run/systemd/sessions; echo ACTIVE=c1 > /run/systemd/seats/seat0"
        for (type, severity) in [("wayland", "note"), ("tty", "warning")] {
          let found = try await findings(
            bench,
            by: elsewhere(
              bench,
              "\(session); echo TYPE=\(type) > /run/systemd/sessions/c1; exec env -u HIDSIM_VM -u CI HIDSIM_BUS_DIR=/run/bus \(Bench.binary) doctor --json"
            ))
          #expect(found["desktop"]?.severity == severity, "\(found.all)")
          // This environment has no udevd either.
          #expect(found["udev"]?.severity == "warning")
          #expect(found["vm qemu"] != nil)
          #expect(found.status == 1)
        }
      }
    }
  }
}
