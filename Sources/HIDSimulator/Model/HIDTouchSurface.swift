// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

/// The input report of a touch screen or touch pad for several contacts.
///
/// A frame is a report with a collection for each contact. If there are more contacts than
/// collections, more reports with the same scan time follow. The first report has the number of all
/// contacts.
///
/// Source: HID Usage Tables 1.4, section 16 (Digitizers); HID 1.11 for the rest.
package struct HIDTouchSurface: Sendable {
  /// A finger on the surface, or a finger that has just left it.
  package struct Contact: Hashable, Sendable {
    /// The contact identifier, which the report contains if it has a control for it.
    package let number: Int64
    /// The current position, or the last position of a lifted finger: logical values.
    var x: Int64
    var y: Int64
    /// True while the contact touches the surface.
    package var isDown: Bool

    package init(number: Int64, x: Int64, y: Int64, isDown: Bool) {
      self.number = number
      self.x = x
      self.y = y
      self.isDown = isDown
    }
  }

  /// The controls of one contact in the report.
  private struct Slot: Sendable {
    let tip: HIDReportElement
    let x: HIDReportElement
    let y: HIDReportElement
    let number: HIDReportElement?
    /// In Range, which is on when the tip is on.
    let inRange: HIDReportElement?
    /// Confidence, which is on for every contact in a frame, also when it leaves.
    let confidence: HIDReportElement?
    /// Pressure, width and height, which are not zero while the tip is on.
    let extents: [HIDReportElement]
  }

  /// The layout of the report.
  package let layout: HIDReportLayout
  private let descriptor: HIDReportDescriptor
  private let slots: [Slot]
  private let count: HIDReportElement?
  private let scanTime: HIDReportElement?
  /// The feature control with the maximum number of contacts; nil if there is none.
  package let maximum: HIDReportElement?

  /// Finds the first report with contacts; nil if there is none.
  package init?(_ descriptor: HIDReportDescriptor) {
    for layout in descriptor.reports(of: .input) {
      let slots = Self.slots(of: layout, descriptor)
      guard !slots.isEmpty else { continue }
      self.layout = layout
      self.descriptor = descriptor
      self.slots = slots
      count = layout.control(.digitizers(.contactCount))
      scanTime = layout.control(.digitizers(.scanTime))
      maximum = descriptor.controls(.digitizers(.contactCountMaximum), type: .feature).first
      return
    }
    return nil
  }

  private static func slots(
    of layout: HIDReportLayout, _ descriptor: HIDReportDescriptor
  ) -> [Slot] {
    var fingers: [Int] = []
    var controls: [Int: [HIDReportElement]] = [:]
    for field in layout.fields {
      guard let finger = finger(around: field.collection, descriptor) else { continue }
      if controls[finger] == nil { fingers.append(finger) }
      controls[finger, default: []] += layout.controls(of: field)
    }
    return fingers.compactMap { finger in
      let own = controls[finger] ?? []
      func first(_ usage: HIDUsage) -> HIDReportElement? { own.first { $0.usage == usage } }
      guard let tip = first(.digitizers(.tipSwitch)), let x = first(.genericDesktop(.x)),
        let y = first(.genericDesktop(.y))
      else { return nil }
      return Slot(
        tip: tip, x: x, y: y, number: first(.digitizers(.contactIdentifier)),
        inRange: first(.digitizers(.inRange)), confidence: first(.digitizers(.touchValid)),
        extents: [
          first(.digitizers(.tipPressure)), first(.digitizers(.width)),
          first(.digitizers(.height)),
        ].compactMap(\.self))
    }
  }

  /// Returns the innermost Finger collection around a collection; nil if there is none.
  private static func finger(around collection: Int?, _ descriptor: HIDReportDescriptor) -> Int? {
    var next = collection
    while let index = next {
      let collection = descriptor.collections[index]
      if collection.usage == .digitizers(.finger) { return index }
      next = collection.parent
    }
    return nil
  }

  // MARK: What fits

  /// The range of contact identifiers; nil if the report has none, so that any number is allowed.
  package var numbers: ClosedRange<Int64>? { slots[0].number.map { descriptor.valueRange(of: $0) } }

  /// The controls of the first contact's position.
  package var axes: (x: HIDReportElement, y: HIDReportElement) { (slots[0].x, slots[0].y) }

  /// Returns the maximum number of contacts at a time.
  ///
  /// - Parameter declared: The value of ``maximum``, if the device has it; 0 or less has no effect.
  package func capacity(declared: Int64?) -> Int {
    if let declared, declared > 0 { return Int(clamping: declared) }
    let counted = count.map { Int(clamping: descriptor.valueRange(of: $0).upperBound) }
    return max(slots.count, counted ?? 0)
  }

  // MARK: Frames

  /// Makes the reports of a frame: one, or more if the contacts do not fit.
  ///
  /// - Parameters:
  ///   - contacts: The contacts, including those that have just left.
  ///   - last: The previous report, from which all other controls are kept.
  ///   - time: The scan time, in units of 100 µs since the start of the run.
  /// - Throws: `HIDReportValueError` if a value does not fit.
  package func frame(
    _ contacts: [Contact], after last: [UInt8], at time: Int64
  ) throws(HIDReportValueError) -> [[UInt8]] {
    var reports: [[UInt8]] = []
    repeat {
      let part = contacts.dropFirst(reports.count * slots.count).prefix(slots.count)
      var report = last
      for (index, slot) in slots.enumerated() {
        let contact = index < part.count ? part[part.startIndex + index] : nil
        try fill(slot, with: contact, in: &report)
      }
      if let count {
        try layout.set(count, to: reports.isEmpty ? Int64(contacts.count) : 0, in: &report)
      }
      if let scanTime {
        let last = descriptor.valueRange(of: scanTime).upperBound
        if last > 0, last < .max { try layout.set(scanTime, to: time % (last + 1), in: &report) }
      }
      reports.append(report)
    } while reports.count * slots.count < contacts.count
    return reports
  }

  private func fill(
    _ slot: Slot, with contact: Contact?, in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    let isDown = contact?.isDown == true
    for (control, isOn) in [
      (slot.tip, isDown), (slot.inRange, isDown), (slot.confidence, contact != nil),
    ] {
      guard let control else { continue }
      try layout.set(control, to: isOn ? 1 : 0, in: &report)
    }
    for (control, value) in [
      (slot.x, contact?.x), (slot.y, contact?.y), (slot.number, contact?.number),
    ] {
      guard let control else { continue }
      try set(control, to: value ?? 0, &report)
    }
    for control in slot.extents {
      let most = descriptor.valueRange(of: control).upperBound
      try set(control, to: isDown ? max(1, most / 10) : 0, &report)
    }
  }

  /// Sets a control; 0 becomes the minimum of a range without 0.
  private func set(
    _ control: HIDReportElement, to value: Int64, _ report: inout [UInt8]
  ) throws(HIDReportValueError) {
    let range = descriptor.valueRange(of: control)
    try layout.set(
      control, to: value == 0 && !range.contains(0) ? range.lowerBound : value, in: &report)
  }
}
