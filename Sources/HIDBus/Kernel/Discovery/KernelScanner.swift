// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop

/// The HID devices of the kernel, read from sysfs repeatedly.
///
/// A device that can be used is not read again while its hidraw node exists.
struct KernelScanner: Sendable {
  /// The greatest number of hidraw nodes in the kernel: `HIDRAW_MAX_DEVICES`.
  static let hidrawLimit = 64

  /// The wait after a device's nodes appear, if the kernel does not report the end of its driver's
  /// probe.
  ///
  /// A driver that requests reports from the device takes this long at most, if the device answers
  /// at once.
  static let probeTime = Duration.milliseconds(200)

  /// The longest wait for udevd to process the nodes of a device.
  ///
  /// A node that has not changed for this time counts as processed, if no kernel message was about
  /// its device.
  private static let udevTime = Duration.seconds(2)

  let tree: DeviceTree
  /// The folder in which devices of hidsim publish their identities; `nil` for none.
  let directory: BusDirectory?

  private(set) var devices: [String: KernelDevice] = [:]
  /// The times at which devices were first found to wait for nothing but udevd.
  private var unsettledSince: [String: MonotonicTime] = [:]
  /// The devices that can be used: all nodes exist, the driver's probe is over, and udevd, if it
  /// runs, has processed the nodes or took longer than ``udevTime``.
  private(set) var usable: Set<String> = []
  /// The kernel's latest message about each device that came or changed while the sources of
  /// notifications (``ChangeSource``) were open.
  private var binding: [String: DriverChange.Action] = [:]
  /// The properties of each device, as far as the kernel's messages since it came have them.
  private var heard: [String: DeviceProperties] = [:]
  /// The times at which the nodes of devices without a kernel message were first seen, or at which
  /// a driver without a node was.
  private var nodesSince: [String: MonotonicTime] = [:]
  /// The physical paths of devices that are known to get no nodes, and perhaps no driver.
  private var nodeless: Set<String> = []
  /// True once ``scan(at:)`` has read all devices.
  private(set) var hasScanned = false

  init(_ tree: DeviceTree, directory: BusDirectory? = nil) {
    self.tree = tree
    self.directory = directory
  }

  /// Applies a message.
  ///
  /// - Returns: The device, if its driver was unbound and it could be used before; else `nil`. A
  ///   device that was removed is found by the next scan.
  mutating func note(_ message: DeviceMessage) -> KernelDevice? {
    if let detail = message.detail { heard[message.folder]?.apply(detail) }
    return message.change.flatMap { note($0) }
  }

  /// Applies a change of a device's driver.
  ///
  /// - Returns: The device, if its driver was unbound and it could be used before; else `nil`. A
  ///   device that was removed is found by the next scan.
  mutating func note(_ change: DriverChange) -> KernelDevice? {
    binding[change.folder] = change.action
    switch change.action {
    case .added: heard[change.folder] = DeviceProperties()
    case .bound: break
    case .unbound: heard[change.folder]?.driver = nil
    case .removed:
      // The scan finds in sysfs that the device is gone.
      binding[change.folder] = nil
      heard[change.folder] = nil
    }
    guard change.action == .unbound else { return nil }
    unsettledSince[change.folder] = nil
    nodesSince[change.folder] = nil
    return usable.remove(change.folder) != nil ? devices[change.folder] : nil
  }

  /// Notes that kernel messages were lost, so that no device waits for one of them.
  mutating func noteLoss() {
    binding = [:]
    heard = [:]
  }

  /// Forgets all devices, because the sources are closed from now on: a later state is unrelated to
  /// this one.
  mutating func forgetAll() {
    self = KernelScanner(tree, directory: directory)
  }

