// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("init") struct InitTests {
    /// Runs hidsim in the folder of a bench.
    private func run(_ bench: Bench, _ words: String) async throws -> Finished {
      try await bench.finish(
        program: "/bin/sh", ["-c", "cd '\(bench.folder.path)' && exec \(Bench.binary) \(words)"])
    }

    @Test("init writes a device, a script and a CI job, and the test passes unchanged")
    func written() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await run(bench, "init")
        #expect(done.status == 0, "\(done)")
        #expect(
          done.output.map { String($0.prefix { $0 != " " }) } == [
            "tests/device.json", "tests/device.hidscript", ".github/workflows/hidsim.yml",
          ])
        #expect(done.errors == ["next: hidsim test tests"])
        let tests = try await run(bench, "test tests")
        #expect(tests.status == 0, "\(tests)")
        let lint = try await run(bench, "lint --strict tests/device.json")
        #expect(lint.errors == ["1 descriptor: 0 errors, 0 warnings, 0 notes"])
        let job = try String(
          contentsOf: bench.folder.appending(path: ".github/workflows/hidsim.yml"), encoding: .utf8)
        #expect(job.contains("- run: $HIDSIM_ON hidsim test tests --require\n"), "\(job)")
      }
    }

    @Test("the test that init writes passes on the kernel bus")
    func kernel() async throws {
      try await Bench.run(.kernel) { bench in
        _ = try await run(bench, "init --ci none")
        let tests = try await run(bench, "test tests --bus kernel")
        #expect(tests.status == 0, "\(tests)")
      }
    }

    @Test("init keeps an existing file, and then writes no other")
    func kept() async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file(".gitlab-ci.yml", "mine\n")
        let done = try await run(bench, "init 'my tests' --ci gitlab")
        #expect(done.status == 74)
        #expect(
          done.errors == [
            "hidsim: .gitlab-ci.yml exists already; nothing was written; "
              + "name another folder, or give --ci none"
          ])
        #expect(
          try String(contentsOf: bench.folder.appending(path: ".gitlab-ci.yml"), encoding: .utf8)
            == "mine\n")
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path + "/my tests"))
        let other = try await run(bench, "init 'my tests' --ci none")
        #expect(other.errors == ["next: hidsim test 'my tests'"], "\(other)")
      }
    }

    @Test("init keeps a symbolic link to a file that does not exist, and then writes no other")
    func link() async throws {
      try await Bench.run(.loopback) { bench in
        let link = "\(bench.folder.path)/.gitlab-ci.yml"
        try FileManager.default.createSymbolicLink(
          atPath: link, withDestinationPath: "missing.yml")
        let done = try await run(bench, "init --ci gitlab")
        #expect(done.status == 74)
        #expect(
          done.errors == [
            "hidsim: .gitlab-ci.yml exists already; nothing was written; "
              + "name another folder, or give --ci none"
          ])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "missing.yml")
        #expect(!FileManager.default.fileExists(atPath: "\(bench.folder.path)/tests"))
      }
    }

    @Test("init names the reason why a folder cannot be made")
    func noFolder() async throws {
      try await Bench.run(.loopback) { bench in
        _ = try bench.file("tests", "a file\n")
        let done = try await run(bench, "init --ci none")
        #expect(done.status == 74)
        #expect(
          done.errors == ["hidsim: tests/device.json: its folder cannot be made: File exists"])
      }
    }
  }
}
