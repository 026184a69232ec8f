// SPDX-License-Identifier: Apache-2.0

package import HIDBus
package import HIDReportDescriptor
import HIDTraces
package import IOLoop
import Synchronization

/// One interface of a simulated device, which receives the events of its port and answers requests.
package final class SimulatedInterface: HIDDeviceHandler {
  struct State: Sendable {
    var model: HIDInterfaceModel
    var attachment = InterfaceAttachment()
    var pacing = ReportPacing()
    var driver = DriverState()
    var replies = ReplyQueue()
    var delegated = DelegatedRequests()
    /// The device to which the interface belongs.
    weak var device: SimulatedDevice?
    /// The counters of reports and requests in transit, one for each host in this process, if the
    /// time is virtual.
    var flights: [InputFlight] = []

    /// True on the kernel's bus until the device is ready, and while it changes its driver.
    ///
    /// Programs then have no node of the device. The property is false once the device counts as
    /// unusable.
    var isBeingTaken: Bool {
      attachment.hasDrivers && (driver.usability.isChanging || attachment.record == nil)
    }
  }

  /// The name in messages: the device's label, and the interface's name or number if there are
  /// several.
  package let label: String
  package let definition: HIDInterfaceDefinition
  /// The declared lengths of the reports.
  package let lengths: HIDReportLengths
  /// The number of the device's copy, from 1.
  private let instance: Int
  let log: HIDEventLog
  private let clocks: BehaviourClocks
  /// The lock that admits one task at a time to note and send reports.
  ///
  /// A report that sets or releases some controls, or that is a touch frame, is also made under the
  /// lock, from the report before it. Without the lock an older report could follow a newer one.
  let sending = AsyncLock()
  let state: Mutex<State>
  /// The number of times that a task on the port's loop has sent reports.
  let loopSendings = Atomic<Int>(0)
  /// The number of changes for which tasks wait that need the kernel's next driver.
  ///
  /// It is not a part of `state`, under which events are logged: the cancellation of a task that
  /// waits must not need a lock under which other tasks are resumed.
  let changeCount = ConditionMutex(0)

  init(
    _ definition: HIDInterfaceDefinition, label: String, instance: Int = 1, log: HIDEventLog
  ) {
    self.definition = definition
    self.label = label
    self.instance = instance
    self.log = log
    clocks = BehaviourClocks(on: log.timeline)
    let model = HIDInterfaceModel(definition)
    lengths = model.lengths
    state = Mutex(State(model: model))
  }

  /// Sets the device to which the interface belongs, which a behaviour can unplug and plug again.
  func setDevice(_ device: SimulatedDevice) { state.withLock { $0.device = device } }

  /// The record of the interface on its bus; nil unless the interface is plugged and has become
  /// ready.
  ///
  /// The record stays while the kernel's driver changes, and if no other driver comes.
  package var record: HIDDeviceRecord? { state.withLock { $0.attachment.record } }

  /// True if a client, or a driver of the kernel, has the device open.
  package var isOpen: Bool { state.withLock { $0.model.isOpen } }

  /// True while the interface is plugged or being plugged.
  var isPlugged: Bool { state.withLock { $0.attachment.isPlugged } }

  /// The port; nil before the bus has made it, and while the interface is not plugged.
  var port: (any HIDDevicePort)? { state.withLock { $0.attachment.port } }

  /// The timeline of the device.
  package var timeline: Timeline { log.timeline }

  /// Calls a closure with exclusive access to the model.
  package func withModel<Value: Sendable>(_ body: (inout HIDInterfaceModel) -> Value) -> Value {
    state.withLock { body(&$0.model) }
  }

  // MARK: Virtual time

  /// Adds a host's counter of reports and requests in transit.
  package func add(_ flight: InputFlight) { state.withLock { $0.flights.append(flight) } }

  /// Removes a host's counter of reports and requests in transit.
  package func remove(_ flight: InputFlight) {
    state.withLock { state in state.flights.removeAll { $0 === flight } }
  }

  /// Waits until the device has received everything that hosts have sent by now.
  package func catchUp() async { await port?.catchUp() }

  // MARK: Plugging

  /// The state of an interface that has begun to be plugged.
  struct Plugging: Sendable {
    /// The description with which the bus plugs the interface.
    let description: HIDDeviceDescription
    fileprivate let begun: MonotonicTime
    fileprivate let effects: [HIDInterfaceModel.Effect]
  }

  /// Begins to plug the interface: its model starts, and events of its next port are handled.
  ///
  /// The caller plugs it into the bus, and then calls ``take(_:)`` and ``finish(_:_:within:)``. If
  /// the bus throws an error, the caller calls ``cancelPlugging()`` instead.
  func beginPlugging(
    _ identity: HIDDeviceIdentity, _ usb: USBSettings, _ path: HIDPhysicalPath,
    into bus: HIDBusKind
  ) -> Plugging {
    let begun = timeline.now
    let effects = state.withLock { state in
      state.attachment.beginPlugging(hasDrivers: bus.usesKernel)
      let number = path.deviceID.rawValue >> 8
      return state.model.plug(instance: instance, device: number, at: begun)
    }
    var description = HIDDeviceDescription(
      identity: identity, physicalPath: path, descriptor: definition.descriptor)
    description.nodes = definition.nodes
    description.usb = usb
    description.usbInterface = definition.usb
    return Plugging(description: description, begun: begun, effects: effects)
  }

  /// Notes that the bus has not plugged the interface.
  func cancelPlugging() { state.withLock { $0.attachment.unplug() } }

  /// Takes the port that the bus has made.
  ///
  /// - Throws: `gone` if the interface was unplugged meanwhile. The port is destroyed then.
  func take(_ port: any HIDDevicePort) async throws(HIDBusError) {
    guard state.withLock({ $0.attachment.take(port) }) else {
      await port.destroy()
      throw unpluggedMeanwhile
    }
  }

  /// Waits until the interface can be used, and starts its timers.
  ///
  /// - Parameters:
  ///   - plugging: The result of ``beginPlugging(_:_:_:into:)``.
  ///   - port: The port, given to ``take(_:)`` before.
  ///   - bound: The longest wait.
  func finish(
    _ plugging: Plugging, _ port: any HIDDevicePort, within bound: Duration
  ) async throws(HIDBusError) {
    let (begun, effects) = (plugging.begun, plugging.effects)
    let record: HIDDeviceRecord
    do throws(HIDBusError) {
      record = try await port.ready(within: bound)
    } catch {
      let explained = explained(error)
      await unplug()
      throw explained
    }
    if let node = record.hidrawNode { NodeOpenings.shared.watch(node) }
    let isolation = await port.isolation
    let isReady = state.withLock { state in
      guard state.attachment.setRecord(record, of: port) else { return false }
      let now = timeline.now
      log.append(
        HIDDeviceEvent(
          time: now, device: label,
          kind: .plugged(record, isolation, after: now.duration(since: begun)), client: nil))
      return true
    }
    guard isReady else {
      throw unpluggedMeanwhile
    }
    followDriver(port, isNew: false)
    for effect in effects { perform(effect, port, for: .own) }
    state.withLock { state in
      // Another task may have unplugged the interface meanwhile. `unplug` stops the timers under
      // the lock, too: they do not start after that.
      guard state.attachment.port === port else { return }
      clocks.start(state.model.timers) { [weak self] in self?.tick($0, port) }
    }
  }

  private var unpluggedMeanwhile: HIDBusError {
    HIDBusError(.gone, "\(label) was unplugged while it was being plugged")
  }

  /// Returns an error, with the first refused get request if the device did not start.
  ///
  /// Drivers usually give up because of such a request.
  private func explained(_ error: HIDBusError) -> HIDBusError {
    guard error.kind == .notStarted, let refused = withModel({ $0.firstRefusal }) else {
      return error
    }
    let report = "\(refused.type) report" + (refused.id.map { " \($0.rawValue)" } ?? "")
    return HIDBusError(
      .notStarted,
      "\(error.message). A driver had requested \(report), and got an error or no answer")
  }

  /// Unplugs the interface, if it is plugged, and returns when the bus has released it.
  ///
  /// If the bus is still creating the interface, or another task unplugs it, the method does not
  /// wait for the bus.
  func unplug() async {
    clocks.stop()
    // Events that the host caused before must be logged before the end.
    await port?.catchUp()
    let (port, wasReady) = state.withLock { state in
      // The end of `plug` may have started the timers again.
      clocks.stop()
      defer {
        state.attachment.unplug()
        state.replies.removeAll()
        state.delegated.removeAll()
        state.driver.unplug()
        state.model.unplugged()
      }
      return (state.attachment.port, state.attachment.record != nil)
    }
    resumeWaiting()
    guard let port else { return }
    // The losses are also read before: the kernel's bus forgets reported losses with the device.
    let lostBefore = await port.lostReports
    await port.destroy()
    let lost = max(lostBefore, await port.lostReports)
    if lost > 0 {
      log.append(
        HIDDeviceEvent(time: timeline.now, device: label, kind: .lostInput(lost), client: nil))
    }
    if wasReady {
      log.append(HIDDeviceEvent(time: timeline.now, device: label, kind: .unplugged, client: nil))
    }
  }
}
