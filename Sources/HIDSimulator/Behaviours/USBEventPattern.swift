// SPDX-License-Identifier: Apache-2.0

public import HIDBus
internal import HIDReportDescriptor
internal import HIDText

/// A pattern that selects events of a USB host, as in `expect event usb protocol boot`.
public struct USBEventPattern: Hashable, Sendable {
  /// The name of the event.
  public var name: USBHostEvent.Name
  /// The value of the event; nil for any.
  public var value: Value?

  /// The value of an event of a USB host.
  public enum Value: Hashable, Sendable {
    /// The number of a configuration.
    case number(UInt8)
    /// The address of an endpoint.
    case endpoint(UInt8)
    /// True for `on`.
    case isOn(Bool)
    /// The time after which an unchanged report is sent again; zero for never.
    case time(Duration)
    /// True for the boot protocol, false for the report protocol.
    case isBoot(Bool)
    /// The eight bytes of a request's setup packet, and its data.
    case bytes(HIDBytePattern)
  }

  /// Creates a pattern from its parts.
  public init(_ name: USBHostEvent.Name, _ value: Value? = nil) {
    self.name = name
    self.value = value
  }

  /// Returns whether the pattern selects an event.
  public func matches(_ event: USBHostEvent) -> Bool {
    guard event.name == name else { return false }
    if case .bytes(let pattern) = value, case .request(let bytes, _) = event {
      return pattern.matches(bytes)
    }
    return value == nil || value == event.value
  }

  /// Returns whether the pattern selects every event that another pattern selects.
  func covers(_ other: USBEventPattern) -> Bool {
    guard name == other.name else { return false }
    if case .bytes(let pattern) = value, case .bytes(let otherPattern) = other.value {
      return HIDBytePattern.covers(pattern, otherPattern)
    }
    return value == nil || value == other.value
  }

  /// The pattern as scripts and device files write it: `protocol boot`.
  public var text: String { name.rawValue + (value.map { " \($0.text)" } ?? "") }
}

extension USBEventPattern.Value {
  /// The value as scripts and device files write it.
  var text: String {
    switch self {
    case .number(let number): "\(number)"
    case .endpoint(let address): [address].hexText
    case .isOn(let isOn): isOn ? "on" : "off"
    case .time(let time): time.text
    case .isBoot(let isBoot): isBoot ? "boot" : "report"
    case .bytes(let pattern): "\(pattern)"
    }
  }
}

extension USBHostEvent {
  /// The value of the event; nil for an event without one.
  package var value: USBEventPattern.Value? {
    switch self {
    case .configuration(let number): .number(number)
    case .remoteWakeup(let isAllowed): .isOn(isAllowed)
    case .halt(let address), .clearHalt(let address): .endpoint(address)
    case .idle(_, let rate): .time(.milliseconds(4 * Int(rate)))
    case .bootProtocol(let isBoot): .isBoot(isBoot)
    case .request(let bytes, _): .bytes(HIDBytePattern(bytes))
    case .withdrawal: nil
    }
  }
}

extension USBHostEvent.Name {
  /// The form of the event's value, for messages; nil for an event without one.
  package var valueForm: String? {
    switch self {
    case .configuration: "the number of a configuration, such as 1"
    case .wakeup: "\"on\" or \"off\""
    case .halt, .clear: "the address of an endpoint in hexadecimal, such as 81"
    case .idle: "a time from 0s to 1020ms in steps of 4ms, such as 500ms"
    case .protocol: "\"boot\" or \"report\""
    case .request: "the bytes of a request in hexadecimal, such as 40 02 ..."
    case .withdrawal: nil
    }
  }

  /// Reads a value of the event; nil if the text has not the form of one.
  package func value(_ text: String) -> USBEventPattern.Value? {
    typealias Value = USBEventPattern.Value
    switch self {
    case .configuration: return NumberText.integer(text, as: UInt8.self).map(Value.number)
    case .wakeup: return ["on": true, "off": false][text].map(Value.isOn)
    case .halt, .clear:
      guard let bytes = HexText.bytes(word: text), bytes.count == 1 else { return nil }
      return .endpoint(bytes[0])
    case .idle:
      guard let time = NumberText.duration(text, upTo: .milliseconds(1020)),
        time == .milliseconds(4 * Int(time / .milliseconds(4)))
      else { return nil }
      return .time(time)
    case .protocol: return ["boot": true, "report": false][text].map(Value.isBoot)
    case .request: return (try? TemplateReader.pattern(text, "the request")).map(Value.bytes)
    case .withdrawal: return nil
    }
  }
}
