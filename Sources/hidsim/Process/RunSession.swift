// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
import Synchronization

/// Devices that are plugged while a command runs, with the printer and the recording of their
/// events.
final class RunSession: Sendable {
  let hub: DeviceHub
  private let printer: EventPrinter?
  /// The recorder of the devices, and its file; nil without a recording.
  private let trace: (recorder: Recorder, file: RecordingFile)?
  private let needsTrace: Bool
  /// The page of the devices; nil for none.
  private let page: BenchPage?
  /// The time limit for each interface of a device to get its driver and its nodes.
  private let readinessBound: Duration
  private let state = Mutex(State())

  /// The recorder of the devices.
  fileprivate enum Recorder: Sendable {
    /// The events of the log, as a trace.
    case events(LogTap)
    /// The transfers of USB devices, as a capture.
    case transfers(USBCaptureRecording)
  }

  private struct State: Sendable {
    /// The result of the recording, once it has ended.
    var ending: RecordingFile.Ending?
    /// Called to cancel the work with the devices; nil while no work runs.
    var cancel: (@Sendable () -> Void)?
    var isCutShort = false
    /// True if standard output cannot be written to, so that the work has to end.
    var isUnread = false
  }

  var bus: HIDBus { hub.bus }
  var log: HIDEventLog { hub.log }
  var devices: [SimulatedDevice] { hub.devices }
  /// The zero of all times in the output.
  var base: MonotonicTime { hub.base }

  /// Makes the devices.
  ///
  /// - Parameters:
  ///   - printer: The printer of the events; `nil` if the caller reports them itself.
  ///   - keepsInput: True if input reports are events of the log; else the log only counts them.
  ///     With a recording or a page, and once a program that drives the devices requests them, they
  ///     always are events.
  ///   - timeline: The clock of the devices.
  ///   - trace: The file for a recording; `nil` for no recording. A capture needs the USB bus.
  ///   - isRedacted: True to leave typed text and serial numbers out of the recording.
  ///   - needsTrace: True to end the work when nothing more can be recorded.
  ///   - page: The page of the devices, which is served while the work runs; `nil` for none.
  ///   - bound: The duration of the work; `nil` for no limit. Each interface has as long to become
  ///     ready, but at least 5 s and at most 30 s.
  init(
    _ definitions: [HIDDeviceDefinition], on bus: HIDBus, printer: EventPrinter?, keepsInput: Bool,
    timeline: Timeline = .real(on: .devices), trace: RecordingFile? = nil, isRedacted: Bool = false,
    needsTrace: Bool = true, page: BenchPage? = nil, bound: TimeBound? = nil
  ) {
    let longest = SimulatedDevice.readinessBound
    readinessBound = bound.map { min(longest, max($0.duration, .seconds(5))) } ?? longest
    self.printer = printer
    self.needsTrace = needsTrace
    self.page = page
    let log = HIDEventLog(keepsInput: keepsInput, timeline: timeline)
    if let trace, trace.isCapture {
      let capture = USBCaptureRecording()
      hub = DeviceHub(
        definitions, on: bus.recording(to: capture) ?? bus, log: log, base: timeline.now)
      self.trace = (.transfers(capture), trace)
      return
    }
    let hub = DeviceHub(definitions, on: bus, log: log, base: timeline.now)
    self.hub = hub
    self.trace = trace.map { (.events(LogTap(hub, isRedacted: isRedacted)), $0) }
  }

  /// Returns the number of devices and events, and the elapsed time, for a progress line.
  func progressWords() -> String {
    let seconds = Int(log.timeline.now.microseconds(since: base) / 1_000_000)
    return "\(devices.count.counting("device")), \(log.totals.events.counting("event")), "
      + "\(WorkProgress.text(seconds: seconds)); Ctrl-C ends"
  }

