// SPDX-License-Identifier: Apache-2.0

package import HIDBus
package import HIDText
package import SystemPackage

/// A client that drives the devices of a run in another process.
///
/// The calls of its methods block.
package struct DriveClient {
  private let socket: StreamSocket
  private var framer = StreamFramer(file: "the other hidsim")
  private var lastToken = 0
  /// The label of the interface that `find(_:in:)` has found; empty for a client from
  /// `each(in:_:)`.
  package private(set) var label = ""
  /// The reason why the run refuses to serve this program; nil if it has not refused.
  private var refusal: String?

  private init(_ socket: StreamSocket) { self.socket = socket }

  /// The reason why no run was found.
  package enum NotFound: Error {
    /// No run of this user has plugged the device.
    case notPlugged
    /// No run that answers has plugged the device, and at least one run does not answer.
    case notResponding
    /// No run that serves this program has plugged the device, and at least one run refuses to
    /// serve it.
    ///
    /// The value is the reason that the run gives.
    case refused(String)
    /// A run could not be asked, because descriptors or memory were lacking.
    case lacking(Errno)
  }

  /// Finds the run that has plugged a device.
  ///
  /// - Returns: A client whose commands wait for their results without a time limit.
  package static func find(
    _ id: HIDDeviceID, in directory: BusDirectory
  ) throws(NotFound) -> DriveClient {
    var reason = NotFound.notPlugged
    func ask(_ socket: StreamSocket) -> DriveClient? {
      var client = DriveClient(socket)
      guard let answer = client.command("list") else {
        if let refusal = client.refusal {
          reason = .refused(refusal)
        } else if case .notPlugged = reason {
          reason = .notResponding
        }
        return nil
      }
      guard let label = label(of: id, in: answer) else { return nil }
      client.label = label
      socket.setPatience(0)
      return client
    }
    let found: DriveClient?
    do throws(Errno) {
      // A run that does not answer within a second, such as one whose process is stopped, is
      // skipped.
      found = try RunEntry.first(in: directory, patience: 1000, where: ask)
    } catch {
      throw .lacking(error)
    }
    guard let found else { throw reason }
    return found
  }

  /// Calls a closure with a client of each run of this user, one after the other.
  ///
  /// `command(_:_:)` returns `nil` if the run does not answer within a second.
  ///
  /// - Throws: The `Errno` if descriptors or memory are lacking.
  package static func each(
    in directory: BusDirectory, _ body: (inout DriveClient) -> Void
  ) throws(Errno) {
    _ = try RunEntry.first(in: directory, patience: 1000) { socket -> Never? in
      var client = DriveClient(socket)
      body(&client)
      return nil
    }
  }

  private static func label(of id: HIDDeviceID, in answer: JSONNode) -> String? {
    guard case .array(let devices)? = answer["devices"]?.value else { return nil }
    for device in devices {
      guard case .array(let interfaces)? = device["interfaces"]?.value else { continue }
      for interface in interfaces where interface["id"]?.value == .string(id.description) {
        if case .string(let label)? = interface["device"]?.value { return label }
      }
    }
    return nil
  }

  /// A closure that ends the connection, on any thread; a command that waits then returns `nil`.
  package var disconnect: @Sendable () -> Void { { [socket] in socket.shutDown() } }

  /// Sends a command, and waits for its result.
  ///
  /// - Parameter fill: Adds the keys of the command.
  /// - Returns: The result, or the error; `nil` if the connection has ended, if the other end has
  ///   sent text that is not JSON, or if it has not answered in time.
  package mutating func command(
    _ name: String, _ fill: (inout JSONLine) -> Void = { _ in }
  ) -> JSONNode? {
    lastToken += 1
    var line = JSONLine()
    line.add("command", .string(name))
    line.add("token", .integer(lastToken))
    fill(&line)
    // A failed write is ignored: a run that refuses this program says why, and reads nothing.
    _ = socket.write(line.utf8 + [0x0A])
    while true {
      while let frame = framer.next() {
        guard case .value(let node) = frame else { return nil }
        if node["token"]?.value == .integer(lastToken) { return node }
        if case .string(let message)? = node["error"]?.value, node["token"] == nil {
          refusal = message
        }
      }
      guard let bytes = socket.read(atMost: 64 * 1024) else { return nil }
      framer.append(bytes)
    }
  }
}
