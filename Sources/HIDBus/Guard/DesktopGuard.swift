// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import SystemPackage

/// The guard that keeps the input of simulated devices away from the desktop of the logged-in user.
///
/// Simulated keys would be typed into the window that has the focus. So if a user may be at a seat,
/// and ``isLive`` is false, a device with evdev nodes is used only if a udev rule makes desktops
/// ignore it, or if the nodes can be grabbed; else it is refused. A text console takes every
/// keyboard that is not grabbed.
struct DesktopGuard: Sendable {
  /// True if the desktop may use the devices.
  var isLive = false
  var surroundings: Surroundings?
  /// Returns a property that udevd's rules have set for a character node; `nil` if there is none,
  /// or if libudev cannot be used.
  var property: @Sendable (_ name: String, _ number: dev_t) -> String? = { name, number in
    (try? Udev.shared.get())?.property(name, ofNode: number)
  }

  /// The isolation of a device; and the grab, if there is one, that must be kept while the device
  /// is plugged.
  struct Outcome: Sendable {
    let isolation: HIDIsolation
    let grab: EventGrab?
  }

  /// Isolates a device that is ready, before it sends anything.
  ///
  /// - Throws: If the device must be grabbed and cannot be: `limitReached` if the process lacks
  ///   descriptors, memory or threads; `permissionDenied` for any other reason.
  func isolate(_ device: HIDDeviceRecord) async throws(HIDBusError) -> Outcome {
    if device.eventNodes.isEmpty { return Outcome(isolation: .notNeeded, grab: nil) }
    let surroundings = surroundings ?? .here()
    if isLive || surroundings.isAlone { return Outcome(isolation: .live, grab: nil) }
    if !surroundings.hasTextConsole, device.eventNodes.allSatisfy(isLeftAlone) {
      return Outcome(isolation: .rule, grab: nil)
    }
    do throws(Errno) {
      return Outcome(isolation: .grabbed, grab: try await EventGrab.take(device.eventNodes))
    } catch {
      throw Self.grabFailed(error, device, surroundings)
    }
  }

  /// Returns the error of a device that cannot be grabbed.
  static func grabFailed(
    _ error: Errno, _ device: HIDDeviceRecord, _ surroundings: Surroundings
  ) -> HIDBusError {
    let action = "grab \(device.eventNodes.joined(separator: ", "))"
    if error.isLackOfResources || error == .resourceTemporarilyUnavailable {
      return .lacking(error, action)
    }
    return HIDBusError(
      .permissionDenied,
      """
      \(action): \(error); a user may be logged in here, \
      and would receive the input of "\(device.identity.name)"; \
      \(surroundings.hasTextConsole ? "" : "install scripts/70-hidsim.rules, or ")\
      add --live to allow that\(HIDBusError.help)
      """, errorNumber: error.rawValue)
  }

  /// Returns whether a udev rule, such as hidsim's, makes desktops ignore a node.
  private func isLeftAlone(_ node: String) -> Bool {
    guard let node = SysFS.node(node) else { return false }
    return property("LIBINPUT_IGNORE_DEVICE", node.number) == "1"
  }
}
