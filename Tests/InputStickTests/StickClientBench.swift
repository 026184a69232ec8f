// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import InputStickAPI
import Synchronization

/// An environment in which a test controls the sticks and the clock.
///
/// A client of the library uses it in place of the machine's environment. The random bytes are
/// those of the recorded cases.
final class SteppedEnvironment: StickEnvironment {
  struct Timer {
    let number: Int
    let due: Int
    let body: @Sendable () -> Void
  }

  struct State {
    var now = 0
    var timers: [Timer] = []
    var lastTimer = 0
    var found: (@Sendable (StickAdvertisement) -> Void)?
    var link: Link?
    var randomCount = 0
    /// The times after which a stick is connected and can be written to, in milliseconds; nil if it
    /// never connects.
    var connectTimes: (connected: Int, ready: Int)? = (50, 65)
    var pieceByteCount = Int.max
    /// The identifiers that are enough to connect, before a scan has found the stick.
    var addresses: Set<String> = []
  }

  let state = Mutex(State())
  /// Called with the bytes that are written to the stick, in pieces.
  let written = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)
  let linkBegan = Mutex<(@Sendable () -> Void)?>(nil)

  var now: Int { state.withLock { $0.now } }
  var unixTime: Int { 1_700_000_000 + now / 1000 }

  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.lastTimer += 1
      state.timers.append(Timer(number: state.lastTimer, due: state.now + delay, body: body))
      return state.lastTimer
    }
    return { [weak self] in
      self?.state.withLock { state in state.timers.removeAll { $0.number == number } }
    }
  }

  /// Advances the clock, and calls the timers that are due in order.
  func step(to time: Int) {
    while true {
      let next = state.withLock { state -> Timer? in
        let due = state.timers.filter { $0.due <= time }
        guard let first = due.min(by: { ($0.due, $0.number) < ($1.due, $1.number) }) else {
          return nil
        }
        state.timers.removeAll { $0.number == first.number }
        state.now = max(state.now, first.due)
        return first
      }
      guard let next else { break }
      next.body()
    }
    state.withLock { $0.now = max($0.now, time) }
  }

  func randomBytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      // The bytes of each authentication, in order: initialisation vector, proof and challenge.
      let first = UInt8(0x10 + [0, 0x30, 0x40][state.randomCount % 3])
      state.randomCount += 1
      return (0..<count).map { first + UInt8($0) }
    }
  }

  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void) {
    state.withLock { $0.found = found }
  }

  func stopScan() { state.withLock { $0.found = nil } }

  /// Reports a stick to the scan that runs.
  func discover(_ advertisement: StickAdvertisement) {
    state.withLock { $0.found }?(advertisement)
  }

  func canConnect(to identifier: String) -> Bool {
    state.withLock { $0.addresses.contains(identifier) }
  }

  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport {
    let link = Link(self, event)
    let times = state.withLock { state in
      state.link = link
      return state.connectTimes
    }
    linkBegan.withLock { $0 }?()
    if let times {
      _ = schedule(afterMilliseconds: times.connected) { link.tell(.connected) }
      _ = schedule(afterMilliseconds: times.ready) { [weak self] in
        link.tell(.ready(pieceByteCount: self?.state.withLock { $0.pieceByteCount } ?? .max))
      }
    }
    return link
  }

  /// Reports bytes from the stick to the client.
  func receive(_ bytes: [UInt8]) { state.withLock { $0.link }?.tell(.received(bytes)) }

  /// Reports to the client that the link is closed.
  func loseLink() { state.withLock { $0.link }?.tell(.closed) }

  final class Link: StickTransport {
    private let environment: SteppedEnvironment
    private let event: @Sendable (StickLinkEvent) -> Void
    private let isClosed = Atomic(false)

    init(_ environment: SteppedEnvironment, _ event: @escaping @Sendable (StickLinkEvent) -> Void) {
      self.environment = environment
      self.event = event
    }

    func tell(_ what: StickLinkEvent) {
      if !isClosed.load(ordering: .relaxed) { event(what) }
    }

    func write(_ bytes: [UInt8]) {
      if !isClosed.load(ordering: .relaxed) { environment.written.withLock { $0 }?(bytes) }
    }

    func close() { isClosed.store(true, ordering: .relaxed) }
  }
}

