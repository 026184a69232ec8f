// SPDX-License-Identifier: Apache-2.0

/// The mapping of a report descriptor on Linux: event nodes, and an event code for each control.
///
/// It is valid for a device without a vendor's driver and without a quirk in the kernel. Features
/// are assumed to read 0, as from a device that does not answer. So a touchpad counts as a clickpad
/// even if its feature report says that it is not one.
///
/// The time to make a mapping is linear in the bytes of the descriptor, independent of the number
/// of usages.
///
/// Source: Linux 6.12, `drivers/hid/hid-input.c` and the drivers.
public struct EvdevMapping: Sendable {
  /// The kernel driver of the device.
  public enum Driver: Hashable, Sendable, CaseIterable {
    /// `hid-generic`, which handles every device that no other driver handles.
    case generic
    /// `hid-multitouch`, for the two groups of touch surfaces.
    case multitouch
    /// `hid-sensor-hub`: all applications of the device share a node.
    case sensorHub
    /// `hid-vivaldi`: all applications of the device share a node.
    case vivaldi

    /// The kernel's name: `hid-generic`.
    public var name: String {
      switch self {
      case .generic: "hid-generic"
      case .multitouch: "hid-multitouch"
      case .sensorHub: "hid-sensor-hub"
      case .vivaldi: "hid-vivaldi"
      }
    }
  }

  /// The result for a control.
  public enum Outcome: Hashable, Sendable {
    /// The control sends the event; for a light of an output report, the event sets the control.
    case event(EvdevCode)
    /// The driver reads the control as data of contacts on a touch surface, and sends this event.
    ///
    /// `nil` for a control that the driver only uses internally.
    case contact(EvdevCode?)
    /// The control's value goes to a battery, a power supply of the kernel.
    case battery
    /// The control would send the event, but an earlier control of the node already sends it.
    case duplicate(EvdevCode)
    /// The control would send the event, but the node lacks the code, so the kernel drops it.
    case dropped(EvdevCode)
    /// The control sends nothing.
    case ignored

    /// The event that the control sends; `nil` if it sends no event of its own.
    public var code: EvdevCode? {
      switch self {
      case .event(let code): code
      case .contact(let code): code
      case .battery, .duplicate, .dropped, .ignored: nil
      }
    }
  }

  /// The driver that maps the device.
  public let driver: Driver
  /// The nodes in the order in which the kernel creates them.
  ///
  /// The kernel creates no node that would have no event type and no code.
  public let nodes: [EvdevNode]

  let descriptor: HIDReportDescriptor
  private let fields: [[EvdevField?]]
  private let isOwned: [Bool]
  /// The index of each report's node in ``nodes``; `nil` for a report without a node.
  let nodeIndices: [Int?]
  private let keepers: Set<EvdevMapper.Place>
  private let touch: EvdevTouch?
  private let reportIndices: [HIDReportType: [UInt8: Int]]
  /// True if Linux maps the device at all.
  let hasInput: Bool

  /// Maps the usages of a descriptor.
  ///
  /// - Parameter descriptor: The descriptor of the device, read as the kernel reads it, and without
  ///   added fields, which the kernel does not have.
  /// - Parameter driver: The driver. A driver other than ``HIDDeviceGroup/driver`` of the device's
  ///   group does not handle the device; the mapping is then that of `.generic`.
  public init(of descriptor: HIDReportDescriptor, driver: Driver = .generic) {
    self.descriptor = descriptor
    let group = descriptor.group
    self.driver = driver == group.driver ? driver : .generic
    let mapper = EvdevMapper(
      descriptor, self.driver, isCertified: group == .windowsMultitouch)
    fields = mapper.fields
    isOwned = mapper.isOwned
    keepers = mapper.keepers
    touch = mapper.touch
    hasInput = mapper.hasInput
    var nodes: [EvdevNode] = []
    let places = mapper.nodes.map { draft -> Int? in
      guard draft.isPopulated else { return nil }
      nodes.append(draft.registered())
      return nodes.count - 1
    }
    self.nodes = nodes
    nodeIndices = mapper.nodeIndices.map { index in index.flatMap { places[$0] } }
    var reportIndices: [HIDReportType: [UInt8: Int]] = [:]
    for (index, report) in descriptor.reports.enumerated() {
      reportIndices[report.type, default: [:]][report.id?.rawValue ?? 0] = index
    }
    self.reportIndices = reportIndices
  }

