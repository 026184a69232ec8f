// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDBusDirectory
import HIDWire
import IOLoop

/// What HID devices the kernel has, read from sysfs again and again; devices that can be used are not read twice.
struct KernelScanner: Sendable {
  /// How many hidraw nodes the kernel has at most: `HIDRAW_MAX_DEVICES`.
  static let hidrawLimit = 64

  /// How long a device is left alone once its nodes are there, where nobody says when its driver is done.
  ///
  /// A driver that asks the device for reports takes this long at most, when they are answered at once.
  static let probeTime = Duration.milliseconds(200)

  /// Where the devices stand.
  let root: String
  /// Where their nodes stand.
  let nodes: String
  /// Where udevd leaves word of the nodes it has seen to; looked at only while it runs.
  let udevData = "/run/udev/data"
  /// What is there while it runs.
  let udevControl: String
  /// Where devices of hidsim leave word of themselves.
  let directory: BusDirectory?

  private(set) var devices: [String: KernelDevice] = [:]
  /// When a device's node was first seen, for those udevd has not seen to yet.
  private var unsettledSince: [String: MonotonicTime] = [:]
  /// The devices whose nodes are there, and done by udevd.
  private(set) var usable: Set<String> = []
  /// What the kernel said last of the devices that came or changed since somebody listens.
  private var binding: [String: DriverChange.Action] = [:]
  /// When the nodes of a device were first seen that came without a word of the kernel's.
  private var nodesSince: [String: MonotonicTime] = [:]
  private var hasScanned = false

  init(
    root: String = "/sys/bus/hid/devices", nodes: String = "/dev",
    udevControl: String = "/run/udev/control", directory: BusDirectory? = nil
  ) {
    self.directory = directory
    self.root = root
    self.nodes = nodes
    self.udevControl = udevControl
  }

  /// Notes what the kernel said.
  ///
  /// - Returns: The device, if it cannot be used any more and could before.
  mutating func note(_ change: DriverChange) -> KernelDevice? {
    if change.action == .removed {
      binding[change.folder] = nil  // that it is gone is seen in sysfs
    } else {
      binding[change.folder] = change.action
    }
    guard change.action == .unbound, usable.remove(change.folder) != nil else { return nil }
    return devices[change.folder]
  }

  /// Notes that the kernel's messages were lost: who waits for one would wait for ever.
  mutating func noteLoss() { binding = [:] }

  /// Notes that nobody listens from now on: what is there when somebody does again is as good as new.
  mutating func forgetAll() {
    self = KernelScanner(root: root, nodes: nodes, udevControl: udevControl, directory: directory)
  }

  /// Notes that a device has another driver than when it was read.
  ///
  /// - Returns: The device, if it could be used before.
  mutating func forget(physicalPath: String) -> KernelDevice? {
    guard let device = device(at: physicalPath) else { return nil }
    nodesSince[device.folder] = nil
    // Whoever says when it is bound has said when it was unbound.
    guard binding[device.folder] == nil, usable.remove(device.folder) != nil else { return nil }
    return device
  }

  /// The device with a physical path: the newest, for one that is just being unplugged may have the same.
  func device(at physicalPath: String) -> KernelDevice? {
    devices.values.filter { $0.physicalPath == physicalPath }.max { $0.instance < $1.instance }
  }

  /// Reads sysfs, and says which devices can be used now and could not before, and which are gone.
  mutating func scan(at now: MonotonicTime) -> (added: [KernelDevice], removed: [KernelDevice]) {
    let present = SysFS.allNames(in: root)
    var removed: [KernelDevice] = []
    let gone = Set(devices.keys).subtracting(present)
    for folder in gone {
      if let device = devices.removeValue(forKey: folder), usable.remove(folder) != nil {
        removed.append(device)
      }
      unsettledSince[folder] = nil
      nodesSince[folder] = nil
    }
    if !binding.isEmpty { binding = binding.filter { present.contains($0.key) } }
    defer { hasScanned = true }
    let udevRuns = access(udevControl, F_OK) == 0
    var added: [KernelDevice] = []
    for folder in present {
      if usable.contains(folder) {
        // A driver change takes the nodes away and brings others.
        if let known = devices[folder], hasNode(known) { continue }
        usable.remove(folder)
        if let known = devices[folder] { removed.append(known) }
      }
      guard let device = KernelDevice(folder: folder, root: root, directory: directory) else {
        continue
      }
      devices[folder] = device
      guard isSettled(device, udevRuns: udevRuns, now: now) else { continue }
      usable.insert(folder)
      unsettledSince[folder] = nil
      nodesSince[folder] = nil
      added.append(device)
    }
    return (added.sorted { $0.instance < $1.instance }, removed)
  }

  private func hasNode(_ device: KernelDevice) -> Bool {
    guard let hidraw = device.hidraw else { return false }
    return access("\(root)/\(device.folder)/hidraw/\(hidraw)", F_OK) == 0
  }

  /// Whether all nodes of a device are there, its driver's probe is over, and udevd, if it runs, is done
  /// with the nodes.
  private mutating func isSettled(
    _ device: KernelDevice, udevRuns: Bool, now: MonotonicTime
  ) -> Bool {
    guard device.node != nil else { return false }
    let numbers = paths(of: device).map(SysFS.characterDevice)
    guard numbers.allSatisfy({ $0 != nil }) else { return false }
    guard isProbed(device, now: now) else { return false }
    guard udevRuns else { return true }
    if numbers.allSatisfy({ access("\(udevData)/c\($0 ?? "")", F_OK) == 0 }) { return true }
    // A udevd that died, or that belongs to another namespace, leaves its socket and no word.
    let since = unsettledSince[device.folder] ?? now
    unsettledSince[device.folder] = since
    return now.duration(since: since) > .seconds(2)
  }

  /// Whether the driver of a device that has its nodes is done with it.
  private mutating func isProbed(_ device: KernelDevice, now: MonotonicTime) -> Bool {
    if let word = binding[device.folder] { return word == .bound }
    // What was there before anybody looked has had its time, unless it is just being made.
    guard hasScanned || device.country == nil else { return true }
    let since = nodesSince[device.folder] ?? now
    nodesSince[device.folder] = since
    return now.duration(since: since) >= Self.probeTime
  }

  /// Whether devices wait for something that nobody tells, so that somebody should look again.
  var isUnsettled: Bool { !unsettledSince.isEmpty || !nodesSince.isEmpty }

  /// The nodes that sysfs promises of a device, where they should stand.
  private func paths(of device: KernelDevice) -> [String] {
    (device.hidraw.map { ["\(nodes)/\($0)"] } ?? []) + device.events.map { "\(nodes)/input/\($0)" }
  }

  /// How many hidraw nodes there are in all.
  var hidrawCount: Int {
    SysFS.names(in: "/sys/class/hidraw").count
  }

  /// The nodes that sysfs promises and `/dev` lacks, of one device.
  func missingNodes(of device: KernelDevice) -> [String] {
    paths(of: device).filter { SysFS.characterDevice($0) == nil }
  }
}
