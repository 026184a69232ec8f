// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEndTests {
  @Suite("limits of a process") struct LimitTests {
    private static let commands = [
      "run keyboard.json --for 100ms", "list", "monitor keyboard --for 100ms",
      "run keyboard.json --for 10s -- true",
    ]

    /// Checks that a command without enough of a resource ends by itself: with success, or with a
    /// message.
    private func check(_ done: Finished, _ what: String) {
      #expect([0, 1, 66, 69, 71, 77, 126].contains(done.status), "\(what): \(done.status)")
      if done.status == 0 { return }
      #expect(!done.errors.isEmpty, "\(what)")
      // These words come from a signal in the shell, a crash in a library, or an error without the
      // name hidsim.
      let words = ["Illegal", "Trace", "Fatal", "Error:", "core dumped"]
      #expect(!words.contains { done.errorText.contains($0) }, "\(what): \(done.errorText)")
    }

    @Test("a command with too few open files ends by itself, and run names the limit")
    func openFiles() async throws {
      try await Bench.run(.loopback) { bench in
        for limit in 4...24 {
          for command in Self.commands {
            let done = try await bench.finish(
              program: "/bin/sh",
              ["-c", "ulimit -n \(limit) && exec \(Bench.binary) \(command)"])
            check(done, "\(limit), \(command)")
          }
        }
        let few = try await bench.finish(
          program: "/bin/sh", ["-c", "ulimit -n 12 && exec \(Bench.binary) run keyboard.json"])
        #expect(few.errorText.contains("open files: raise the limit (ulimit -n)"))
        let fewest = try await bench.finish(
          program: "/bin/sh", ["-c", "ulimit -n 4 && exec \(Bench.binary) list"])
        #expect(fewest.status == 71, "\(fewest.errorText)")
        #expect(try bench.leftovers() == [])
      }
    }

    @Test("a script in virtual time with too few open files ends by itself")
    func openFilesInVirtualTime() async throws {
      try await Bench.run(.loopback) { bench in
        let script = try bench.file("a.hidscript", "tap a\n")
        let command = "run keyboard.json --script \(script) --timeline virtual"
        var successes = 0
        for limit in 4...40 {
          let done = try await bench.finish(
            program: "/bin/sh", ["-c", "ulimit -n \(limit) && exec \(Bench.binary) \(command)"])
          check(done, "\(limit)")
          if done.status == 0 { successes += 1 }
        }
        #expect(successes > 0)
      }
    }

    @Test("list with too few open files prints every device, or ends with a message")
    func openFilesForDevices() async throws {
      try await Bench.run(.loopback) { bench in
        let files = Array(repeating: "keyboard.json", count: 8)
        let run = try await bench.start(program: Bench.binary, ["run"] + files + ["--json"])
        for _ in files { _ = try await run.event("plugged") }
        var successes = 0
        for limit in 8...40 {
          let done = try await bench.finish(
            program: "/bin/sh", ["-c", "ulimit -n \(limit) && exec \(Bench.binary) list --json"])
          check(done, "\(limit)")
          guard done.status == 0 else { continue }
          successes += 1
          #expect(done.output.count == files.count, "\(limit)")
        }
        #expect(successes > 0)
        try await bench.end(run)
      }
    }

    @Test("a command without memory for its threads names the limits, and ends with exit status 71")
    func addresses() async throws {
      try await Bench.run(.loopback) { bench in
        // The size at which there is too little memory for threads depends on the libraries.
        var told: [Finished] = []
        for mebibytes in stride(from: 64, through: 240, by: 8) {
          let done = try await bench.finish(
            program: "/bin/sh", ["-c", "ulimit -v \(mebibytes << 10) && exec \(Bench.binary) list"])
          if done.errorText.contains("this command needs") { told.append(done) }
        }
        #expect(!told.isEmpty)
        for done in told {
          #expect(done.status == 71)
          #expect(done.errorText.contains("raise the limit (ulimit -v, ulimit -u, or pids.max of"))
        }
      }
    }

    @Test(
      "a command with too few threads ends by itself, with success or a message",
      .enabled(if: geteuid() == 0, "another user's processes are counted, which root can start"))
    func threads() async throws {
      try await Bench.run(.loopback) { bench in
        try await bench.withProgramForOtherUsers { program in
          let folder = "$(mktemp -d /tmp/hidsim-e2e-limit.XXXXXX)"
          for limit in 1...16 {
            for command in Self.commands {
              let line = """
                folder=\(folder); chown 65534 $folder
                (cd "$(dirname \(program))/Descriptors" &&
                  HIDSIM_BUS_DIR=$folder/bus exec \(Bench.asOtherUser) /bin/bash -c \
                  'ulimit -u \(limit); exec \(program) \(command)')
                status=$?; rm -rf $folder; exit $status
                """
              check(
                try await bench.finish(program: "/bin/bash", ["-c", line]), "\(limit), \(command)")
            }
          }
        }
      }
    }

    @Test(
      "a recording fails (74) if hidsim can start no more threads after the device is plugged",
      .enabled(if: geteuid() == 0, "another user's processes are counted, which root can start"))
    func laterThreads() async throws {
      try await Bench.run(.loopback) { bench in
        try await bench.withProgramForOtherUsers { program in
          // The user has no other processes. After the device is plugged, other processes of the
          // user take all available process slots for eight seconds. That is longer than hidsim
          // tries to start a thread.
          let line = """
            folder=$(mktemp -d /tmp/hidsim-e2e-limit.XXXXXX); chown 64077 $folder
            cd $folder; mkfifo reports; chmod 666 reports
            user() { setpriv --reuid 64077 --regid 64077 --clear-groups "$@"; }
            HIDSIM_BUS_DIR=$folder/bus user bash -c 'ulimit -u 24; exec "$@"' _ \(program) \
              run keyboard.json --send - --record trace --json <reports >lines &
            exec 3>reports
            until grep -q plugged lines; do sleep 0.01; done
            echo "00 00 04 00 00 00 00 00" >&3
            until grep -q '^E:' trace; do sleep 0.01; done
            # Threads that wait for work would do it.
            while grep -q hidsim-idle /proc/$(pgrep -u 64077 -x hidsim)/task/*/comm; do sleep 0.01; done
            for place in {1..24}; do user sleep 8 3>&- & done
            until [ $(pgrep -c -u 64077 -x sleep) = 24 ]; do sleep 0.01; done
            sleep 0.2
            echo "00 00 05 00 00 00 00 00" >&3
            wait %1; status=$?; wait; rm -rf $folder; exit $status
            """
          let done = try await bench.finish(program: "/bin/bash", ["-c", line])
          #expect(done.status == 74)
          #expect(
            done.errors.last
              == "hidsim: trace: cannot be written: Resource temporarily unavailable; it holds one event"
          )
        }
      }
    }
  }
}
