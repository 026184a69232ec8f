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
      }
      if !open.isEmpty { return true }
    }
    return false
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
