// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import CoreHID
import HIDReportDescriptor
import HIDBus
import Synchronization

/// The connection to one HID device, which opens and lists the device and reads its reports.
final class DeviceConnection: Sendable {
  private struct State {
    var isClosed = false
    var reader: ReportReader?
    var handling: HIDReportHandling?
    /// Called to remove the device from the lists.
    var leave: [@Sendable () -> Void] = []
  }

  private let reference: HIDDeviceClient.DeviceReference
  private let registry: Registry
  private let state = Mutex(State())

  init(_ reference: HIDDeviceClient.DeviceReference, in registry: Registry) {
    self.reference = reference
    self.registry = registry
  }

  /// Opens the device; lists and reads it if it is a keyboard, a mouse or a controller.
  ///
  /// A failure is noted in the registry, unless the device was removed meanwhile.
  func open() async {
    do {
      let opened = try await HIDDeviceClient.openNew(reference) { state.withLock(\.isClosed) }
      guard let client = opened else { return }
      let isUSB = await client.transport == .usb
      let kind = await ControllerKind(
        vendor: client.vendorID, product: client.productID, isUSB: isUSB)
      let declared = try HIDReportDescriptor(parsing: [UInt8](await client.descriptor))
      let descriptor = kind?.completed(declared) ?? declared
      let fields = InputField.all(of: descriptor)
      let roles = await roles(of: client, descriptor, fields, kind)
      guard !roles.isEmpty else { return }
      let reader = ReportReader(
        descriptor, fields, for: roles.map(\.sink), isValid: kind?.checksum)
      let stream = try await client.hidsim.reports(capacity: 1024) { isSeized in
        // Release all controls: while another client has the device seized, this program receives
        // no reports.
        if isSeized { reader.release() }
      }
      let isOpen = state.withLock { state in
        guard !state.isClosed else { return false }
        state.reader = reader
        state.leave = roles.map(\.leave)
        // List the device before its first report is read. Handlers that a program sets in the
        // connect notification then get all reports. Do it under the lock: if the device is removed
        // at this time, `close` removes it from the lists afterwards.
        for role in roles { role.enter() }
        return true
      }
      guard isOpen else { return }
      let handling = try await client.hidsim.handle(stream) { reader.take($0) }
      for role in roles { role.begin() }
      state.withLock { state in
        if !state.isClosed { state.handling = handling }
      }
    } catch {
      // The removal of a device while it is opened is not a failure.
      if !state.withLock({ $0.isClosed }) {
        let reason = (error as? HIDBusError)?.message ?? error.localizedDescription
        registry.note(failure: "\(reference): \(reason)")
      }
      close()
    }
  }

  /// One use of a device, as a keyboard, mouse or controller.
  ///
  /// The sink takes the device's reports. `enter` lists the device, and `leave` removes it from the
  /// list. `begin` is called after the reading of the reports has started.
  private struct Role {
    let sink: any ControlSink
    let enter: @Sendable () -> Void
    let leave: @Sendable () -> Void
    var begin: @Sendable () -> Void = {}
  }

  private func roles(
    of client: HIDDeviceClient, _ descriptor: HIDReportDescriptor, _ fields: [InputField],
    _ kind: ControllerKind?
  ) async -> [Role] {
    var roles: [Role] = []
    let (registry, reference) = (registry, reference)
    let product = await client.product
    let manufacturer = await client.manufacturer
    let name = product ?? manufacturer
    if KeyboardSink.serves(fields) {
      roles.append(
        Role(
          sink: KeyboardSink(registry.mergedKeyboard),
          enter: { registry.addKeyboard(reference, name: name) },
          leave: { registry.removeKeyboard(reference) }))
    }
    if let count = MouseSink.buttonCount(of: fields) {
      let mouse = GCMouse(name: name, buttonCount: count, in: registry)
      let handed = Handed<NSObject>(value: mouse)
      roles.append(
        Role(
          sink: MouseSink(mouse.input, mouse.queue) { registry.use(.mouse, handed) },
          enter: { registry.add(.mouse, handed) },
          leave: { registry.remove(.mouse, handed) }))
    }
    guard let kind else { return roles }
    for map in ControllerMap.all(of: fields, kind) {
      let gamepad = kind.makeGamepad(map.layout)
      let outputs = await kind.outputs(client, descriptor)
      let controller = GCController(
        name: name, category: kind.category, gamepad, outputs, in: registry)
      let handed = Handed<NSObject>(value: controller)
      let sink = ControllerSink(gamepad, map, controller.queue, outputs) {
        registry.use(.controller, handed)
      }
      roles.append(
        Role(
          sink: sink, enter: { registry.add(.controller, handed) },
          leave: {
            outputs?.end()
            registry.remove(.controller, handed)
          },
          begin: { [weak sink] in outputs?.begin { [weak sink] in sink?.calibrate($0) } }))
    }
    return roles
  }

  /// Releases all controls, ends the reading, and removes the device from the lists.
  func close() {
    let (reader, handling, leave) = state.withLock { state in
      state.isClosed = true
      defer { state.leave = [] }
      return (state.reader.take(), state.handling.take(), state.leave)
    }
    reader?.close()
    for leave in leave { leave() }
    withExtendedLifetime(handling) {}
  }
}
