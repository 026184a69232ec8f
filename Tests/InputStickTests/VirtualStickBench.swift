// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HIDSimulator
import IOLoop
import InputStick
import InputStickAPI
import KeyboardLayouts
import Synchronization
import Testing

/// A stick on the loopback bus as the environment of a client, in the stick's virtual time.
///
/// All actions are work of the timeline. So the time advances only while client and stick wait.
final class VirtualEnvironment: StickEnvironment {
  private struct State {
    var link: Link?
    /// The number of bytes of the next client after which the link is lost; nil for never.
    var byteLimit: Int?
  }

  let stick: SimulatedStick
  let timeline: Timeline
  private let origin: MonotonicTime
  private let state = Mutex(State())

  init(_ stick: SimulatedStick, _ timeline: Timeline) {
    self.stick = stick
    self.timeline = timeline
    origin = timeline.now
  }

  /// The time since the start, in milliseconds.
  var now: Int { Int(timeline.now.microseconds(since: origin) / 1000) }
  var unixTime: Int { 1_700_000_000 + now / 1000 }

  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let isCancelled = Flag()
    let id = timeline.schedule(at: timeline.now.advanced(by: .milliseconds(delay))) {
      self.call { if !isCancelled.isSet { body() } }
    }
    let timeline = timeline
    return {
      isCancelled.set()
      timeline.cancel(id)
    }
  }

  /// Calls `body` on the main queue, as work of the timeline.
  fileprivate func call(_ body: @escaping @Sendable () -> Void) {
    let timeline = timeline
    timeline.beginWork()
    DispatchQueue.main.async {
      body()
      timeline.endWork()
    }
  }

  func randomBytes(_ count: Int) -> [UInt8] { .random(count: count) }
  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void) {}
  func stopScan() {}
  func canConnect(to identifier: String) -> Bool { true }

  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport {
    state.withLock { state in
      let link = Link(self, after: state.link, byteLimit: state.byteLimit.take(), event)
      state.link = link
      return link
    }
  }

  /// Loses the link of the next client after `count` bytes of the client.
  func loseNextLink(afterByteCount count: Int) { state.withLock { $0.byteLimit = count } }

  /// The number of bytes that the latest client has sent.
  var writtenByteCount: Int { state.withLock { $0.link }?.writtenByteCount ?? 0 }

  final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  final class Link: StickTransport {
    private let environment: VirtualEnvironment
    private let chunks = AsyncStream.makeStream(of: [UInt8].self)
    private let isClosed = Flag()
    private let written = Mutex(0)
    private let byteLimit: Int
    private let task: Task<Void, Never>

    var writtenByteCount: Int { written.withLock { $0 } }

    init(
      _ environment: VirtualEnvironment, after last: Link?, byteLimit: Int?,
      _ event: @escaping @Sendable (StickLinkEvent) -> Void
    ) {
      self.environment = environment
      self.byteLimit = byteLimit ?? .max
      let (stick, timeline, isClosed) = (environment.stick, environment.timeline, isClosed)
      let tell: @Sendable (StickLinkEvent) -> Void = { what in
        environment.call { if !isClosed.isSet { event(what) } }
      }
      timeline.beginWork()
      let chunks = chunks
      task = Task {
        // A stick has one client at a time, so the task waits for the end of the previous client.
        await last?.task.value
        let session = await stick.connect(
          .init(
            send: { tell(.received($0)) },
            close: {
              tell(.closed)
              chunks.continuation.finish()
            }))
        if session != nil {
          tell(.connected)
          tell(.ready(pieceByteCount: .max))
        } else {
          tell(.closed)
        }
        timeline.endWork()
        for await chunk in chunks.stream {
          await stick.receive(chunk, in: session ?? 0)
          if chunk.isEmpty { await stick.disconnect(session, because: "the link was lost") }
          timeline.endWork()
        }
      }
    }

    func write(_ bytes: [UInt8]) {
      let (taken, isCut) = written.withLock { written in
        let taken = bytes.prefix(max(0, byteLimit - written))
        let isCut = written < byteLimit && written + bytes.count >= byteLimit
        written += bytes.count
        return (taken, isCut)
      }
      if !taken.isEmpty { yield(Array(taken)) }
      // An empty chunk ends the link.
      if isCut { yield([]) }
    }

    private func yield(_ chunk: [UInt8]) {
      environment.timeline.beginWork()
      if case .terminated = chunks.continuation.yield(chunk) { environment.timeline.endWork() }
    }

    func close() {
      isClosed.set()
      yield([])
      chunks.continuation.finish()
    }
  }
}

/// A client of the library, a simulated stick and its host on the loopback bus, in virtual time.
@MainActor final class VirtualStickBench {
  /// A change of the client's state or an error, with its time.
  struct Change: Hashable, CustomStringConvertible {
    let milliseconds: Int
    let text: String

    init(_ milliseconds: Int, _ text: String) {
      (self.milliseconds, self.text) = (milliseconds, text)
    }

    nonisolated var description: String { "\(milliseconds) ms: \(text)" }
  }

  let stick: SimulatedStick
  let environment: VirtualEnvironment
  let manager: InputStickManager
  private let log: HIDEventLog
  private let diary: Diary

