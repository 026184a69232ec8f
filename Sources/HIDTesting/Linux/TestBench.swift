// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import CoreHID
  import HIDSessions
  import HIDSimulator
  import HIDBus
  import HIDText
  import HIDTimeline
  import Synchronization
  import Testing

  /// The devices that are plugged while a test runs, with the log of their events.
  final class TestBench: Sendable {
    let bus: HIDBus
    let session: HIDScriptSession
    private let hub: DeviceHub
    private let devices: [SimulatedDevice]
    private let tap: LogTap
    /// The right to use the kernel's bus for the devices, which tests take in turn.
    ///
    /// It is nil on the loopback bus, and if the traits of the test share one turn.
    private let turn: KernelTurn?
    /// The texts of the failures so far, at most 100.
    private let failures = Mutex<[String]>([])

    private init(
      _ definitions: [HIDDeviceDefinition], on bus: HIDBus, in turn: KernelTurn? = nil,
      besides others: [TestBench]
    ) {
      self.bus = bus
      self.turn = turn
      hub = DeviceHub(
        definitions, on: bus, log: HIDEventLog(), besides: others.flatMap(\.devices))
      tap = LogTap(hub)
      devices = hub.devices
      session = HIDScriptSession(devices: devices, bus: bus, log: hub.log, base: hub.base)
    }

    // MARK: The life of the devices

    /// The turn that all traits of the test share; `nil` if none of them has taken one.
    @TaskLocal private static var turnOfTraits: KernelTurn?

    /// Plugs the devices of a trait, runs a test, and unplugs the devices.
    ///
    /// On the kernel's bus, the outermost trait of a test takes the turn for all of them. Then no
    /// two tests wait for each other's devices.
    ///
    /// - Parameters:
    ///   - trait: The trait.
    ///   - all: All traits of the test.
    ///   - name: The name of the trace that is attached if the test fails.
    ///   - body: The test.
    static func run(
      _ trait: VirtualDeviceTrait, of all: [VirtualDeviceTrait], name: String,
      _ body: @Sendable () async throws -> Void
    ) async throws {
      trait.bus.announce()
      let definitions = try trait.definitions
      guard try trait.bus.resolved() != .loopback else {
        return try await runOnLoopback(definitions, name) { _ in try await body() }
      }
      let bus = try trait.bus.machineBus()
      guard turnOfTraits == nil else {
        return try await run(definitions, on: bus, in: nil, name) { _ in try await body() }
      }
      let others = try all.filter { try $0.bus.resolved() != .loopback }.flatMap {
        try $0.definitions
      }
      let turn = try await KernelTurn.take(for: others)
      defer { turn.end() }
      try await $turnOfTraits.withValue(turn) {
        try await run(definitions, on: bus, in: nil, name) { _ in try await body() }
      }
    }

    /// Plugs devices, runs a part of a test, and unplugs them.
    ///
    /// - Parameters:
    ///   - file: The device file, as a test names it.
    ///   - source: The path of the test's source.
    ///   - choice: The bus.
    ///   - body: The part of the test. Called with the devices.
    static func run(
      _ file: String, from source: String, on choice: HIDTestBus,
      _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      choice.announce()
      let definitions = try DeviceFiles.devices(named: file, besides: source)
      guard try choice.resolved() != .loopback else {
        return try await runOnLoopback(definitions, file, body)
      }
      let bus = try choice.machineBus()
      let held = HIDTestDevice.plugged.compactMap(\.bench.turn) + [turnOfTraits].compactMap(\.self)
      let turn = try await KernelTurn.take(for: definitions, besides: held)
      defer { turn.end() }
      try await run(definitions, on: bus, in: turn, file, body)
    }

    private static func runOnLoopback(
      _ definitions: [HIDDeviceDefinition], _ name: String,
      _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      // A device that is plugged during a test uses the bus of the devices that are already plugged
      // for the test.
      let benches = HIDTestDevice.plugged.map(\.bench)
      if let outer = benches.last(where: { $0.bus.kind == .loopback }) {
        return try await run(definitions, on: outer.bus, in: nil, name, body)
      }
      try await HIDBus.isolated {
        // `current` is the bus that `isolated` has made.
        guard let bus = HIDBus.current else { return }
        try await run(definitions, on: bus, in: nil, name, body)
      }
    }

    private static func run(
      _ definitions: [HIDDeviceDefinition], on bus: HIDBus, in turn: KernelTurn?, _ name: String,
      _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      let others = HIDTestDevice.plugged.map(\.bench)
      try await HIDBus.$current.withValue(bus) {
        try await TestBench(definitions, on: bus, in: turn, besides: others).run(name, body)
      }
    }

    private func run(
      _ name: String, _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      let recording = Task { [tap] in
        async let tapping: Void = tap.run()
        var trace: [UInt8] = []
        while let bytes = await tap.recording.take() {
          // A longer trace is cut. The last events are in the text of the failure.
          if trace.count < Self.longestTrace { trace += bytes }
        }
        await tapping
        return trace
      }
      let result: Result<Void, any Error>
      do {
        for device in devices { try await device.plug(into: bus) }
        let plugged = devices.indices.map { HIDTestDevice($0, of: self) }
        try await HIDTestDevice.$plugged.withValue(HIDTestDevice.plugged + plugged) {
          try await watching { try await body(plugged) }
        }
        result = .success(())
      } catch {
        result = .failure(error)
      }
      // If the test's time is over or the test was stopped, the error names no devices.
      let isStopped: Bool
      switch result {
      case .success: isStopped = Task.isCancelled
      case .failure(let error): isStopped = error is CancellationError
      }
      let traffic = traffic
      await end()
      let trace = await recording.value
      if isStopped { Self.tell("The test was stopped.\n\(traffic)") }
      if isStopped || failures.withLock({ !$0.isEmpty }), !trace.isEmpty {
        Attachment.record(trace, named: "\(name).hid")
        Attachment.record(page(of: name), named: "\(name).html")
      }
      try result.get()
    }

    /// Returns a page with the events of the devices, for a test that has failed or was stopped.
    private func page(of file: String) -> [UInt8] {
      let test = Test.current?.displayName ?? Test.current?.name ?? file
      var page = HTMLReport(
        title: test, summary: "failed with \(file)", environment: HTMLReport.machine)
      page.add(
        file, outcome: "failed", message: failures.withLock { $0.joined(separator: "\n\n") },
        timeline: TimelineJSON.timeline(
          of: hub.log, base: hub.base, devices: devices, limit: Self.eventsOfPage))
      return page.html
    }

    /// The largest number of events in the attached page, the latest ones.
    private static let eventsOfPage = 20_000

    /// The length of the attached trace, in bytes, from which on nothing more is added to it.
    private static let longestTrace = 64 << 20

    /// Attaches a text to the test, and records it as a warning if that is possible.
    private static func tell(_ text: String) {
      // For tools that use version 0 of the event stream, Swift Testing records no warnings.
      Attachment.record(text, named: "what happened.txt")
      #if compiler(>=6.3)
        Issue.record(Comment(rawValue: text), severity: .warning)
      #endif
    }

    /// Returns whether an issue fails the test.
    private static func isFailure(_ issue: Issue) -> Bool {
      #if compiler(>=6.3)
        issue.isFailure
      #else
        true
      #endif
    }

    /// Returns whether an error is Swift Testing's own, such as that of a cancelled test.
    ///
    /// Swift Testing must get such an error unchanged.
    private static func isOfTesting(_ error: any Error) -> Bool {
      String(reflecting: Swift.type(of: error)).hasPrefix("Testing.")
    }

    /// Runs a test, and adds the last events of the devices to its failures.
    private func watching(_ body: @Sendable () async throws -> Void) async throws {
      guard let test = Test.current else { return try await body() }
      let handler = IssueHandlingTrait.compactMapIssues { [self] issue in
        if Self.isFailure(issue) { fail("\(issue)") }
        var issue = issue
        issue.comments.append(Comment(rawValue: traffic))
        return issue
      }
      try await handler.provideScope(for: test, testCase: Test.Case.current) { [self] in
        do {
          try await body()
        } catch let error as HIDTestFailure {
          // The error has the events of devices that were plugged later. Add the events of this
          // bench's devices.
          fail("\(error.underlying)")
          throw HIDTestFailure(
            underlying: error.underlying, traffic: "\(error.traffic)\n\(traffic)")
        } catch let error as CancellationError {
          throw error
        } catch let error where Self.isOfTesting(error) {
          // `#require` throws such an error too, and has recorded its issue already.
          throw error
        } catch {
          fail("\(error)")
          throw HIDTestFailure(underlying: error, traffic: traffic)
        }
      }
    }

    /// Notes that the test has failed, and why.
    private func fail(_ reason: String) {
      failures.withLock { if $0.count < 100 { $0.append(reason) } }
    }

    private func end() async {
      await session.end()
      tap.willEnd()
      await hub.unplugAll()
      hub.log.finish()
    }

    // MARK: The functions of a device

    func name(of device: Int) -> String { devices[device].label }

    func nodes(of device: Int) -> [String] {
      devices[device].records.flatMap { record in
        record.bus == .kernel ? record.nodes : []
      }
    }

    func plug(_ device: Int) async throws { try await devices[device].plug(into: bus) }

    func unplug(_ device: Int) async { await devices[device].unplug() }

    func deviceReference(of device: Int) async throws -> HIDDeviceClient.DeviceReference {
      guard let first = devices[device].records.first?.id.rawValue else {
        throw HIDDeviceError.notReady
      }
      // The search uses the device's bus, even if the task has another bus.
      let references = try await HIDBus.$current.withValue(bus) {
        try await HIDDeviceManager().hidsim.devices()
      }
      guard let reference = references.first(where: { $0.deviceID == first }) else {
        throw HIDDeviceError.notReady
      }
      return reference
    }

    /// Performs an action, or checks an expectation.
    ///
    /// The action runs as a script of one line or several. A line that fails is recorded as a
    /// failure of the test.
    ///
    /// - Returns: True if no line failed.
    /// - Throws: The error in a script's text, or for names that the device does not have;
    ///   `CancellationError`.
    func perform(
      _ action: TestAction, on device: Int, _ sourceLocation: SourceLocation
    ) async throws -> Bool {
      let script = try HIDScript(action, of: devices[device].definition, at: sourceLocation)
      do {
        try await session.perform(script, on: device)
        return true
      } catch let failure as HIDScriptFailure {
        // For a script of several lines, the text says which line failed.
        let text =
          if case .script = action { failure.problem.description } else { failure.problem.message }
        Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
        return false
      } catch is HIDScriptStop {
        throw CancellationError()
      }
    }

    /// A title, and the last events of the devices, one on each line.
    private var traffic: String {
      HIDEventText.lastLines(
        of: hub.log, base: hub.base, title: "What happened to the virtual devices, in seconds")
    }
  }
#endif
