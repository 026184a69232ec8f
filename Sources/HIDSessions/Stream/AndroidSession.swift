// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator
package import HIDText
import HIDTraces
import IOLoop
import Synchronization

/// A session that carries out the commands of Android's `hid` program.
///
/// Each device has a clock of its own. As on Android, input waits until a client has the device
/// open. The feature reports that the commands give answer get requests; only the command
/// `send_set_report_reply` answers set requests.
package final class AndroidSession: Sendable {
  /// One registered device, and its commands in order.
  private final class Device: Sendable {
    struct State: Sendable {
      var simulated: SimulatedDevice?
      var featureReports: [UInt8: [UInt8]]?
      /// The number of the most recent set request; `nil` if there is none, or after a command has
      /// answered it.
      var lastSet: UInt64?
    }
    let id: Int
    /// The waiting commands; the weight of a command is the memory that it takes.
    let queue = BoundedQueue<AndroidCommand>(capacity: 16 << 20)
    let state = Mutex(State())

    init(id: Int) { self.id = id }
  }

  private let hub: DeviceHub
  /// Called with a line for standard output.
  private let tell: @Sendable (JSONLine) -> Void
  private let rest: @Sendable () async -> Void
  private let complain: @Sendable (String) -> Void
  private let failures = Atomic(0)
  private let devices = Mutex<[Int: Device]>([:])

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - tell: Called with a line for each report of a host, as Android prints it.
  ///   - rest: Waits until the output can take more lines.
  ///   - complain: Called with a message about text that is not a command, and about a command that
  ///     failed or is not fully simulated.
  package init(
    _ hub: DeviceHub, tell: @escaping @Sendable (JSONLine) -> Void,
    rest: @escaping @Sendable () async -> Void, complain: @escaping @Sendable (String) -> Void
  ) {
    self.hub = hub
    self.tell = tell
    self.rest = rest
    self.complain = complain
  }

  /// The number of problems of commands that failed, and of text that is not a command.
  ///
  /// One command can have several problems.
  package var failureCount: Int { failures.load(ordering: .relaxed) }

  /// Reads commands and carries them out; returns when all commands are done, or the task is
  /// cancelled.
  ///
  /// The devices of the stream are unplugged before the method returns.
  ///
  /// - Parameter file: The name of the stream in messages.
  package func run<Chunks: AsyncSequence>(_ chunks: Chunks, file: String) async
  where Chunks.Element == [UInt8], Chunks.Failure == Never {
    let start = hub.log.endIndex
    let hosts = Task { await watchHosts(from: start) }
    await withTaskCancellationHandler {
      await play(chunks, file)
    } onCancel: {
      for device in devices.withLock({ Array($0.values) }) { device.queue.end() }
    }
    // The devices of a stream are unplugged at its end, as by Android's program.
    for device in devices.withLock({ Array($0.values) }) {
      if let simulated = device.state.withLock({ $0.simulated }) { await hub.remove(simulated) }
    }
    hosts.cancel()
    await hosts.value
    devices.withLock { $0 = [:] }
  }

  private func play<Chunks: AsyncSequence>(_ chunks: Chunks, _ file: String) async
  where Chunks.Element == [UInt8], Chunks.Failure == Never {
    await withTaskGroup(of: Void.self) { group in
      var framer = StreamFramer(file: file)
      for await chunk in chunks {
        framer.append(chunk)
        take(&framer, file, &group)
        for device in devices.withLock({ Array($0.values) }) { _ = await device.queue.room() }
      }
      framer.finish()
      take(&framer, file, &group)
      for device in devices.withLock({ Array($0.values) }) { device.queue.end() }
      await group.waitForAll()
    }
  }

  private func take(_ framer: inout StreamFramer, _ file: String, _ group: inout TaskGroup<Void>) {
    while let frame = framer.next() {
      switch frame {
      case .bad(let problem): fail(problem.description)
      case .value(let node):
        do throws(HIDTraceError) {
          let (id, command) = try AndroidCommandReader.read(node, file: file)
          try put(command, to: id, &group, file, node.location)
        } catch {
          for problem in error.problems { fail(problem.description) }
        }
      }
    }
  }

  /// Reports and counts the failure of a device or report that a bus has refused, unless the
  /// session is cancelled.
  private func refused(_ error: HIDBusError, _ device: Device) {
    if !Task.isCancelled { fail("device \(device.id): \(error.message)") }
  }

  private func fail(_ message: String) {
    failures.add(1, ordering: .relaxed)
    complain(message)
  }

  private func put(
    _ command: AndroidCommand, to id: Int, _ group: inout TaskGroup<Void>, _ file: String,
    _ location: HIDTextLocation
  ) throws(HIDTraceError) {
    if let device = devices.withLock({ $0[id] }) {
      // A second registration is ignored, as by Android.
      if case .register = command { return }
      device.queue.put([command], weight: command.byteCount)
      return
    }
    guard case .register(let registered) = command else {
      throw HIDTraceError(AndroidCommandReader.unregistered(id, file: file, at: location))
    }
    let registration: AndroidRegistration
    do throws(HIDTextProblem) {
      registration = try AndroidRegistration(registered, id: id, file: file)
    } catch {
      throw HIDTraceError(error)
    }
    let device = Device(id: id)
    devices.withLock { $0[id] = device }
    group.addTask { await self.play(device, registration) }
  }

  // MARK: A device

  private func play(_ device: Device, _ registration: AndroidRegistration) async {
    await register(registration, device)
    var due = MonotonicTime.now
    while let commands = await device.queue.take() {
      for command in commands {
        if Task.isCancelled { return }
        await perform(command, device, &due)
      }
    }
    // The last delay ends before the device is unplugged.
    await wait(until: due)
  }

  private func perform(
    _ command: AndroidCommand, _ device: Device, _ due: inout MonotonicTime
  ) async {
    switch command {
    case .register: break
    case .delay(let duration): due = max(due, .now).advanced(by: duration)
    case .report(let report):
      await wait(until: due)
      await send(report, device)
    case .setGetReportResponse(let report):
      device.state.withLock { $0.featureReports?[report[0]] = report }
    case .sendSetReportReply(let isSuccess):
      await wait(until: due)
      let (simulated, request) = device.state.withLock { state in
        defer { state.lastSet = nil }
        return (state.simulated, state.lastSet)
      }
      if let request { simulated?.answer(request, with: isSuccess ? .acknowledged : .error) }
    }
  }

  private func wait(until due: MonotonicTime) async {
    if due > .now { _ = try? await Timeline.real.sleep(until: due) }
  }

  private func register(_ registered: AndroidRegistration, _ device: Device) async {
    for note in registered.notes { complain("device \(device.id): \(note)") }
    device.state.withLock { $0.featureReports = registered.featureReports }
    do throws(HIDBusError) {
      // No host waits as long as this deadline: a request that the session does not answer gets no
      // answer.
      let simulated = try await hub.plug(
        registered.definition, delegation: HIDDelegation(deadline: .seconds(60))
      ) { simulated in
        device.state.withLock { $0.simulated = simulated }
      }
      device.state.withLock { $0.simulated = simulated }
    } catch {
      // The device is not part of the run: reports must not wait until it is open.
      device.state.withLock { $0.simulated = nil }
      refused(error, device)
    }
  }

  private func send(_ report: [UInt8], _ device: Device) async {
    guard let simulated = device.state.withLock({ $0.simulated }),
      let interface = simulated.interfaces.first
    else { return }
    var next = 0
    while !interface.isOpen, !Task.isCancelled {
      _ = hub.log.read(from: &next)
      if interface.isOpen { break }
      guard await hub.log.wait(for: next) else { return }
    }
    let (whole, wasShort) = interface.lengths.filledUp(report)
    do throws(HIDBusError) {
      try await simulated.send([whole])
      if wasShort { simulated.countPadded(1) }
    } catch {
      refused(error, device)
    }
  }

  // MARK: The hosts

  private func watchHosts(from start: Int) async {
    var next = start
    while await hub.log.wait(for: next) {
      tellEvents(from: &next)
      await rest()
    }
    // Events that came before the end are still handled.
    tellEvents(from: &next)
  }

  private func tellEvents(from next: inout Int) {
    for event in hub.log.read(from: &next).events {
      guard let device = device(labelled: event.device) else { continue }
      switch event.kind {
      case .output(let report): tell(eventID: 6, device, report.type, report.raw)
      case .request(let request): answer(request, device)
      default: break
      }
    }
  }

  private func device(labelled label: String) -> Device? {
    devices.withLock { devices in
      devices.values.first { $0.state.withLock { $0.simulated?.label } == label }
    }
  }

  private func answer(_ request: HIDDelegatedRequest, _ device: Device) {
    let number = request.id?.rawValue ?? 0
    if let bytes = request.bytes {
      device.state.withLock { $0.lastSet = request.number }
      return tell(eventID: 13, device, request.type, bytes)
    }
    let (simulated, table) = device.state.withLock { ($0.simulated, $0.featureReports) }
    let answer: HIDRequestAnswer =
      if let table { table[number].map { .report(HIDReportBytes($0)) } ?? .error } else {
        .none
      }
    simulated?.answer(request.number, with: answer)
  }

  /// Writes the line for a report of a host; the numbers of event and type are those of uhid.
  private func tell(
    eventID: Int, _ device: Device, _ type: HIDReportType, _ bytes: [UInt8]
  ) {
    let number =
      switch type {
      case .feature: 0
      case .output: 1
      case .input: 2
      }
    tell(
      JSONLine { line in
        line.add("eventId", .integer(eventID))
        line.add("deviceId", .integer(device.id))
        line.add("reportType", .integer(number))
        line.add("reportData", .array(bytes.map { .integer($0) }))
      })
  }
}

extension AndroidCommand {
  /// The approximate memory that the command takes, in bytes.
  fileprivate var byteCount: Int {
    switch self {
    case .report(let bytes), .setGetReportResponse(let bytes): 64 + bytes.count
    case .register, .delay, .sendSetReportReply: 64
    }
  }
}