  private init(
    firmware: Int, password: String?, pollInterval: Duration, in folder: URL, suite: String
  ) throws {
    let timeline = Timeline.virtual()
    log = HIDEventLog(timeline: timeline)
    stick = try .onLoopback(
      firmware: firmware, password: password, pollInterval: pollInterval, log: log, in: folder)
    environment = VirtualEnvironment(stick, timeline)
    manager = InputStickManager(suiteName: suite, environment: environment)
    diary = Diary(manager, environment)
  }

  /// Runs a test with a stick, which is plugged unless `isPlugged` is false, and unplugs it.
  static func run(
    firmware: Int = 110, password: String? = nil, isPlugged: Bool = true,
    pollInterval: Duration = SimulatedStick.defaultPollInterval,
    _ body: (VirtualStickBench) async throws -> Void
  ) async throws {
    let suite = "hidsim-test-\(UUID().uuidString)"
    let folder = try SimulatedStick.makeBusFolder()
    defer {
      UserDefaults.standard.removePersistentDomain(forName: suite)
      try? FileManager.default.removeItem(at: folder)
    }
    let bench = try VirtualStickBench(
      firmware: firmware, password: password, pollInterval: pollInterval, in: folder, suite: suite)
    if isPlugged { try await bench.stick.plug() } else { await bench.stick.start() }
    let timeline = bench.environment.timeline
    timeline.beginWork()
    timeline.start()
    let result: Result<Void, any Error>
    do {
      try await body(bench)
      result = .success(())
    } catch { result = .failure(error) }
    timeline.endWork()
    timeline.stop()
    bench.manager.disconnectFromInputStick()
    bench.diary.end()
    await bench.stick.unplug()
    try result.get()
  }

  /// Advances the virtual time.
  func pass(_ duration: Duration) async throws {
    try await environment.timeline.sleep(for: duration)
  }

  /// Connects, and lets `duration` pass.
  ///
  /// Half a second is enough for a stick without a fault.
  func connect(_ duration: Duration = .milliseconds(500)) async throws {
    manager.connectToInputStick(withIdentifier: "the stick")
    try await pass(duration)
  }

  /// Stores the key of a password for the stick.
  func store(password: String) {
    _ = manager.deviceDB.createDevice(withIdentifier: "the stick", withPreferredName: "InputStick")
    manager.deviceDB.getDataForDevice(withIdentifier: "the stick").key =
      InputStickEncryptionManager.md5(from: password)
  }

  /// The states and errors of the client so far.
  var changes: [Change] { diary.changes }

  // MARK: The host

  /// Returns the input reports of an interface so far.
  func reports(_ interface: String) -> [[UInt8]] { log.inputReports(of: interface) }

  /// The strokes of the keyboard so far.
  var strokes: [KeyStroke] { KeyStroke.struck(in: reports("keyboard")) }

  /// Returns the text that a host with a layout has read so far.
  func text(_ layout: String = "en-US") throws -> String {
    try #require(KeyboardLayout(code: layout)).text(of: strokes)
  }

  /// True while a key or a modifier is down at the host.
  ///
  /// A host releases all keys of a keyboard that is unplugged.
  var isKeyDown: Bool {
    var index = 0
    var isDown = false
    for event in log.read(from: &index).events where event.device.hasSuffix("keyboard") {
      switch event.kind {
      case .input(let report): isDown = report.bytes.contains { $0 != 0 }
      case .unplugged: isDown = false
      default: break
      }
    }
    return isDown
  }

  // MARK: The client's program

  /// The client's program: it records the states and errors of the client.
  private final class Diary: NSObject, InputStickManagerDelegate {
    private let manager: InputStickManager
    private let environment: VirtualEnvironment
    private(set) var changes: [Change] = []
    private var state = InputStickConnectionState.disconnected
    private var token: (any NSObjectProtocol)?

    init(_ manager: InputStickManager, _ environment: VirtualEnvironment) {
      self.manager = manager
      self.environment = environment
      super.init()
      manager.delegate = self
      // Callbacks come on the main queue, where the diary is also used.
      nonisolated(unsafe) weak let diary = self
      token = NotificationCenter.default.addObserver(
        forName: .stickConnection,
        object: nil, queue: nil
      ) { _ in diary?.takeState() }
    }

    func end() { token.map { NotificationCenter.default.removeObserver($0) } }

    private func takeState() {
      // Managers of other tests post this notification too.
      guard manager.connectionState != state else { return }
      state = manager.connectionState
      note("\(state)")
    }

    private func note(_ text: String) { changes.append(Change(environment.now, text)) }

    func inputStickManager(
      _ inputStickManager: InputStickManager!, presentErrorDialog error: (any Error)!
    ) { note("error 0x" + String((error as NSError).code, radix: 16)) }

    func inputStickManager(
      _ inputStickManager: InputStickManager!,
      presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
    ) -> Bool {
      note("\(request)")
      return false
    }

    func inputStickManager(
      _ inputStickManager: InputStickManager!,
      presentFirmwareUpdateDialog deviceData: InputStickDeviceData!
    ) {}

    func inputStickManager(
      _ inputStickManager: InputStickManager!,
      presentUSBResumeDialog deviceData: InputStickDeviceData!
    ) { note("asks to wake the host") }
  }
}
