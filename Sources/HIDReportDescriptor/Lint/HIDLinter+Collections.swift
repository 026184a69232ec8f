// SPDX-License-Identifier: Apache-2.0

// Collections, and the end of the descriptor.

extension HIDLinter {
  mutating func openCollection(_ item: HIDItem) {
    let kind = HIDCollection.Kind(rawValue: UInt8(truncatingIfNeeded: item.data))
    let isTop = openCollections.isEmpty
    if isTop {
      lintOutsideReportID()
      hasToldOutside = false
      topCollections.append(
        TopCollection(
          offset: item.offset, usage: locals.usages.first?.extended(page: globals.usagePage) ?? 0,
          isApplication: kind == .application))
    }
    lintUsages(item, describing: "a \(kind) collection")
    lintCollectionUsage(item, kind, isTop: isTop)
    if item.data > 0xff || (0x07...0x7f).contains(item.data) {
      collector.add(
        .reservedCollectionKind, at: item.offset,
        "this collection has the reserved kind \(hexadecimal(item.data, digitCount: 2))")
    }
    if kind == .application {
      applicationCount += 1
      if let outer = openCollections.last?.application {
        collector.add(
          .nestedApplicationCollection, at: item.offset,
          "this application collection is inside the one at byte \(outer); Windows makes no "
            + "separate device for it",
          fix: "end the outer collection before this one, or make this one logical: a1 02")
      }
    }
    openCollections.append(
      Collection(
        offset: item.offset,
        application: kind == .application ? item.offset : openCollections.last?.application,
        index: collectionCount))
    collectionCount += 1
  }

  private mutating func lintCollectionUsage(
    _ item: HIDItem, _ kind: HIDCollection.Kind, isTop: Bool
  ) {
    guard !locals.isFaulty else { return }
    if locals.count == 0 {
      collector.add(
        isTop ? .topCollectionWithoutUsage : .collectionWithoutUsage, at: item.offset,
        "this \(kind) collection has no usage"
          + (isTop ? "; Windows refuses the descriptor" : "; HID 1.11 demands one"),
        fix: "add a Usage before it")
    } else if locals.count > 1 {
      collector.add(
        isTop ? .topCollectionWithManyUsages : .collectionWithManyUsages, at: item.offset,
        "this \(kind) collection has \(locals.count) usages"
          + (isTop ? "; Windows refuses the descriptor" : "; Linux uses the first"),
        fix: "keep one usage before the Collection, and move the usages of fields after it")
    }
  }

  mutating func endCollection(_ item: HIDItem) {
    guard openCollections.popLast() != nil else {
      outsideReportID = nil
      collector.add(.endCollectionWithoutCollection(offset: item.offset), fix: "remove it")
      isUnbalanced = true
      return
    }
    lintUsagesLeftOver(before: "End Collection")
  }

  private mutating func lintUsagesLeftOver(before what: String) {
    guard let offset = locals.firstOffset, !locals.isFaulty else { return }
    collector.add(
      .usagesLeftOver, at: offset, "no field uses the usages before \(what)",
      fix: "remove the usages, or add their field")
  }

  // MARK: The end

  mutating func lintEnd() {
    checkHalfRange()
    if let open = openCollections.last {
      isUnbalanced = true
      let count = openCollections.count
      collector.add(
        .unclosedCollection, at: open.offset,
        count == 1
          ? "this Collection has no End Collection"
          : "\(count) Collections have no End Collection; this is the last of them",
        fix: "add End Collection, c0" + (count == 1 ? "" : ", \(count) times"))
    }
    lintOutsideReportID()
    if let offset = locals.openDelimiter {
      collector.add(
        .unclosedDelimiter(offset: offset),
        fix: "add a Delimiter (close), bytes a9 00, and a main item after it; or remove the set")
    } else if openCollections.isEmpty {
      lintUsagesLeftOver(before: "the end")
    }
    for push in saved {
      collector.add(
        .pushWithoutPop, at: push.offset, "this Push has no Pop", fix: "remove the Push")
    }
  }

  mutating func lintTopCollections() {
    if applicationCount == 0 {
      collector.add(
        .noApplicationCollection, at: nil,
        "there is no application collection, which says what the device is for",
        fix: "put all collections and fields into an application collection: "
          + "Usage, Collection (Application), a1 01 … End Collection, c0")
    } else {
      for top in topCollections where !top.isApplication {
        collector.add(
          .topCollectionNotApplication, at: top.offset,
          "this top-level collection is not an application collection, which HID 1.11 requires",
          fix: "make it an application collection: a1 01")
      }
    }
    guard topCollections.count > 1 else { return }
    for top in topCollections where !top.hasReportID {
      guard let offset = top.unnumberedFieldOffset else { continue }
      collector.add(
        .topCollectionWithoutReportID, at: top.offset,
        "this is one of \(topCollections.count) top-level collections, but its field at byte "
          + "\(offset) has no report ID; Windows refuses the descriptor",
        fix: "add a Report ID after this Collection, and a different one to each of the others")
    }
  }
}