  /// Notes that a device has another driver than when it was read.
  ///
  /// - Returns: The device, if it could be used before, and no kernel message has reported the
  ///   change; else `nil`.
  mutating func forget(physicalPath: String) -> KernelDevice? {
    guard let device = device(at: physicalPath) else { return nil }
    nodesSince[device.folder] = nil
    // If the kernel's messages are received, they have reported that the driver was unbound.
    guard binding[device.folder] == nil, usable.remove(device.folder) != nil else { return nil }
    return device
  }

  /// Returns the device with a physical path; `nil` if there is none.
  ///
  /// It is the newest one, since an older one that is being unplugged may have the same path.
  func device(at physicalPath: String) -> KernelDevice? {
    devices.values.filter { $0.physicalPath == physicalPath }.max { $0.instance < $1.instance }
  }

  /// Notes that the device with a physical path gets no nodes, and perhaps no driver.
  mutating func expectNoNodes(at physicalPath: String) { nodeless.insert(physicalPath) }

  /// Forgets what ``expectNoNodes(at:)`` has noted.
  mutating func endExpectation(at physicalPath: String) { nodeless.remove(physicalPath) }

  /// Reads sysfs, and returns the devices that have become usable, and those that are gone or have
  /// lost their node.
  ///
  /// A device whose node was replaced since the previous scan is in `removed`. If it can be used
  /// with its new node, it is also in `added`. Devices that could not be used before are never in
  /// `removed`.
  mutating func scan(at now: MonotonicTime) -> (added: [KernelDevice], removed: [KernelDevice]) {
    let present = tree.folders()
    var removed: [KernelDevice] = []
    for folder in Set(devices.keys).subtracting(present) {
      if let device = forget(folder) { removed.append(device) }
    }
    if !binding.isEmpty { binding = binding.filter { present.contains($0.key) } }
    if !heard.isEmpty { heard = heard.filter { present.contains($0.key) } }
    defer { hasScanned = true }
    return read(present, at: now, removed, trustsMessages: false)
  }

  /// Reads only some devices, those that messages were about.
  ///
  /// Their nodes and names are taken from the messages if the kernel's messages have them all.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - changed: The folders of the devices. ``scan(at:)`` must have read all devices before.
  /// - Returns: As ``scan(at:)`` does, of these devices.
  mutating func scan(
    at now: MonotonicTime, changed: Set<String>
  ) -> (added: [KernelDevice], removed: [KernelDevice]) {
    var removed: [KernelDevice] = []
    var present: [String] = []
    for folder in changed {
      if heard[folder]?.driver == nil, access("\(tree.root)/\(folder)", F_OK) != 0 {
        binding[folder] = nil
        heard[folder] = nil
        if let device = forget(folder) { removed.append(device) }
      } else if usable.contains(folder) || binding[folder] ?? .bound == .bound {
        present.append(folder)
      }
      // A device whose driver is still in its probe is not read: a message follows at the end of
      // the probe.
    }
    return read(present, at: now, removed, trustsMessages: true)
  }

  /// Forgets a device that is gone; returns the device if it could be used, else `nil`.
  private mutating func forget(_ folder: String) -> KernelDevice? {
    unsettledSince[folder] = nil
    nodesSince[folder] = nil
    let device = devices.removeValue(forKey: folder)
    return usable.remove(folder) != nil ? device : nil
  }

