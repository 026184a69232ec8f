// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
import HIDUsages
import IOLoop

/// The contacts on a touch surface.
extension HIDScriptRun {
  /// Begins, moves and lifts contacts, and sends one frame: the reports with all contacts on the
  /// surface and with the contacts that were just lifted.
  mutating func touch(_ touches: [HIDScript.Touch], _ statement: Statement) async throws {
    let interface = try interface(statement)
    let descriptor = interface.definition.descriptor
    guard let surface = HIDTouchSurface(descriptor) else {
      throw failure(statement, "\(interface.label) has no touch surface")
    }
    var contacts = interface.withModel { $0.contacts }
    for touch in touches {
      let index = contacts.firstIndex { $0.number == touch.contact }
      guard touch.begins || index != nil else {
        throw failure(
          statement,
          "contact \(touch.contact) is not down; put it down: touch \(touch.contact) at X Y")
      }
      guard let place = touch.place else {
        if let index { contacts[index].isDown = false }
        continue
      }
      let contact = HIDTouchSurface.Contact(
        number: Int64(touch.contact),
        x: place.x.logical(for: surface.axes.x, in: descriptor),
        y: place.y.logical(for: surface.axes.y, in: descriptor), isDown: true)
      if let index { contacts[index] = contact } else { contacts.append(contact) }
    }
    let declared = surface.maximum.flatMap { control in
      interface.withModel { $0.value(of: control) }
    }
    let capacity = surface.capacity(declared: declared)
    guard contacts.count <= capacity else {
      throw failure(
        statement,
        "\(interface.label) reports at most \(capacity.counting("contact")), and this would be \(contacts.count)"
      )
    }
    try await send(frame: contacts, surface, interface)
    interface.withModel { $0.contacts = contacts.filter(\.isDown) }
  }

  /// Lifts all contacts of an interface.
  mutating func liftContacts(
    of interface: SimulatedInterface, for purpose: SimulatedInterface.Purpose = .input
  ) async throws {
    var lifted = interface.withModel { model in
      defer { model.contacts = [] }
      return model.contacts
    }
    guard !lifted.isEmpty else { return }
    guard let surface = HIDTouchSurface(interface.definition.descriptor) else { return }
    for index in lifted.indices { lifted[index].isDown = false }
    try await send(frame: lifted, surface, interface, for: purpose)
  }

  private mutating func send(
    frame contacts: [HIDTouchSurface.Contact], _ surface: HIDTouchSurface,
    _ interface: SimulatedInterface, for purpose: SimulatedInterface.Purpose = .input
  ) async throws {
    let now = timeline.now
    let layout = surface.layout
    let (seconds, attoseconds) = now.duration(since: base).components
    // The unit is 100 µs: HID Usage Tables 1.4, page 0x0d, usage 0x56.
    let time = max(0, seconds * 10_000 + attoseconds / 100_000_000_000_000)
    let count = try surface.frame(contacts, after: layout.zeroReport, at: time).count
    for index in 0..<count {
      try await send(interface, for: purpose) { model in
        let last = model.report(.input, layout.id) ?? layout.zeroReport
        var bytes = try surface.frame(contacts, after: last, at: time)[index]
        model.stamp(&bytes, layout.id, at: now)
        return bytes
      }
    }
  }
}
