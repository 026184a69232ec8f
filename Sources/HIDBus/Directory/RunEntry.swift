// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
package import SystemPackage

/// The socket of a run in the bus directory, through which other programs of the user control the
/// simulated devices of the run.
///
/// A run is one simulation in a process. A lock file beside the socket shows whether that process,
/// its owner, is running.
package final class RunEntry: Sendable {
  private static let prefix = "run-"
  private static let lockSuffix = ".lock"

  /// The listening socket.
  package let socket: StreamSocket
  private let name: String
  private let directory: BusDirectory
  private let lock: OwnedDescriptor

  /// Publishes the socket of a run of this process.
  ///
  /// - Parameter number: The number of the run in this process.
  package init(number: Int, in directory: BusDirectory) throws(Errno) {
    name = "\(Self.prefix)\(getpid())-\(number)"
    self.directory = directory
    lock = try Self.lock(name + Self.lockSuffix, in: directory)
    directory.removeSocket(name)  // an earlier process with this ID may have left it
    socket = try StreamSocket.listening(at: name, in: directory)
  }

  /// Makes a file that stays locked until the returned descriptor is closed.
  private static func lock(
    _ name: String, in directory: BusDirectory
  ) throws(Errno) -> OwnedDescriptor {
    while true {
      if let kind = directory.kind(of: name), kind.type != S_IFREG || kind.byteCount > 0 {
        throw .fileExists  // a file of another program
      }
      let file = try directory.open(name, O_RDWR | O_CREAT)
      // Only this process owns a file of this name. Another process locks the file only to check
      // whether the owner runs, and releases the lock at once.
      guard try file.descriptor.lock(attempts: 1000) else { throw .wouldBlock }
      // A process that removes unlocked files may have removed this one.
      if directory.isCurrent(file.descriptor, name) { return file }
    }
  }

  /// Removes the socket and its lock file from the folder, and ends the calls that wait on the
  /// socket.
  package func withdraw() {
    directory.removeSocket(name)
    directory.remove(name + Self.lockSuffix)
    socket.shutDown()
  }

  /// Connects to the runs of the folder one after the other, until `isRight` accepts one.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - patience: The time in milliseconds after which each waiting call on the socket of a run
  ///     fails; 0 for no limit.
  ///   - isRight: Returns a value for the right run, and `nil` for others.
  /// - Returns: The value; `nil` if no run was right, or if the folder cannot be read.
  /// - Throws: The `Errno` of a call that lacks descriptors or memory.
  package static func first<Found>(
    in directory: BusDirectory, patience: Int, where isRight: (StreamSocket) -> Found?
  ) throws(Errno) -> Found? {
    let names: [String]
    do throws(Errno) {
      names = try directory.names()
    } catch {
      if error.isLackOfResources { throw error }
      return nil
    }
    for name in names where name.hasPrefix(prefix) && !name.hasSuffix(lockSuffix) {
      let socket: StreamSocket
      do throws(Errno) {
        socket = try StreamSocket.connected(to: name, in: directory, patience: patience)
      } catch {
        if error.isLackOfResources { throw error }
        continue
      }
      if let found = isRight(socket) { return found }
    }
    return nil
  }

  /// Returns whether a name is that of a run's lock: the folder may hold other files.
  private static func isOurs(_ file: String) -> Bool {
    guard file.hasPrefix(prefix), file.hasSuffix(lockSuffix) else { return false }
    let numbers = file.dropFirst(prefix.utf8.count).dropLast(lockSuffix.utf8.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { Int32($0) != nil }
  }

  /// Removes the files of a run whose owner has ended, if `file` is the lock of a run.
  static func clearIfDead(_ file: String, in directory: BusDirectory) {
    guard isOurs(file), let kind = directory.kind(of: file), kind.type == S_IFREG,
      kind.byteCount == 0, let lock = try? directory.open(file, O_RDONLY | O_NONBLOCK)
    else { return }
    guard (try? lock.descriptor.lockIfFree(isShared: true)) == true,
      directory.isCurrent(lock.descriptor, file)
    else { return }
    directory.removeSocket(String(file.dropLast(lockSuffix.utf8.count)))
    directory.remove(file)
  }
}
