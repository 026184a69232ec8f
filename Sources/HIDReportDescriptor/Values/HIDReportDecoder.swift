// SPDX-License-Identifier: Apache-2.0

/// A decoder that reads all values of a report of one layout at once, without allocating.
///
/// There is one value for each element of each field that has usages. It is the value of the
/// control in a variable field, and the content of the element in an array. The values are in the
/// order of the fields. Fields whose elements have no bits, or more than 64, have no values.
public struct HIDReportDecoder: Sendable {
  /// The method to read the elements of a field.
  fileprivate enum Kind {
    case partsOfByte
    case bits
    case bytes
    case signedBytes
    case signedPairs
    case others

    init(_ field: HIDReportField, firstBit: Int) {
      self =
        switch (field.bitSize, field.isSigned, firstBit % 8) {
        case (1..<8, false, let shift) where shift + field.bitCount <= 8: .partsOfByte
        case (1, false, _): .bits
        case (8, false, 0): .bytes
        case (8, true, 0): .signedBytes
        case (16, true, 0): .signedPairs
        default: .others
        }
    }
  }

  /// The elements of a field: all of one size, and adjacent.
  struct Step {
    fileprivate let kind: Kind
    let isSigned: Bool
    let isVariable: Bool
    let isRelative: Bool
    let bitSize: Int
    let firstBit: Int  // from the start of the report, its ID included
    let count: Int
    let valueIndex: Int
    let fieldIndex: Int
    let logicalMinimum: Int64
    let memberCount: Int64  // 0 for a variable field
    /// The first value that means ErrorRollOver in an array of keys; `nil` if no value does.
    let rollOver: Int64?
    /// True if other values mean ErrorRollOver too.
    ///
    /// The usage then occurs again, or is the last one and applies to values without their own
    /// usage.
    let repeatsRollOver: Bool

    fileprivate init(_ field: HIDReportField, firstBit: Int, valueIndex: Int) {
      kind = Kind(field, firstBit: firstBit)
      isSigned = field.isSigned
      isVariable = field.isVariable
      isRelative = field.isRelative
      bitSize = field.bitSize
      self.firstBit = firstBit
      count = field.count
      self.valueIndex = valueIndex
      fieldIndex = field.index
      logicalMinimum = field.logicalMinimum
      memberCount = Int64(field.memberCount)
      let usages = field.usages
      rollOver =
        field.isArray
        ? usages.firstIndex(ofExtended: Self.errorRollOver).flatMap {
          $0 < field.memberCount ? field.logicalMinimum + Int64($0) : nil
        } : nil
      let isLast = usages.count < field.count && usages.ranges.last?.last == Self.errorRollOver
      repeatsRollOver =
        rollOver != nil
        && (isLast || usages.ranges.count { $0.contains(Self.errorRollOver) } > 1)
    }

    static var errorRollOver: UInt32 { 0x0007_0001 }

    /// True if each element is one whole byte of the report, read as unsigned.
    var isOfBytes: Bool { kind == .bytes }

    /// Returns whether both reports contain all elements, and the bytes of the elements are equal.
    ///
    /// Other fields may share the first and the last of these bytes.
    func hasSameBytes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
      // No overflow: the parser bounds a report to 16,384 bytes.
      let end = (firstBit &+ bitSize &* count &+ 7) >> 3
      guard end <= one.count, end <= other.count else { return false }
      var index = firstBit >> 3
      while index < end {
        if one[index] != other[index] { return false }
        index &+= 1
      }
      return true
    }

    /// Returns the number of elements that lie completely in a report.
    func wholeCount(in report: Span<UInt8>) -> Int {
      max(0, min(count, (8 * report.count - firstBit) / bitSize))
    }

