// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSimulator

extension HIDScript.Value {
  /// Returns the logical value that this value stands for in one control.
  ///
  /// A bare integer is returned even if it is outside the control's range. A physical value that is
  /// not valid stands for the minimum.
  func logical(for control: HIDReportElement, in descriptor: HIDReportDescriptor) -> Int64 {
    let range = descriptor.valueRange(of: control)
    switch self {
    case .on: return range.upperBound
    case .off: return range.contains(0) ? 0 : range.lowerBound
    case .logical(let value): return Int64(value)
    case .percent(let percent): return Self.scale(percent / 100, range)
    case .normalised(let value):
      return Self.scale(range.lowerBound < 0 ? (value + 1) / 2 : value, range)
    case .physical(let value):
      let field = descriptor.field(of: control)
      return field?.logicalValue(ofPhysical: value) ?? range.lowerBound
    }
  }

  /// Returns the reason why a physical value is not valid for a control.
  ///
  /// - Returns: A clause; `nil` if the value is valid or not a physical value.
  func physicalProblem(
    for control: HIDReportElement, in descriptor: HIDReportDescriptor
  ) -> String? {
    guard case .physical(let value) = self else { return nil }
    guard let field = descriptor.field(of: control),
      let minimum = field.physicalValue(of: field.logicalMinimum),
      let maximum = field.physicalValue(of: field.logicalMaximum), minimum != maximum
    else { return "it has no physical values: write a logical value or a percentage" }
    guard field.logicalValue(ofPhysical: value) == nil else { return nil }
    let ends = [min(minimum, maximum), max(minimum, maximum)].map(Self.number)
    return "expected \(ends[0])p to \(ends[1])p"
  }

  /// Formats a number, without a fraction if it is a whole number.
  private static func number(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  /// Returns the value at a position in a range, from 0 at its start to 1 at its end.
  private static func scale(_ place: Double, _ range: ClosedRange<Int64>) -> Int64 {
    let width = Double(range.upperBound) - Double(range.lowerBound)
    let value = (Double(range.lowerBound) + place * width).rounded()
    return Int64(exactly: value).map { min(max($0, range.lowerBound), range.upperBound) }
      ?? (place > 0.5 ? range.upperBound : range.lowerBound)
  }

  /// Returns whether a control's value meets this expected value.
  func accepts(_ value: Int64, for control: HIDReportElement, in descriptor: HIDReportDescriptor)
    -> Bool
  {
    switch self {
    case .on: value != 0
    case .off: value == 0
    default: value == logical(for: control, in: descriptor)
    }
  }

  /// The value as a script writes it.
  var text: String {
    switch self {
    case .on: "on"
    case .off: "off"
    case .logical(let value): "\(value)"
    case .percent(let value): "\(Self.number(value))%"
    case .normalised(let value): "\(Self.number(value))n"
    case .physical(let value): "\(Self.number(value))p"
    }
  }
}

extension HIDScript.HostEventPattern {
  /// Returns whether an event matches the pattern.
  func matches(_ event: HIDDeviceEvent.Kind) -> Bool {
    switch (name, event) {
    case (.output, .output(let report)):
      route != .set && matches(.output, report.id, report.bytes)
    case (.output, .setReport(let report, _)) where report.type == .output:
      route != .output && matches(.output, report.id, report.bytes)
    case (.set, .setReport(let report, _)): matches(report.type, report.id, report.bytes)
    case (.get, .getReport(let type, let id, _)): matches(type, id, nil)
    case (.opened, .opened), (.closed, .closed): true
    case (.packet, .packet(let packet)):
      (direction == nil || direction == packet.direction)
        && (bytes == nil || packet.content.map { bytes?.matches(filledUpTo: $0) == true } == true)
    case (.usb, .usb(let event)): usb?.matches(event) ?? true
    case (.output, _), (.set, _), (.get, _), (.opened, _), (.closed, _), (.packet, _), (.usb, _):
      false
    // These are not in `HIDScript.hostEvents`.
    case (.input, _), (.original, _), (.plugged, _), (.unplugged, _), (.lost, _), (.request, _),
      (.link, _), (.driver, _), (.unusable, _), (.fidelity, _):
      false
    }
  }

  private func matches(_ type: HIDReportType, _ id: HIDReportID?, _ bytes: [UInt8]?) -> Bool {
    if let wanted = self.type, wanted != type { return false }
    if let wanted = self.id, wanted != id { return false }
    if let wanted = self.bytes, bytes.map({ wanted.matches($0) }) != true { return false }
    return true
  }

  /// True if the pattern selects events of a whole device, not of one of its interfaces.
  var isOfDevice: Bool { name == .packet || usb?.name.isOfDevice == true }

  /// Describes the pattern as text: `the event set feature 3 03 01 02`.
  func text(article: String = "the") -> String {
    var words = ["\(article) event \(name.word)"]
    if let type, name != .output { words.append("\(type)") }
    if let direction { words.append(direction.rawValue) }
    if let usb { words.append(usb.text) }
    if let id { words.append("\(id)") }
    if let route { words.append("by \(route.rawValue)") }
    if let bytes { words.append("\(bytes)") }
    return words.joined(separator: " ")
  }
}
