// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A search for processes that have a device node open, as far as this user may see them.
enum NodeReaders {
  /// Returns whether a process, by default another process, has one of some nodes open.
  ///
  /// Only root can examine the processes of other users.
  ///
  /// - Parameters:
  ///   - nodes: The paths of the nodes.
  ///   - countsOwn: True to count this process too.
  ///   - held: The nodes that this process has open for itself; one descriptor of each does not
  ///     count.
  static func isAnyOpen(
    _ nodes: [String], countingOwn countsOwn: Bool = false, held: [String] = []
  ) -> Bool {
    let wanted = Set(nodes)
    guard !wanted.isEmpty else { return false }
    let own = ProcessInfo.processInfo.processIdentifier
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in processes {
      guard let id = Int32(process), countsOwn || id != own else { continue }
      var open = openFiles(of: process).filter(wanted.contains)
      if id == own {
        for node in held {
          if let index = open.firstIndex(of: node) { open.remove(at: index) }
        }
      } else if !open.isEmpty {
        // A program that this process is starting shares all its open files until the exec.
        if isBeforeExec(process, childOf: own) { continue }
        // The exec may have happened after the list was read.
        open = openFiles(of: process).filter(wanted.contains)
      }
      if !open.isEmpty { return true }
    }
    return false
  }

  /// Returns whether a process is a child that has not called exec since its fork.
  ///
  /// Source: proc(5), /proc/pid/stat, fields 4 (ppid) and 9 (flags); `PF_FORKNOEXEC` of the
  /// kernel's sched.h.
  private static func isBeforeExec(_ process: String, childOf parent: Int32) -> Bool {
    guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
      let nameEnd = data.lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    // The fields begin with the state, the third field.
    let fields = data[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else {
      return false
    }
    return String(decoding: fields[1], as: UTF8.self) == String(parent) && flags & 0x40 != 0
  }

  /// Returns the paths of the open files of a process, one for each file descriptor.
  private static func openFiles(of process: String) -> [String] {
    let folder = "/proc/\(process)/fd"
    // The folder cannot be read if the process has ended or belongs to another user.
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }
}
