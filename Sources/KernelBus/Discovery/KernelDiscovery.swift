// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// Which HID devices the kernel has, watched for everybody in this process.
///
/// Runs on a loop of its own: some files of sysfs wait for a driver that is just being bound.
actor KernelDiscovery {
  static let loop = IOLoop(name: "hidsim-discover")
  static let shared = KernelDiscovery(sources: ChangeSource.allCases)

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }

  private typealias Watcher = AsyncThrowingStream<HIDArrival, any Error>.Continuation

  /// An open change source, and the loop's watch on it.
  private final class OpenSource: Sendable {
    let descriptor: OwnedDescriptor
    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
  }

  private let sources: [ChangeSource]
  private var open: [(OpenSource, IOLoop.WatchID)] = []
  private var scanner = KernelScanner()
  private var watchers: [Int: Watcher] = [:]
  private var nodeWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var waiting = 0
  private var lastKey = 0
  /// How often a source has spoken.
  private var changes = 0
  private var rescan: DeadlineID?

  /// Makes a watcher that begins when somebody asks.
  ///
  /// - Parameter sources: What to listen to; with none, sysfs is read every second.
  init(sources: [ChangeSource]) { self.sources = sources }

  deinit {
    for (source, watch) in open { Self.loop.stopWatching(watch, source.descriptor.descriptor) }
    if let rescan { Self.loop.cancel(rescan) }
  }

  // MARK: Asking

  /// Starts a stream of what is there, and then of what changes.
  nonisolated func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    let (stream, continuation) = AsyncThrowingStream<HIDArrival, any Error>.makeStream()
    Task { await self.add(continuation) }
    return stream
  }

  private func add(_ watcher: Watcher) {
    begin()
    update()
    lastKey += 1
    let key = lastKey
    watcher.onTermination = { [weak self] _ in Task { await self?.removeWatcher(key) } }
    for device in scanner.devices.values.sorted(by: { $0.instance < $1.instance })
    where scanner.usable.contains(device.folder) {
      if let record = device.record { watcher.yield(.added(record)) }
    }
    watcher.yield(.settled)
    watchers[key] = watcher
    scheduleRescan()
  }

  private func removeWatcher(_ key: Int) {
    watchers[key] = nil
    endIfIdle()
  }

  /// Waits until a plugged device has its nodes.
  func waitForNodes(
    of plugged: HIDPeripheralDescription, until deadline: MonotonicTime,
    progress: @Sendable () async -> UHIDSession.Progress
  ) async throws(HIDWireError) -> HIDDeviceRecord {
    begin()
    waiting += 1
    defer {
      waiting -= 1
      endIfIdle()
    }
    let path = plugged.physicalPath.description
    var withoutNodeSince: MonotonicTime?
    while true {
      let seen = changes
      update()
      let now = MonotonicTime.now
      // The newest: one that is just being unplugged may have the same path.
      let device = scanner.devices.values.filter { $0.physicalPath == path }
        .max { $0.instance < $1.instance }
      if let device, scanner.usable.contains(device.folder), let record = device.record {
        return record
      }
      let progress = await progress()
      if progress == .destroyed { throw HIDWireError(.gone, "the device was unplugged") }
      // The 65th device is started and stopped again; or kept by an input driver, without a node.
      if scanner.hidrawCount >= KernelScanner.hidrawLimit, device?.hidraw == nil {
        let since = withoutNodeSince ?? now
        withoutNodeSince = since
        if progress == .gaveUp || now.duration(since: since) > .milliseconds(300) {
          throw HIDWireError(
            .limitReached,
            """
            the kernel has \(KernelScanner.hidrawLimit) hidraw nodes and no more: unplug a device, \
            or use --bus loopback, which has no such limit
            """)
        }
      } else if progress == .gaveUp {
        throw HIDWireError(
          .notStarted,
          """
          the kernel started the device and stopped it again: no driver wants it; \
          the kernel's log says why (sudo dmesg | grep -i hid)
          """)
      }
      guard now < deadline else {
        let missing = device.map { scanner.missingNodes(of: $0) } ?? []
        throw HIDWireError(
          .notStarted,
          missing.isEmpty
            ? "the kernel started the device, and made no hidraw node for it in time"
            : """
            the kernel made \(missing.joined(separator: ", ")), which /dev lacks: in a container, \
            run it with -v /dev:/dev --device-cgroup-rule "c *:* rmw"
            """)
      }
      await waitForChange(after: seen, until: deadline)
    }
  }

  /// Waits until a source has spoken again since the count was looked at, for a while at most.
  private func waitForChange(after seen: Int, until deadline: MonotonicTime) async {
    guard changes == seen else { return }
    lastKey += 1
    let key = lastKey
    // A device that waits for its limit to be proven, or for a silent udevd, is looked at again soon.
    let soon = min(deadline, MonotonicTime.now.advanced(by: .milliseconds(100)))
    let timer = Self.loop.schedule(at: soon) { [weak self] in
      self?.assumeIsolated { $0.nodeWaiters.removeValue(forKey: key)?.resume() }
    }
    await withCheckedContinuation { nodeWaiters[key] = $0 }
    Self.loop.cancel(timer)
  }

  // MARK: Watching

  private func begin() {
    guard open.isEmpty else { return }
    for source in sources {
      guard let descriptor = source.open() else { continue }
      let opened = OpenSource(descriptor)
      let watch = try? Self.loop.watch(opened.descriptor.descriptor, for: .read) {
        [weak self, weak opened] _ in
        guard let opened, opened.descriptor.drain() else { return }
        self?.assumeIsolated { discovery in
          discovery.update()
          discovery.changes += 1
          discovery.resumeNodeWaiters()
        }
      }
      if let watch { open.append((opened, watch)) }
    }
  }

  private func endIfIdle() {
    guard watchers.isEmpty, waiting == 0 else { return }
    for (source, watch) in open { Self.loop.stopWatching(watch, source.descriptor.descriptor) }
    open = []
    if let rescan { Self.loop.cancel(rescan) }
    rescan = nil
  }

  private func update() {
    let (added, removed) = scanner.scan(at: .now)
    for device in removed {
      guard let record = device.record else { continue }
      for watcher in watchers.values { watcher.yield(.removed(record)) }
    }
    for device in added {
      guard let record = device.record else { continue }
      for watcher in watchers.values { watcher.yield(.added(record)) }
    }
  }

  private func resumeNodeWaiters() {
    let waiters = nodeWaiters
    nodeWaiters = [:]
    for waiter in waiters.values { waiter.resume() }
  }

  /// Reads sysfs every second while somebody watches: in some containers no source says anything.
  private func scheduleRescan() {
    guard rescan == nil else { return }
    rescan = Self.loop.schedule(at: .now.advanced(by: .seconds(1))) { [weak self] in
      self?.assumeIsolated { discovery in
        discovery.rescan = nil
        guard !discovery.watchers.isEmpty else { return }
        discovery.update()
        discovery.scheduleRescan()
      }
    }
  }
}
