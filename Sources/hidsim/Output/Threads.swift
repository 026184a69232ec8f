// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import IOLoop
import SystemPackage

/// A check that the process can start the threads that it needs.
///
/// Without these threads, tasks and signals would wait for ever.
enum Threads {
  /// The number of threads for a command that only reads and writes files.
  static let forTasks = 5
  /// The number of threads for a command that plugs or opens devices.
  private static let forDevices = 12

  /// The number of bytes of address space that must be free besides the stacks of the threads.
  private static let spareByteCount = 64 << 20

  /// True if the address space of the process is limited (`ulimit -v`).
  static var areAddressesLimited: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
      && limit.rlim_cur != rlim_t.max
  }

  /// True if ``spareByteCount`` bytes of address space can be reserved.
  ///
  /// Without them, libraries end the process.
  private static var hasSpareAddresses: Bool {
    let start = mmap(nil, spareByteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { return false }
    munmap(start, spareByteCount)
    return true
  }

  private static let hasEnoughForDevices = Result { () throws(Failure) in try check(forDevices) }

  /// Checks that enough threads can be started to plug and open devices.
  ///
  /// The check runs once in a process.
  ///
  /// - Throws: A failure with status 71 if there are too few, or too little address space.
  static func checkForDevices() throws(Failure) { try hasEnoughForDevices.get() }

  /// Starts `count` threads, and ends them again.
  ///
  /// - Throws: A failure with status 71 if fewer can be started, or if too little address space is
  ///   free.
  static func check(_ count: Int) throws(Failure) {
    let end = DispatchSemaphore(value: 0)
    var started = 0
    defer { for _ in 0..<started { end.signal() } }
    do throws(Errno) {
      while started < count {
        try Thread.start(name: "hidsim-check", isReused: false) { end.wait() }
        started += 1
      }
      if !hasSpareAddresses { throw .noMemory }
    } catch {
      // The kernel may return the same error for too many threads and for a stack that has no room.
      let what =
        error == .noMemory
        ? "this command needs \(Self.spareByteCount >> 20) MiB of address space more than its "
          + "\(count) threads take"
        : "this command needs \(count) more threads, but only \(started) could be started"
      let limits =
        areAddressesLimited
        ? "ulimit -v, ulimit -u, or pids.max" : "ulimit -u, or pids.max"
      throw Failure(
        .noResources,
        "\(error); \(what): raise the limit (\(limits) of the container)")
    }
  }
}
