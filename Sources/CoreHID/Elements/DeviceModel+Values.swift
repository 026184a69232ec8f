// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension DeviceModel {
  /// Returns the values of elements in one report, without elements beyond the report's end.
  func values(
    of elements: [HIDElement], in report: HIDReportBytes, at timestamp: SuspendingClock.Instant
  ) -> [HIDElement.Value] {
    report.withSpan { bytes in
      // The values that each array of the report selects, by the index of its field. An array is
      // read once, however many usages it has.
      var selections: [Int32: Set<Int64>?] = [:]
      var values: [HIDElement.Value] = []
      values.reserveCapacity(elements.count)
      for element in elements {
        let place = element.place
        guard let layout = layout(of: place), let field = field(of: place),
          bytes.count > layout.payloadOffset
        else { continue }
        let payload = bytes.extracting(droppingFirst: layout.payloadOffset)
        if place.isMember {
          let known = selections[place.field]
          let selection = known ?? field.selection(in: payload)
          if known == nil { selections[place.field] = selection }
          guard let selection else { continue }
          let isSelected = selection.contains(field.value(ofMember: Int(place.index)))
          values.append(
            HIDElement.Value(
              element: element, fromIntegerTruncatingIfNeeded: isSelected ? 1 : 0,
              timestamp: timestamp))
        } else if let number = field.value(at: Int(place.index), in: payload) {
          values.append(
            HIDElement.Value(
              element: element, fromIntegerTruncatingIfNeeded: number, timestamp: timestamp))
        } else if let bytes = field.bytes(at: Int(place.index), in: payload) {
          values.append(
            HIDElement.Value(element: element, fromBytes: Data(bytes), timestamp: timestamp))
        }
      }
      return values
    }
  }

  /// Writes a value into a report that is as long as declared.
  ///
  /// - Returns: True if the value was written. False if there is no such element, or if the report
  ///   is not as long as declared. False if an array has no free slot for the usage, or if its
  ///   bits cannot hold the value that selects the usage.
  func put(_ value: HIDElement.Value, into report: inout [UInt8]) -> Bool {
    let place = value.element.place
    guard let layout = layout(of: place), let field = field(of: place),
      report.count == layout.byteCount
    else { return false }
    var payload = Array(report.dropFirst(layout.payloadOffset))
    let index = Int(place.index)
    if place.isMember {
      let isSelected = value.integerValue(asTypeTruncatingIfNeeded: UInt8.self) & 1 != 0
      guard field.select(index, isSelected, in: &payload) else { return false }
    } else if field.bitSize <= 64 {
      let number = value.integerValue(asTypeTruncatingIfNeeded: Int64.self)
      guard field.setValue(number, at: index, in: &payload) else { return false }
    } else {
      guard field.setBytes(Array(value.bytes), at: index, in: &payload) else { return false }
    }
    report.replaceSubrange(layout.payloadOffset..., with: payload)
    return true
  }
}

extension HIDReportField {
  /// Returns the value by which an array selects a usage.
  fileprivate func value(ofMember index: Int) -> Int64 { logicalMinimum + Int64(index) }

  /// Returns the values that an array selects; `nil` if the report does not hold the first slot.
  fileprivate func selection(in payload: Span<UInt8>) -> Set<Int64>? {
    guard self.value(at: 0, in: payload) != nil else { return nil }
    var values: Set<Int64> = []
    for slot in 0..<count {
      if let value = self.value(at: slot, in: payload) { values.insert(value) }
    }
    return values
  }

  /// Puts a usage into the first free slot of an array, or removes it from every slot.
  ///
  /// If the array has only one slot, the usage replaces the usage in it.
  ///
  /// - Returns: False if there was no slot for the usage, or if no slot can hold its value.
  fileprivate func select(_ index: Int, _ isSelected: Bool, in payload: inout [UInt8]) -> Bool {
    let wanted = value(ofMember: index)
    let slots = (0..<count).map { self.value(at: $0, in: payload) }
    if isSelected {
      // The bits that are too many would be cut off: another usage would be selected.
      guard representableRange.contains(wanted) else { return false }
      if slots.contains(wanted) { return true }
      // An array with one slot can always select: the new usage replaces the old one.
      let free = slots.firstIndex { $0.map(isFree) ?? false } ?? (count == 1 ? 0 : nil)
      guard let free else { return false }
      return setValue(wanted, at: free, in: &payload)
    }
    for slot in slots.indices where slots[slot] == wanted {
      setValue(neutralValue, at: slot, in: &payload)
    }
    return true
  }

  /// Returns whether a slot with this value selects nothing.
  private func isFree(_ value: Int64) -> Bool {
    guard value >= logicalMinimum, value <= logicalMaximum,
      let usage = extendedUsage(at: Int(value - logicalMinimum))
    else { return true }
    return usage & 0xffff == 0
  }

  /// Writes the bits of an element of more than 64 bits, and returns whether the element exists.
  fileprivate func setBytes(_ bytes: [UInt8], at index: Int, in payload: inout [UInt8]) -> Bool {
    let start = bitOffset + index * bitSize
    guard index < count, start + bitSize <= payload.count * 8 else { return false }
    for bit in 0..<bitSize {
      let isSet = bytes.indices.contains(bit / 8) && bytes[bit / 8] >> UInt8(bit % 8) & 1 != 0
      let mask = UInt8(1) << UInt8((start + bit) % 8)
      payload[(start + bit) / 8] = payload[(start + bit) / 8] & ~mask | (isSet ? mask : 0)
    }
    return true
  }
}
