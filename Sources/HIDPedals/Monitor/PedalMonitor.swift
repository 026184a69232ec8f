// SPDX-License-Identifier: Apache-2.0

public import CoreHID
import HIDBus

/// A monitor that finds pedals and keyboards, and reports the strokes of the pedals.
///
/// A port is a numbered input of a device with pedals: the input of one pedal, switch or button. A
/// stroke lasts from the press of the pedal in a port to its release.
///
/// The search for devices starts when the first stream or focus is made, on the bus of the task
/// that makes it. A search that fails is not repeated; ``failures`` has the reason. A stream of
/// events holds up to 4,096 events that its reader has not taken. If there are more, the oldest
/// ones are dropped.
public actor PedalMonitor {
  /// The options of a monitor: the devices that it treats as pedals, and the way in which it reads
  /// them.
  public struct Options: Sendable {
    /// The mode of the pedals; nil to detect it from their keys.
    ///
    /// Detection starts with mode 2. A key that the current mode does not have changes the mode to
    /// the first one that has the key.
    public var mode: PedalMode?
    /// The way in which a pedal that stays down repeats.
    public var repeats: PedalRepeat
    /// True if the monitor seizes the pedals: other clients of CoreHID and the desktop get none of
    /// their keys.
    public var seizes: Bool
    /// Called to choose the use of a device; if it returns nil, the device's name and keys decide.
    public var use: @Sendable (HIDDeviceClient) async -> DeviceUse?

    /// Makes options.
    public init(
      mode: PedalMode? = nil, repeats: PedalRepeat = .none, seizes: Bool = false,
      use: @escaping @Sendable (HIDDeviceClient) async -> DeviceUse? = { _ in nil }
    ) {
      self.mode = mode
      self.repeats = repeats
      self.seizes = seizes
      self.use = use
    }
  }

  /// A stream of events.
  private struct Reader {
    let number: Int
    let continuation: AsyncStream<PedalEvent>.Continuation
    /// The device of each port for which the stream got `down`, but not yet `up` or `cancelled`.
    var down: [Port: Pedals] = [:]
  }

  /// A port of a device.
  private struct Port: Hashable {
    let device: UInt64
    let number: Int
  }

  /// A device that is read.
  private struct Device {
    var pedals: Pedals
    var tracker: PedalTracker
  }

  private static let capacity = 4096

  private let options: Options
  private var search: Task<Void, Never>?
  private var readings: [HIDDeviceClient.DeviceReference: Task<Void, Never>] = [:]
  private var devices: [UInt64: Device] = [:]
  private var keyboardNames: [UInt64: String] = [:]
  private var readers: [Reader] = []
  /// The streams of the focuses that are not released, in the order in which they were taken.
  private var focuses: [Reader] = []
  private let keyboardChanges = ChangeStreams<KeyboardState>()
  private let pedalListChanges = ChangeStreams<[Pedals]>()
  private var lastNumber = 0
  private var textInputCount = 0
  private var isPaused = false
  /// The task that waits for the next repeat or end of a stroke; nil if none is due.
  private var clock: Task<Void, Never>?
  /// The failures to find or read devices, with their reasons: the newest 64.
  public private(set) var failures: [String] = []

  /// The manager that finds the devices; nil to make one on the bus of the first stream's task.
  private let manager: HIDDeviceManager?

  /// Makes a monitor.
  public init(_ options: Options = Options()) {
    self.options = options
    manager = nil
  }

  /// Makes a monitor for the devices that a manager finds.
  package init(_ options: Options, on manager: HIDDeviceManager) {
    self.options = options
    self.manager = manager
  }

  deinit {
    search?.cancel()
    clock?.cancel()
    for reading in readings.values { reading.cancel() }
    for reader in readers + focuses { reader.continuation.finish() }
  }

  // MARK: The functions for programs

  /// The connected pedals, sorted by ``Pedals/id``.
  ///
  /// The list is empty until the monitor has found the first ones, some milliseconds after its
  /// first stream or focus was made.
  public var pedals: [Pedals] { devices.values.map(\.pedals).sorted { $0.id < $1.id } }

  /// Returns a stream of the connected pedals: the current ones, and the new ones after each
  /// change.
  ///
  /// A slow reader gets only the newest value.
  public func pedalChanges() -> AsyncStream<[Pedals]> {
    start()
    return pedalListChanges.makeStream(from: pedals)
  }

  /// Returns whether the pedal in a port is down on at least one device, even during a pause.
  ///
  /// The result is false until the monitor has found the device, some milliseconds after its first
  /// stream or focus was made. A pedal counts as down while its stroke lasts: with
  /// ``PedalRepeat/device(window:)``, until one window after its release. A stroke also ends when
  /// the device is gone, or when another client seizes it.
  public func isDown(_ port: Int) -> Bool {
    devices.values.contains { $0.tracker.downPorts.contains(port) }
  }

  /// Returns a stream of the events of all pedals, regardless of the focus and of text input.
  ///
  /// It begins with the next stroke: a pedal that is already down causes no event. During a pause
  /// the stream gets no events.
  public func events() -> AsyncStream<PedalEvent> {
    start()
    let (stream, reader) = makeReader { monitor, number in await monitor.remove(number) }
    readers.append(reader)
    return stream
  }

  /// Takes the focus and returns it; its stream gets the events of all pedals.
  ///
  /// The stream begins with the next stroke. It gets no events after ``PedalFocus/release()``,
  /// while a focus exists that was taken later, during text input, and during a pause. When such a
  /// time begins, the stream gets `cancelled` for each stroke whose `down` it has got.
  public func takeFocus() -> PedalFocus {
    start()
    cancelFocus()
    let (stream, reader) = makeReader { _, _ in }
    focuses.append(reader)
    return PedalFocus(stream, reader.number, of: self)
  }

  func release(_ number: Int) {
    guard let index = focuses.firstIndex(where: { $0.number == number }) else { return }
    if index == focuses.count - 1 { cancelFocus() }
    focuses.remove(at: index).continuation.finish()
  }

  /// Begins text input: cancels the strokes of the newest focus; no focus gets events until
  /// ``endTextInput()``.
  ///
  /// Calls nest: text input ends after the same number of calls of ``endTextInput()``.
  public func beginTextInput() {
    textInputCount += 1
    if textInputCount == 1 { cancelFocus() }
    sendKeyboardState()
  }

  /// Ends text input; after the last nested call, the newest focus gets events again.
  public func endTextInput() {
    guard textInputCount > 0 else { return }
    textInputCount -= 1
    sendKeyboardState()
  }

  /// Cancels the strokes of all streams; no stream gets pedal events until ``resume()``.
  public func pause() {
    guard !isPaused else { return }
    isPaused = true
    for index in readers.indices { Self.cancel(&readers[index]) }
    cancelFocus()
  }

  /// Ends a ``pause()``.
  ///
  /// A pedal that is down at this time causes no event before its next stroke.
  public func resume() { isPaused = false }

  /// Returns a stream of the state of the keyboards: the current one, and the new one after each
  /// change.
  ///
  /// A slow reader gets only the newest value.
  public func keyboardStates() -> AsyncStream<KeyboardState> {
    start()
    return keyboardChanges.makeStream(from: keyboardState)
  }

  /// The state of the keyboards.
  ///
  /// The list of keyboards is empty until the monitor has found the first one, some milliseconds
  /// after its first stream or focus was made.
  public var keyboardState: KeyboardState {
    KeyboardState(
      keyboards: keyboardNames.sorted { $0.key < $1.key }.map(\.value),
      takesText: textInputCount > 0)
  }

  // MARK: Readers

  private func makeReader(
    _ whenEnded: @escaping @Sendable (PedalMonitor, Int) async -> Void
  ) -> (AsyncStream<PedalEvent>, Reader) {
    lastNumber += 1
    let number = lastNumber
    let (stream, continuation) = AsyncStream<PedalEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.capacity))
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in
        if let self { await whenEnded(self, number) }
      }
    }
    return (stream, Reader(number: number, continuation: continuation))
  }

  private func remove(_ number: Int) { readers.removeAll { $0.number == number } }

  /// Cancels the strokes of the newest focus.
  private func cancelFocus() {
    guard !focuses.isEmpty else { return }
    Self.cancel(&focuses[focuses.count - 1])
  }

  private static func cancel(_ reader: inout Reader) {
    for (port, pedals) in reader.down.sorted(by: { $0.key.number < $1.key.number }) {
      reader.continuation.yield(
        PedalEvent(pedals: pedals, port: port.number, kind: .cancelled, timestamp: .now))
    }
    reader.down = [:]
  }

  private static func give(_ event: PedalEvent, to reader: inout Reader) {
    let port = Port(device: event.pedals.id, number: event.port)
    if event.kind == .down { reader.down[port] = event.pedals }
    guard reader.down[port] != nil else { return }
    switch event.kind {
    case .up, .cancelled: reader.down[port] = nil
    case .down, .press: break
    }
    reader.continuation.yield(event)
  }

  private func send(_ changes: [PedalTracker.Change], of pedals: Pedals) {
    guard !isPaused else { return }
    for change in changes {
      let event = PedalEvent(
        pedals: pedals, port: change.port, kind: change.kind, timestamp: change.time)
      for index in readers.indices { Self.give(event, to: &readers[index]) }
      if textInputCount == 0, !focuses.isEmpty {
        Self.give(event, to: &focuses[focuses.count - 1])
      }
    }
  }

  private func sendKeyboardState() { keyboardChanges.send(keyboardState) }
  private func sendPedals() { pedalListChanges.send(pedals) }

  // MARK: Devices

  private func start() {
    guard search == nil else { return }
    let given = manager
    search = Task { [weak self] in
      do {
        let manager = given ?? HIDDeviceManager()
        for try await change in await manager.monitorNotifications(matchingCriteria: []) {
          guard let self else { return }
          switch change {
          case .deviceMatched(let reference): await self.begin(reference)
          case .deviceRemoved(let reference): await self.end(reference)
          }
        }
      } catch {
        await self?.note(failure: "cannot look for devices: \(error.localizedDescription)")
      }
    }
  }

  private func note(failure: String) {
    if failures.count >= 64 { failures.removeFirst() }
    failures.append(failure)
  }

  private func begin(_ reference: HIDDeviceClient.DeviceReference) {
    readings[reference] = Task { [weak self] in
      do {
        guard let client = try await HIDDeviceClient.openNew(reference) else { return }
        try await self?.read(client)
      } catch {
        guard !Task.isCancelled else { return }
        let reason = (error as? HIDBusError)?.message ?? error.localizedDescription
        await self?.note(failure: "\(reference): \(reason)")
        await self?.end(reference)
      }
    }
  }

  private func end(_ reference: HIDDeviceClient.DeviceReference) {
    readings.removeValue(forKey: reference)?.cancel()
    if keyboardNames.removeValue(forKey: reference.deviceID) != nil { sendKeyboardState() }
    cancel(reference.deviceID)
    if devices.removeValue(forKey: reference.deviceID) != nil { sendPedals() }
  }

  /// Adds a device to the keyboards or pedals, and reads pedals until they are removed.
  private func read(_ client: HIDDeviceClient) async throws {
    let product = await client.product
    let elements = await client.elements.filter { $0.type == .input }
    let usages = Set(elements.map(\.usage))
    let applications: [HIDUsage] = [.genericDesktop(.keyboard), .genericDesktop(.keypad)]
    let isKeyboard = await client.deviceUsages.contains(where: applications.contains)
    let found = DeviceUse(product: product, usages: usages, isKeyboard: isKeyboard)
    let id = client.deviceReference.deviceID
    switch await options.use(client) ?? found {
    case .other: return
    case .keyboard:
      guard !Task.isCancelled else { return }
      keyboardNames[id] = product ?? "keyboard \(id)"
      sendKeyboardState()
    case .pedals(let recognition):
      if options.seizes { try await client.seizeDevice() }
      let wanted = options.mode.map { Set($0.outputs.values.map(\.usage)) } ?? PedalMode.usages
      let notifications = await client.monitorNotifications(
        reportIDsToMonitor: [],
        elementsToMonitor: elements.filter { wanted.contains($0.usage) })
      guard !Task.isCancelled else { return }
      devices[id] = Device(
        pedals: Pedals(id: id, name: product, recognition: recognition),
        tracker: PedalTracker(mode: options.mode, repeats: options.repeats))
      sendPedals()
      for try await notification in notifications {
        switch notification {
        case .elementUpdates(let values): take(values, of: id)
        case .deviceSeized: cancel(id)
        case .deviceRemoved: return
        default: break
        }
      }
    }
  }

  private func take(_ values: [HIDElement.Value], of id: UInt64) {
    guard var device = devices[id] else { return }
    var changes: [PedalTracker.Change] = []
    for value in values {
      let isDown = value.integerValue(asTypeTruncatingIfNeeded: Int64.self) != 0
      changes += device.tracker.take(value.element.usage, isDown: isDown, at: value.timestamp)
    }
    devices[id] = device
    send(changes, of: device.pedals)
    wait()
  }

  private func cancel(_ id: UInt64) {
    guard let changes = devices[id]?.tracker.cancel(at: .now), let pedals = devices[id]?.pedals
    else { return }
    send(changes, of: pedals)
  }

  // MARK: Repeats

  /// Schedules the next repeat, or the end of a stroke whose `PedalRepeat.device` window is
  /// running.
  private func wait() {
    clock?.cancel()
    guard let deadline = devices.values.compactMap(\.tracker.deadline).min() else {
      clock = nil
      return
    }
    clock = Task { [weak self] in
      do {
        try await Task.sleep(until: deadline, clock: .suspending)
      } catch {
        return
      }
      await self?.advance()
    }
  }

  private func advance() {
    let now = SuspendingClock.now
    for id in devices.keys.sorted() {
      guard var device = devices[id] else { continue }
      let changes = device.tracker.advance(to: now)
      devices[id] = device
      send(changes, of: device.pedals)
    }
    wait()
  }
}
