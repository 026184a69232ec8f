// SPDX-License-Identifier: Apache-2.0

/// A pass over the usages of a descriptor, in the order of the kernel, that fills the event nodes.
///
/// Source: Linux 6.12, `hidinput_connect` in `drivers/hid/hid-input.c`.
struct EvdevMapper {
  /// The indices of an element: of its report, its field, and itself.
  struct Place: Hashable, Sendable {
    let report: Int
    let field: Int
    let index: Int
  }

  /// The rule by which reports are assigned to nodes.
  private enum Grouping { case single, application, reportID }

  /// True if the device has a collection that Linux takes for input; else nothing is mapped.
  let hasInput: Bool
  /// The fields of each report, by their index in the report; `nil` for a field that the kernel
  /// drops.
  private(set) var fields: [[EvdevField?]]
  /// For each report, true if the driver for touch surfaces reads it itself.
  private(set) var isOwned: [Bool]
  private(set) var nodes: [EvdevNodeDraft] = []
  /// The index of each report's node; `nil` for a report whose usages go to no node.
  private(set) var nodeIndices: [Int?]
  /// The elements that got an exclusive code: one that only the first usage of a node gets.
  private(set) var keepers: Set<Place> = []
  private(set) var touch: EvdevTouch?

  private let reports: HIDReports
  private let grouping: Grouping
  private let hasSuffixes: Bool
  private var nodeIDs: [UInt8: Int] = [:]

  /// - Parameter isCertified: True if a touch surface is certified for Windows 8.
  init(_ descriptor: HIDReportDescriptor, _ driver: EvdevMapping.Driver, isCertified: Bool) {
    let collections = EvdevCollections(descriptor.collections)
    reports = descriptor.reports
    switch driver {
    case .generic, .multitouch: hasSuffixes = collections.applicationCount > 1
    case .sensorHub, .vivaldi: hasSuffixes = false
    }
    if driver == .multitouch {
      touch = EvdevTouch(isCertified: isCertified)
      grouping = !isCertified ? .reportID : hasSuffixes ? .application : .single
    } else {
      grouping = hasSuffixes ? .application : .single
    }
    fields = reports.map { report in
      var room = HIDReportDescriptor.maximumFieldCount
      return report.fields.map { field in
        guard !field.isPadding, room > 0 else { return nil }
        room -= 1
        return EvdevField(field, type: report.type, in: collections)
      }
    }
    isOwned = reports.indices.map { _ in false }
    nodeIndices = reports.indices.map { _ in nil }
    hasInput = collections.hasInput
    guard hasInput else { return }
    mapReports(collections)
  }

  private mutating func mapReports(_ collections: EvdevCollections) {
    // The kernel lists the reports of a type in the order of their first main items.
    let order = reports.indices.sorted { left, right in
      (reports[left].type.order, reports[left].fields.first?.offset ?? 0)
        < (reports[right].type.order, reports[right].fields.first?.offset ?? 0)
    }
    for index in order where reports[index].type == .feature {
      for (kept, field) in zip(fields[index], reports[index].fields) {
        if let kept { touch?.readFeature(kept, field) }
      }
    }
    for index in order where reports[index].type != .feature {
      guard fields[index].contains(where: { $0 != nil }) else { continue }
      // The application of the first main item counts, even if the kernel does not keep its field.
      let application = collections.around(reports[index].fields.first?.collection).application
      let node = nodeIndex(application, reports[index].id)
      nodeIndices[index] = node
      if let touch {
        isOwned[index] = zip(fields[index], reports[index].fields).contains { kept, field in
          kept.map { touch.ownsReport($0, field) } ?? false
        }
      }
      mapReport(index, application, to: node)
    }
    finish(order, collections)
  }

