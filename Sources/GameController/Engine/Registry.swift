// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import CoreHID
import HIDBus
import Synchronization

/// The keyboards, mice and controllers of one bus or of the buses of the environment, and the
/// search for them, which begins at the first use.
final class Registry: Sendable {
  /// The kinds of devices; each kind has its own notifications.
  enum Kind: Hashable, Sendable {
    case keyboard
    case mouse
    case controller
  }

  /// The notifications of a kind of device.
  private struct Names {
    let connect: NSNotification.Name
    let disconnect: NSNotification.Name
    /// Posted when a device becomes the current one; nil for keyboards, which have no current one.
    var becomeCurrent: NSNotification.Name?
    var stopBeingCurrent: NSNotification.Name?

    init(_ kind: Kind) {
      switch kind {
      case .keyboard: (connect, disconnect) = (.keyboardDidConnect, .keyboardDidDisconnect)
      case .mouse:
        (connect, disconnect) = (.mouseDidConnect, .mouseDidDisconnect)
        (becomeCurrent, stopBeingCurrent) = (.mouseDidBecomeCurrent, .mouseDidStopBeingCurrent)
      case .controller:
        (connect, disconnect) = (.controllerDidConnect, .controllerDidDisconnect)
        becomeCurrent = .controllerDidBecomeCurrent
        stopBeingCurrent = .controllerDidStopBeingCurrent
      }
    }
  }

  /// The list of the mice or of the controllers.
  private struct Listing {
    /// The devices, in the order in which they were opened.
    var devices: [Handed<NSObject>] = []
    var current: Handed<NSObject>?
    /// The device that was posted as the current one.
    var posted: Handed<NSObject>?
    var isPosting = false
    /// True if changes of the current device are posted: a program has used the name of a
    /// notification of such a change.
    var isCurrentAnnounced = false
  }

  private struct State {
    var connections: [HIDDeviceClient.DeviceReference: DeviceConnection] = [:]
    var isStarted = false
    /// The kinds whose connect notifications are posted: a program has used the name.
    var announced: Set<Kind> = []
    /// The kinds whose name was used for the first time, and whose devices are about to be posted.
    var announcedSoon: Set<Kind> = []
    var keyboard: MergedKeyboardDevice?
    /// The keyboards that are connected, in the order in which they were opened.
    var keyboards: [(reference: HIDDeviceClient.DeviceReference, name: String?)] = []
    var mice = Listing()
    var controllers = Listing()
    var failures: [String] = []

    /// The list of a kind.
    ///
    /// Do not use it for keyboards, which have a separate list.
    subscript(kind: Kind) -> Listing {
      get { kind == .mouse ? mice : controllers }
      set {
        switch kind {
        case .keyboard: break
        case .mouse: mice = newValue
        case .controller: controllers = newValue
        }
      }
    }
  }

  /// The object of all keyboards, and the object that merges their keys.
  private struct MergedKeyboardDevice {
    let device: Handed<GCKeyboard>
    let merged: MergedKeyboard
  }

  /// The maximum number of failures that are kept: the newest ones.
  private static let maximumFailureCount = 64

  /// The bus that the program has chosen for its task; nil for the buses of the environment.
  let bus: HIDBus?
  private let state = Mutex(State())
  // The addresses of the objects that were used last; 0 for none.
  private let usedMouse = Atomic<UInt>(0)
  private let usedController = Atomic<UInt>(0)

  private static let registries = Mutex<[String: Registry]>([:])

  /// The registry for the bus of this task, or for the buses of the environment if the task has
  /// none.
  static var current: Registry {
    let bus = HIDBus.current
    let key = bus.map { "\($0.kind) \($0.directoryPath ?? "")" } ?? ""
    return registries.withLock { registries in
      if let registry = registries[key] { return registry }
      let registry = Registry(on: bus)
      registries[key] = registry
      return registry
    }
  }

  /// The number of registries: one for each bus whose devices were requested and that has not
  /// ended, and one for the buses of the environment if their devices were requested.
  static var count: Int { registries.withLock { $0.count } }

  private init(on bus: HIDBus?) { self.bus = bus }

  // MARK: The devices for programs

  var keyboard: GCKeyboard? {
    start()
    return state.withLock { $0.keyboards.isEmpty ? nil : $0.keyboard?.device }?.value
  }

  var keyboardName: String? { state.withLock { $0.keyboards.first?.name } }

  var mice: [GCMouse] { devices(of: .mouse).compactMap { $0 as? GCMouse } }
  var currentMouse: GCMouse? { current(of: .mouse) as? GCMouse }
  var controllers: [GCController] {
    devices(of: .controller).compactMap { $0 as? GCController }
  }
  var currentController: GCController? { current(of: .controller) as? GCController }