    /// Returns the index of the usage that a value of an array selects; `nil` if it selects none.
    ///
    /// Unlike ``HIDReportField/member(for:)``, it also returns the index of a usage with ID 0.
    func member(for value: Int64) -> Int? {
      // A 64-bit value minus a negative minimum can wrap to a negative index, which has no control.
      guard value >= logicalMinimum, value &- logicalMinimum < memberCount else { return nil }
      return Int(value &- logicalMinimum)
    }
  }

  /// The layout of the reports.
  public let layout: HIDReportLayout
  /// The number of values in a report.
  public let valueCount: Int
  private let byteCount: Int
  let steps: [Step]

  /// Creates a decoder for reports of one layout.
  ///
  /// - Parameter layout: The layout of the reports.
  public init(_ layout: HIDReportLayout) {
    self.layout = layout
    byteCount = layout.byteCount
    var steps: [Step] = []
    var valueCount = 0
    for field in layout.fields
    where !field.isPadding && field.count > 0 && (1...64).contains(field.bitSize) {
      let firstBit = field.bitOffset + 8 * layout.payloadOffset
      steps.append(Step(field, firstBit: firstBit, valueIndex: valueCount))
      valueCount += field.count
    }
    self.steps = steps
    self.valueCount = valueCount
  }

  /// Returns the index of the first value of a field; `nil` for a field without values.
  ///
  /// - Parameter field: A field of the layout.
  public func valueIndex(of field: HIDReportField) -> Int? {
    steps.first { $0.fieldIndex == field.index }?.valueIndex
  }

  /// Reads the values of a report.
  ///
  /// - Parameter report: The report on the wire: with its ID if it is numbered. The ID is not
  ///   checked, and bytes after the declared length are ignored.
  /// - Parameter values: The destination for logical values, sign-extended if the logical minimum
  ///   is negative. It must have room for ``valueCount`` values.
  /// - Returns: The number of values written: ``valueCount``, or for a short report the number of
  ///   values before the first incomplete element. The other values in `values` stay unchanged.
  public func decode(_ report: Span<UInt8>, into values: inout MutableSpan<Int64>) -> Int {
    precondition(values.count >= valueCount, "no room for the values")
    guard report.count >= byteCount else { return decodeShort(report, &values) }
    // No overflow below: the parser limits a report to 16,384 bytes.
    for step in steps {
      var index = step.valueIndex
      let end = index &+ step.count
      var byte = step.firstBit >> 3
      switch step.kind {
      case .partsOfByte:
        var bits = Int64(report[byte]) &>> Int64(truncatingIfNeeded: step.firstBit & 7)
        let mask = 1 &<< Int64(truncatingIfNeeded: step.bitSize) &- 1
        while index < end {
          values[index] = bits & mask
          bits &>>= Int64(truncatingIfNeeded: step.bitSize)
          index &+= 1
        }
      case .bits: decodeBits(step, report, &values)
      case .bytes:
        for index in index..<end {
          values[index] = Int64(report[byte])
          byte &+= 1
        }
      case .signedBytes:
        for index in index..<end {
          values[index] = Int64(Int8(bitPattern: report[byte]))
          byte &+= 1
        }
      case .signedPairs:
        while index < end {
          let low = Int64(report[byte])
          values[index] = Int64(Int8(bitPattern: report[byte &+ 1])) << 8 | low
          byte &+= 2
          index &+= 1
        }
      case .others: decodeOthers(step, step.count, report, &values)
      }
    }
    return valueCount
  }

  /// Decodes fields of single unsigned bits, up to eight bits at a time.
  @inline(__always)
  private func decodeBits(
    _ step: Step, _ report: Span<UInt8>, _ values: inout MutableSpan<Int64>
  ) {
    var index = step.valueIndex
    let end = index &+ step.count
    var byte = step.firstBit >> 3
    var shift = step.firstBit & 7
    while index < end {
      var bits = Int64(report[byte]) &>> Int64(truncatingIfNeeded: shift)
      if shift == 0, end &- index >= 8 {
        // In 32 bits these sums cannot overflow, so the bounds check of the first write covers all
        // eight.
        let first = Int(UInt32(truncatingIfNeeded: index))
        values[first + 7] = bits >> 7
        values[first] = bits & 1
        values[first + 1] = bits >> 1 & 1
        values[first + 2] = bits >> 2 & 1
        values[first + 3] = bits >> 3 & 1
        values[first + 4] = bits >> 4 & 1
        values[first + 5] = bits >> 5 & 1
        values[first + 6] = bits >> 6 & 1
        index &+= 8
      } else {
        let stop = min(end, index &+ 8 &- shift)
        while index < stop {
          values[index] = bits & 1
          bits &>>= 1
          index &+= 1
        }
      }
      byte &+= 1
      shift = 0
    }
  }

  private func decodeOthers(
    _ step: Step, _ count: Int, _ report: Span<UInt8>, _ values: inout MutableSpan<Int64>
  ) {
    var bit = step.firstBit
    for index in step.valueIndex..<step.valueIndex &+ count {
      values[index] = HIDReportField.value(
        of: step.bitSize, bitsAt: bit, of: report, isSigned: step.isSigned)
      bit &+= step.bitSize
    }
  }

  private func decodeShort(
    _ report: Span<UInt8>, _ values: inout MutableSpan<Int64>
  ) -> Int {
    for step in steps {
      let count = step.wholeCount(in: report)
      decodeOthers(step, count, report, &values)
      if count < step.count { return step.valueIndex + count }
    }
    return valueCount
  }
}
