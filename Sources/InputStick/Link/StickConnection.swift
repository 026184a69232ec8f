// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
package import SystemPackage

extension StickChannel {
  /// Connects to a stick, a simulated InputStick.
  ///
  /// A terminal is set to raw mode.
  ///
  /// - Throws: `unavailable` if the stick cannot be connected; `limitReached` if no thread can be
  ///   started.
  package static func connected(to place: StickEndpoint) async throws(HIDBusError) -> StickChannel {
    let result: Result<StickChannel, Errno>
    do throws(Errno) {
      // Connecting blocks while a stick's queue of clients is full.
      result = try await Thread.call {
        Result { () throws(Errno) in try StickChannel(open(place)) }
      }
    } catch {
      throw .lacking(error, "connect to a stick")
    }
    do throws(Errno) {
      return try result.get()
    } catch {
      let advice: String =
        switch (place, error) {
        case (_, .connectionRefused), (.unix, .noSuchFileOrDirectory):
          "no stick listens there; start one with hidsim stick, or run hidsim list --json for its place"
        case (.terminal, .noSuchFileOrDirectory): "there is no such terminal"
        default: "\(error)"
        }
      throw HIDBusError(
        .unavailable, "cannot connect to the stick at \(place): \(advice)",
        errorNumber: error.rawValue)
    }
  }

  private static func open(_ place: StickEndpoint) throws(Errno) -> OwnedDescriptor {
    switch place {
    case .unix(let path):
      return try socket(AF_UNIX) { (socket) throws(Errno) in
        try socket.connect(toSocketPath: path)
      }
    case .tcp(let port):
      return try socket(AF_INET) { (socket) throws(Errno) in
        try withLoopbackAddress(port) { connect(socket.rawValue, $0, $1) }
      }
    case .terminal(let path):
      let terminal = try OwnedDescriptor(
        opened: clinux_open(path ?? "", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0))
      guard clinux_make_raw(terminal.descriptor.rawValue) == 0 else {
        throw Errno(rawValue: errno)
      }
      return terminal
    }
  }

  /// Makes a socket, connects it, and makes it non-blocking.
  private static func socket(
    _ family: Int32, _ connect: (FileDescriptor) throws(Errno) -> Void
  ) throws(Errno) -> OwnedDescriptor {
    let socket = try OwnedDescriptor(
      opened: Glibc.socket(
        family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    try connect(socket.descriptor)
    guard clinux_set_nonblocking(socket.descriptor.rawValue) == 0 else {
      throw Errno(rawValue: errno)
    }
    return socket
  }
}

/// A stick that a program of the current user simulates.
package struct StickListing: Hashable, Sendable {
  /// The stick's Bluetooth name; its address if the program gives no name.
  package let name: String
  /// The address at which clients connect, such as `unix:/run/user/1000/hidsim/stick`.
  package let place: String

  /// Finds the sticks of a bus folder.
  ///
  /// The call blocks for up to a second for each program that does not answer; the sticks of that
  /// program are left out.
  ///
  /// - Throws: An `Errno` if the process lacks descriptors or memory.
  package static func all(in directory: BusDirectory) throws(Errno) -> [StickListing] {
    var found: [StickListing] = []
    try DriveClient.each(in: directory) { client in
      guard let answer = client.command("list"),
        case .array(let devices)? = answer["devices"]?.value
      else { return }
      for device in devices {
        guard case .string(let place)? = device["link"]?.value else { continue }
        var name = place
        if case .string(let text)? = device["linkName"]?.value { name = text }
        found.append(StickListing(name: name, place: place))
      }
    }
    return found
  }
}
