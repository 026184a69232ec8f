// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDSimulator
import IOLoop
import InputStick
import InputStickAPI
import KeyboardLayouts
import Synchronization
import Testing

/// The client at a simulated stick, over a socket, in real time.
///
/// Tests wait for notifications or events. The time limit of a test ends a wait that does not
/// succeed.
@Suite("the InputStick client at a stick", .timeLimit(.minutes(1)))
@MainActor struct StickClientLinkTests {
  /// A stick that is plugged into a bus of its own, and listens at a socket.
  private final class Bench {
    let stick: SimulatedStick
    let log: HIDEventLog
    let place: String
    private let serving: Task<Void, Never>
    private let folder: URL
    private let suite = "hidsim-test-\(UUID().uuidString)"
    let manager: InputStickManager

    @MainActor init(firmware: Int = 110, password: String? = nil) async throws {
      folder = try SimulatedStick.makeBusFolder()
      log = HIDEventLog()
      stick = try .onLoopback(firmware: firmware, password: password, log: log, in: folder)
      let server = try StickServer(stick, at: .unix(folder.appending(path: "stick").path))
      place = server.endpoint.description
      serving = Task { await server.run() }
      try await stick.plug()
      manager = try #require(InputStickManager(suiteName: suite))
    }

    @MainActor func end() async {
      manager.disconnectFromInputStick()
      serving.cancel()
      await serving.value
      await stick.unplug()
      UserDefaults.standard.removePersistentDomain(forName: suite)
      try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until a notification meets a condition.
    @MainActor func wait(for name: String, until isMet: @MainActor () -> Bool) async {
      await NotificationCenter.default.wait(for: [Notification.Name(name)], until: isMet)
    }

    @MainActor func connect() async {
      manager.connectToInputStick(withIdentifier: place)
      await wait(for: "DidUpdateInputStickConnectionStateNotificationName") {
        manager.connectionState == .ready || manager.connectionState == .disconnected
      }
    }

    /// The reports of the keyboard so far.
    var reports: [[UInt8]] { log.inputReports(of: "keyboard") }
  }

  @Test(
    "a long text arrives with each firmware, encrypted or not",
    arguments: [98, 100, 112], [nil, "abc123"])
  func text(firmware: Int, password: String?) async throws {
    let bench = try await Bench(firmware: firmware, password: password)
    let user = StickUser(password: password, savesPlainText: true)
    bench.manager.delegate = user
    await bench.connect()
    #expect(bench.manager.connectionState == .ready)
    #expect(bench.manager.encryptionEnabled == (password != nil))
    let text = "Größe: 5 €. " + String(repeating: "Hello World! ", count: 12)
    bench.manager.keyboardHandler.typeText(
      text, withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(withCode: "de-DE"))
    await bench.wait(for: "DidEmptyInputStickKeyboardBufferNotificationName") {
      bench.manager.buffersManager.keyboardBufferEmpty
    }
    let layout = try #require(KeyboardLayout(code: "de-DE"))
    let reports = bench.reports
    #expect(layout.text(of: KeyStroke.struck(in: reports)) == text)
    #expect(reports.last == [UInt8](repeating: 0, count: 8), "no key stays down")
    await bench.end()
  }

  @Test("a missing and a wrong password are errors, and the right one connects")
  func passwords() async throws {
    let bench = try await Bench(password: "abc123")
    let user = StickUser(password: nil, savesPlainText: true)
    bench.manager.delegate = user
    await bench.connect()
    #expect(bench.manager.connectionState == .disconnected)
    #expect((bench.manager.lastError as NSError?)?.code == 0x503, "no key")
    user.password = "wrong"
    await bench.connect()
    #expect((bench.manager.lastError as NSError?)?.code == 0x504, "a wrong one")
    user.password = "abc123"
    await bench.connect()
    #expect(bench.manager.connectionState == .ready)
    #expect(bench.manager.connectedInputStickDeviceData?.plainText == "abc123")
    await bench.end()
  }