  private func devices(of kind: Kind) -> [NSObject] {
    start()
    return state.withLock { $0[kind].devices }.map(\.value)
  }

  private func current(of kind: Kind) -> NSObject? {
    start()
    return state.withLock { $0[kind].current }?.value
  }

  var failures: [String] { state.withLock { $0.failures } }

  /// The delay before devices that are already connected are posted.
  ///
  /// It begins at the first use of the name of a notification of a connection, or of a change of
  /// the current device.
  ///
  /// A program adds its observer right after it has used the name, maybe on another thread.
  private static let announcementDelay = DispatchTimeInterval.milliseconds(20)

  /// Posts connect notifications of a kind from now on, first for the devices already connected.
  func announce(_ kind: Kind) {
    start()
    let isFirst = state.withLock { state in
      !state.announced.contains(kind) && state.announcedSoon.insert(kind).inserted
    }
    guard isFirst else { return }
    onMain(after: Self.announcementDelay) {
      let found = self.state.withLock { state -> [Handed<NSObject>] in
        state.announcedSoon.remove(kind)
        state.announced.insert(kind)
        switch kind {
        case .keyboard:
          guard !state.keyboards.isEmpty, let device = state.keyboard?.device else { return [] }
          return [Handed(value: device.value)]
        case .mouse, .controller: return state[kind].devices
        }
      }
      for device in found {
        NotificationCenter.default.post(name: Names(kind).connect, object: device.value)
      }
      self.postCurrent(kind)
    }
  }

  /// Posts changes of the current device of a kind from now on, beginning with the current device.
  func announceCurrent(_ kind: Kind) {
    start()
    let isFirst = state.withLock { state in
      defer { state[kind].isCurrentAnnounced = true }
      return !state[kind].isCurrentAnnounced
    }
    guard isFirst else { return }
    onMain(after: Self.announcementDelay) { self.postCurrent(kind) }
  }

  /// Returns whether connect notifications of a kind are posted.
  func hasAnnounced(_ kind: Kind) -> Bool { state.withLock { $0.announced.contains(kind) } }

  /// Posts a notification on the main queue.
  private func post(_ name: NSNotification.Name, _ device: Handed<NSObject>) {
    onMain { NotificationCenter.default.post(name: name, object: device.value) }
  }

