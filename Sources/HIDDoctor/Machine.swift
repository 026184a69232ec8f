// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import IOLoop
import SystemPackage

/// The state of the machine: its files, and the permissions of this process.
struct Machine: Sendable {
  /// Returns the error of opening a file for reading and writing; nil if the file can be opened.
  func refusal(of path: String) -> Errno? {
    let file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return Errno(rawValue: errno) }
    close(file)
    return nil
  }

  func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns whether this user can run a file.
  func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// True if a kernel for User-Mode Linux is in the cache of `scripts/vm`, and only this user and
  /// root can change the cache.
  ///
  /// `scripts/vm` uses only a kernel whose folder ends with the hash of its `uml.config`. This
  /// property does not check the hash.
  var hasBuiltKernel: Bool {
    let cache =
      ProcessEnvironment["XDG_CACHE_HOME"] ?? ProcessEnvironment["HOME"].map { "\($0)/.cache" }
    guard let folder = cache.map({ "\($0)/hidsim" }), isSafe(folder) else { return false }
    return SysFS.names(in: folder).contains { $0.hasPrefix("uml-") }
  }

  /// Returns whether a folder exists and no other user except root can change its content.
  ///
  /// `scripts/vm` requires this of its cache. The owner of `/` counts as root.
  private func isSafe(_ folder: String) -> Bool {
    guard let resolved = realpath(folder, nil) else { return false }
    defer { free(resolved) }
    let leaf = FilePath(String(cString: resolved))
    var rootOwner = stat()
    guard stat("/", &rootOwner) == 0 else { return false }
    var path = leaf
    while true {
      var status = stat()
      guard lstat(path.string, &status) == 0,
        [0, geteuid(), rootOwner.st_uid].contains(status.st_uid)
      else { return false }
      let isSticky = status.st_mode & S_ISVTX != 0 && path != leaf
      let isGroupOnly = status.st_mode & S_IWOTH == 0 && isOwnGroup(status.st_gid)
      if status.st_mode & (S_IWGRP | S_IWOTH) != 0, !isSticky, !isGroupOnly { return false }
      guard path.removeLastComponent() else { return true }
    }
  }

  /// Returns whether a group is root's, or has this user's name and lists no other members.
  private func isOwnGroup(_ group: gid_t) -> Bool {
    if group == 0 { return true }
    guard let user = getpwuid(geteuid()).map({ String(cString: $0.pointee.pw_name) }),
      let entry = getgrgid(group)?.pointee, String(cString: entry.gr_name) == user
    else { return false }
    var members: [String] = []
    while let member = entry.gr_mem[members.count] { members.append(String(cString: member)) }
    return members.isEmpty || members == [user]
  }

  /// True if Debian's package with the source of a Linux that `scripts/vm` can build is installed.
  var hasKernelSource: Bool {
    let folders = ["/usr/src"] + SysFS.names(in: "/usr/src").map { "/usr/src/\($0)" }
    return folders.contains { folder in
      SysFS.names(in: folder).contains { name in
        let rest = name.dropFirst("linux-source-".count)
        return name.hasPrefix("linux-source-") && name.contains(".tar.")
          && rest.first.map { ("6"..."9").contains($0) } == true
      }
    }
  }

  func text(_ path: String) -> String? {
    SysFS.read(path, isFromProc: path.hasPrefix("/proc/")).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  func lines(_ path: String) -> [Substring] {
    (text(path) ?? "").split(separator: "\n", omittingEmptySubsequences: true)
  }

  /// Returns whether a line of a file contains a text, however long the file is.
  func hasLine(_ path: String, containing text: String) -> Bool {
    guard let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) >= 0, let line {
      if String(cString: line).contains(text) { return true }
    }
    return false
  }

  /// Returns the permissions and the owner of a file: `rw-------, user 0, group 0`; empty if the
  /// file cannot be examined.
  func rights(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "" }
    let bits: [(mode_t, Character)] = [
      (0o400, "r"), (0o200, "w"), (0o100, "x"), (0o040, "r"), (0o020, "w"), (0o010, "x"),
      (0o004, "r"), (0o002, "w"), (0o001, "x"),
    ]
    let mode = String(bits.map { status.st_mode & $0.0 != 0 ? $0.1 : "-" })
    return "\(mode), user \(status.st_uid), group \(status.st_gid)"
  }

  var userID: uid_t { geteuid() }

  /// Returns the number of a group; nil if there is no group with that name.
  func group(named name: String) -> gid_t? { getgrnam(name)?.pointee.gr_gid }

  /// Returns whether this process has the rights of a group.
  func isMember(of group: gid_t) -> Bool {
    if getegid() == group { return true }
    let count = getgroups(0, nil)
    guard count > 0 else { return false }
    var groups = [gid_t](repeating: 0, count: Int(count))
    let found = getgroups(count, &groups)
    return found > 0 && groups.prefix(Int(found)).contains(group)
  }

  func isProgram(_ name: String) -> Bool { path(of: name) != nil }

  private func path(of program: String) -> String? {
    let path = ProcessEnvironment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(program)" }.first(where: isExecutable)
  }

  /// The kernel's release and the processor's name: `6.12.117`, `x86_64`.
  var system: (release: String, processor: String) {
    var name = utsname()
    guard uname(&name) == 0 else { return ("unknown", "unknown") }
    func text<Array>(_ array: Array) -> String {
      withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return (text(name.release), text(name.machine))
  }

  /// Returns the type of the latest file system mounted on a folder, such as `devtmpfs`; nil if
  /// there is none.
  func fileSystem(of folder: String) -> String? {
    lines("/proc/self/mounts").last { line in
      line.split(separator: " ").dropFirst().first.map(String.init) == folder
    }.flatMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
  }

  /// True if this process is in the first user namespace, whose root is root of the whole machine.
  ///
  /// It is also true if `/proc/self/uid_map` cannot be read.
  var isFirstUserNamespace: Bool {
    guard let map = text("/proc/self/uid_map") else { return true }
    // The map of a new namespace is empty until a process writes it.
    return map.split(whereSeparator: \.isWhitespace).map(String.init) == ["0", "0", "4294967295"]
  }
}

extension String {
  /// The text, quoted as one word of a shell if that is necessary.
  package var quotedForShell: String {
    let isPlain =
      !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
