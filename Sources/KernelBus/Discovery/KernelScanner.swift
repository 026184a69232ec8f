// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDWire
import IOLoop

/// What HID devices the kernel has, read from sysfs again and again; devices that can be used are not read twice.
struct KernelScanner: Sendable {
  /// How many hidraw nodes the kernel has at most: `HIDRAW_MAX_DEVICES`.
  static let hidrawLimit = 64

  /// Where the devices stand.
  let root: String
  /// Where udevd leaves word of the nodes it has seen to; looked at only while it runs.
  let udevData = "/run/udev/data"

  private(set) var devices: [String: KernelDevice] = [:]
  /// When a device's node was first seen, for those udevd has not seen to yet.
  private var unsettledSince: [String: MonotonicTime] = [:]
  /// The devices whose nodes are there, and done by udevd.
  private(set) var usable: Set<String> = []

  init(root: String = "/sys/bus/hid/devices") { self.root = root }

  /// Reads sysfs, and says which devices can be used now and could not before, and which are gone.
  mutating func scan(at now: MonotonicTime) -> (added: [KernelDevice], removed: [KernelDevice]) {
    let present = SysFS.names(in: root)
    var removed: [KernelDevice] = []
    let gone = Set(devices.keys).subtracting(present)
    for folder in gone {
      if let device = devices.removeValue(forKey: folder), usable.remove(folder) != nil {
        removed.append(device)
      }
      unsettledSince[folder] = nil
    }
    let udevRuns = access("/run/udev/control", F_OK) == 0
    var added: [KernelDevice] = []
    for folder in present {
      if usable.contains(folder) {
        // A driver change takes the nodes away and brings others.
        if let known = devices[folder], hasNode(known) { continue }
        usable.remove(folder)
        if let known = devices[folder] { removed.append(known) }
      }
      guard let device = KernelDevice(folder: folder, root: root) else { continue }
      devices[folder] = device
      guard isSettled(device, udevRuns: udevRuns, now: now) else { continue }
      usable.insert(folder)
      unsettledSince[folder] = nil
      added.append(device)
    }
    return (added.sorted { $0.instance < $1.instance }, removed)
  }

  private func hasNode(_ device: KernelDevice) -> Bool {
    guard let hidraw = device.hidraw else { return false }
    return access("\(root)/\(device.folder)/hidraw/\(hidraw)", F_OK) == 0
  }

  /// Whether all nodes of a device are there and udevd, if it runs, is done with them.
  private mutating func isSettled(
    _ device: KernelDevice, udevRuns: Bool, now: MonotonicTime
  ) -> Bool {
    guard let node = device.node else { return false }
    let numbers = ([node] + device.events.map { "/dev/input/\($0)" }).map(SysFS.characterDevice)
    guard numbers.allSatisfy({ $0 != nil }) else { return false }
    guard udevRuns else { return true }
    if numbers.allSatisfy({ access("\(udevData)/c\($0 ?? "")", F_OK) == 0 }) { return true }
    // A udevd that died, or that belongs to another namespace, leaves its socket and no word.
    let since = unsettledSince[device.folder] ?? now
    unsettledSince[device.folder] = since
    return now.duration(since: since) > .seconds(2)
  }

  /// Whether devices wait for udevd, so that somebody should look again though nothing happens.
  var isUnsettled: Bool { !unsettledSince.isEmpty }

  /// How many hidraw nodes there are in all.
  var hidrawCount: Int {
    SysFS.names(in: "/sys/class/hidraw").count
  }

  /// The nodes that sysfs promises and `/dev` lacks, of one device.
  func missingNodes(of device: KernelDevice) -> [String] {
    ((device.node.map { [$0] } ?? []) + device.events.map { "/dev/input/\($0)" })
      .filter { SysFS.characterDevice($0) == nil }
  }
}
