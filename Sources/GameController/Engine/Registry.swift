// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDReportDescriptor
import HIDSystem
import Synchronization

/// The devices of one bus, from the first use of the module on.
final class Registry: Sendable {
  /// What a connect notification is of.
  enum Kind: Hashable, Sendable {
    case keyboard
    case mouse
  }

  private struct State {
    var connections: [HIDDeviceClient.DeviceReference: DeviceConnection] = [:]
    var isStarted = false
    /// The kinds whose connect notifications are posted: a program has used the name.
    var announced: Set<Kind> = []
    /// The kinds whose name was used just now.
    var announcedSoon: Set<Kind> = []
    var keyboard: MergedKeyboardDevice?
    /// The keyboards that are connected, in the order of their connection.
    var keyboards: [(reference: HIDDeviceClient.DeviceReference, name: String?)] = []
    var mice: [(reference: HIDDeviceClient.DeviceReference, mouse: Handed<GCMouse>)] = []
    var currentMouse: Handed<GCMouse>?
    /// The mouse that was posted as the current one.
    var postedMouse: Handed<GCMouse>?
    var isPostingMouse = false
    var failures: [String] = []
  }

  /// The object of all keyboards, and what merges them.
  private struct MergedKeyboardDevice {
    let device: Handed<GCKeyboard>
    let merged: MergedKeyboard
  }

  /// The most failures that are kept: the newest ones.
  private static let maximumFailureCount = 64

  /// The bus that the program has chosen for its task; nil for those of the environment.
  let bus: HIDBus?
  private let state = Mutex(State())
  private let usedMouse = Atomic<UInt64>(.max)

  private static let registries = Mutex<[String: Registry]>([:])

  /// The devices of the bus of this task, else of the environment.
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

  private init(on bus: HIDBus?) { self.bus = bus }

  // MARK: What programs ask for

  var keyboard: GCKeyboard? {
    start()
    return state.withLock { $0.keyboards.isEmpty ? nil : $0.keyboard?.device }?.value
  }

  var keyboardName: String? { state.withLock { $0.keyboards.first?.name } }

  var mice: [GCMouse] {
    start()
    return state.withLock { $0.mice.map(\.mouse) }.map(\.value)
  }

  var currentMouse: GCMouse? {
    start()
    return state.withLock { $0.currentMouse }?.value
  }

  var failures: [String] { state.withLock { $0.failures } }

  /// How long after the first use of a connect notification's name the devices that are there are
  /// posted.
  ///
  /// A program adds its observer right after it has used the name, maybe on another thread.
  private static let announcementDelay = DispatchTimeInterval.milliseconds(20)

  /// Posts connect notifications of a kind from now on; first those of the devices that are there.
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
        case .mouse: return state.mice.map { Handed(value: $0.mouse.value) }
        }
      }
      for device in found {
        NotificationCenter.default.post(name: Self.connectName(kind), object: device.value)
      }
    }
  }

  /// Whether connect notifications of a kind are posted.
  func hasAnnounced(_ kind: Kind) -> Bool { state.withLock { $0.announced.contains(kind) } }

  private static func connectName(_ kind: Kind) -> NSNotification.Name {
    switch kind {
    case .keyboard: .keyboardDidConnect
    case .mouse: .mouseDidConnect
    }
  }

  /// Posts a notification on the main thread.
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
    // By the operation queue: to an observer that names it, Linux's Foundation adds an operation and
    // waits for that, unless one of the same queue posts. On the main queue it would wait forever.
    guard let delay else { return OperationQueue.main.addOperation(call) }
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) {
      OperationQueue.main.addOperation(call)
    }
  }

  // MARK: Devices

  /// Begins the search for devices, once.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return }
    // A manager looks on the bus of the task that makes it.
    Task { await self.search() }
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

  func note(failure: String) {
    state.withLock { state in
      if state.failures.count >= Self.maximumFailureCount { state.failures.removeFirst() }
      state.failures.append(failure)
    }
  }

  // MARK: Keyboards

  /// What merges the keyboards of the bus.
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
      // One that is to be posted as connected just now is not posted at all.
      guard count > 0, state.keyboards.isEmpty, !state.announcedSoon.contains(.keyboard),
        let device = state.keyboard?.device
      else { return nil }
      return Handed(value: device.value)
    }
    if let device { post(.keyboardDidDisconnect, device) }
  }

  // MARK: Mice

  func addMouse(_ reference: HIDDeviceClient.DeviceReference, _ mouse: Handed<GCMouse>) {
    let isAnnounced = state.withLock { state in
      state.mice.append((reference, mouse))
      return state.announced.contains(.mouse)
    }
    if isAnnounced { post(.mouseDidConnect, Handed(value: mouse.value)) }
    useMouse(reference, mouse)
  }

  func removeMouse(_ reference: HIDDeviceClient.DeviceReference, _ mouse: Handed<GCMouse>) {
    let (wasThere, isPosted) = state.withLock { state in
      let count = state.mice.count
      state.mice.removeAll { $0.reference == reference }
      guard count > state.mice.count else { return (false, false) }
      if state.currentMouse?.value === mouse.value {
        state.currentMouse = state.mice.last?.mouse
        usedMouse.store(state.mice.last?.reference.deviceID ?? .max, ordering: .relaxed)
      }
      return (true, !state.announcedSoon.contains(.mouse))
    }
    guard wasThere else { return }
    postCurrentMouse()
    if isPosted { post(.mouseDidDisconnect, Handed(value: mouse.value)) }
  }

  /// Makes a mouse the current one.
  func useMouse(_ reference: HIDDeviceClient.DeviceReference, _ mouse: Handed<GCMouse>) {
    // For each report: no lock while one mouse is used.
    guard usedMouse.load(ordering: .relaxed) != reference.deviceID else { return }
    state.withLock { state in
      guard state.mice.contains(where: { $0.reference == reference }) else { return }
      usedMouse.store(reference.deviceID, ordering: .relaxed)
      state.currentMouse = mouse
    }
    postCurrentMouse()
  }

  /// Posts which mouse is the current one, if that has changed when the main thread gets to it.
  private func postCurrentMouse() {
    let isFirst = state.withLock { state in
      defer { state.isPostingMouse = true }
      return !state.isPostingMouse
    }
    guard isFirst else { return }
    onMain {
      let (old, new) = self.state.withLock { state in
        state.isPostingMouse = false
        defer { state.postedMouse = state.currentMouse }
        return (state.postedMouse, state.currentMouse)
      }
      guard old?.value !== new?.value else { return }
      let center = NotificationCenter.default
      if let old { center.post(name: .mouseDidStopBeingCurrent, object: old.value) }
      if let new { center.post(name: .mouseDidBecomeCurrent, object: new.value) }
    }
  }
}
