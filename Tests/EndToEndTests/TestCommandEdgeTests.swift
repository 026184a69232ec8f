// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  /// Problems of a suite with names, files and reports.
  @Suite("test: problems with names, files and reports") struct TestCommandEdgeTests {
    /// Runs a shell in the bench's folder, with the bench's bus.
    private func finish(_ bench: Bench, _ shell: String) async throws -> Finished {
      try await bench.finish(
        program: "/bin/bash",
        ["-c", "cd \(bench.folder.path) && hidsim=\(Bench.binary) && \(shell)"])
    }

    @Test(
      "a file name that is not UTF-8 is an error, and names that only look the same are distinct")
    func names() async throws {
      try await Bench.run(.loopback) { bench in
        let bad = try await finish(
          bench,
          #"mkdir -p bad/$'caf\xe9' && echo 'needs keyboard.json' > bad/x.hidscript && "$hidsim" test bad"#
        )
        #expect(bad.status == 66)
        #expect(bad.errorText.contains("bad: the file name \"caf\u{FFFD}\" is not UTF-8"))
        let twice = try await finish(
          bench,
          #"""
          mkdir same && echo 'needs keyboard.json' > same/$'caf\xc3\xa9.hidscript' &&
          echo 'needs keyboard.json ; expect led.capsLock on' > same/$'cafe\xcc\x81.hidscript' && "$hidsim" test same
          """#)
        #expect(twice.status == 1)
        #expect(twice.output.last?.hasPrefix("2 scripts: 1 passed, 1 failed, ") == true)
      }
    }

    @Test("a full standard output ends no test and no command, and is an error at the end (74)")
    func full() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          """
          mkdir suite && for name in a b; do echo 'needs keyboard.json' > suite/$name.hidscript; done &&
          "$hidsim" test suite --jobs 1 --junit report.xml --wait-command -- sh -c 'echo >> began' > /dev/full
          echo $? && wc -l < began && grep -c '<testcase' report.xml
          """)
        #expect(done.output == ["74", "2", "2"], "\(done.errors)")
        #expect(done.errorText.contains("standard output cannot be written to: No space left"))
      }
    }

    @Test(
      "a run that begins no test writes its error to the report, unless its usage is wrong",
      arguments: ["suite -- ./nosuch", "nowhere", "suite --timeline virtual -- true"])
    func stale(words: String) async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          """
          mkdir suite && echo 'needs keyboard.json' > suite/a.hidscript && echo STALE > report.xml
          "$hidsim" test --junit report.xml \(words) ; echo $? ; cat report.xml
          """)
        let status = try #require(done.output.first)
        #expect(["127", "66", "64"].contains(status))
        if status == "64" {
          // Wrong usage: no report was written.
          #expect(done.output.contains("STALE"))
        } else {
          #expect(done.output.contains { $0.contains("<error message=") }, "\(done.output)")
        }
      }
    }

    @Test("ulimit -n limits the number of tests that run at a time")
    func files() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          """
          mkdir suite && for name in {1..40}; do echo 'needs keyboard.json' > suite/$name.hidscript; done
          ulimit -Sn 128 && "$hidsim" test suite --jobs 30 -- true
          """)
        #expect(done.status == 0, "\(done.errorText)")
        #expect(done.output.last?.hasPrefix("40 scripts: 40 passed, ") == true)
        #expect(done.errorText.contains("4 tests at a time, not 30: ulimit -n allows 128"))
      }
    }

    @Test("the arguments and variables of a command keep their bytes, UTF-8 or not")
    func bytes() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          #"""
          export WORD=$'v\xe9'
          "$hidsim" run keyboard.json -- sh -c 'printf "%s\n%s\n" "$1" "$WORD" | od -An -tx1' sh $'w\xe9'
          """#)
        #expect(done.output.contains(" 77 e9 0a 76 e9 0a"), "\(done.output)")
      }
    }

    @Test("prove accepts the TAP report, where it is installed")
    func harness() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await finish(
          bench,
          """
          mkdir suite && echo 'needs keyboard.json' > suite/a.hidscript && "$hidsim" test suite --tap report.tap &&
          ! command -v prove || prove -e cat report.tap
          """)
        #expect(done.status == 0, "\(done.output) \(done.errors)")
      }
    }
  }
}