  @Test("a client that disconnects can connect again at once")
  func again() async throws {
    let bench = try await Bench()
    let place = try StickEndpoint(bench.place)
    var request = StickFrame(payload: try #require(StickPacket(0x04).payload))
    request.wantsAnswer = true
    for _ in 0..<100 {
      let channel = try await StickChannel.connected(to: place)
      channel.send(request.bytes)
      var chunks = channel.chunks.makeAsyncIterator()
      let answer = await chunks.next() ?? []
      #expect(answer.first == StickFrame.start, "\(String(decoding: answer, as: UTF8.self))")
      channel.close()
    }
    await bench.end()
  }

  @Test("packets are sent in the order of their encryption, also from several tasks")
  func order() async throws {
    let bench = try await Bench(password: "abc123")
    let bytes = Mutex<[UInt8]>([])
    let session = try #require(
      await bench.stick.connect(.init(send: { sent in bytes.withLock { $0 += sent } })))
    var link = StickClientLink()
    var reader = StickFrameReader(of: .stick)
    let request = try link.authentication(StickKey(password: "abc123"), withHMAC: true) {
      .random(count: $0)
    }
    await bench.stick.receive(
      try #require(link.frame(of: request, wantsAnswer: true)).bytes, in: session)
    let answer = try #require(reader.take(bytes.withLock { $0 }).first)
    guard case .frame(let frame) = answer else { throw CancellationError() }
    #expect(link.authenticated(by: try link.packet(of: frame)))
    bytes.withLock { $0 = [] }
    let stick = bench.stick
    let question = StickFrame(payload: try #require(StickPacket(0x11).payload))
    await withTaskGroup { group in
      // The stick answers a client's packets on its loop. The task of a timer runs elsewhere.
      for number in 0..<8 {
        let executor: (any TaskExecutor)? =
          number.isMultiple(of: 2) ? StickChannel.loop.taskExecutor : nil
        group.addTask(executorPreference: executor) {
          var question = question
          question.wantsAnswer = true
          for _ in 0..<500 { await stick.receive(question.bytes, in: session) }
        }
      }
    }
    var count = 0
    for case .frame(let frame) in reader.take(bytes.withLock { $0 }) {
      #expect(try link.packet(of: frame).command == 0x11, "packet \(count)")
      count += 1
    }
    #expect(count == 4000)
    await bench.end()
  }

  @Test("a connection to a place without a stick is an error")
  func unreachable() async throws {
    let bench = try await Bench()
    bench.manager.connectToInputStick(withIdentifier: bench.place + "-2")
    await bench.wait(for: "DidUpdateInputStickConnectionStateNotificationName") {
      bench.manager.connectionState == .disconnected
    }
    #expect((bench.manager.lastError as NSError?)?.code == 0x102)
    await bench.end()
  }

  @Test("the client detects a suspended host, wakes it, and detects a lost link")
  func host() async throws {
    let bench = try await Bench()
    await bench.connect()
    let states = "DidUpdateInputStickConnectionStateNotificationName"
    await bench.stick.perform(.suspend)
    await bench.wait(for: states) { bench.manager.connectionState == .usbSuspended }
    bench.manager.sendUSBResumeRequest()
    await bench.wait(for: states) { bench.manager.connectionState == .ready }
    await bench.stick.perform(.disconnect)
    await bench.wait(for: states) { bench.manager.connectionState == .disconnected }
    #expect((bench.manager.lastError as NSError?)?.code == 0x101)
    await bench.end()
  }

  @Test("a watchdog restart and a wrong CRC end the connection with their own errors")
  func faults() async throws {
    let bench = try await Bench()
    let states = "DidUpdateInputStickConnectionStateNotificationName"
    for (action, code) in [(HIDLinkAction.watchdog, 0x201), (.corrupt(1), 0x411)] {
      await bench.connect()
      #expect(bench.manager.connectionState == .ready)
      await bench.stick.perform(action)
      await bench.wait(for: states) { bench.manager.connectionState == .disconnected }
      #expect((bench.manager.lastError as NSError?)?.code == code)
    }
    await bench.end()
  }
}
