// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Whether somebody may be at a desktop here, whose windows simulated keys would be typed into.
package struct Surroundings: Hashable, Sendable {
  /// Whether this is a machine of our own, made for one command.
  package var isOwnMachine = false
  /// Whether this is a continuous-integration job.
  package var isCI = false
  /// Whether this is a container, from which the host's seats cannot be seen.
  package var isContainer = false
  /// Whether a session is active at a seat.
  package var hasActiveSeat = false
  /// Whether such a session is on a text console, which takes every keyboard, whatever udev's marks say.
  package var hasTextConsole = false

  /// Whether it is certain that nobody is there.
  package var isAlone: Bool { isOwnMachine || isCI || (!isContainer && !hasActiveSeat) }

  /// Looks around.
  package static func here() -> Surroundings {
    Surroundings(
      isOwnMachine: isSet("HIDSIM_VM"), isCI: isSet("CI"),
      isContainer: ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains {
        (path: String) in access(path, F_OK) == 0
      },
      hasActiveSeat: !activeSessions(in: "/run/systemd").isEmpty || hasDisplayServer,
      hasTextConsole: hasTextConsole(in: "/run/systemd"))
  }

  private static func isSet(_ name: String) -> Bool {
    guard let value = getenv(name) else { return false }
    let text = String(cString: value)
    return !text.isEmpty && text != "0" && text != "false"
  }

  /// The sessions that logind has as active at a seat.
  static func activeSessions(in folder: String) -> [String] {
    SysFS.names(in: "\(folder)/seats").compactMap { seat in
      value(of: "ACTIVE", in: "\(folder)/seats/\(seat)")
    }
  }

  /// Whether one of the active sessions is on a text console, or does not say where it is.
  static func hasTextConsole(in folder: String) -> Bool {
    activeSessions(in: folder).contains { session in
      let type = value(of: "TYPE", in: "\(folder)/sessions/\(session)")
      return type != "x11" && type != "wayland" && type != "mir"
    }
  }

  /// A value in a file of `NAME=value` lines; `nil` if it is not there or empty.
  private static func value(of name: String, in path: String) -> String? {
    let text = SysFS.read(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    let value = line?.dropFirst(name.utf8.count + 1) ?? ""
    return value.isEmpty ? nil : String(value)
  }

  /// Whether a display server runs that no logind knows of.
  private static var hasDisplayServer: Bool {
    !SysFS.names(in: "/tmp/.X11-unix").isEmpty || isSet("WAYLAND_DISPLAY")
  }
}