  /// Returns the node that sends a report's events; `nil` if there is none.
  ///
  /// A client sets the lights of an output report through the node.
  ///
  /// - Parameter type: The type of the report.
  /// - Parameter id: Its report ID; `nil` for an unnumbered report.
  public func node(of type: HIDReportType, id: HIDReportID?) -> EvdevNode? {
    reportIndices[type]?[id?.rawValue ?? 0].flatMap { nodeIndices[$0] }.map { nodes[$0] }
  }

  /// Returns the result for a control; O(log usage ranges).
  ///
  /// - Parameter control: A control of the descriptor.
  public func outcome(of control: HIDReportElement) -> Outcome {
    outcome(
      of: control.index, inField: control.fieldIndex, ofReport: control.type, id: control.reportID)
  }

  /// Returns the result for an element, or for a usage in an array; O(log usage ranges).
  ///
  /// The kernel also maps the usages of a variable field that have no element.
  ///
  /// - Parameter index: The index of the element in the field; in an array, the index of the usage.
  /// - Parameter fieldIndex: The index of the field in its report.
  /// - Parameter type: The type of the report.
  /// - Parameter id: Its report ID; `nil` for an unnumbered report.
  public func outcome(
    of index: Int, inField fieldIndex: Int, ofReport type: HIDReportType, id: HIDReportID?
  ) -> Outcome {
    (try? judge(index, inField: fieldIndex, ofReport: type, id: id)) ?? .ignored
  }

  /// Returns the result for an element, or throws the reason why it is ignored.
  func judge(
    _ index: Int, inField fieldIndex: Int, ofReport type: HIDReportType, id: HIDReportID?
  ) throws(EvdevIgnored) -> Outcome {
    guard hasInput else { throw .noInput }
    guard let report = reportIndices[type]?[id?.rawValue ?? 0],
      fields[report].indices.contains(fieldIndex),
      let usage = descriptor.reports[report].fields[fieldIndex].extendedUsage(at: index)
    else { throw .noUsage }
    let layout = descriptor.reports[report].fields[fieldIndex]
    guard let field = fields[report][fieldIndex] else { throw .tooManyFields }
    if type == .feature {
      guard usage == EvdevUsage.batteryStrength, field.count >= 1 else { throw .feature }
      return .battery
    }
    guard field.isMapped else { throw field.count < 1 ? .noElement : .constant }
    guard type == .input || usage >> 16 == 0x08 else { throw .output }
    if let touch {
      if !isOwned[report], !touch.mapsField(field) { throw .driver(driver) }
      if isOwned[report] {
        let previous = index > 0 ? layout.extendedUsage(at: index - 1) : nil
        switch touch.rule(for: usage, after: previous, in: field) {
        case .general: break
        case .ignored: throw .driver(driver)
        case .contact(let code): return .contact(code)
        case .button(let code): return .event(code)
        }
      }
    }
    let rule = EvdevRule(for: usage, at: index, in: field)
    if rule.isBattery { return .battery }
    guard let code = rule.code else { throw EvdevIgnored(usage) }
    if isOwned[report] {
      let node = nodeIndices[report].map { nodes[$0] }
      return node?.contains(code) == true ? .event(code) : .dropped(code)
    }
    let place = EvdevMapper.Place(report: report, field: fieldIndex, index: index)
    return rule.isShared || keepers.contains(place) ? .event(code) : .duplicate(code)
  }
}

extension HIDDeviceGroup {
  /// The driver for devices of the group, if the kernel has it and no vendor's driver handles them.
  public var driver: EvdevMapping.Driver {
    switch self {
    case .generic: .generic
    case .multitouch, .windowsMultitouch: .multitouch
    case .sensorHub: .sensorHub
    case .vivaldi: .vivaldi
    }
  }
}
