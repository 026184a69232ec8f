// SPDX-License-Identifier: Apache-2.0

/// A comparison of two descriptors from the viewpoint of a host.
struct HIDDescriptorComparison {
  private(set) var differences: [HIDDescriptorDifference] = []

  init(_ first: HIDReportDescriptor, _ second: HIDReportDescriptor) {
    compareCollections(first, second)
    // The reports that only the second descriptor has: new ones, or reports that got another ID.
    var newReports = second.reports.filter { first.report($0.type, id: $0.id) == nil }
      .map { (report: $0, runs: HIDReportElementRun.runs($0, second)) }
    for report in first.reports {
      if let other = second.report(report.type, id: report.id) {
        compare(report, first, other, second)
        continue
      }
      let runs = HIDReportElementRun.runs(report, first)
      let place = newReports.firstIndex {
        $0.report.type == report.type && $0.report.bitCount == report.bitCount && $0.runs == runs
      }
      guard let place else {
        add(.removed, .report(report.type, id: report.id), [Self.length(report, nil)])
        continue
      }
      let other = newReports.remove(at: place).report
      let aspect = HIDDescriptorDifference.Aspect(
        name: "ID", before: report.id?.description ?? "none",
        after: other.id?.description ?? "none")
      add(.changed, .report(report.type, id: report.id), [aspect])
    }
    for (report, runs) in newReports {
      add(.added, .report(report.type, id: report.id), [Self.length(nil, report)])
      for run in runs { add(.added, run.subject(report), run.aspects(nil)) }
    }
  }

  private mutating func add(
    _ change: HIDDescriptorDifference.Change, _ subject: HIDDescriptorDifference.Subject,
    _ aspects: [HIDDescriptorDifference.Aspect]
  ) {
    differences.append(
      HIDDescriptorDifference(change: change, subject: subject, aspects: aspects))
  }

  private static func length(
    _ before: HIDReportLayout?, _ after: HIDReportLayout?
  ) -> HIDDescriptorDifference.Aspect {
    func text(_ report: HIDReportLayout) -> String {
      "\(report.byteCount) byte\(report.byteCount == 1 ? "" : "s")"
    }
    return HIDDescriptorDifference.Aspect(
      name: "length", before: before.map(text), after: after.map(text))
  }

  // MARK: Collections

  private mutating func compareCollections(
    _ first: HIDReportDescriptor, _ second: HIDReportDescriptor
  ) {
    let before = first.collectionPaths
    let after = second.collectionPaths
    var left: [[HIDCollectionTitle]: Int] = [:]
    for path in after { left[path, default: 0] += 1 }
    for path in before {
      if let count = left[path], count > 0 {
        left[path] = count - 1
      } else {
        add(.removed, .collection(path), [])
      }
    }
    for path in after.reversed() {
      guard let count = left[path], count > 0 else { continue }
      left[path] = count - 1
      add(.added, .collection(path), [])
    }
  }

  // MARK: Reports

  private mutating func compare(
    _ before: HIDReportLayout, _ first: HIDReportDescriptor, _ after: HIDReportLayout,
    _ second: HIDReportDescriptor
  ) {
    if before.bitCount != after.bitCount {
      let subject = HIDDescriptorDifference.Subject.report(before.type, id: before.id)
      if before.byteCount == after.byteCount {
        let aspect = HIDDescriptorDifference.Aspect(
          name: "length", before: "\(before.bitCount) bits", after: "\(after.bitCount) bits")
        add(.changed, subject, [aspect])
      } else {
        add(.changed, subject, [Self.length(before, after)])
      }
    }
    var pool = HIDReportElementPool(HIDReportElementRun.runs(after, second))
    for run in HIDReportElementRun.runs(before, first) {
      // The parts of the run that are not yet compared.
      var rest: [HIDReportElementRun] = [run]
      while let part = rest.popLast() {
        guard let partner = pool.take(overlapping: part) else {
          add(.removed, part.subject(before), part.aspects(nil, isBefore: true))
          continue
        }
        let low = max(part.first, partner.first)
        let high = min(part.last, partner.last)
        let aspects = part.cut(low, high).aspects(partner.cut(low, high))
        if !aspects.isEmpty { add(.changed, part.cut(low, high).subject(before), aspects) }
        if part.last > high { rest.append(part.cut(high + 1, part.last)) }
        if part.first < low { rest.append(part.cut(part.first, low - 1)) }
      }
    }
    for run in pool.rest { add(.added, run.subject(after), run.aspects(nil)) }
  }
}

extension HIDReportDescriptor {
  /// The path of each collection: the collections around it, outermost first, then the collection.
  fileprivate var collectionPaths: [[HIDCollectionTitle]] {
    // Only the innermost 32 levels are kept: with deep nesting, full paths would need quadratic
    // memory.
    var paths: [[HIDCollectionTitle]] = []
    for collection in collections {
      let around = collection.parent.map { paths[$0] } ?? []
      paths.append(around.suffix(31) + [HIDCollectionTitle(collection)])
    }
    return paths
  }
}
