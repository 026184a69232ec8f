// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import SystemPackage

/// Functions that read small files and short folders, mostly those of sysfs.
package enum SysFS {
  /// Returns the bytes of a file, up to about 64 KiB; `nil` if it cannot be read.
  ///
  /// Files of sysfs give all their bytes, up to a page, to one read.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isFromProc: True for a file of procfs, whose reads may return less before its end.
  package static func read(_ path: String, isFromProc: Bool = false) -> [UInt8]? {
    guard let file = try? OwnedDescriptor(opened: clinux_open(path, O_RDONLY | O_CLOEXEC, 0))
    else { return nil }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 65_536 {
      let count = try? retryingOnInterrupt {
        Glibc.read(file.descriptor.rawValue, &chunk, chunk.count)
      }
      guard let count else { return nil }
      bytes += chunk[..<count]
      if count == 0 || count < chunk.count && !isFromProc { break }
    }
    return bytes
  }

  /// Returns the first line of a file as text; `nil` if the file cannot be read.
  package static func line(_ path: String) -> String? {
    read(path).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
  }

  /// Returns the properties in the file `uevent` of a device's folder.
  ///
  /// - Returns: The properties by name; `nil` if the file cannot be read, because the device is
  ///   gone or the process lacks descriptors.
  package static func properties(in folder: String) -> [String: String]? {
    guard let bytes = read("\(folder)/uevent") else { return nil }
    var properties: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { properties[String(pair[0])] = String(pair[1]) }
    }
    return properties
  }

  /// Returns the names in a folder, without `.` and `..`, sorted; an empty array if the folder
  /// cannot be read.
  package static func names(in path: String) -> [String] {
    (try? list(path)) ?? []
  }

  /// Returns the names in a folder, without `.` and `..`, sorted.
  ///
  /// - Throws: The `Errno` of `opendir`.
  package static func list(_ path: String) throws(Errno) -> [String] {
    try nameBytes(in: path).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// Returns the names in a folder as bytes, without `.` and `..`, in the order of `readdir`.
  ///
  /// - Throws: The `Errno` of `opendir`.
  package static func nameBytes(in path: String) throws(Errno) -> [[UInt8]] {
    guard let folder = opendir(path) else { throw Errno(rawValue: errno) }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      // d_name is an array of 256 bytes with a zero among them.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        Array(bytes.prefix { $0 != 0 })
      }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
    }
    return names
  }

  /// Returns all names that stay, from listings that may lack some.
  ///
  /// If the entry at which a listing stands is removed, the kernel may skip the one after it
  /// (`kernfs_dir_next_pos`, 6.12). So a listing is complete if all its entries still exist after
  /// it.
  package static func allNames(
    _ list: () -> [String], isThere: (String) -> Bool
  ) -> [String] {
    var seen: Set<String> = []
    for _ in 0..<mostListings {
      let names = list()
      if names.allSatisfy(isThere) { return names }
      seen.formUnion(names)
    }
    // Devices come and go all the time: an entry that one listing lacks is in another.
    return seen.filter(isThere).sorted()
  }

  private static let mostListings = 16

  /// Returns the last component of a link's target; `nil` if the path is not a link.
  package static func linkTarget(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // The buffer has 4,096 bytes, so its base address is not nil.
        characters.baseAddress.map { readlink(path, $0, characters.count) } ?? -1
      }
    }
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "/").last.map(
      String.init)
  }

  /// Returns whether a path exists, without following a link.
  package static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