  /// Plugs the devices, runs `body`, unplugs the devices, and waits until all events are printed
  /// and recorded.
  ///
  /// - Parameter body: The work. It must end soon after its task is cancelled. That happens if the
  ///   caller's task is cancelled, or if a needed recording can no longer be written. It also
  ///   happens if a write to standard output fails, unless ``Output/ignoreWriteErrors()`` was
  ///   called.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    Output.shared.whenUnwritable { [weak self] in
      self?.state.withLock { state in
        state.isUnread = true
        return state.cancel
      }?()
    }
    if let advice = bus.advice { Output.shared.note("hidsim: \(advice)") }
    for warning in devices.flatMap(\.descriptorWarnings) { Output.shared.note(warning) }
    let printing = Task<Void, Never> { [printer, log, base, bus] in
      await printer?.print(log, base: base, bus: bus)
    }
    let recording = trace.map { trace in Task { await record(trace.recorder, to: trace.file) } }
    do {
      for device in devices { try await device.plug(into: bus, within: readinessBound) }
      let server = driveServer()
      let serving: Task<Void, Never>?
      do {
        serving = try page?.serve(hub)
      } catch {
        await server?.close()
        throw error
      }
      let result = await result(of: body)
      serving?.cancel()
      await serving?.value
      await server?.close()
      let value = try result.get()
      await end(printing)
      await recording?.value
      return value
    } catch {
      await end(printing)
      await recording?.value
      throw error
    }
  }

  /// Makes the server that lets other programs drive the devices.
  ///
  /// - Returns: Nil if the bus has no folder, or after a failure, whose reason is printed.
  private func driveServer() -> DriveServer? {
    do {
      return try DriveServer(hub, readFile: InputFiles.devices(named:))
    } catch {
      let reason = (error as? HIDBusError)?.message ?? "\(error)"
      Output.shared.note(
        "hidsim: other programs cannot drive these devices: \(bus.directoryPath ?? "the bus folder"): "
          + reason)
      return nil
    }
  }

  /// Runs `body`.
  ///
  /// Cancels `body` in the cases that ``run(_:)`` names.
  private func result<Value: Sendable>(
    of body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    let working = Task { try await body() }
    let isUnread = state.withLock { state in
      state.cancel = { working.cancel() }
      return state.isUnread
    }
    if isUnread { working.cancel() }
    cutShortIfUnrecorded()
    let result = await withTaskCancellationHandler {
      await working.result
    } onCancel: {
      working.cancel()
    }
    state.withLock { $0.cancel = nil }
    return result
  }

  private func record(_ recorder: Recorder, to file: RecordingFile) async {
    switch recorder {
    case .transfers(let capture): await write(capture, to: file)
    case .events(let tap):
      async let tapping: Void = tap.run()
      await write(tap.recording, to: file)
      await tapping
    }
  }

  private func write(_ recording: some RecordedBytes, to file: RecordingFile) async {
    let ending = await file.write(recording) { ending in
      file.tell(ending)
      state.withLock { $0.ending = ending }
      cutShortIfUnrecorded()
    }
    state.withLock { $0.ending = ending }
  }

  private func cutShortIfUnrecorded() {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      guard needsTrace, state.ending != nil, let cancel = state.cancel else { return nil }
      state.isCutShort = true
      return cancel
    }
    cancel?()
  }

  /// True if another program has one of the devices open and would receive its reports now.
  ///
  /// On the loopback bus a client in this process counts too.
  var hasReader: Bool {
    get async {
      for device in devices where await device.hasReader { return true }
      return false
    }
  }

  /// Waits until ``hasReader`` is true.
  ///
  /// - Parameters:
  ///   - begin: A time when no program had a device open; nil if it is not known.
  ///   - deadline: The time when the wait ends.
  /// - Returns: A time before the program opened a device: the latest known time when no program
  ///   had one open, or that of the first open event after `begin`, if that is earlier. Without
  ///   `begin`, it is the time of the call if a device is open then. nil if the deadline passed or
  ///   the task was cancelled first.
  func waitForOpen(
    since begin: MonotonicTime?, until deadline: MonotonicTime
  ) async -> MonotonicTime? {
    let search = ReaderSearch(devices, in: log)
    let outcome = await search.wait(since: begin, until: deadline)
    guard outcome.isFound else { return nil }
    return min(outcome.unopened, firstOpen(since: begin) ?? outcome.unopened)
  }

  /// Returns the time of the first open event from a time on; nil without one, or without the time.
  ///
  /// A program can open a node, close it and open it again between two looks. Only this event then
  /// has the time of the first opening.
  private func firstOpen(since begin: MonotonicTime?) -> MonotonicTime? {
    guard let begin else { return nil }
    var index = 0
    let opened = log.read(from: &index) { if case .opened = $0 { true } else { false } }
    return opened.first { $0.time >= begin }?.time
  }

  private func end(_ printing: Task<Void, Never>) async {
    if case .events(let tap) = trace?.recorder { tap.willEnd() }
    await hub.unplugAll()
    log.finish()
    if case .transfers(let capture) = trace?.recorder { capture.finish() }
    await printing.value
  }

  /// True if the work was cancelled because it could not be recorded.
  var isCutShort: Bool { state.withLock { $0.isCutShort } }
  /// The words of the last line if ``isCutShort`` is true.
  static let cutShortWords = "ended: the recording cannot be written"

  /// Prints a summary of the recording, unless a write has ended it early.
  ///
  /// Call it after the devices are unplugged. Without a recording, it does nothing.
  ///
  /// - Returns: 0, or the exit status of a write error. The error itself was printed when it
  ///   happened.
  func tellTrace() -> Int32 {
    guard let trace else { return 0 }
    switch state.withLock({ $0.ending }) {
    case .failed(let failure): return failure.status.rawValue
    case .unread: break
    case .whole, nil:
      Output.shared.note("\(trace.file.name): \(trace.recorder.words)")
    }
    return 0
  }

  /// The environment variables for a program that runs beside the devices.
  var environment: [String: String] {
    let records = devices.flatMap(\.records)
    var variables = [
      "HIDSIM_HIDRAW": records.compactMap(\.hidrawNode).joined(separator: " "),
      "HIDSIM_EVDEV": records.flatMap(\.eventNodes).joined(separator: " "),
      "HIDSIM_DEVICE": records.map(\.id.description).joined(separator: " "),
      "HIDSIM_BUS": bus.kind.description,
    ]
    if bus.kind == .loopback { variables["HIDSIM_BUS_DIR"] = bus.directoryPath }
    let links = devices.compactMap(\.link)
    if !links.isEmpty {
      variables["HIDSIM_STICK"] = links.map(\.place).joined(separator: " ")
    }
    return variables
  }
}

extension RunSession.Recorder {
  /// The counts of what was recorded and lost.
  fileprivate var words: String {
    switch self {
    case .events(let tap): TraceTotals(tap.recording).words
    case .transfers(let capture):
      "\(Int(clamping: capture.packetCount).counting("packet")), \(capture.lostCount) lost here"
    }
  }
}
