// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// One plugged interface of a simulated device: takes what its port brings, and answers.
final class SimulatedInterface: HIDPeripheralHandler {
  private struct State: Sendable {
    var model: HIDInterfaceModel
    var port: (any HIDPeripheralPort)?
    var record: HIDDeviceRecord?
    /// What happened before the device was ready: told after that it is plugged.
    var early: [HIDDeviceEvent] = []
  }

  /// What people call it: the device's name, and the interface's where there are several.
  let label: String
  let definition: HIDInterfaceDefinition
  private let log: HIDEventLog
  private let state: Mutex<State>

  init(_ definition: HIDInterfaceDefinition, label: String, log: HIDEventLog) {
    self.definition = definition
    self.label = label
    self.log = log
    state = Mutex(State(model: HIDInterfaceModel(definition, name: label)))
  }

  /// The device as clients see it, while it is plugged and ready.
  var record: HIDDeviceRecord? { state.withLock { $0.record } }

  /// Whether a client, or a driver of the kernel's, has the device open.
  var isOpen: Bool { state.withLock { $0.model.isOpen } }

  /// Looks at what the interface knows, or changes it.
  func withModel<Value: Sendable>(_ body: (inout HIDInterfaceModel) -> Value) -> Value {
    state.withLock { body(&$0.model) }
  }

  // MARK: Plugging

  /// Plugs the interface, and waits until it can be used.
  func plug(
    _ identity: HIDDeviceIdentity, _ path: HIDPhysicalPath, into bus: any HIDPeripheralBus,
    within bound: Duration
  ) async throws(HIDWireError) {
    let begun = MonotonicTime.now
    let port = try await bus.plug(
      HIDPeripheralDescription(
        identity: identity, physicalPath: path, descriptor: definition.descriptor),
      handler: self)
    state.withLock { $0.port = port }
    do throws(HIDWireError) {
      let record = try await port.ready(within: bound)
      let isolation = await port.isolation
      let now = MonotonicTime.now
      log.append(
        HIDDeviceEvent(
          time: now, device: label,
          kind: .plugged(record, isolation, after: now.duration(since: begun)),
          client: nil))
      // Told under the lock, so that nothing overtakes what happened earlier.
      state.withLock { state in
        state.record = record
        for event in state.early { log.append(event) }
        state.early = []
      }
    } catch {
      await unplug()
      throw error
    }
  }

  /// Unplugs the interface, if it is plugged, and returns when the bus has let go of it.
  func unplug() async {
    let (port, wasReady) = state.withLock { state in
      defer {
        state.port = nil
        state.record = nil
        state.early = []
        state.model.unplugged()
      }
      return (state.port, state.record != nil)
    }
    guard let port else { return }
    await port.destroy()
    if wasReady {
      log.append(HIDDeviceEvent(time: .now, device: label, kind: .unplugged, client: nil))
    }
  }

  // MARK: Input

  /// Sends input reports in order, waiting for room where a client has none.
  func send(_ reports: [[UInt8]]) async throws(HIDWireError) {
    guard let port = state.withLock({ $0.port }) else {
      throw HIDWireError(.gone, "\(label) is not plugged")
    }
    var batch = HIDReportBatch()
    for report in reports { batch.append(report) }
    // Told before it is sent: the host's answer may be here before we are back.
    for report in reports {
      tell(.input(state.withLock { $0.model.noteInput(report) }))
    }
    try await port.send(batch)
  }

  // MARK: What the host does

  func receive(_ events: [HIDHostEventRecord], from port: any HIDPeripheralPort) {
    for event in events {
      let (effects, happenings) = state.withLock { $0.model.receive(event) }
      for happening in happenings { tell(happening.kind, at: happening.time, by: happening.client) }
      for effect in effects { perform(effect, port) }
    }
  }

  func lost(_ count: Int, from port: any HIDPeripheralPort) { tell(.lost(count)) }

  /// On the port's loop.
  private func perform(_ effect: HIDInterfaceModel.Effect, _ port: any HIDPeripheralPort) {
    switch effect {
    case .answerGet(let request, let report, .zero):
      port.assumeIsolated { $0.answerGet(request, report) }
      answered(request, report)
    case .answerSet(let request, let accepted, .zero):
      port.assumeIsolated { $0.answerSet(request, accepted: accepted) }
      answered(request, accepted ? [] : nil)
    case .answerGet(let request, let report, let delay):
      later(delay) { [weak self] in
        await port.answerGet(request, report)
        self?.answered(request, report)
      }
    case .answerSet(let request, let accepted, let delay):
      later(delay) { [weak self] in
        await port.answerSet(request, accepted: accepted)
        self?.answered(request, accepted ? [] : nil)
      }
    case .sendInput(let report, let delay):
      later(delay) { [weak self] in
        // The device may have been unplugged meanwhile: then nobody is there to hear of it.
        _ = try? await self?.send([report])
      }
    }
  }

  private func later(_ delay: Duration, _ body: @escaping @Sendable () async -> Void) {
    Timeline.real.schedule(at: .now.advanced(by: delay)) { Task { await body() } }
  }

  private func answered(_ request: HIDRequestID, _ report: [UInt8]?) {
    let now = MonotonicTime.now
    guard let happening = state.withLock({ $0.model.answered(request, report, at: now) }) else {
      return
    }
    tell(happening.kind, at: happening.time, by: happening.client)
  }

  private func tell(
    _ kind: HIDDeviceEvent.Kind, at time: MonotonicTime = .now, by client: HIDClientName? = nil
  ) {
    let event = HIDDeviceEvent(time: time, device: label, kind: kind, client: client)
    state.withLock { state in
      if state.record == nil { state.early.append(event) } else { log.append(event) }
    }
  }
}
