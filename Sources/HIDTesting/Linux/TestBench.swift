// SPDX-License-Identifier: Apache-2.0

#if VIRTUAL_HID
  import CoreHID
  import HIDSimulator
  import HIDSystem
  import HIDText
  import HIDWire
  import IOLoop
  import Synchronization
  import Testing

  /// Devices that are plugged for as long as a test runs, and what happens to them.
  final class TestBench: Sendable {
    let bus: HIDBus
    let session: HIDScriptSession
    private let hub: DeviceHub
    private let devices: [SimulatedDevice]
    private let tap: LogTap
    /// The right to the kernel's bus; nil on the loopback bus.
    private let turn: KernelTurn?
    private let hasFailed = Atomic(false)

    private init(
      _ definitions: [HIDDeviceDefinition], on bus: HIDBus, in turn: KernelTurn? = nil
    ) {
      self.bus = bus
      self.turn = turn
      hub = DeviceHub(definitions, on: bus, log: HIDEventLog())
      tap = LogTap(hub)
      devices = hub.devices
      session = HIDScriptSession(devices: devices, bus: bus, log: hub.log, base: hub.base)
    }

    // MARK: The life of the devices

    /// Plugs devices, runs a test, and unplugs them.
    ///
    /// - Parameters:
    ///   - files: The device files, as a test names them.
    ///   - source: The path of the test's source.
    ///   - choice: The bus.
    ///   - name: What the trace is called if the test fails.
    ///   - body: The test, which gets the devices.
    static func run(
      _ files: [String], from source: String, on choice: HIDTestBus, name: String,
      _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      let definitions = try files.flatMap { try DeviceFiles.devices(named: $0, besides: source) }
      let benches = HIDTestDevice.plugged.map(\.bench)
      if try choice.resolved() == .loopback {
        // Devices that come in the middle of a test come to those that are there.
        if let outer = benches.last(where: { $0.bus.kind == .loopback }) {
          return try await HIDBus.$current.withValue(outer.bus) {
            try await TestBench(definitions, on: outer.bus).run(name, body)
          }
        }
        return try await HIDBus.isolated {
          // The bus that isolated has just made.
          guard let bus = HIDBus.current else { return }
          try await TestBench(definitions, on: bus).run(name, body)
        }
      }
      let bus = try HIDBus(.kernel)
      let turn = try await KernelTurn.take(for: definitions, besides: benches.compactMap(\.turn))
      defer { turn.end() }
      try await HIDBus.$current.withValue(bus) {
        try await TestBench(definitions, on: bus, in: turn).run(name, body)
      }
    }

    private func run(
      _ name: String, _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      let recording = Task { [tap] in
        async let tapping: Void = tap.run()
        var trace: [UInt8] = []
        while let bytes = await tap.recording.take() {
          // A test that sends more is told by its last events.
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
      // A test whose time is over, or that was stopped: what stops it tells nothing of the devices.
      let isStopped: Bool
      switch result {
      case .success: isStopped = Task.isCancelled
      case .failure(let error): isStopped = error is CancellationError
      }
      let traffic = traffic
      await end()
      let trace = await recording.value
      if isStopped { Self.tell("The test was stopped.\n\(traffic)") }
      if isStopped || hasFailed.load(ordering: .relaxed), !trace.isEmpty {
        Attachment.record(trace, named: "\(name).hid")
      }
      try result.get()
    }

    /// The longest trace that is attached, in bytes.
    private static let longestTrace = 64 << 20

    /// Tells something that is no failure by itself.
    private static func tell(_ text: String) {
      // For some tools, those of version 0 of the event stream, Swift Testing records no warnings.
      Attachment.record(text, named: "what happened.txt")
      #if compiler(>=6.3)
        Issue.record(Comment(rawValue: text), severity: .warning)
      #endif
    }

    /// Whether an issue fails the test.
    private static func isFailure(_ issue: Issue) -> Bool {
      #if compiler(>=6.3)
        issue.isFailure
      #else
        true
      #endif
    }

    /// Whether an error is one of Swift Testing's own, which it has to find as it is: that the test was cancelled.
    private static func isOfTesting(_ error: any Error) -> Bool {
      String(reflecting: Swift.type(of: error)).hasPrefix("Testing.")
    }

    /// Runs a test, and adds to its failures what happened to the devices.
    private func watching(_ body: @Sendable () async throws -> Void) async throws {
      guard let test = Test.current else { return try await body() }
      let handler = IssueHandlingTrait.compactMapIssues { [self] issue in
        var issue = issue
        issue.comments.append(Comment(rawValue: traffic))
        if Self.isFailure(issue) { hasFailed.store(true, ordering: .relaxed) }
        return issue
      }
      try await handler.provideScope(for: test, testCase: Test.Case.current) { [self] in
        do {
          try await body()
        } catch let error as HIDTestFailure {
          throw error  // of devices inside
        } catch let error as CancellationError {
          throw error
        } catch let error where Self.isOfTesting(error) {
          throw error  // also that of #require, which has told of it
        } catch {
          hasFailed.store(true, ordering: .relaxed)
          throw HIDTestFailure(underlying: error, traffic: traffic)
        }
      }
    }

    private func end() async {
      await session.end()
      tap.willEnd()
      await hub.unplugAll()
      hub.log.finish()
    }

    // MARK: What devices ask of it

    func name(of device: Int) -> String { devices[device].label }

    func nodes(of device: Int) -> [String] {
      devices[device].records.flatMap { record in
        record.bus == .kernel ? [record.address] + record.eventNodes : []
      }
    }

    func plug(_ device: Int) async throws { try await devices[device].plug(into: bus) }

    func unplug(_ device: Int) async { await devices[device].unplug() }

    func deviceReference(of device: Int) async throws -> HIDDeviceClient.DeviceReference {
      guard let first = devices[device].records.first?.id.rawValue else {
        throw HIDDeviceError.notReady
      }
      let references = try await HIDDeviceManager(on: bus.clients).hidsim.devices()
      guard let reference = references.first(where: { $0.deviceID == first }) else {
        throw HIDDeviceError.notReady
      }
      return reference
    }

    /// Does or expects something.
    ///
    /// What fails as a script's line does is a failure of the test.
    ///
    /// - Returns: Whether it did not fail.
    /// - Throws: Names that mean nothing on the device; `CancellationError`.
    func perform(
      _ action: TestAction, on device: Int, _ sourceLocation: SourceLocation
    ) async throws -> Bool {
      let script = try HIDScript(action, at: sourceLocation)
      do {
        try await session.perform(script, on: devices[device].label)
        return true
      } catch let failure as HIDScriptFailure {
        Issue.record(Comment(rawValue: failure.problem.message), sourceLocation: sourceLocation)
        return false
      } catch is HIDScriptStop {
        throw CancellationError()
      }
    }

    /// What has happened to the devices so far, an event a line.
    private var traffic: String {
      HIDEventText.lastLines(
        of: hub.log, base: hub.base, title: "What happened to the virtual devices, in seconds")
    }
  }

  extension HIDTestBus {
    /// The bus that is meant.
    ///
    /// - Throws: That `HIDSIM_BUS` names no bus.
    func resolved() throws(HIDWireError) -> HIDTestBus {
      guard self == .automatic else { return self }
      return try HIDBusSelection.fromEnvironment() == .kernel ? .kernel : .loopback
    }
  }
#endif
