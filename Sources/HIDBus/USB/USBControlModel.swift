// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

/// The answers of a USB device to control requests, and the state that these change.
///
/// Sources: USB 2.0, section 9.4; HID 1.11, section 7.2.
package struct USBControlModel: Sendable {
  /// The answer to a request.
  package enum Answer: Hashable, Sendable {
    /// The device sends these bytes, at most as many as the host takes.
    case data([UInt8])
    /// The device has taken the request, and sends nothing.
    case accepted
    /// The device refuses the request.
    case stall
    /// The host asks for a report; the handler of the device answers.
    ///
    /// The ID is nil for 0, with which a host asks for a report without an ID.
    case getReport(interface: Int, HIDReportType, HIDReportID?)
    /// The host sets a report; the handler of the device answers.
    case setReport(interface: Int, HIDReportType, HIDReportID?, [UInt8])
  }

  /// A change of the device's state by the host.
  package enum Change: Hashable, Sendable {
    /// The host has chosen the configuration, or none.
    case configured(Bool)
    /// The host has allowed or forbidden the device to wake it.
    case wakeUp(isAllowed: Bool)
    /// The host has halted the endpoint with the address, or cleared its halt.
    case halted(endpoint: UInt8, Bool)
    /// The host has set the time after which an unchanged report is sent again, in units of 4 ms; 0
    /// for never. The ID is nil for all reports.
    case idle(interface: Int, HIDReportID?, UInt8)
    /// The host has chosen the boot protocol, or the report protocol.
    case bootProtocol(interface: Int, Bool)
    /// The host has sent a request of a vendor, or a class request that the device has refused,
    /// with data if it sends any.
    case request(USBSetupPacket, [UInt8], isAccepted: Bool)
    /// The host has read the report descriptor of an interface, as its HID driver does first.
    case described(interface: Int)
  }

  /// The numbers of requests.
  private enum Request {
    static let getStatus: UInt8 = 0
    static let clearFeature: UInt8 = 1
    static let setFeature: UInt8 = 3
    static let getDescriptor: UInt8 = 6
    static let getConfiguration: UInt8 = 8
    static let setConfiguration: UInt8 = 9
    static let getInterface: UInt8 = 10
    static let setInterface: UInt8 = 11
  }

  /// The numbers of requests to HID interfaces.
  private enum HIDRequest {
    static let getReport: UInt8 = 1
    static let getIdle: UInt8 = 2
    static let getProtocol: UInt8 = 3
    static let setReport: UInt8 = 9
    static let setIdle: UInt8 = 10
    static let setProtocol: UInt8 = 11
  }

  private enum Feature {
    static let endpointHalt: UInt16 = 0
    static let remoteWakeUp: UInt16 = 1
  }

  private struct Interface: Sendable {
    /// The idle rates by report ID; that of ID 0 is for all reports without one.
    var idle: [UInt8: UInt8] = [:]
    var isBoot = false
  }

  private let device: USBDeviceDescription
  /// True once the host has chosen the configuration.
  package private(set) var isConfigured = false
  /// True while the device may wake the host.
  package private(set) var mayWakeHost = false
  /// The addresses of the endpoints that are halted.
  package private(set) var halted: Set<UInt8> = []
  private var interfaces: [Interface]

  package init(_ device: USBDeviceDescription) {
    self.device = device
    interfaces = Array(repeating: Interface(), count: device.interfaces.count)
  }

  /// Returns the idle rate of a report, in units of 4 ms; 0 if it is sent only when it changes.
  package func idleRate(interface: Int, _ id: HIDReportID?) -> UInt8 {
    let rates = interfaces[interface].idle
    return rates[id?.rawValue ?? 0] ?? rates[0] ?? 0
  }

  /// Returns whether the host wants a report of an interface again that has not changed.
  package func repeatsReports(interface: Int) -> Bool {
    interfaces[interface].idle.values.contains { $0 > 0 }
  }

  /// Returns the time after which an unchanged report is sent again, unless its ID has another one;
  /// zero for never.
  func idleTime(interface: Int) -> Duration {
    Self.idleTime(rate: idleRate(interface: interface, nil))
  }

  /// Returns the times of the reports that have another one than ``idleTime(interface:)``, by
  /// report ID.
  func otherIdleTimes(interface: Int) -> [UInt8: Duration] {
    let usual = idleRate(interface: interface, nil)
    return interfaces[interface].idle.filter { $0.key != 0 && $0.value != usual }
      .mapValues(Self.idleTime(rate:))
  }

  /// Returns the time of an idle rate, whose unit is 4 ms.
  static func idleTime(rate: UInt8) -> Duration { .milliseconds(4 * Int(rate)) }

  /// Returns whether the host has chosen the boot protocol of an interface.
  package func usesBootProtocol(interface: Int) -> Bool { interfaces[interface].isBoot }

  /// Sets the state after a reset of the bus.
  package mutating func reset() { self = USBControlModel(device) }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - setup: The request.
  ///   - data: The data of the host; empty for a request from the device.
  ///   - changes: The changes of the state are appended.
  package mutating func answer(
    _ setup: USBSetupPacket, _ data: [UInt8], changes: inout [Change]
  ) -> Answer {
    let answer =
      switch (setup.kind, setup.recipient) {
      case (.standard, .device): standardOfDevice(setup, &changes)
      case (.standard, .interface): standardOfInterface(setup, &changes)
      case (.standard, .endpoint): standardOfEndpoint(setup, &changes)
      case (.class, .interface): classOfInterface(setup, data, &changes)
      case (.vendor, .device), (.vendor, .interface): vendor(setup, data, &changes)
      default: Answer.stall
      }
    // `vendor` notes the requests of its kind.
    if answer == .stall, setup.kind == .class || setup.kind == .reserved {
      changes.append(.request(setup, data, isAccepted: false))
    }
    guard case .data(let bytes) = answer else { return answer }
    return .data(Array(bytes.prefix(Int(setup.length))))
  }

  private mutating func standardOfDevice(
    _ setup: USBSetupPacket, _ changes: inout [Change]
  ) -> Answer {
    switch (setup.request, setup.isFromDevice) {
    case (Request.getStatus, true):
      return .data([(device.isSelfPowered ? 1 : 0) | (mayWakeHost ? 2 : 0), 0])
    case (Request.clearFeature, false), (Request.setFeature, false):
      guard setup.value == Feature.remoteWakeUp, device.wakesHosts else { return .stall }
      mayWakeHost = setup.request == Request.setFeature
      changes.append(.wakeUp(isAllowed: mayWakeHost))
      return .accepted
    case (Request.getDescriptor, true):
      return descriptor(setup).map(Answer.data) ?? .stall
    case (Request.getConfiguration, true):
      return .data([isConfigured ? device.chosenConfiguration : 0])
    case (Request.setConfiguration, false):
      guard setup.value == 0 || setup.value == UInt16(device.chosenConfiguration) else {
        return .stall
      }
      // Choosing the configuration, even again, ends halts, and restores the interfaces' state.
      let mayWake = mayWakeHost
      reset()
      mayWakeHost = mayWake
      isConfigured = setup.value != 0
      changes.append(.configured(isConfigured))
      return .accepted
    default: return .stall
    }
  }

  private func descriptor(_ setup: USBSetupPacket) -> [UInt8]? {
    if let answer = captured(setup) { return answer }
    let index = UInt8(truncatingIfNeeded: setup.value)
    switch UInt8(setup.value >> 8) {
    case USBDeviceDescription.DescriptorType.device: return device.deviceDescriptor
    case USBDeviceDescription.DescriptorType.configuration:
      return index == 0 ? device.configurationDescriptor : nil
    case USBDeviceDescription.DescriptorType.string: return device.stringDescriptor(index)
    case USBDeviceDescription.DescriptorType.qualifier: return device.qualifier
    default: return nil
    }
  }

  /// Returns a descriptor of a real device; nil if the device is none, or has no such descriptor.
  private func captured(_ setup: USBSetupPacket) -> [UInt8]? {
    device.layout?.answer(
      USBLayout.Request(
        requestType: setup.requestType, value: setup.value, index: setup.index))
  }

  /// Returns the interface that a request names; nil if there is none.
  private func interface(_ setup: USBSetupPacket) -> Int? {
    device.interface(numbered: UInt8(truncatingIfNeeded: setup.index))
  }

  private mutating func standardOfInterface(
    _ setup: USBSetupPacket, _ changes: inout [Change]
  ) -> Answer {
    guard let number = interface(setup) else {
      let isDescriptor = setup.request == Request.getDescriptor && setup.isFromDevice
      return (isDescriptor ? captured(setup) : nil).map(Answer.data) ?? .stall
    }
    switch (setup.request, setup.isFromDevice) {
    case (Request.getStatus, true): return .data([0, 0])
    case (Request.getDescriptor, true):
      switch UInt8(setup.value >> 8) {
      case USBDeviceDescription.DescriptorType.hid: return .data(device.hidDescriptor(number))
      case USBDeviceDescription.DescriptorType.report:
        changes.append(.described(interface: number))
        return .data(device.interfaces[number].reportDescriptor)
      default: return .stall
      }
    case (Request.getInterface, true): return isConfigured ? .data([0]) : .stall
    case (Request.setInterface, false):
      guard isConfigured, setup.value == 0 else { return .stall }
      // Choosing the setting, even again, ends halts of the interface's endpoints.
      for address in halted.sorted() where device.interface(ofEndpoint: address) == number {
        halted.remove(address)
        changes.append(.halted(endpoint: address, false))
      }
      return .accepted
    default: return .stall
    }
  }

  /// True for the address of an endpoint of the device besides endpoint 0.
  private func hasEndpoint(_ address: UInt8) -> Bool {
    device.interface(ofEndpoint: address) != nil
  }

  private mutating func standardOfEndpoint(
    _ setup: USBSetupPacket, _ changes: inout [Change]
  ) -> Answer {
    let address = UInt8(truncatingIfNeeded: setup.index)
    let isControl = address & 0x7F == 0
    guard isControl || isConfigured && hasEndpoint(address) else { return .stall }
    switch (setup.request, setup.isFromDevice) {
    case (Request.getStatus, true): return .data([halted.contains(address) ? 1 : 0, 0])
    case (Request.clearFeature, false), (Request.setFeature, false):
      guard setup.value == Feature.endpointHalt, !isControl else { return .stall }
      let isHalted = setup.request == Request.setFeature
      if isHalted { halted.insert(address) } else { halted.remove(address) }
      changes.append(.halted(endpoint: address, isHalted))
      return .accepted
    default: return .stall
    }
  }

  private mutating func classOfInterface(
    _ setup: USBSetupPacket, _ data: [UInt8], _ changes: inout [Change]
  ) -> Answer {
    guard let number = interface(setup) else { return .stall }
    let (high, low) = (UInt8(setup.value >> 8), UInt8(truncatingIfNeeded: setup.value))
    let id = HIDReportID(rawValue: low)
    switch (setup.request, setup.isFromDevice) {
    case (HIDRequest.getReport, true):
      guard let type = Self.reportType(high) else { return .stall }
      return .getReport(interface: number, type, id)
    case (HIDRequest.setReport, false):
      guard let type = Self.reportType(high) else { return .stall }
      return .setReport(interface: number, type, id, data)
    case (HIDRequest.getIdle, true): return .data([idleRate(interface: number, id)])
    case (HIDRequest.setIdle, false):
      // The rate for ID 0 replaces those of all reports.
      if low == 0 { interfaces[number].idle = [:] }
      interfaces[number].idle[low] = high
      changes.append(.idle(interface: number, id, high))
      return .accepted
    case (HIDRequest.getProtocol, true):
      guard device.interfaces[number].boot != .none else { return .stall }
      return .data([interfaces[number].isBoot ? 0 : 1])
    case (HIDRequest.setProtocol, false):
      guard device.interfaces[number].boot != .none, setup.value <= 1 else { return .stall }
      interfaces[number].isBoot = setup.value == 0
      changes.append(.bootProtocol(interface: number, setup.value == 0))
      return .accepted
    default: return .stall
    }
  }

  private func vendor(
    _ setup: USBSetupPacket, _ data: [UInt8], _ changes: inout [Change]
  ) -> Answer {
    let request = device.requests.first { $0.matches(setup) }
    let answer: Answer =
      switch request?.answer {
      case .stall, nil: .stall
      case .data(let bytes): setup.isFromDevice ? .data(bytes) : .accepted
      }
    changes.append(.request(setup, data, isAccepted: answer != .stall))
    return answer
  }

  private static func reportType(_ number: UInt8) -> HIDReportType? {
    switch number {
    case 1: .input
    case 2: .output
    case 3: .feature
    default: nil
    }
  }
}
