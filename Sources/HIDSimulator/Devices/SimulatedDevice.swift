// SPDX-License-Identifier: Apache-2.0

public import HIDBus
public import HIDReportDescriptor
import HIDText
import IOLoop
import Synchronization

/// A simulated device, made from a definition, that can be plugged and unplugged.
public final class SimulatedDevice: Sendable {
  /// The definition of the device.
  public let definition: HIDDeviceDefinition
  /// The name in messages: the device's name, with a number such as `#2` if an earlier device has
  /// the name, or if the label is taken.
  public let label: String
  package let interfaces: [SimulatedInterface]
  /// The number of this copy of the device, from 1.
  private let instance: Int
  private let log: HIDEventLog
  private var timeline: Timeline { log.timeline }
  private let paddedCount = Atomic(0)
  private let commandLink = Mutex<HIDDeviceLink?>(nil)
  private let attachment = Mutex(Attachment())
  /// The lock that admits one task at a time to plug the interfaces.
  private let attaching = AsyncLock()
  /// The lock that admits one task at a time to unplug the interfaces.
  private let removing = AsyncLock()

  /// The bus of the device, and the progress of plugging and unplugging it.
  private struct Attachment: Sendable {
    var bus: HIDBus?
    var returning: Task<Void, Never>?
    /// True while the device unplugs itself.
    ///
    /// Further requests to do so are ignored.
    var isDetaching = false
    /// The number of times that unplugging has begun.
    ///
    /// An attempt to plug the device fails if this number changes during the attempt.
    var removals = 0
    /// True if the device was unplugged for good.
    var isRetired = false
  }

  /// The time limit for each interface of a device to get its driver and its nodes.
  ///
  /// The limit does not include the time for which hidsim waits to grab the evdev nodes, which
  /// keeps their input away from the desktop. Debian's kernel takes 48 ms for driver and nodes;
  /// emulation takes a hundred times as long.
  public static let readinessBound = Duration.seconds(30)

  private init(
    _ definition: HIDDeviceDefinition, label: String, instance: Int, log: HIDEventLog
  ) {
    self.definition = definition
    self.label = label
    self.log = log
    self.instance = instance
    let labels = SimulatedDevice.labels(ofInterfacesIn: definition, label)
    interfaces = zip(definition.interfaces, labels).map {
      SimulatedInterface($0, label: $1, instance: instance, log: log)
    }
    for interface in interfaces { interface.setDevice(self) }
  }

  /// Returns the labels of the interfaces of a device.
  private static func labels(
    ofInterfacesIn definition: HIDDeviceDefinition, _ label: String
  ) -> [String] {
    guard definition.interfaces.count > 1 else { return definition.interfaces.map { _ in label } }
    return definition.interfaces.enumerated().map { index, interface in
      "\(label)/\(interface.name ?? String(index))"
    }
  }

  /// Creates devices with different labels.
  ///
  /// - Parameters:
  ///   - definitions: The definitions of the devices, in order.
  ///   - log: The log of their events.
  public static func make(
    _ definitions: [HIDDeviceDefinition], log: HIDEventLog
  ) -> [SimulatedDevice] {
    make(definitions, after: [], log: log)
  }

  /// Creates devices whose labels differ from each other and from those of other devices.
  package static func make(
    _ definitions: [HIDDeviceDefinition], after others: [SimulatedDevice], log: HIDEventLog
  ) -> [SimulatedDevice] {
    var devices: [SimulatedDevice] = []
    for definition in definitions {
      devices.append(make(definition, after: others + devices, log: log))
    }
    return devices
  }

  /// Creates a device whose labels differ from those of other devices and their interfaces.
  package static func make(
    _ definition: HIDDeviceDefinition, after others: [SimulatedDevice], log: HIDEventLog
  ) -> SimulatedDevice {
    let twins = others.filter { $0.definition.name == definition.name }
    let instance = (twins.map(\.instance).max() ?? 0) + 1
    let taken = Set(others.flatMap { [$0.label] + $0.interfaces.map(\.label) })
    func isFree(_ label: String) -> Bool {
      taken.isDisjoint(with: [label] + labels(ofInterfacesIn: definition, label))
    }
    // A name can end with `#2` itself, so the label of a second device can be taken.
    var (number, label) = (instance, definition.name)
    if number > 1 { label += "#\(number)" }
    while !isFree(label) {
      number += 1
      label = "\(definition.name)#\(number)"
    }
    return SimulatedDevice(definition, label: label, instance: instance, log: log)
  }

  /// Returns the label of an interface in the log.
  ///
  /// - Parameter position: The position of the interface, from 0.
  package func label(ofInterface position: Int) -> String { interfaces[position].label }

