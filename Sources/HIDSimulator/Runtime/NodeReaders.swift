// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Who has a device node open, as far as this user may see.
enum NodeReaders {
  /// Whether another process has one of some nodes open.
  ///
  /// Other users' processes can be looked into by root alone.
  ///
  /// - Parameters:
  ///   - nodes: The nodes.
  ///   - countsOwn: Whether this process counts, too.
  ///   - held: Those of them that this process holds once for itself, which does not count.
  static func isAnyOpen(
    _ nodes: [String], countingOwn countsOwn: Bool = false, held: [String] = []
  ) -> Bool {
    let wanted = Set(nodes)
    guard !wanted.isEmpty else { return false }
    let own = ProcessInfo.processInfo.processIdentifier
    // Whatever cannot be listed has ended meanwhile, or is not ours to see.
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in processes {
      guard let id = Int32(process), countsOwn || id != own else { continue }
      var open = openFiles(of: process).filter(wanted.contains)
      if id == own {
        for node in held {
          if let index = open.firstIndex(of: node) { open.remove(at: index) }
        }
      } else if !open.isEmpty {
        // A program that this process starts just now has all that is open here, until its exec.
        if isBeforeExec(process, childOf: own) { continue }
        // The exec may have come after the list was read.
        open = openFiles(of: process).filter(wanted.contains)
      }
      if !open.isEmpty { return true }
    }
    return false
  }

  /// Whether a process is a child that has not called exec since its fork.
  ///
  /// Source: proc(5), /proc/pid/stat, fields 4 (ppid) and 9 (flags); `PF_FORKNOEXEC` of the
  /// kernel's sched.h.
  private static func isBeforeExec(_ process: String, childOf parent: Int32) -> Bool {
    guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
      let nameEnd = data.lastIndex(of: UInt8(ascii: ")"))
    else { return false }
    // From the state on, the third field.
    let fields = data[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 6, let flags = UInt32(String(decoding: fields[6], as: UTF8.self)) else {
      return false
    }
    return String(decoding: fields[1], as: UTF8.self) == String(parent) && flags & 0x40 != 0
  }

  /// The paths of what a process has open, each as often as it has.
  private static func openFiles(of process: String) -> [String] {
    let folder = "/proc/\(process)/fd"
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
  }
}
