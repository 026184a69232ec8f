// SPDX-License-Identifier: Apache-2.0

package import HIDSimulator
package import HIDSystem
package import HIDWire
import IOLoop

/// A simulated stick at work: its device on a bus, and one client on its link.
package actor SimulatedStick {
  /// The time between two polls of the host: 4 ms, and 64 ms for raw reports.
  private static func pollInterval(_ interface: StickReport.Interface) -> Duration {
    .milliseconds(interface == .raw ? 64 : 4)
  }

  /// How long `reattach` disconnects the device.
  private static let reattachPause = Duration.seconds(3)

  private let device: SimulatedDevice
  private let log: HIDEventLog
  private let bus: HIDBus
  private var timeline: Timeline { log.timeline }
  /// The position of each interface in the device.
  private let positions: [StickReport.Interface: Int]
  /// When the host's polls began: all of them are multiples of an interval after it.
  private let origin: MonotonicTime
  private var model: StickModel
  private var sendToClient: (@Sendable ([UInt8]) -> Void)?
  private var polled: Set<StickReport.Interface> = []
  private var statusInterval: Duration?
  /// Which status timer holds: an older one ends by itself.
  private var statusRun = 0
  private var watching: Task<Void, Never>?

  /// Makes a stick that is not plugged.
  ///
  /// - Parameters:
  ///   - model: What the stick answers.
  ///   - device: The device, whose interfaces have the names `keyboard`, `mouse`, `consumer` and
  ///     `raw`.
  ///   - log: The device's log; its timeline is the stick's.
  ///   - bus: The bus of the host.
  /// - Throws: `invalidArgument` if the device lacks an interface.
  package init(
    _ model: StickModel, device: SimulatedDevice, log: HIDEventLog, bus: HIDBus
  ) throws(HIDWireError) {
    self.model = model
    self.device = device
    self.log = log
    self.bus = bus
    origin = log.timeline.now
    var positions: [StickReport.Interface: Int] = [:]
    for interface in StickReport.Interface.allCases {
      let position = device.definition.interfaces.firstIndex { $0.name == "\(interface)" }
      guard let position else {
        throw HIDWireError(
          .invalidArgument,
          "\"\(device.label)\" has no interface \"\(interface)\", which a stick needs")
      }
      positions[interface] = position
    }
    self.positions = positions
  }

  /// Plugs the device into the host, and returns when it can be used.
  ///
  /// Reports that waited leave at the next polls.
  package func plug() async throws(HIDWireError) {
    try await device.plug(into: bus)
    model.usbState = .configured
    schedulePolls()
    guard watching == nil else { return }
    let timeline = timeline
    timeline.beginWork()
    watching = Task {
      await self.watch()
      timeline.endWork()
    }
  }

  /// Unplugs the device, and ends the session of the client.
  package func unplug() async {
    await detach()
    disconnect()
    watching?.cancel()
    watching = nil
  }

  // MARK: The link

  /// Starts with a client.
  ///
  /// - Parameter send: Is called with the bytes for the client, in their order.
  package func connect(send: @escaping @Sendable ([UInt8]) -> Void) {
    model.clientConnected()
    sendToClient = send
  }

  /// Ends with the client: the link has gone.
  package func disconnect() {
    sendToClient = nil
    statusRun += 1
    model.clientConnected()
  }

  /// Takes bytes of the client, and returns when they have been answered.
  package func receive(_ bytes: [UInt8]) async {
    await carryOut(model.receive(bytes))
    schedulePolls()
  }

  private func carryOut(_ outputs: [StickModel.Output]) async {
    for output in outputs {
      switch output {
      case .send(let bytes): sendToClient?(bytes)
      case .write(let report): await send(report)
      case .attach(let isAttached):
        // A device that cannot be plugged stays unconnected, as the status says.
        if isAttached { try? await plug() } else { await detach() }
      case .reattach:
        await detach()
        later(at: timeline.now.advanced(by: Self.reattachPause)) { try? await $0.plug() }
      case .resume: break  // no bus suspends a device yet
      case .statusInterval(let interval): startStatus(every: interval)
      }
    }
  }

  // MARK: The host

  private func detach() async {
    await device.unplug()
    model.usbState = .unconnected
  }

  /// Sends a report to the host; a device that is not plugged any more loses it.
  private func send(_ report: StickReport) async {
    guard let position = positions[report.interface] else { return }
    try? await device.send([report.bytes], interface: position)
  }

  private func schedulePolls() {
    for interface in StickReport.Interface.allCases
    where model.queues.count(interface) > 0 && !polled.contains(interface) {
      polled.insert(interface)
      let interval = Self.pollInterval(interface)
      let passed = timeline.now.duration(since: origin)
      let due = origin.advanced(by: interval * (Int(passed / interval) + 1))
      later(at: due) { await $0.poll(interface) }
    }
  }

  private func poll(_ interface: StickReport.Interface) async {
    polled.remove(interface)
    if let report = model.poll(interface) { await send(report) }
    // Reports that wait while the device is unplugged wait for the next packet or plug.
    if model.usbState == .configured { schedulePolls() }
  }

  /// Keeps the LEDs that the host has set.
  private func watch() async {
    var index = 0
    guard let keyboard = positions[.keyboard] else { return }
    let name = device.label(ofInterface: keyboard)
    while !Task.isCancelled, await log.workWaits(for: index) {
      for event in log.read(from: &index).events where event.device == name {
        if case .output(let report) = event.kind, let leds = report.bytes.first {
          model.leds = leds
        }
      }
    }
  }

  // MARK: Time

  private func startStatus(every interval: Duration) {
    statusInterval = interval
    statusRun += 1
    nextStatus(in: statusRun, since: timeline.now)
  }

  private func nextStatus(in run: Int, since last: MonotonicTime) {
    guard let statusInterval, run == statusRun else { return }
    let due = last.advanced(by: statusInterval)
    later(at: due) { await $0.status(in: run, at: due) }
  }

  private func status(in run: Int, at due: MonotonicTime) async {
    guard run == statusRun else { return }
    await carryOut(model.status())
    nextStatus(in: run, since: due)
  }

  /// Calls a body at a time.
  ///
  /// A virtual time does not go on before the body has ended.
  private func later(
    at due: MonotonicTime, _ body: @escaping @Sendable (SimulatedStick) async -> Void
  ) {
    let timeline = timeline
    timeline.schedule(at: due) { [weak self] in
      guard let self else { return }
      timeline.beginWork()
      Task {
        await body(self)
        timeline.endWork()
      }
    }
  }
}