  /// The records of the plugged interfaces that have become ready, in order.
  ///
  /// A record stays while the kernel's driver changes, and if no other driver comes.
  public var records: [HIDDeviceRecord] { interfaces.compactMap(\.record) }

  /// The bus into which the device was last plugged, also if that failed or the device unplugged
  /// itself; nil before the first attempt to plug it and after ``unplug()``.
  ///
  /// After ``unplug()`` it is not nil if another task plugged the device again during that call.
  package var bus: HIDBus? { attachment.withLock { $0.bus } }

  /// The loop that sends the device's reports; nil while the device is not plugged.
  package var loop: IOLoop? { interfaces.lazy.compactMap { $0.port?.loop }.first }

  /// Returns the processor time that the thread which sends the device's reports has used; zero
  /// while the device is not plugged.
  package func processorTime() async -> Duration { await loop?.processorTime() ?? .zero }

  /// Plugs all interfaces of the device, and returns when it can be used.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - bound: The time limit for each interface to get its driver and its nodes.
  /// - Throws: `invalidArgument` if the device is plugged already, which changes nothing. `gone` if
  ///   it was unplugged for good, or meanwhile; or the error of the bus. Then no interface is left
  ///   plugged.
  public func plug(
    into bus: HIDBus, within bound: Duration = readinessBound
  ) async throws(HIDBusError) {
    try await plug(into: bus, within: bound, wasCreated: {})
  }

  /// Plugs the device.
  ///
  /// - Parameter wasCreated: Called for each interface after the bus has created it. Input reports
  ///   can be sent from then on. Its driver may already have sent requests.
  package func plug(
    into bus: HIDBus, within bound: Duration = readinessBound, wasCreated: () -> Void
  ) async throws(HIDBusError) {
    await settle()
    try await attach(to: bus, within: bound, wasCreated: wasCreated)
  }

  /// Plugs the device, unless it is plugged already or another task plugs it first.
  package func plugIfNeeded(into bus: HIDBus) async throws(HIDBusError) {
    guard records.count < interfaces.count else { return }
    await settle()
    try await attach(to: bus, unlessPlugged: true)
  }

  /// Unplugs the device for good: current and later attempts to plug it fail.
  package func retire() async {
    attachment.withLock { $0.isRetired = true }
    await unplug()
  }

  /// True if the owner has unplugged the device or never tried to plug it; false while it is
  /// plugged, after plugging failed, and after it unplugged itself.
  package var wasUnplugged: Bool { attachment.withLock { $0.bus == nil } }

  /// Unplugs the device, and returns when the bus has released it.
  public func unplug() async {
    // From here on, `detach(pause:)` does nothing.
    attachment.withLock { $0.bus = nil }
    await settle()
    await takeOut(forgetsBus: true)
  }

  /// Starts a task that unplugs the device, and plugs it again after a pause unless that is nil.
  ///
  /// Does nothing if such a task is unplugging the device, or if the owner has unplugged it.
  func detach(pause: Duration?) {
    attachment.withLock { attachment in
      guard !attachment.isDetaching, let bus = attachment.bus else { return }
      attachment.isDetaching = true
      let last = attachment.returning
      let timeline = timeline
      timeline.beginWork()
      attachment.returning = Task { [weak self] in
        defer { timeline.endWork() }
        await last?.value
        await self?.takeOut()
        self?.attachment.withLock { $0.isDetaching = false }
        guard let pause else { return }
        do {
          try await timeline.sleep(for: pause)
          try await self?.attach(to: bus)
        } catch let error as HIDBusError {
          self?.tell(.unusable("plugging it again failed: \(error.message)"))
        } catch {
          // Cancelled: another task plugs or unplugs the device.
        }
      }
    }
  }

  /// Cancels the task of `detach(pause:)`, and waits until it has ended.
  ///
  /// The task still unplugs the device. It does not plug the device again unless it has begun to.
  private func settle() async {
    let task = attachment.withLock { attachment in
      defer { attachment.returning = nil }
      return attachment.returning
    }
    task?.cancel()
    await task?.value
  }

  /// Adds an event of the device to the log, with the current time.
  package func tell(_ kind: HIDDeviceEvent.Kind) { tell([kind]) }

  /// Adds events of the device to the log, with the current time.
  package func tell(_ kinds: [HIDDeviceEvent.Kind]) {
    guard !kinds.isEmpty else { return }
    let now = timeline.now
    log.append(kinds.map { HIDDeviceEvent(time: now, device: label, kind: $0, client: nil) })
  }

  /// Unplugs the device, and returns when the bus has released it and attempts to plug it are over.
  ///
  /// - Parameter forgetsBus: True if the owner unplugs the device.
  private func takeOut(forgetsBus: Bool = false) async {
    attachment.withLock { attachment in
      attachment.removals += 1
      // An attempt to plug the device that has begun by now fails, also if it has set the bus.
      if forgetsBus { attachment.bus = nil }
    }
    await unplugInterfaces()
    // A task that plugs the interfaces sees the new count, and unplugs them again. Taking the lock
    // waits for that task.
    await attaching.withLock {}
  }

