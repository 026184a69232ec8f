// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import HIDSimulator

@Suite("Programs that have a node open", .timeLimit(.minutes(1))) struct NodeReaderTests {
  @Test("a process between fork and exec is not a reader of the node; a program that opens it is")
  func forked() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nodes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let node = folder.appending(path: "node").path
    let pipe = folder.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let held = open(node, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    #expect(held >= 0)
    #expect(NodeReaders.isAnyOpen([node], countingOwn: true))
    #expect(!NodeReaders.isAnyOpen([node]))
    #expect(!NodeReaders.isAnyOpen([node], countingOwn: true, held: [node]))

    // Between its fork and its exec the child opens the pipe, and waits there for a writer.
    let (ends, hasEnded) = AsyncStream<Int32>.makeStream()
    Thread.detachNewThread {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
      var child: pid_t = 0
      let words = [strdup("/bin/true"), nil]
      let result = posix_spawn(&child, "/bin/true", &actions, nil, words, nil)
      posix_spawn_file_actions_destroy(&actions)
      free(words[0])
      if result == 0 { waitpid(child, nil, 0) }
      hasEnded.yield(result)
    }
    // The child exists once another process has the node open.
    var wasSeen = false
    while !wasSeen {
      wasSeen = try processes(with: node).contains { $0 != String(getpid()) }
      await Task.yield()
    }
    #expect(!NodeReaders.isAnyOpen([node]))
    #expect(!NodeReaders.isAnyOpen([node], countingOwn: true, held: [node]))
    let writer = open(pipe, O_WRONLY | O_CLOEXEC)
    var iterator = ends.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    close(writer)

    // A program that opens the node is a reader.
    let reader = Process()
    reader.executableURL = URL(filePath: "/bin/sh")
    reader.arguments = ["-c", "exec 9<'\(node)'; echo open; read line"]
    let (input, output) = (Pipe(), Pipe())
    reader.standardInput = input
    reader.standardOutput = output
    try reader.run()
    #expect(output.fileHandleForReading.availableData == Data("open\n".utf8))
    #expect(NodeReaders.isAnyOpen([node]))
    input.fileHandleForWriting.write(Data("\n".utf8))
    reader.waitUntilExit()
    close(held)
    #expect(!NodeReaders.isAnyOpen([node], countingOwn: true))
  }

  private func processes(with node: String) throws -> [String] {
    let files = FileManager.default
    return try files.contentsOfDirectory(atPath: "/proc").filter { process in
      let folder = "/proc/\(process)/fd"
      guard Int32(process) != nil,
        let open = try? files.contentsOfDirectory(atPath: folder)
      else { return false }
      return open.contains {
        (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == node
      }
    }
  }
}
