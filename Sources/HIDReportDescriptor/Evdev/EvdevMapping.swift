// SPDX-License-Identifier: Apache-2.0

/// What Linux makes of a report descriptor: event nodes, and an event code for each control.
///
/// It holds for a device that no driver of its vendor takes and that has no quirk in the kernel. Features are
/// taken to read 0, as those of a device that does not answer: a touchpad that says in a feature that it is
/// no clickpad is one here.
///
/// Making one takes time linear in the bytes of the descriptor, however many usages they stand for.
///
/// Source: Linux 6.12, `drivers/hid/hid-input.c` and the drivers.
public struct EvdevMapping: Sendable {
  /// The driver of the kernel that has the device.
  public enum Driver: Hashable, Sendable, CaseIterable {
    /// `hid-generic`, which takes every device that no other driver takes.
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

  /// What becomes of a control.
  public enum Outcome: Hashable, Sendable {
    /// It sends the event.
    case event(EvdevCode)
    /// It is part of a contact on a touch surface, and the driver sends this; `nil` for what only guides it.
    case contact(EvdevCode?)
    /// Its value goes to a battery, a power supply of the kernel.
    case battery
    /// It would send the event, but an earlier control of the node does.
    case duplicate(EvdevCode)
    /// It would send the event, but the node lacks it, so that the kernel drops it.
    case dropped(EvdevCode)
    /// It sends nothing.
    case ignored

    /// The event that the control sends; `nil` where it sends none of its own.
    public var code: EvdevCode? {
      switch self {
      case .event(let code): code
      case .contact(let code): code
      case .battery, .duplicate, .dropped, .ignored: nil
      }
    }
  }

  /// The driver that maps.
  public let driver: Driver
  /// The nodes in the order in which the kernel makes them.
  ///
  /// A node that nothing was mapped to does not exist.
  public let nodes: [EvdevNode]

  let descriptor: HIDReportDescriptor
  private let fields: [[EvdevField?]]
  private let isOwned: [Bool]
  /// The node of each report.
  let nodeIndices: [Int?]
  private let keepers: Set<EvdevMapper.Place>
  private let touch: EvdevTouch?
  private let reportIndices: [HIDReportType: [UInt8: Int]]
  /// Whether Linux maps the device at all.
  let hasInput: Bool

  /// Maps the usages of a descriptor.
  ///
  /// - Parameter descriptor: What the device sends, read as the kernel reads it.
  /// - Parameter driver: The driver, which a machine may lack: ``HIDDeviceGroup/driver`` is the one that
  ///   takes the device where it is there. Any other of the special ones leaves it to `.generic`.
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

  /// The node that a report's events come from; `nil` where there is none.
  ///
  /// Lights of an output report are set through the node.
  ///
  /// - Parameter type: Which way the report goes.
  /// - Parameter id: Its number; `nil` for an unnumbered report.
  public func node(of type: HIDReportType, id: HIDReportID?) -> EvdevNode? {
    reportIndices[type]?[id?.rawValue ?? 0].flatMap { nodeIndices[$0] }.map { nodes[$0] }
  }

  /// What becomes of a control; O(log usage ranges).
  ///
  /// - Parameter control: A control of the descriptor.
  public func outcome(of control: HIDControl) -> Outcome {
    outcome(
      of: control.index, inField: control.fieldIndex, ofReport: control.type, id: control.reportID)
  }

  /// What becomes of an element, or of an array's member; O(log usage ranges).
  ///
  /// The kernel maps the usages of a variable field that have no element as well.
  ///
  /// - Parameter index: The place of the element in the field; in an array, of the usage.
  /// - Parameter fieldIndex: The place of the field in its report.
  /// - Parameter type: Which way the report goes.
  /// - Parameter id: Its number; `nil` for an unnumbered report.
  public func outcome(
    of index: Int, inField fieldIndex: Int, ofReport type: HIDReportType, id: HIDReportID?
  ) -> Outcome {
    (try? judge(index, inField: fieldIndex, ofReport: type, id: id)) ?? .ignored
  }

  /// What becomes of an element, or why it is ignored.
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
  /// The driver for devices of the group, where the kernel has it and no driver of a vendor takes them.
  public var driver: EvdevMapping.Driver {
    switch self {
    case .generic: .generic
    case .multitouch, .windowsMultitouch: .multitouch
    case .sensorHub: .sensorHub
    case .vivaldi: .vivaldi
    }
  }
}
