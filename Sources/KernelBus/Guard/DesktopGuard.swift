// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDWire
import SystemPackage

/// Keeps the input of simulated devices from the desktop of whoever is logged in.
///
/// Simulated keys would be typed into whatever window has the focus. So where somebody may be at a
/// seat, a device is used only if our udev rule gave it a seat of its own, or if its evdev nodes
/// can be grabbed; else it is refused. A text console takes every keyboard that is not grabbed.
struct DesktopGuard: Sendable {
  /// Whether the devices are meant for the desktop.
  var isLive = false
  var surroundings = Surroundings.here()
  /// Where udevd leaves word of the nodes it has seen to.
  var udevData = "/run/udev/data"

  /// What was done for a device, and what must be kept for as long as it is plugged.
  struct Outcome: Sendable {
    let isolation: HIDIsolation
    let grab: EventGrab?
  }

  /// Isolates a device that is ready, before it sends anything.
  ///
  /// - Throws: `permissionDenied` when that cannot be had.
  func isolate(_ device: HIDDeviceRecord) async throws(HIDWireError) -> Outcome {
    if isLive || surroundings.isAlone || device.eventNodes.isEmpty {
      return Outcome(isolation: device.eventNodes.isEmpty ? .notNeeded : .live, grab: nil)
    }
    if !surroundings.hasTextConsole, device.eventNodes.allSatisfy(isLeftAlone) {
      return Outcome(isolation: .rule, grab: nil)
    }
    do throws(Errno) {
      return Outcome(isolation: .grabbed, grab: try await EventGrab.take(device.eventNodes))
    } catch {
      throw HIDWireError(
        .permissionDenied,
        """
        grab \(device.eventNodes.joined(separator: ", ")): \(error); a user may be logged in here, \
        and would receive the input of "\(device.identity.name)"; \
        \(surroundings.hasTextConsole ? "" : "install scripts/70-hidsim.rules, or ")\
        add --live to allow that\(HIDWireError.help)
        """, errorNumber: error.rawValue)
    }
  }

  /// Whether our rule has marked a node as none of a desktop's business.
  private func isLeftAlone(_ node: String) -> Bool {
    guard let number = SysFS.characterDevice(node),
      let data = SysFS.read("\(udevData)/c\(number)")
    else { return false }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").contains {
      $0 == "E:LIBINPUT_IGNORE_DEVICE=1"
    }
  }
}