  private func onMain(
    after delay: DispatchTimeInterval? = nil, _ body: @escaping @Sendable () -> Void
  ) {
    let bus = bus
    let call: @Sendable () -> Void = {
      guard let bus else { return body() }
      HIDBus.$current.withValue(bus) { body() }
    }
    // Use the operation queue. If an observer names an operation queue, Linux's Foundation adds an
    // operation to that queue and waits for it. It does not wait if an operation of the same queue
    // posts. A block on the main queue would wait forever.
    guard let delay else { return OperationQueue.main.addOperation(call) }
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) {
      OperationQueue.main.addOperation(call)
    }
  }

  // MARK: Devices

  /// Starts the search for devices, unless it was started before.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    // A manager searches on the bus of the task that makes it.
    let search = Task { await self.search() }
    bus?.whenEnded {
      search.cancel()
      self.forget()
    }
  }

  private func search() async {
    do {
      let manager = HIDDeviceManager()
      for try await change in await manager.monitorNotifications(matchingCriteria: []) {
        switch change {
        case .deviceMatched(let reference):
          let connection = DeviceConnection(reference, in: self)
          state.withLock { $0.connections[reference] = connection }
          Task { await connection.open() }
        case .deviceRemoved(let reference):
          state.withLock { $0.connections.removeValue(forKey: reference) }?.close()
        }
      }
    } catch {
      note(failure: "cannot look for devices: \(error.localizedDescription)")
    }
    let rest = state.withLock { state in
      defer { state.connections = [:] }
      return Array(state.connections.values)
    }
    for connection in rest { connection.close() }
  }

  /// Removes the registry of a bus that has ended.
  ///
  /// If a search fails while its bus exists, the registry stays and keeps the reason.
  private func forget() {
    Self.registries.withLock { registries in
      for (key, registry) in registries where registry === self { registries[key] = nil }
    }
  }

  func note(failure: String) {
    state.withLock { state in
      if state.failures.count >= Self.maximumFailureCount { state.failures.removeFirst() }
      state.failures.append(failure)
    }
  }

  // MARK: Keyboards

  /// The merged keyboard of the bus, which is made on first use.
  var mergedKeyboard: MergedKeyboard {
    if let merged = state.withLock({ $0.keyboard?.merged }) { return merged }
    let device = GCKeyboard(in: self)
    let new = MergedKeyboardDevice(
      device: Handed(value: device), merged: MergedKeyboard(device.input, device.queue))
    return state.withLock { state in
      let keyboard = state.keyboard ?? new
      state.keyboard = keyboard
      return keyboard.merged
    }
  }

  func addKeyboard(_ reference: HIDDeviceClient.DeviceReference, name: String?) {
    let device = state.withLock { state -> Handed<NSObject>? in
      state.keyboards.append((reference, name))
      guard state.keyboards.count == 1, state.announced.contains(.keyboard),
        let device = state.keyboard?.device
      else { return nil }
      return Handed(value: device.value)
    }
    if let device { post(.keyboardDidConnect, device) }
  }

  func removeKeyboard(_ reference: HIDDeviceClient.DeviceReference) {
    let device = state.withLock { state -> Handed<NSObject>? in
      let count = state.keyboards.count
      state.keyboards.removeAll { $0.reference == reference }
      // If the delayed connect notification is still to come, neither notification is posted.
      guard count > 0, state.keyboards.isEmpty, !state.announcedSoon.contains(.keyboard),
        let device = state.keyboard?.device
      else { return nil }
      return Handed(value: device.value)
    }
    if let device { post(.keyboardDidDisconnect, device) }
  }

  // MARK: Mice and controllers

  func add(_ kind: Kind, _ device: Handed<NSObject>) {
    let isAnnounced = state.withLock { state in
      state[kind].devices.append(device)
      return state.announced.contains(kind)
    }
    if isAnnounced { post(Names(kind).connect, device) }
    use(kind, device)
  }

  func remove(_ kind: Kind, _ device: Handed<NSObject>) {
    let (wasThere, isPosted) = state.withLock { state in
      let count = state[kind].devices.count
      state[kind].devices.removeAll { $0.value === device.value }
      guard count > state[kind].devices.count else { return (false, false) }
      if state[kind].current?.value === device.value {
        state[kind].current = state[kind].devices.last
        used(kind, state[kind].current)
      }
      // If the delayed connect notification is still to come, neither notification is posted.
      return (true, !state.announcedSoon.contains(kind))
    }
    guard wasThere else { return }
    postCurrent(kind)
    if isPosted { post(Names(kind).disconnect, device) }
  }

  /// Makes a device the current one, if it is listed.
  func use(_ kind: Kind, _ device: Handed<NSObject>) {
    // This is called for each report, so take no lock while the same device is used.
    let last =
      kind == .mouse
      ? usedMouse.load(ordering: .relaxed) : usedController.load(ordering: .relaxed)
    guard last != address(of: device) else { return }
    state.withLock { state in
      guard state[kind].devices.contains(where: { $0.value === device.value }) else { return }
      used(kind, device)
      state[kind].current = device
    }
    postCurrent(kind)
  }

  private func address(of device: Handed<NSObject>) -> UInt {
    UInt(bitPattern: ObjectIdentifier(device.value))
  }

  private func used(_ kind: Kind, _ device: Handed<NSObject>?) {
    let address = device.map(address(of:)) ?? 0
    switch kind {
    case .keyboard: break
    case .mouse: usedMouse.store(address, ordering: .relaxed)
    case .controller: usedController.store(address, ordering: .relaxed)
    }
  }

  /// Posts the change of the current device on the main queue.
  ///
  /// Nothing is posted if the device has changed back, if changes are not announced yet, or while
  /// the connect notifications of the kind are about to be posted.
  private func postCurrent(_ kind: Kind) {
    let isFirst = state.withLock { state in
      defer { state[kind].isPosting = true }
      return !state[kind].isPosting
    }
    guard isFirst else { return }
    onMain {
      let (old, new) = self.state.withLock { state in
        state[kind].isPosting = false
        // The connect notifications that are about to be posted come first.
        guard state[kind].isCurrentAnnounced, !state.announcedSoon.contains(kind) else {
          return (state[kind].posted, state[kind].posted)
        }
        defer { state[kind].posted = state[kind].current }
        return (state[kind].posted, state[kind].current)
      }
      guard old?.value !== new?.value else { return }
      let (center, names) = (NotificationCenter.default, Names(kind))
      if let old, let name = names.stopBeingCurrent { center.post(name: name, object: old.value) }
      if let new, let name = names.becomeCurrent { center.post(name: name, object: new.value) }
    }
  }
}
