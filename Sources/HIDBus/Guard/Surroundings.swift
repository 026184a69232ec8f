// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop

/// The facts that decide whether simulated keys could be typed into a user's windows on this
/// machine.
package struct Surroundings: Hashable, Sendable {
  /// True if this process runs in a virtual machine that `hidsim vm` started.
  package var isOwnMachine = false
  /// True if this process belongs to a continuous-integration job.
  package var isCI = false
  /// True if this process runs in a container, where it cannot see the host's seats.
  package var isContainer = false
  /// True if a session is active at a seat, or a display server seems to run.
  package var hasActiveSeat = false
  /// True if an active session at a seat is on a text console, or has no known type.
  ///
  /// A text console takes the keys of every keyboard, whatever properties udev gives the keyboard.
  package var hasTextConsole = false

  /// True if hidsim assumes that no user is at a desktop.
  package var isAlone: Bool { isOwnMachine || isCI || (!isContainer && !hasActiveSeat) }

  /// Reads the facts about this machine.
  ///
  /// ``isOwnMachine`` is true if `HIDSIM_VM` is set, and ``isCI`` if `CI` is set. An empty text,
  /// `0` and `false` do not count as set.
  package static func here() -> Surroundings {
    Surroundings(
      isOwnMachine: ProcessEnvironment.isSet("HIDSIM_VM"), isCI: ProcessEnvironment.isSet("CI"),
      isContainer: ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains {
        (path: String) in access(path, F_OK) == 0
      },
      hasActiveSeat: !activeSessions(in: "/run/systemd").isEmpty || hasDisplayServer,
      hasTextConsole: hasTextConsole(in: "/run/systemd"))
  }

  /// Returns the IDs of the sessions that logind lists as active at a seat.
  static func activeSessions(in folder: String) -> [String] {
    SysFS.names(in: "\(folder)/seats").compactMap { seat in
      value(of: "ACTIVE", in: "\(folder)/seats/\(seat)")
    }
  }

  /// Returns whether one of the active sessions is on a text console, or has no known type.
  static func hasTextConsole(in folder: String) -> Bool {
    activeSessions(in: folder).contains { session in
      let type = value(of: "TYPE", in: "\(folder)/sessions/\(session)")
      return type != "x11" && type != "wayland" && type != "mir"
    }
  }

  /// Returns a value from a file of `NAME=value` lines; `nil` if it is missing or empty.
  private static func value(of name: String, in path: String) -> String? {
    let text = SysFS.read(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    let value = line?.dropFirst(name.utf8.count + 1) ?? ""
    return value.isEmpty ? nil : String(value)
  }

  /// True if a display server seems to run: an X11 socket exists, or `WAYLAND_DISPLAY` is set.
  ///
  /// logind may not list the session of the server.
  private static var hasDisplayServer: Bool {
    !SysFS.names(in: "/tmp/.X11-unix").isEmpty || ProcessEnvironment.isSet("WAYLAND_DISPLAY")
  }
}