  private mutating func read(
    _ folders: [String], at now: MonotonicTime, _ removed: [KernelDevice], trustsMessages: Bool
  ) -> (added: [KernelDevice], removed: [KernelDevice]) {
    guard !folders.isEmpty else { return ([], removed) }
    let udevRuns = tree.isUdevActive
    var added: [KernelDevice] = []
    var removed = removed
    for folder in folders {
      if usable.contains(folder) {
        // The kernel replaces the nodes when the driver changes.
        if let known = devices[folder], hasNode(known) { continue }
        usable.remove(folder)
        if let known = devices[folder] { removed.append(known) }
      }
      let said = trustsMessages ? heard[folder].flatMap { $0.driver != nil ? $0 : nil } : nil
      guard
        let device = KernelDevice(folder: folder, heard: said, in: tree, directory: directory)
      else { continue }
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
    let folder = "\(tree.root)/\(device.folder)"
    guard let hidraw = device.hidraw else {
      // The device had a driver that made no node, or no driver.
      let hasDriver = access("\(folder)/driver", F_OK) == 0
      return hasDriver == (device.driver != nil) && access("\(folder)/hidraw", F_OK) != 0
    }
    return access("\(folder)/hidraw/\(hidraw)", F_OK) == 0
  }

  /// Returns whether a device can be used.
  ///
  /// All its nodes must exist, its driver's probe must be over, and udevd, if it runs, must have
  /// processed the nodes. The wait for udevd ends after ``udevTime``.
  private mutating func isSettled(
    _ device: KernelDevice, udevRuns: Bool, now: MonotonicTime
  ) -> Bool {
    guard device.node != nil || canBeWithoutNode(device) else { return false }
    let nodes = paths(of: device).map(SysFS.node)
    guard nodes.allSatisfy({ $0 != nil }) else { return false }
    guard isProbed(device, now: now) else { return false }
    guard udevRuns else { return true }
    // Each question to libudev takes 40 system calls, so it is not asked about devices that were
    // there before.
    let isProcessed = nodes.compactMap(\.self).allSatisfy {
      binding[device.folder] == nil && $0.age > Self.udevTime || tree.isProcessed($0.number)
    }
    if isProcessed { return true }
    // If udevd has died, or runs in another namespace, libudev may take it for active, but it
    // processes nothing.
    let since = unsettledSince[device.folder] ?? now
    unsettledSince[device.folder] = since
    return now.duration(since: since) > Self.udevTime
  }

  /// Returns whether the driver's probe is over, for a device that has its nodes.
  private mutating func isProbed(_ device: KernelDevice, now: MonotonicTime) -> Bool {
    // A driver can refuse one interface of a device. No message reports that.
    let isRefused = device.driver == nil && nodeless.contains(device.physicalPath)
    if let word = binding[device.folder], !isRefused { return word == .bound }
    // Devices present at the first scan have had their time, unless the kernel is still making
    // them.
    guard hasScanned || device.country == nil else { return true }
    let since = nodesSince[device.folder] ?? now
    nodesSince[device.folder] = since
    let isComplete = device.node != nil || nodeless.contains(device.physicalPath)
    return now.duration(since: since) >= (isComplete ? Self.probeTime : Self.udevTime)
  }

  /// Returns whether a device without a hidraw node may stay without one.
  ///
  /// Some drivers make no node, such as hid-mcp2221. If all nodes of the kernel are in use, no
  /// driver can make one.
  private func canBeWithoutNode(_ device: KernelDevice) -> Bool {
    if nodeless.contains(device.physicalPath) { return true }
    // hid-generic always makes a node, if there is one left.
    return device.driver != nil && device.driver != "hid-generic"
      && (HIDPhysicalPath(device.physicalPath) != nil || device.ownID != nil)
      && hidrawCount < Self.hidrawLimit
  }

  /// True if devices wait for udevd, or for the end of a probe that no kernel message may report.
  ///
  /// Another scan is then needed.
  var isUnsettled: Bool { !unsettledSince.isEmpty || !nodesSince.isEmpty }

  /// Returns the paths in `/dev` of the nodes that sysfs lists for a device.
  private func paths(of device: KernelDevice) -> [String] {
    (device.hidraw.map { ["\(tree.nodes)/\($0)"] } ?? [])
      + device.events.map { "\(tree.nodes)/input/\($0)" }
  }

  /// The number of all hidraw nodes in the kernel.
  var hidrawCount: Int {
    SysFS.names(in: "/sys/class/hidraw").count
  }

  /// Returns the nodes of a device that sysfs lists and `/dev` lacks.
  func missingNodes(of device: KernelDevice) -> [String] {
    paths(of: device).filter { SysFS.node($0) == nil }
  }
}