  private mutating func nodeIndex(_ application: UInt32, _ id: HIDReportID?) -> Int {
    switch grouping {
    case .single where !nodes.isEmpty: return 0
    case .reportID:
      if let index = nodeIDs[id?.rawValue ?? 0] { return index }
      nodeIDs[id?.rawValue ?? 0] = nodes.count
    case .application:
      // System and consumer controls go to the node of an earlier keyboard, if there is one.
      let joinsKeyboard =
        application == EvdevUsage.systemControl || application == EvdevUsage.consumerControl
      let index = nodes.firstIndex {
        $0.application == application || joinsKeyboard && $0.application == EvdevUsage.keyboard
      }
      if let index { return index }
    case .single: break
    }
    nodes.append(
      EvdevNodeDraft(
        application: application,
        suffix: hasSuffixes ? EvdevUsage.suffix(of: application) : nil))
    return nodes.count - 1
  }

  private mutating func mapReport(_ report: Int, _ application: UInt32, to node: Int) {
    for (number, field) in reports[report].fields.enumerated() {
      guard let kept = fields[report][number], kept.isMapped else { continue }
      field.usages.forEachDistinct(upTo: kept.count) { usage, previous, index, count in
        guard kept.type == .input || usage >> 16 == 0x08 else { return }
        let place = Place(report: report, field: number, index: index)
        map(usage, after: previous, at: place, count: count, kept, application, to: node)
      }
    }
  }

  private mutating func map(
    _ usage: UInt32, after previous: UInt32?, at place: Place, count: Int, _ field: EvdevField,
    _ application: UInt32, to node: Int
  ) {
    let isOwned = isOwned[place.report]
    if touch != nil {
      if isOwned {
        let rule = touch?.rule(for: usage, after: previous, in: field) ?? .general
        touch?.apply(rule, to: usage, count: count, in: field, of: application, &nodes[node])
        guard rule == .general else { return }
      } else {
        guard touch?.mapsField(field) == true else { return }
        if field.around.physical == EvdevUsage.stylus {
          nodes[node].application = EvdevUsage.stylus
        }
      }
    }
    let rule = EvdevRule(for: usage, at: place.index, in: field)
    nodes[node].apply(rule.effects)
    guard let code = rule.code else { return }
    if isOwned {
      // The driver stops halfway: it removes the code from the node to add it again, and never
      // does.
      if rule.isShared { nodes[node].remove(code) }
    } else if nodes[node].map(code, by: rule, field, at: place.index), !rule.isShared {
      keepers.insert(place)
    }
  }

  private mutating func finish(_ order: [Int], _ collections: EvdevCollections) {
    guard touch != nil else { return }
    for index in order {
      guard let node = nodeIndices[index], isOwned[index] else { continue }
      let application = collections.around(reports[index].fields.first?.collection).application
      touch?.finishSurface(of: application, &nodes[node])
    }
    for node in nodes.indices { touch?.finish(&nodes[node]) }
  }
}

extension HIDUsageList {
  /// Calls `body` for the usages of a field, also those without an element; usages that follow the
  /// same rules come as one run.
  ///
  /// In a range, the first 0x100 usages come one by one, and so do all with IDs below 0x400. The
  /// others come as one run up to the end of their page, because the rules repeat there. The
  /// elements that have no usage of their own are also one run.
  ///
  /// - Parameter count: The number of elements.
  /// - Parameter body: Called with the first usage of the run, the usage before the run, the index
  ///   of the first usage, and the number of usages or elements in the run.
  func forEachDistinct(
    upTo count: Int, _ body: (_ usage: UInt32, _ previous: UInt32?, Int, Int) -> Void
  ) {
    var previous: UInt32?
    for range in ranges {
      var step = 0
      while step < range.count {
        let usage = range.first &+ UInt32(truncatingIfNeeded: step)
        let id = Int(usage & 0xffff)
        let run = id >= 0x400 && step >= 0x100 ? Swift.min(range.count - step, 0x1_0000 - id) : 1
        body(usage, previous, range.startIndex + step, run)
        step += run
        previous = range.first &+ UInt32(truncatingIfNeeded: step - 1)
      }
    }
    if let previous, self.count < count { body(previous, previous, self.count, count - self.count) }
  }
}
