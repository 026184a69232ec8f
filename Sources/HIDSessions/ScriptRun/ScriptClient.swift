// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
import IOLoop

/// A client of one interface that acts for the host in a script or for ``LockHosts``.
///
/// It remembers the last input report that it received and the last output report that it sent, of
/// each ID.
actor ScriptClient {
  /// The ID of the plugged device that is open.
  ///
  /// A device that is plugged again has another ID.
  nonisolated let device: HIDDeviceID
  private let port: any HIDClientPort
  private let interface: SimulatedInterface
  private let descriptor: HIDReportDescriptor
  private let timeline: Timeline
  /// The reports and requests in transit, if the time is virtual.
  private let flight: InputFlight?
  private var inputs: [HIDReportID?: [UInt8]] = [:]
  /// The reports with which the next ones are compared: a key that is down during ErrorRollOver is
  /// not pressed again after it.
  private var compared: [HIDReportID?: [UInt8]] = [:]
  private var outputs: [HIDReportID?: [UInt8]] = [:]
  private var locks: Set<HIDUsage>?
  private var reader: Task<Void, Never>?
  private var isOver = false
  private var waiters = WaiterList<Void>()

  /// Opens an interface as a client, and begins to read.
  ///
  /// - Parameter answersLocks: True to change the LED of a Lock key when the key is pressed.
  static func open(
    _ interface: SimulatedInterface, on bus: HIDBus, answersLocks: Bool = false
  ) async throws(HIDBusError) -> ScriptClient {
    guard let record = interface.record else {
      throw HIDBusError(.gone, "\(interface.label) is not plugged")
    }
    guard record.node != nil else {
      throw HIDBusError(
        .unavailable,
        """
        \(interface.label) has no hidraw node\(record.driver.map { " from its driver \($0)" } ?? ""), so \
        that a script cannot play its host: use --bus loopback for that
        """)
    }
    let port = try await bus.clients.open(record)
    let view = ScriptClient(port, interface, record.id, answersLocks: answersLocks)
    await view.start()
    await view.settle()
    return view
  }

  private init(
    _ port: any HIDClientPort, _ interface: SimulatedInterface, _ device: HIDDeviceID,
    answersLocks: Bool
  ) {
    self.device = device
    self.port = port
    self.interface = interface
    descriptor = interface.definition.descriptor
    timeline = interface.timeline
    flight = timeline.isVirtual ? InputFlight(timeline) : nil
    if answersLocks { locks = [] }
  }

  /// Waits until the device has received everything so far, if the time is virtual.
  private func settle() async { if flight != nil { await interface.catchUp() } }

  private func start() {
    let stream = port.reports(capacity: 1024, policy: .lossless)
    if let flight { interface.add(flight) }
    reader = Task { [weak self, flight] in
      for await report in stream {
        await self?.take([UInt8](report.bytes))
        flight?.didHandleReport()
      }
      await self?.end()
    }
  }

  /// Closes the client.
  func close() async {
    reader?.cancel()
    port.close()
    end()
    await settle()
  }

  private func end() {
    isOver = true
    if let flight {
      interface.remove(flight)
      flight.end()
    }
    wake()
  }

  private func take(_ report: [UInt8]) async {
    let id =
      descriptor.numbersReports(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let layout = descriptor.report(.input, id: id) else { return }
    let changes = layout.changes(from: compared[id], to: report)
    HIDReportDecoder(layout).remember(report.span, in: &compared[id, default: []])
    inputs[id] = report
    wake()
    for change in changes where change.value != 0 { await toggleLock(change.usage) }
  }

  private func wake() { waiters.takeAll().fulfill() }

  // MARK: Looking

  /// Returns the value of an input control in the last report received.
  ///
  /// The value is 0 before the first report, and if the report ends before the control.
  private func value(of control: HIDReportElement) -> Int64 {
    guard let layout = descriptor.report(.input, id: control.reportID),
      let report = inputs[control.reportID]
    else { return 0 }
    return layout.value(of: control, in: report.span) ?? 0
  }

  /// Waits until a control has an accepted value, the deadline has passed, the client is closed,
  /// the device is gone, or the task is cancelled.
  ///
  /// The value of an output or feature control is requested once from the device; the deadline does
  /// not matter.
  ///
  /// - Returns: The last value, and true if it is accepted; 0 and false if the request failed or
  ///   its answer ends before the control.
  func wait(
    for control: HIDReportElement, until deadline: MonotonicTime,
    _ willDo: @Sendable (Int64) -> Bool
  ) async -> (value: Int64, willDo: Bool) {
    if control.type != .input {
      let value = await ask(control)
      return (value ?? 0, value.map(willDo) ?? false)
    }
    let timer = timeline.schedule(at: deadline) { [weak self, timeline] in
      timeline.beginWork()
      Task { [weak self] in
        await self?.wake()
        timeline.endWork()
      }
    }
    defer { timeline.cancel(timer) }
    while true {
      let now = value(of: control)
      if willDo(now) { return (now, true) }
      if isOver || timeline.now >= deadline || Task.isCancelled { return (now, false) }
      let change = waiters.append((), worksOn: timeline)
      await change.get(onCancel: { change.fulfill() })
      waiters.remove(change)
    }
  }

  /// Requests the report of a control, and returns the control's value; nil if that fails.
  private func ask(_ control: HIDReportElement) async -> Int64? {
    do throws(HIDBusError) {
      let report = try await get(control.type, control.reportID)
      return descriptor.report(control.type, id: control.reportID)?
        .value(of: control, in: report.span)
    } catch {
      return nil
    }
  }

  // MARK: Acting

  /// Sets a control in an output or feature report, and keeps the values of the other controls.
  ///
  /// An output report keeps the values that this client last sent; before that they are 0. A
  /// feature report is read first.
  func set(
    _ control: HIDReportElement, to value: Int64
  ) async throws(HIDBusError) {
    guard let layout = descriptor.report(control.type, id: control.reportID) else { return }
    var report = outputs[control.reportID] ?? layout.zeroReport
    if control.type == .feature {
      report = try await get(.feature, control.reportID)
      report += layout.zeroReport.dropFirst(report.count)
    }
    do throws(HIDReportValueError) {
      try layout.set(control, to: value, in: &report)
    } catch {
      throw HIDBusError(.invalidArgument, "\(error)")
    }
    try await set(control.type, report)
  }

  /// Sets a whole report, its ID first if it is numbered.
  func set(_ type: HIDReportType, _ report: [UInt8]) async throws(HIDBusError) {
    guard type == .output else {
      flight?.didAsk()
      defer { flight?.didAnswer() }
      return try await port.setReport(type, report, timeout: nil)
    }
    remember(report)
    try await port.setReport(type, report, timeout: nil)
    await settle()
  }

  /// Writes an output report, its ID first if it is numbered.
  func send(_ report: [UInt8]) async throws(HIDBusError) {
    remember(report)
    try await port.write(descriptor.numbersReports(.output) ? report : [0] + report)
    await settle()
  }

  /// Remembers an output report, so that setting one control later leaves the others unchanged.
  private func remember(_ report: [UInt8]) {
    let id =
      descriptor.numbersReports(.output) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let layout = descriptor.report(.output, id: id) else { return }
    outputs[id] = Array(report.prefix(layout.byteCount)) + layout.zeroReport.dropFirst(report.count)
  }

  /// Requests a report from the device.
  func get(
    _ type: HIDReportType, _ id: HIDReportID?
  ) async throws(HIDBusError) -> [UInt8] {
    flight?.didAsk()
    defer { flight?.didAnswer() }
    return try await port.getReport(type, id, timeout: nil)
  }

  /// Answers a Lock key as a console does: the LED of the same name changes.
  private func toggleLock(_ key: HIDUsage) async {
    guard var locks else { return }
    let lamps: [HIDUsage: HIDUsage] = [
      .keyboardOrKeypad(.keyboardCapsLock): .led(.capsLock),
      .keyboardOrKeypad(.keypadNumLockAndClear): .led(.numLock),
      .keyboardOrKeypad(.keyboardScrollLock): .led(.scrollLock),
    ]
    guard let lamp = lamps[key],
      let control = descriptor.controls(lamp, type: .output).first
    else { return }
    let isOn = locks.remove(lamp) == nil
    if isOn { locks.insert(lamp) }
    self.locks = locks
    // A device that was unplugged in between has no LEDs to set.
    _ = try? await set(control, to: isOn ? 1 : 0)
  }
}
