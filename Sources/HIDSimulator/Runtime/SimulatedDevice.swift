// SPDX-License-Identifier: Apache-2.0

public import HIDSystem
public import HIDWire
import IOLoop
import Synchronization

/// A simulated device: what a device file describes, to be plugged and unplugged.
public final class SimulatedDevice: Sendable {
  /// What the device is.
  public let definition: HIDDeviceDefinition
  /// What people call it: its name, with `#2` and so on for twins.
  public let label: String
  let interfaces: [SimulatedInterface]
  /// Which of several copies it is, from 1.
  private let instance: Int
  private let log: HIDEventLog
  private var timeline: Timeline { log.timeline }
  private let paddedCount = Atomic(0)
  private let commandLink = Mutex<HIDDeviceLink?>(nil)
  private let attachment = Mutex(Attachment())
  /// For who plugs the interfaces: nobody else does meanwhile.
  private let attaching = Turnstile()

  /// Where the device was plugged last, and who plugs it in again.
  private struct Attachment: Sendable {
    var bus: HIDBus?
    var returning: Task<Void, Never>?
    /// Whether the device is being pulled out: what asks for that once more comes from before.
    var isDetaching = false
    /// How often the device was taken out: what was being plugged then is not gone on with.
    var removals = 0
    /// Whether its run has forgotten it.
    var isRetired = false
  }

  /// How long a device may take to be ready.
  ///
  /// Debian's kernel takes 48 ms; emulation a hundred times that.
  public static let readinessBound = Duration.seconds(30)

  private init(
    _ definition: HIDDeviceDefinition, label: String, instance: Int, log: HIDEventLog
  ) {
    self.definition = definition
    self.label = label
    self.log = log
    self.instance = instance
    let isComposite = definition.interfaces.count > 1
    interfaces = definition.interfaces.enumerated().map { index, interface in
      SimulatedInterface(
        interface,
        label: isComposite ? "\(label)/\(interface.name ?? String(index))" : label,
        instance: instance, log: log)
    }
    for interface in interfaces { interface.belongs(to: self) }
  }

  /// Makes devices that can be told apart.
  ///
  /// - Parameters:
  ///   - definitions: What they are, in order.
  ///   - log: Where it is written down what happens to them.
  public static func make(
    _ definitions: [HIDDeviceDefinition], log: HIDEventLog
  ) -> [SimulatedDevice] {
    make(definitions, after: [], log: log)
  }

  /// Makes devices that can be told apart, also from others.
  static func make(
    _ definitions: [HIDDeviceDefinition], after others: [SimulatedDevice], log: HIDEventLog
  ) -> [SimulatedDevice] {
    var devices: [SimulatedDevice] = []
    for definition in definitions {
      devices.append(make(definition, after: others + devices, log: log))
    }
    return devices
  }

  /// Makes a device that can be told apart from those that are there.
  static func make(
    _ definition: HIDDeviceDefinition, after others: [SimulatedDevice], log: HIDEventLog
  ) -> SimulatedDevice {
    let twins = others.filter { $0.definition.name == definition.name }
    let instance = (twins.map(\.instance).max() ?? 0) + 1
    let label = instance == 1 ? definition.name : "\(definition.name)#\(instance)"
    return SimulatedDevice(definition, label: label, instance: instance, log: log)
  }

  /// The name that the log has for an interface.
  ///
  /// - Parameter position: The position of the interface, from 0.
  package func label(ofInterface position: Int) -> String { interfaces[position].label }

  /// The interfaces as clients see them, while the device is plugged; in order.
  public var records: [HIDDeviceRecord] { interfaces.compactMap(\.record) }

  /// Where it is plugged, or was before it pulled itself out.
  var bus: HIDBus? { attachment.withLock { $0.bus } }

  /// The loop that its reports are sent from, while it is plugged.
  var loop: IOLoop? { interfaces.lazy.compactMap { $0.state.withLock { $0.port?.loop } }.first }

  /// How much time of a processor the thread that sends its reports has taken so far; none while it is not plugged.
  package func processorTime() async -> Duration { await loop?.processorTime() ?? .zero }

  /// Plugs the device, all interfaces of it, and returns when it can be used.
  ///
  /// - Throws: What the bus says; then nothing of the device is left plugged.
  public func plug(into bus: HIDBus) async throws(HIDWireError) {
    try await plug(into: bus, wasCreated: {})
  }