/// A manager with a delegate and observers that record what happens, in the form of the recorded
/// cases.
final class StickClientBench: NSObject, InputStickManagerDelegate,
  InputStickConnectionNotificationObserver, InputStickPeripheralScanNotificationObserver,
  InputStickStatusUpdateNotificationObserver
{
  static let identifier = "11111111-2222-3333-4444-555555555555"

  /// An event with its time, kind and value.
  struct Event: Hashable, CustomStringConvertible {
    var time: Int
    var kind: String
    var value: String
    var description: String { "\(time) \(kind) \(value)" }
  }

  let environment = SteppedEnvironment()
  let manager: InputStickManager
  private(set) var events: [Event] = []
  /// Called when a key is needed; true to ask the user for it.
  var asksForKey: () -> Bool = { true }
  private let suite = "hidsim-test-\(UUID().uuidString)"
  private var reader = StickFrameReader(of: .client)
  private var stick = StickModel(.latest, hmacKey: [])
  /// The number of events that the stick has processed.
  private var forwardedCount = 0
  /// True to record pieces too.
  var showsPieces = false
  var isQuiet = false

  override init() {
    manager = InputStickManager(suiteName: suite, environment: environment)
    super.init()
    manager.delegate = self
    let center = NotificationCenter.default
    center.registerForInputStickConnectionNotifications(with: self)
    center.registerForInputStickPeripheralScanNotifications(with: self)
    center.registerForInputStickStatusUpdateNotifications(with: self)
    // The bench is used on one thread, so written bytes are recorded at once.
    nonisolated(unsafe) weak let bench = self
    environment.written.withLock { $0 = { bench?.take($0) } }
    environment.linkBegan.withLock { $0 = { bench?.note("link", "connect") } }
  }

  /// Removes the manager's defaults, and ends the observation.
  func end() {
    let center = NotificationCenter.default
    center.unregisterFromInputStickConnectionNotifications(with: self)
    center.unregisterFromInputStickPeripheralScanNotifications(with: self)
    center.unregisterFromInputStickStatusUpdateNotifications(with: self)
    UserDefaults.standard.removePersistentDomain(forName: suite)
  }

  func note(_ kind: String, _ value: String) {
    if !isQuiet { events.append(Event(time: environment.now, kind: kind, value: value)) }
  }

  func forgetEvents() {
    events = []
    forwardedCount = 0
  }

  private func take(_ bytes: [UInt8]) {
    if showsPieces { note("ble", hex(bytes)) }
    for case .frame(let frame) in reader.take(bytes) { note("tx", hex(frame.bytes)) }
  }

  // MARK: Observing

  func didUpdateInputStickConnectionState(_ notification: Notification!) {
    guard (notification.object as? NSNumber)?.uintValue == manager.connectionState.rawValue else {
      return  // the notification is of another manager
    }
    let names: [InputStickConnectionState: String] = [
      .disconnected: "DISCONNECTED", .connecting: "CONNECTING", .initializing: "INITIALIZING",
      .usbNotReady: "USB_NOT_READY", .usbSuspended: "USB_SUSPENDED", .ready: "READY",
    ]
    if manager.connectionState == .disconnected { note("link", "closed") }
    note("state", names[manager.connectionState] ?? "?")
  }

  func didUpdateInputStickPeripheralsList(_ notification: Notification!) {}
  func didStartInputStickPeripheralScan() { note("scan", "start") }
  func didFinishInputStickPeripheralScan() { note("scan", "stop") }
  func didTimeoutInputStickPeripheralScan() {}

  func didUpdateInputStickKeyboardLEDsNotification(_ notification: Notification!) {
    guard let state = notification.object as? InputStickKeyboardLEDsState else { return }
    let letters = [(state.numLockOn, "N"), (state.capsLockOn, "C"), (state.scrollLockOn, "S")]
    note("leds", letters.map { $0.0 ? $0.1 : "-" }.joined() + " raw=\(hex([state.rawValue]))")
  }

  func didEmptyInputStickKeyboardBufferNotification() { note("empty", "keyboard") }
  func didEmptyInputStickMouseBufferNotification() { note("empty", "mouse") }
  func didEmptyInputStickConsumerBufferNotification() { note("empty", "consumer") }
  func didEmptyInputStickKeyboardLocalBufferNotification() { note("localEmpty", "keyboard") }
  func didEmptyInputStickMouseLocalBufferNotification() { note("localEmpty", "mouse") }
  func didEmptyInputStickConsumerLocalBufferNotification() { note("localEmpty", "consumer") }

  // MARK: InputStickManagerDelegate

  func inputStickManager(
    _ inputStickManager: InputStickManager!, presentErrorDialog error: (any Error)!
  ) {
    let code = (error as NSError).code
    let text =
      "0x" + String(repeating: "0", count: 4 - String(code, radix: 16).count)
      + String(code, radix: 16).uppercased()
    note("errorDialog", text)
  }

  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool {
    let isAsked = asksForKey()
    let status = deviceData.passwordProtectionStatus.rawValue
    note("keyDialog", "\(request) -> \(isAsked ? 1 : 0) (protectionStatus=\(status))")
    return isAsked
  }

  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentFirmwareUpdateDialog deviceData: InputStickDeviceData!
  ) {
    note("firmwareUpdateDialog", "fw=\(deviceData.firmwareVersion)")
  }

  func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentUSBResumeDialog deviceData: InputStickDeviceData!
  ) {
    note("usbResumeDialog", "")
  }

  // MARK: A stick

  /// Connects to a stick with a firmware and a password, and returns after its first status.
  func connect(_ firmware: Int, password: String? = nil) {
    let key = password.flatMap { try? StickKey(password: $0) }
    stick = StickModel(
      StickFirmware(firmware) ?? .latest, key: key, hmacKey: [UInt8](0x80...0x9F))
    stick.usbState = .configured
    if let key {
      _ = manager.deviceDB.createDevice(
        withIdentifier: Self.identifier, withPreferredName: "InputStick")
      manager.deviceDB.getDataForDevice(withIdentifier: Self.identifier).key = Data(key.bytes)
    }
    startLink()
    forward()
  }

  /// Connects to a stick, and returns when packets can be sent; the stick answers none.
  func startLink(to identifier: String = StickClientBench.identifier) {
    manager.connectToInputStick(withIdentifier: identifier)
    environment.discover(
      StickAdvertisement(identifier: identifier, name: "InputStick", rssi: -50))
    environment.step(to: environment.now + 65)
  }

  /// Passes the client's packets to the stick, and the answers back, until the client sends no
  /// more.
  ///
  /// Then the stick sends a status.
  private func forward() {
    while forwardedCount < events.count {
      let event = events[forwardedCount]
      forwardedCount += 1
      guard event.kind == "tx" else { continue }
      for case .send(let bytes) in stick.receive(bytes(event.value)) { environment.receive(bytes) }
    }
    for case .send(let bytes) in stick.status() { environment.receive(bytes) }
  }

  /// Reads the keyboard's reports as the host, until client and stick have no more.
  ///
  /// - Returns: The reports.
  func drainKeyboard() -> [StickReport] {
    var reports: [StickReport] = []
    repeat {
      forward()
      while let report = stick.poll(.keyboard) { reports.append(report) }
      forward()
    } while !manager.buffersManager.keyboardBufferEmpty
    return reports
  }
}
