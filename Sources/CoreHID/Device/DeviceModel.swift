// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages

/// The facts about a device that its report descriptor gives; they never change.
final class DeviceModel: Sendable {
  let descriptor: HIDReportDescriptor
  let lengths: HIDReportLengths
  /// The reports, sorted by type and ID.
  let reports: [HIDReportLayout]
  /// The index of each report in ``reports``, by type and ID; -1 if none is declared.
  private let places: [Int16]
  /// The fields that can have elements, each with the index of its report, in the order of the
  /// descriptor.
  private let fields: [(report: Int32, field: HIDReportField)]

  init(_ descriptor: HIDReportDescriptor) {
    self.descriptor = descriptor
    lengths = HIDReportLengths(descriptor)
    reports = Array(descriptor.reports)
    var places = [Int16](repeating: -1, count: 3 * 256)
    var fields: [(report: Int32, field: HIDReportField)] = []
    for (index, report) in reports.enumerated() {
      places[Self.place(report.type, report.id)] = Int16(clamping: index)
      for field in report.fields
      where !field.isPadding && !field.isConstant && field.bitSize > 0 && field.count > 0 {
        fields.append((Int32(clamping: index), field))
      }
    }
    self.places = places
    self.fields = fields.sorted { $0.field.offset < $1.field.offset }
  }

  /// The descriptor's primary usage; if there is none, the usage of the first collection, else
  /// page 0.
  var primaryUsage: HIDUsage {
    descriptor.primaryUsage ?? descriptor.collections.first?.usage ?? HIDUsage(page: 0, usage: nil)
  }

  /// The usages of the device's application and physical collections, each once, in order.
  ///
  /// On macOS, physical collections count, too: a mouse has the usages mouse and pointer there.
  var deviceUsages: [HIDUsage] {
    var seen: Set<HIDUsage> = []
    return descriptor.collections.lazy.filter { $0.kind == .application || $0.kind == .physical }
      .compactMap(\.usage).filter { seen.insert($0).inserted }
  }

  // MARK: Reports

  private static func place(_ type: HIDReportType, _ id: HIDReportID?) -> Int {
    let number = Int(id?.rawValue ?? 0)
    return switch type {
    case .input: number
    case .output: 256 + number
    case .feature: 512 + number
    }
  }

  /// Returns the index of a report in ``reports``; `nil` for a report that is not declared.
  func index(ofReport type: HIDReportType, _ id: HIDReportID?) -> Int? {
    let index = Int(places[Self.place(type, id)])
    return index < 0 ? nil : index
  }

  // MARK: Collections

  /// Returns the collection that directly contains an element; `nil` if no collection does.
  func collection(of place: ElementPlace) -> HIDCollection? {
    field(of: place)?.collection.map { descriptor.collections[$0] }
  }

  /// Returns the collection that directly contains the collection at `index`; `nil` at the top.
  func parent(of index: Int?) -> HIDCollection? {
    index.flatMap { descriptor.collections[$0].parent }.map { descriptor.collections[$0] }
  }

  /// Returns the collections directly within the collection at `index`; none for `nil`.
  func children(of index: Int?) -> [HIDCollection] {
    index.map { descriptor.children(of: $0) } ?? []
  }

  // MARK: Elements

  /// Returns the report of an element.
  func layout(of place: ElementPlace) -> HIDReportLayout? {
    reports.indices.contains(Int(place.report)) ? reports[Int(place.report)] : nil
  }

  /// Returns the field of an element.
  func field(of place: ElementPlace) -> HIDReportField? {
    guard let layout = layout(of: place), layout.fields.indices.contains(Int(place.field)) else {
      return nil
    }
    return layout.fields[Int(place.field)]
  }

  /// Returns the elements in the order of the descriptor: the first 65,536 if there are more.
  func elements(of client: HIDDeviceClient) -> [HIDElement] { elements(of: client) { _ in true } }

  /// Returns the elements directly within a collection; `nil` stands for those outside all
  /// collections.
  func elements(of client: HIDDeviceClient, in collection: Int?) -> [HIDElement] {
    elements(of: client) { $0.collection == collection }
  }

  private func elements(
    of client: HIDDeviceClient, where belongs: (HIDReportField) -> Bool
  ) -> [HIDElement] {
    var elements: [HIDElement] = []
    var room = HIDReportDescriptor.maximumElementCount
    for (report, field) in fields where room > 0 {
      let some = self.elements(of: client, field, ofReportAt: report, atMost: room)
      room -= some.count
      if belongs(field) { elements += some }
    }
    return elements
  }

  private func elements(
    of client: HIDDeviceClient, _ field: HIDReportField, ofReportAt report: Int32,
    atMost limit: Int
  ) -> [HIDElement] {
    let layout = reports[Int(report)]
    func place(_ index: Int, isMember: Bool = false) -> ElementPlace {
      ElementPlace(
        report: report, field: Int32(clamping: field.index), index: Int32(clamping: index),
        isMember: isMember)
    }
    if field.isArray {
      return members(of: field, atMost: limit).map { index, usage in
        HIDElement(
          client: client, usage: usage, type: layout.type, reportID: layout.id, reportSize: 1,
          logicalMinimum: 0, logicalMaximum: 1, physicalMinimum: 0, physicalMaximum: 0, unit: 0,
          unitExponent: 0, place: place(index, isMember: true))
      }
    }
    return (0..<min(field.count, limit)).compactMap { index in
      guard let usage = field.usage(at: index) else { return nil }
      return HIDElement(
        client: client, usage: usage, type: layout.type, reportID: layout.id,
        reportSize: UInt32(clamping: field.bitSize), logicalMinimum: field.logicalMinimum,
        logicalMaximum: field.logicalMaximum, physicalMinimum: field.physicalMinimum,
        physicalMaximum: field.physicalMaximum, unit: field.unit,
        unitExponent: Int8(clamping: field.unitExponent), place: place(index))
    }
  }

  /// Returns the usages that an array can select, each once, with their indices.
  private func members(
    of field: HIDReportField, atMost limit: Int
  ) -> [(index: Int, usage: HIDUsage)] {
    let values = field.logicalMaximum - field.logicalMinimum + 1
    guard values > 0 else { return [] }
    var seen: Set<UInt32> = []
    var members: [(index: Int, usage: HIDUsage)] = []
    for index in 0..<Int(min(Int64(field.usages.count), values)) where members.count < limit {
      guard let usage = field.extendedUsage(at: index), usage & 0xffff != 0,
        seen.insert(usage).inserted
      else { continue }
      members.append((index, HIDUsage(page: UInt16(usage >> 16), usage: UInt16(usage & 0xffff))))
    }
    return members
  }
}