  /// Plugs the device.
  ///
  /// - Parameter wasCreated: Is called for each interface when the bus has it: its driver may ask from then on, and
  ///   input reports can be sent.
  func plug(into bus: HIDBus, wasCreated: () -> Void) async throws(HIDWireError) {
    await settle()
    try await attach(to: bus, wasCreated: wasCreated)
  }

  /// Plugs the device, unless it is plugged, or has been by the time its turn comes.
  func plugIfNeeded(into bus: HIDBus) async throws(HIDWireError) {
    guard records.count < interfaces.count else { return }
    await settle()
    try await attach(to: bus, unlessPlugged: true)
  }

  /// Unplugs the device for good: who plugs it now, or did so before, has it no longer.
  func retire() async {
    attachment.withLock { $0.isRetired = true }
    await unplug()
  }

  /// Whether it was unplugged by who has it, and not by itself.
  var wasUnplugged: Bool { attachment.withLock { $0.bus == nil } }

  /// Unplugs the device, and returns when the bus has let go of it.
  public func unplug() async {
    // What asks for a detachment from here on comes from before.
    attachment.withLock { $0.bus = nil }
    await settle()
    await takeOut()
  }

  /// Pulls the device out, and plugs it in again after a pause, if there is one.
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
        } catch let error as HIDWireError {
          self?.tell(.unusable("plugging it again failed: \(error.message)"))
        } catch {
          // Somebody else plugs it, or has unplugged it for good.
        }
      }
    }
  }

  /// Waits for what a detachment has begun, and keeps it from beginning more.
  private func settle() async {
    let task = attachment.withLock { attachment in
      defer { attachment.returning = nil }
      return attachment.returning
    }
    task?.cancel()
    await task?.value
  }

  /// Adds an event of the device to the log, at this time.
  package func tell(_ kind: HIDDeviceEvent.Kind) { tell([kind]) }

  /// Adds events of the device to the log, at this time.
  package func tell(_ kinds: [HIDDeviceEvent.Kind]) {
    guard !kinds.isEmpty else { return }
    let now = timeline.now
    log.append(kinds.map { HIDDeviceEvent(time: now, device: label, kind: $0, client: nil) })
  }

  private func takeOut() async {
    attachment.withLock { $0.removals += 1 }
    await unplugInterfaces()
    // Who was plugging them sees that, and takes out what came after.
    await attaching.pass {}
  }

  private func unplugInterfaces() async {
    for interface in interfaces { await interface.unplug() }
  }

  private func attach(
    to bus: HIDBus, unlessPlugged: Bool = false, wasCreated: () -> Void = {}
  ) async throws(HIDWireError) {
    try await attaching.pass { () throws(HIDWireError) in
      guard interfaces.allSatisfy({ !$0.isPlugged }) else {
        if unlessPlugged { return }
        throw HIDWireError(.invalidArgument, "\(label) is plugged already")
      }
      let removals = attachment.withLock { attachment in
        guard !attachment.isRetired else { return nil as Int? }
        attachment.bus = bus
        return attachment.removals
      }
      guard let removals else {
        throw HIDWireError(.gone, "\(label) was unplugged, and cannot be plugged again")
      }
      do throws(HIDWireError) {
        try await plugInterfaces(into: bus, wasCreated: wasCreated) {
          attachment.withLock { $0.removals == removals }
        }
      } catch {
        await unplugInterfaces()
        throw error
      }
    }
  }

  private func plugInterfaces(
    into bus: HIDBus, wasCreated: () -> Void, while isWanted: () -> Bool
  ) async throws(HIDWireError) {
    let id = bus.allocateDeviceID()
    let identity = HIDDeviceIdentity(
      name: definition.name, vendorID: UInt32(definition.vendorID),
      productID: UInt32(definition.productID), versionNumber: UInt32(definition.versionNumber),
      countryCode: UInt32(definition.countryCode), transport: definition.transport,
      manufacturer: definition.manufacturer ?? "", serialNumber: definition.serialNumber ?? "")
    for (index, interface) in interfaces.enumerated() {
      let path = HIDPhysicalPath(
        place: definition.place ?? "", deviceID: id, interface: index)
      try await interface.plug(
        identity, path, into: bus.peripherals, within: Self.readinessBound,
        wasCreated: wasCreated)
      guard isWanted() else {
        throw HIDWireError(.gone, "\(label) was unplugged while it was being plugged")
      }
    }
  }

  /// The command link of the device; nil if it has none.
  package var link: HIDDeviceLink? {
    get { commandLink.withLock { $0 } }
    set { commandLink.withLock { $0 = newValue } }
  }

  /// Whether another program has one of the interfaces open, and would get what is sent now; on the loopback bus any.
  package var hasReader: Bool {
    get async {
      for interface in interfaces where await interface.hasReader() { return true }
      return false
    }
  }

  /// Takes what the hosts have done by now.
  func catchUp() async {
    for interface in interfaces { await interface.catchUp() }
  }

  /// How many short reports were filled up with zeros by whoever sent them.
  package var padded: Int { paddedCount.load(ordering: .relaxed) }

  /// Counts short reports that were filled up before they were sent.
  package func countPadded(_ count: Int) { paddedCount.add(count, ordering: .relaxed) }

  /// Sends input reports of one interface in order, waiting for room where a client has none.
  ///
  /// - Parameters:
  ///   - reports: The reports, their ID first if they are numbered.
  ///   - interface: The position of the interface, from 0.
  /// - Throws: `reportMismatch` before any is sent, if one is not as declared; `gone`.
  public func send(_ reports: [[UInt8]], interface: Int = 0) async throws(HIDWireError) {
    var batch = HIDReportBatch()
    for report in reports { batch.append(report) }
    try await send(batch, interface: interface)
  }

  /// Sends a batch of input reports of one interface in order, waiting for room where a client has none.
  ///
  /// - Parameters:
  ///   - batch: The reports, their ID first if they are numbered.
  ///   - interface: The position of the interface, from 0.
  /// - Throws: `reportMismatch` before any is sent, if one is not as declared; `gone`.
  public func send(_ batch: HIDReportBatch, interface: Int = 0) async throws(HIDWireError) {
    try await send(batch, interface: interface, own: nil)
  }

  /// - Parameter own: What the log is to have of each report, where it was filled up before.
  package func send(
    _ batch: HIDReportBatch, interface: Int, own: HIDReportBatch? = nil,
    progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDWireError) {
    guard interfaces.indices.contains(interface) else {
      throw HIDWireError(
        .invalidArgument,
        "\(label) has no interface \(interface); it has \(interfaces.count.counting("interface")), "
          + "numbered from 0")
    }
    try await interfaces[interface].send(batch, own: own, progress: progress)
  }

  /// Notes an input report of one interface that is not sent, because the descriptor does not declare it.
  package func noteUnsent(_ report: [UInt8], interface: Int) {
    interfaces[interface].noteUnsent(report)
  }

  // MARK: Who drives it

  /// Leaves requests of the host to the caller, from now on: they are events of the log, and wait for
  /// ``answer(_:with:)``.
  ///
  /// What is not answered by the delegation's deadline the device answers itself. Before the device is plugged, the
  /// requests of its driver are left to the caller too.
  ///
  /// - Parameter delegation: Which requests; `nil` for none.
  public func delegate(_ delegation: HIDDelegation?) {
    for interface in interfaces { interface.setDelegation(delegation) }
  }

  /// Answers a request that was left to the caller.
  ///
  /// - Parameters:
  ///   - request: The request's ``HIDDelegatedRequest/number``.
  ///   - answer: What the host is told.
  /// - Returns: Whether the request still waited for its answer, and can be answered so.
  @discardableResult
  public func answer(_ request: UInt64, with answer: HIDDelegatedAnswer) -> Bool {
    outcome(of: answer, to: request) == .answered
  }

  /// Answers a request, and says what became of the answer.
  func outcome(
    of answer: HIDDelegatedAnswer, to request: UInt64
  ) -> SimulatedInterface.Outcome {
    for interface in interfaces {
      let outcome = interface.answer(request, with: answer)
      if outcome != .notWaiting { return outcome }
    }
    return .notWaiting
  }

  /// The names and values of what the device file declares as state, in its order.
  ///
  /// - Parameter interface: The position of the interface, from 0.
  public func state(interface: Int = 0) -> [(name: String, value: HIDStateValue)] {
    guard interfaces.indices.contains(interface) else { return [] }
    return interfaces[interface].withModel { $0.stateValues }
  }
}