  /// Unplugs all interfaces; waits for another task that unplugs them.
  private func unplugInterfaces() async {
    await removing.withLock {
      for interface in interfaces { await interface.unplug() }
    }
  }

  private func attach(
    to bus: HIDBus, within bound: Duration = readinessBound, unlessPlugged: Bool = false,
    wasCreated: () -> Void = {}
  ) async throws(HIDBusError) {
    try await attaching.withLock { () throws(HIDBusError) in
      guard interfaces.allSatisfy({ !$0.isPlugged }) else {
        if unlessPlugged { return }
        throw HIDBusError(.invalidArgument, "\(label) is plugged already")
      }
      let removals = attachment.withLock { attachment in
        guard !attachment.isRetired else { return nil as Int? }
        attachment.bus = bus
        return attachment.removals
      }
      guard let removals else {
        throw HIDBusError(.gone, "\(label) was unplugged, and cannot be plugged again")
      }
      do throws(HIDBusError) {
        try HIDBusError.check(timeline, "plug \"\(label)\"")
        let id = await bus.nextDeviceID()
        try await withTaskExecutorPreference(bus.deviceBus.pluggingExecutor) {
          () throws(HIDBusError) in
          try await plugInterfaces(id, into: bus, within: bound, wasCreated: wasCreated) {
            attachment.withLock { $0.removals == removals }
          }
        }
      } catch {
        await unplugInterfaces()
        throw error
      }
    }
  }

  private func plugInterfaces(
    _ id: HIDDeviceID, into bus: HIDBus, within bound: Duration, wasCreated: () -> Void,
    while isWanted: () -> Bool
  ) async throws(HIDBusError) {
    let identity = definition.identity
    // The interfaces of a USB device are plugged together. On other buses each is ready before the
    // next is plugged, so that their nodes have the order of the interfaces.
    let groups =
      bus.deviceBus.joinsInterfaces ? [interfaces.indices] : interfaces.indices.map { $0..<$0 + 1 }
    for group in groups {
      let pluggings = group.map { index in
        let path = HIDPhysicalPath(
          place: definition.place ?? "", deviceID: id,
          interface: definition.pathNumber(ofInterface: index, on: bus.kind))
        return interfaces[index].beginPlugging(identity, definition.usb, path, into: bus.kind)
      }
      try await plug(interfaces[group], pluggings, into: bus.deviceBus, within: bound, wasCreated)
      guard isWanted() else {
        throw HIDBusError(.gone, "\(label) was unplugged while it was being plugged")
      }
    }
  }

  private func plug(
    _ group: ArraySlice<SimulatedInterface>, _ pluggings: [SimulatedInterface.Plugging],
    into bus: any HIDDeviceBus, within bound: Duration, _ wasCreated: () -> Void
  ) async throws(HIDBusError) {
    let ports: [any HIDDevicePort]
    do throws(HIDBusError) {
      ports = try await bus.plug(pluggings.map(\.description), handlers: Array(group))
    } catch {
      for interface in group { interface.cancelPlugging() }
      throw error
    }
    for (interface, port) in zip(group, ports) {
      try await interface.take(port)
      wasCreated()
    }
    for (interface, (plugging, port)) in zip(group, zip(pluggings, ports)) {
      try await interface.finish(plugging, port, within: bound)
    }
  }

  /// The command link, on which clients send packets to the device; nil if the device has none.
  package var link: HIDDeviceLink? {
    get { commandLink.withLock { $0 } }
    set { commandLink.withLock { $0 = newValue } }
  }

  /// The labels of the interfaces, in order.
  package var interfaceLabels: [String] { interfaces.map(\.label) }

  /// The state of the USB device; nil on another bus, and while the device is not plugged.
  package var usbState: USBDeviceState? {
    get async { await interfaces.first?.port?.usbState() }
  }

  /// True if another program has an interface open and would receive reports now.
  ///
  /// On the loopback bus a client in this process counts too.
  package var hasReader: Bool {
    get async {
      for interface in interfaces where await interface.hasReader() { return true }
      return false
    }
  }

  /// Waits until the device has received everything that hosts have sent by now.
  package func catchUp() async {
    for interface in interfaces { await interface.catchUp() }
  }

  /// The number of short reports that were filled up with zeros, as far as senders have counted
  /// them by ``countPadded(_:)``.
  ///
  /// The reports of a trace and of a proxy are not included.
  package var padded: Int { paddedCount.load(ordering: .relaxed) }

