// SPDX-License-Identifier: Apache-2.0
import IOLoop
import Synchronization

/// The HID devices of the kernel, watched for all clients of this process.
///
/// It runs on a loop of its own: while a driver is being bound, reading some files of sysfs blocks,
/// and the driver may wait for an answer that the other loops have to pass on.
actor KernelDiscovery {
  static let loop = IOLoop(name: "hidsim-discover")
  static let shared = KernelDiscovery(
    sources: ChangeSource.here, udev: try? Udev.shared.get(),
    directory: try? BusDirectory.shared())

  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.asUnownedSerialExecutor() }

  /// A source for whose notifications the loop waits.
  private struct WatchedSource: Sendable {
    let source: ChangeSource
    let opened: OpenChangeSource
    /// The watch on the source's descriptor, if it has one.
    let watch: IOLoop.WatchID?

    func stop() {
      if let watch, let descriptor = opened.descriptor { loop.stopWatching(watch, descriptor) }
    }
  }

  private typealias Watcher = AsyncThrowingStream<HIDArrival, any Error>.Continuation

  /// A reference that keeps the sources open.
  ///
  /// Take it before a device is plugged, so that no kernel message about the device is missed.
  final class Listening: Sendable {
    private let discovery: KernelDiscovery

    fileprivate init(_ discovery: KernelDiscovery) { self.discovery = discovery }
    deinit { Task { [discovery] in await discovery.removeListener() } }

    /// A reference that does not keep the sources open by itself.
    fileprivate struct Weak: Sendable {
      weak var listening: Listening?
    }
  }

  /// The folder in which devices of hidsim publish what the kernel has no field for, if there is
  /// one.
  nonisolated let directory: BusDirectory?
  private let sources: [ChangeSource]
  /// libudev; `nil` if it cannot be used.
  private let udev: Udev?
  private var open: [WatchedSource] = []
  private var scanner: KernelScanner
  /// The folders of the devices that messages were about since the last scan.
  private var changed: Set<String> = []
  /// True if more than `changed` may have changed since the last scan.
  private var needsFullScan = true
  /// True if the kernel's messages arrive here, so that a scan need read only the devices that the
  /// messages are about.
  private var hearsKernel: Bool {
    !sources.contains(.nodes) && open.contains { $0.source == .kernelEvents }
  }
  private var watchers: [Int: Watcher] = [:]
  private var nodeWaiters: [Int: NodeWaiter] = [:]
  private var listeners = 0
  /// The latest reference that was made.
  ///
  /// While it exists, further calls of ``listen()`` return it.
  private nonisolated let lastListening = Mutex(Listening.Weak())
  private var lastKey = 0
  private var rescan: (id: DeadlineID, due: MonotonicTime)?

  /// Makes the object, which opens its sources when a client or a device first needs them.
  ///
  /// - Parameters:
  ///   - sources: The sources of notifications. While a client watches, sysfs is also read every
  ///     second, or more often.
  ///   - udev: libudev; `nil` to read sysfs without it.
  ///   - directory: The folder in which devices of hidsim publish their identities.
  init(sources: [ChangeSource], udev: Udev?, directory: BusDirectory? = nil) {
    self.sources = sources
    self.udev = udev
    self.directory = directory
    scanner = KernelScanner(DeviceTree(udev: udev), directory: directory)
  }

  deinit {
    for source in open { source.stop() }
    if let rescan { Self.loop.cancel(rescan.id) }
  }

  // MARK: Asking

  /// Opens the sources, and keeps them open at least until the returned reference is released.
  nonisolated func listen() async -> Listening {
    if let listening = lastListening.withLock({ $0.listening }) { return listening }
    return await beginListening()
  }

  private func beginListening() -> Listening {
    begin()
    update(isFull: true)
    listeners += 1
    let listening = Listening(self)
    lastListening.withLock { $0.listening = listening }
    return listening
  }

  private func removeListener() {
    listeners -= 1
    guard watchers.isEmpty, listeners == 0 else { return }
    // Tests plug one device after the other, and the sources stay open between them.
    Self.loop.schedule(at: .now.advanced(by: .seconds(1))) { [weak self] in
      self?.assumeIsolated { $0.endIfIdle() }
    }
  }

  /// Starts a stream of the present devices, then ``HIDArrival/settled``, then each change.
  nonisolated func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    let (stream, continuation) = AsyncThrowingStream<HIDArrival, any Error>.makeStream()
    Task { await self.add(continuation) }
    return stream
  }

  private func add(_ watcher: Watcher) {
    // Killed processes may have left files, which no other code might remove.
    if let directory { _ = try? DeviceEntry.readAll(in: directory) }
    begin()
    update(isFull: true)
    lastKey += 1
    let key = lastKey
    watcher.onTermination = { [weak self] _ in Task { await self?.removeWatcher(key) } }
    for device in scanner.devices.values.sorted(by: { $0.instance < $1.instance })
    where scanner.usable.contains(device.folder) {
      if let record = device.record { watcher.yield(.added(record)) }
    }
    // A watcher that ended before its handler was set would never be removed: it is not added.
    if case .terminated = watcher.yield(.settled) { return endIfIdle() }
    watchers[key] = watcher
    scheduleRescan()
  }

  private func removeWatcher(_ key: Int) {
    watchers[key] = nil
    endIfIdle()
  }

  /// The progress of a device towards being ready.
  enum Progress: Hashable, Sendable {
    /// A driver is bound, or none has been bound yet.
    case hopeful
    /// A driver was bound and then unbound, and none has been bound since.
    case gaveUp
    /// The device was unplugged.
    case destroyed
  }

  /// A plugged device that cannot be used yet.
  private struct ExpectedDevice {
    let physicalPath: String
    let nodes: HIDDeviceNodes
    let deadline: MonotonicTime
    let progress: @Sendable () -> Progress
    /// The time since when the device looks as if it will never get a node; `nil` if it does not.
    var hopelessSince: MonotonicTime?
    /// The time of the latest reading of all devices for this device; at first, that at which the
    /// wait began.
    var lastFullScan: MonotonicTime
  }

  /// A task that waits until a plugged device can be used.
  private struct NodeWaiter {
    var device: ExpectedDevice
    let result: Promise<Result<HIDDeviceRecord, HIDBusError>>
    /// The ID of the next scheduled check of the device.
    var timer: DeadlineID
  }

  /// Waits until a driver is bound to a plugged device, its probe is over, the device has the nodes
  /// that the driver makes, and udevd, if it runs, has processed the nodes or had 2 s for that.
  ///
  /// The waiting task runs only at the end: the loop checks the device at each message, and every
  /// 100 ms.
  ///
  /// - Parameters:
  ///   - path: The physical path of the plugged device. The caller must have called ``listen()``
  ///     before plugging it.
  ///   - nodes: The nodes that the device gets.
  ///   - isRebound: True if the device has had another driver before.
  ///   - deadline: The time at which to fail.
  ///   - progress: Returns the current progress of the device.
  /// - Throws: `notStarted` at the deadline or without a driver; `limitReached` without a free
  ///   hidraw node; `gone` if the device was unplugged.
  func waitForNodes(
    at path: String, making nodes: HIDDeviceNodes, isRebound: Bool, until deadline: MonotonicTime,
    progress: @escaping @Sendable () -> Progress
  ) async throws(HIDBusError) -> HIDDeviceRecord {
    if scanner.device(at: path) != nil {
      // It may be an earlier device with the same path: messages about its removal are handled
      // first.
      handleAllMessages()
    }
    if nodes == .none { scanner.expectNoNodes(at: path) }
    defer { if nodes == .none { scanner.endExpectation(at: path) } }
    if isRebound, let device = scanner.forget(physicalPath: path) { tellRemoved([device]) }
    let now = MonotonicTime.now
    var device = ExpectedDevice(
      physicalPath: path, nodes: nodes, deadline: deadline, progress: progress, lastFullScan: now)
    if let result = result(for: &device, at: now) { return try result.get() }
    let result = Promise<Result<HIDDeviceRecord, HIDBusError>>()
    lastKey += 1
    nodeWaiters[lastKey] = NodeWaiter(
      device: device, result: result, timer: scheduleCheck(lastKey, before: deadline, now))
    return try await result.get().get()
  }

  /// Schedules a check of a device in 100 ms, or at the deadline if that is earlier.
  ///
  /// There may be no message: all hidraw nodes may be in use, or udevd may send nothing.
  private func scheduleCheck(
    _ key: Int, before deadline: MonotonicTime, _ now: MonotonicTime
  ) -> DeadlineID {
    Self.loop.schedule(at: min(deadline, now.advanced(by: .milliseconds(100)))) { [weak self] in
      self?.assumeIsolated { discovery in
        let now = MonotonicTime.now
        guard let waiter = discovery.nodeWaiters[key] else { return }
        discovery.nodeWaiters[key]?.timer = discovery.scheduleCheck(
          key, before: waiter.device.deadline, now)
        discovery.check(key, at: now)
      }
    }
  }

  private func checkNodeWaiters() {
    guard !nodeWaiters.isEmpty else { return }
    let now = MonotonicTime.now
    for key in nodeWaiters.keys.sorted() { check(key, at: now) }
  }

  /// Resumes a waiting task if its device can be used, or if the wait for the device is over.
  private func check(_ key: Int, at now: MonotonicTime) {
    guard var waiter = nodeWaiters[key] else { return }
    let result = result(for: &waiter.device, at: now)
    nodeWaiters[key] = result == nil ? waiter : nil
    guard let result else { return }
    Self.loop.cancel(waiter.timer)
    waiter.result.fulfill(result)
  }

  /// Returns the record of a device that can be used, or the reason to stop waiting for it.
  ///
  /// While neither is known, the result is `nil` before the deadline, and `notStarted` from the
  /// deadline on, although the device may still become usable. The call also reads the devices that
  /// may have changed, and reports the changes to the watchers.
  private func result(
    for expected: inout ExpectedDevice, at now: MonotonicTime
  ) -> Result<HIDDeviceRecord, HIDBusError>? {
    // All devices are read again every 100 ms, whatever messages come: some changes have none.
    let isLate = now.duration(since: expected.lastFullScan) >= .milliseconds(100)
    if isLate { expected.lastFullScan = now }
    update(isFull: isLate)
    let progress = expected.progress()
    if progress == .destroyed {
      return .failure(HIDBusError(.gone, "the device was unplugged"))
    }
    let device = scanner.device(at: expected.physicalPath)
    if let device, scanner.usable.contains(device.folder) {
      return .success(device.ownRecord(in: scanner.tree))
    }
    // The 65th device is started and stopped again, or an input driver keeps it without a node.
    let isFull =
      (isLate || expected.hopelessSince != nil || progress == .gaveUp) && device?.hidraw == nil
      && scanner.hidrawCount >= KernelScanner.hidrawLimit
    if expected.nodes != .none, isFull || progress == .gaveUp {
      // Such a device may be between two drivers.
      let since = expected.hopelessSince ?? now
      expected.hopelessSince = since
      if now.duration(since: since) > .milliseconds(300) {
        return .failure(isFull ? Self.noMoreNodes : Self.noDriver)
      }
    } else {
      expected.hopelessSince = nil
    }
    return now < expected.deadline ? nil : .failure(notReady(device))
  }

  private static let noMoreNodes = HIDBusError(
    .limitReached,
    """
    all \(KernelScanner.hidrawLimit) hidraw nodes of the kernel are in use: unplug a device, \
    or use --bus loopback, which has no such limit
    """)

  private static let noDriver = HIDBusError(
    .notStarted,
    """
    the kernel started the device and stopped it again: no driver accepts it; \
    the kernel's log says why (sudo dmesg | grep -i hid)
    """)

  private func notReady(_ device: KernelDevice?) -> HIDBusError {
    let missing = device.map { scanner.missingNodes(of: $0) } ?? []
    let message =
      if !missing.isEmpty {
        """
        missing in /dev: \(missing.joined(separator: ", ")), which the kernel made; if this is a \
        container, start it with -v /dev:/dev --device-cgroup-rule 'c *:* rw'
        """
      } else if let driver = device?.driver {
        "the kernel driver \(driver) did not finish its probe of the device in time"
      } else {
        """
        no driver of the kernel was bound to the device in time: its log says why (sudo dmesg | \
        grep -i hid); for an interface that no driver takes, the device file has "nodes": "none"
        """
      }
    return HIDBusError(.notStarted, message)
  }

  // MARK: Watching

  private func begin() {
    guard open.isEmpty else { return }
    for source in sources {
      guard let opened = source.open(by: udev) else { continue }
      if let descriptor = opened.descriptor {
        let watch = try? Self.loop.watch(descriptor, for: .read) {
          [weak self] _ in self?.assumeIsolated { $0.handleMessages(of: opened) }
        }
        if let watch { open.append(WatchedSource(source: source, opened: opened, watch: watch)) }
      } else if case .nodes(let changes) = opened {
        changes.handle { [weak self] in
          Self.loop.perform { [weak self] in self?.assumeIsolated { $0.handleAllMessages() } }
        }
        open.append(WatchedSource(source: source, opened: opened, watch: nil))
      }
    }
  }

  private func handleAllMessages() {
    readMessages()
    handleChanges()
  }

  private func handleMessages(of opened: OpenChangeSource) {
    readMessages(of: opened)
    handleChanges()
  }

  /// Reads the devices that the messages were about, and checks the devices that tasks wait for.
  ///
  /// It does nothing if no device may have changed.
  private func handleChanges() {
    guard needsFullScan || !changed.isEmpty else { return }
    update()
    checkNodeWaiters()
  }

  private func readMessages() { for source in open { readMessages(of: source.opened) } }

  /// Reads the messages of a source, notes the devices that may have changed, and reports devices
  /// that have lost their driver as removed.
  private func readMessages(of opened: OpenChangeSource) {
    var removed: [KernelDevice] = []
    let (isUnknown, hasLost) = opened.read { message in
      changed.insert(message.folder)
      if let device = scanner.note(message) { removed.append(device) }
    }
    if hasLost { scanner.noteLoss() }
    if isUnknown { needsFullScan = true }
    tellRemoved(removed)
  }

  private func endIfIdle() {
    guard watchers.isEmpty, listeners == 0 else { return }
    for source in open { source.stop() }
    open = []
    if let rescan { Self.loop.cancel(rescan.id) }
    rescan = nil
    scanner.forgetAll()
    changed = []
    needsFullScan = true
  }

  /// Reads the devices that may have changed, and reports the changes to the watchers.
  ///
  /// - Parameter isFull: True to read all devices, whether messages were about them or not.
  private func update(isFull: Bool = false) {
    let now = MonotonicTime.now
    let (added, removed) =
      isFull || needsFullScan || !hearsKernel
      ? scanner.scan(at: now) : scanner.scan(at: now, changed: changed)
    changed = []
    needsFullScan = false
    tellRemoved(removed)
    for device in added {
      guard let record = device.record else { continue }
      for watcher in watchers.values { watcher.yield(.added(record)) }
    }
    scheduleRescan()
  }

  private func tellRemoved(_ devices: [KernelDevice]) {
    for record in devices.lazy.compactMap(\.record) {
      for watcher in watchers.values { watcher.yield(.removed(record)) }
    }
  }

  /// Schedules the next reading of sysfs in 1 s at most, while a client watches: in some containers
  /// no source sends anything.
  ///
  /// The limit is 50 ms while a device is in a state whose end may come without a notification.
  private func scheduleRescan() {
    guard !watchers.isEmpty else { return }
    let pause: Duration = scanner.isUnsettled ? .milliseconds(50) : .seconds(1)
    let due = MonotonicTime.now.advanced(by: pause)
    if let rescan {
      guard due < rescan.due else { return }
      Self.loop.cancel(rescan.id)
    }
    let id = Self.loop.schedule(at: due) { [weak self] in
      self?.assumeIsolated { discovery in
        discovery.rescan = nil
        discovery.update(isFull: true)
      }
    }
    rescan = (id, due)
  }
}
