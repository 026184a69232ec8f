// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Whether somebody may be at a desktop here, whose windows simulated keys would be typed into.
struct Surroundings: Hashable, Sendable {
  /// Whether this is a machine of our own, made for one command.
  var isOwnMachine = false
  /// Whether this is a continuous-integration job.
  var isCI = false
  /// Whether this is a container, from which the host's seats cannot be seen.
  var isContainer = false
  /// Whether a session is active at a seat.
  var hasActiveSeat = false

  /// Whether it is certain that nobody is there.
  var isAlone: Bool { isOwnMachine || isCI || (!isContainer && !hasActiveSeat) }

  /// Looks around.
  static func here() -> Surroundings {
    Surroundings(
      isOwnMachine: isSet("HIDSIM_VM"), isCI: isSet("CI"),
      isContainer: ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains {
        (path: String) in access(path, F_OK) == 0
      },
      hasActiveSeat: hasActiveSeat(in: "/run/systemd/seats") || hasDisplayServer)
  }

  private static func isSet(_ name: String) -> Bool {
    guard let value = getenv(name) else { return false }
    let text = String(cString: value)
    return !text.isEmpty && text != "0" && text != "false"
  }

  /// Whether logind knows of an active session at a seat.
  static func hasActiveSeat(in folder: String) -> Bool {
    SysFS.names(in: folder).contains { seat in
      let text = SysFS.read("\(folder)/\(seat)").map { String(decoding: $0, as: UTF8.self) } ?? ""
      return text.split(separator: "\n").contains {
        $0.hasPrefix("ACTIVE=") && $0.utf8.count > "ACTIVE=".utf8.count
      }
    }
  }

  /// Whether a display server runs that no logind knows of.
  private static var hasDisplayServer: Bool {
    !SysFS.names(in: "/tmp/.X11-unix").isEmpty || isSet("WAYLAND_DISPLAY")
  }
}