  /// Adds to the number of short reports that were filled up with zeros before they were sent.
  package func countPadded(_ count: Int) { paddedCount.add(count, ordering: .relaxed) }

  /// Sends input reports of one interface in order, and waits while a client that makes progress
  /// has no room.
  ///
  /// If the bus does not wait for clients, reports are sent at a limited rate.
  ///
  /// - Parameters:
  ///   - reports: The reports, their ID first if they are numbered.
  ///   - interface: The position of the interface, from 0.
  /// - Throws: `reportMismatch`, before any report is sent, if a report is not as declared; `gone`
  ///   if the device is not plugged; `invalidArgument` if there is no such interface; the error of
  ///   the bus, or the reason why the device cannot take input; `other` if the task is cancelled
  ///   while the kernel's driver changes.
  public func send(_ reports: [[UInt8]], interface: Int = 0) async throws(HIDBusError) {
    var batch = HIDReportBatch()
    for report in reports { batch.append(report) }
    try await send(batch, interface: interface)
  }

  /// Sends a batch of input reports of one interface in order, and waits while a client that makes
  /// progress has no room.
  ///
  /// If the bus does not wait for clients, reports are sent at a limited rate.
  ///
  /// - Parameters:
  ///   - batch: The reports, their ID first if they are numbered.
  ///   - interface: The position of the interface, from 0.
  /// - Throws: `reportMismatch`, before any report is sent, if a report is not as declared; `gone`
  ///   if the device is not plugged; `invalidArgument` if there is no such interface; the error of
  ///   the bus, or the reason why the device cannot take input; `other` if the task is cancelled
  ///   while the kernel's driver changes.
  public func send(_ batch: HIDReportBatch, interface: Int = 0) async throws(HIDBusError) {
    try await send(batch, interface: interface, own: nil)
  }

  /// Sends a batch of input reports, and calls a closure after each part of it.
  ///
  /// - Parameters:
  ///   - own: The reports for the log, as they were before they were filled up with zeros; nil to
  ///     log those of `batch`.
  ///   - progress: Called after each part with the number of reports sent so far.
  package func send(
    _ batch: HIDReportBatch, interface: Int, own: HIDReportBatch? = nil,
    progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    guard interfaces.indices.contains(interface) else {
      throw HIDBusError(
        .invalidArgument,
        "\(label) has no interface \(interface); it has \(interfaces.count.counting("interface")), "
          + "numbered from 0")
    }
    try await interfaces[interface].send(batch, own: own, progress: progress)
  }

  /// Logs an input report of one interface that is not sent because the report descriptor does not
  /// declare it, or declares it shorter.
  ///
  /// Does nothing if the log only counts input reports.
  package func noteUnsent(_ report: [UInt8], interface: Int) {
    interfaces[interface].noteUnsent(report)
  }

  // MARK: Who drives it

  /// Delegates requests of the host to the caller: they are events of the log, and wait for
  /// ``answer(_:with:)``.
  ///
  /// The device answers a request itself after the delegation's deadline. If the device is not
  /// plugged yet, the requests of its driver are delegated too.
  ///
  /// - Parameter delegation: The requests to delegate; `nil` for none.
  public func delegate(_ delegation: HIDDelegation?) {
    for interface in interfaces { interface.setDelegation(delegation) }
  }

  /// Answers a delegated request.
  ///
  /// - Parameters:
  ///   - request: The request's ``HIDDelegatedRequest/number``.
  ///   - answer: The answer for the host; nil for the device's own answer, as if the request were
  ///     not delegated. Write `HIDRequestAnswer.none` for no answer: `.none` alone is nil here. The
  ///     device remembers a report that is accepted, if the report descriptor declares it.
  /// - Returns: True if the request still waited and this answer is valid for it.
  @discardableResult
  public func answer(_ request: UInt64, with answer: HIDRequestAnswer?) -> Bool {
    outcome(of: answer, to: request) == .answered
  }

  /// Answers a delegated request, and returns the outcome.
  ///
  /// - Parameter owner: The owner that answers; `nil` to answer a request of any owner.
  package func outcome(
    of answer: HIDRequestAnswer?, to request: UInt64, by owner: Int? = nil
  ) -> SimulatedInterface.Outcome {
    for interface in interfaces {
      let outcome = interface.answer(request, with: answer, by: owner)
      if outcome != .notWaiting { return outcome }
    }
    return .notWaiting
  }

  /// Returns the names and values of the states, in the order of the device file.
  ///
  /// - Parameter interface: The position of the interface, from 0.
  /// - Returns: The states; none if there is no such interface.
  public func state(interface: Int = 0) -> [(name: String, value: HIDStateValue)] {
    guard interfaces.indices.contains(interface) else { return [] }
    return interfaces[interface].withModel { $0.stateValues }
  }
}
