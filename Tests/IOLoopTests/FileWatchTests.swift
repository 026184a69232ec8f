// SPDX-License-Identifier: Apache-2.0

import Foundation
import IOLoop
import SystemPackage
import Testing

@Suite("A watch on a file", .timeLimit(.minutes(1)))
struct FileWatchTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "hidsim-watch-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func file(_ name: String) throws -> String {
    let path = folder.appending(path: name).path
    try Data("a".utf8).write(to: URL(filePath: path))
    return path
  }

  @Test("reports the changes that it was made for, in order, up to the end of the file")
  func changes() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file("a")
    let seen = ConditionMutex<[FileWatch.Changes]>([])
    let watch = try FileWatch(path, for: [.opened, .written]) { change in
      seen.withLock { $0.append(change) }
    }
    let opened = try FileDescriptor.open(path, .readWrite)
    try opened.writeAll("b".utf8)
    try opened.close()
    try FileManager.default.removeItem(atPath: path)
    await seen.wait { $0.count >= 3 }
    #expect(seen.withLock { $0 } == [.opened, .written, .ended])
    withExtendedLifetime(watch) {}
  }

  @Test("shares a file with another watch, and ends alone")
  func sharing() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file("a")
    let first = ConditionMutex<[FileWatch.Changes]>([])
    let second = ConditionMutex<[FileWatch.Changes]>([])
    var watch: FileWatch? = try FileWatch(path, for: .opened) { change in
      first.withLock { $0.append(change) }
    }
    let third = ConditionMutex<[FileWatch.Changes]>([])
    let closings = try FileWatch(path, for: .closed) { change in
      third.withLock { $0.append(change) }
    }
    let other = try FileWatch(path, for: .modified) { change in
      second.withLock { $0.append(change) }
    }
    #expect(try #require(watch).isOnSameFile(as: other))
    try FileDescriptor.open(path, .readOnly).close()
    await first.wait { !$0.isEmpty }
    watch = nil
    let opened = try FileDescriptor.open(path, .readWrite)
    try opened.writeAll("b".utf8)
    try opened.close()
    await second.wait { !$0.isEmpty }
    #expect(first.withLock { $0 } == [.opened])
    #expect(second.withLock { $0 } == [.modified])
    await third.wait { $0.count >= 2 }
    #expect(third.withLock { $0 } == [.closed, .closed], "closed after reading, and after writing")
    withExtendedLifetime(closings) {}
  }

  @Test("gives the changes of a folder's entries")
  func entries() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let seen = ConditionMutex<FileWatch.Changes>([])
    let watch = try FileWatch(folder.path, for: [.created, .deleted, .attributes]) { change in
      seen.withLock { $0.formUnion(change) }
    }
    let path = folder.appending(path: "b").path
    try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite)
      .close()
    await seen.wait { $0.contains(.created) }
    try FileManager.default.removeItem(atPath: path)
    await seen.wait { $0.contains(.deleted) }
    withExtendedLifetime(watch) {}
  }

  @Test("can be asked for the changes by now, on any thread")
  func delivery() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try file("a")
    let count = ConditionMutex(0)
    let watch = try FileWatch(path, for: .opened) { _ in count.withLock { $0 += 1 } }
    for round in 1...20 {
      try FileDescriptor.open(path, .readOnly).close()
      FileWatch.deliverChanges()
      #expect(count.withLock { $0 } == round)
    }
    withExtendedLifetime(watch) {}
  }

  @Test("names the reason why a file cannot be watched")
  func missing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try FileWatch(folder.path + "/missing", for: .opened) { _ in }
    }
  }
}
