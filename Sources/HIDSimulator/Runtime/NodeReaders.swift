// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Who has a device node open, as far as this user may see.
enum NodeReaders {
  /// Whether any other process has one of some nodes open.
  ///
  /// Other users' processes can be looked into by root alone.
  static func isAnyOpen(_ nodes: [String]) -> Bool {
    let wanted = Set(nodes)
    guard !wanted.isEmpty else { return false }
    let files = FileManager.default
    let own = ProcessInfo.processInfo.processIdentifier
    // Whatever cannot be listed has ended meanwhile, or is not ours to see.
    let processes = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in processes {
      guard let id = Int32(process), id != own else { continue }
      let folder = "/proc/\(process)/fd"
      for file in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
        if let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(file)"),
          wanted.contains(target)
        {
          return true
        }
      }
    }
    return false
  }
}
