// SPDX-License-Identifier: Apache-2.0

/// Reads all values of reports of one layout at once, without allocating.
///
/// There is a value for each element of each field that has usages: of a variable field the value of the control, of an
/// array what stands in its slot. They are in the order of the fields. Fields whose elements have no bits, or more than
/// 64, have no values.
public struct HIDReportDecoder: Sendable {
  /// How the elements of a field are read.
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

  /// The elements of a field: all of one size, next to each other.
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
    /// The value that stands for ErrorRollOver in an array of keys.
    let rollOver: Int64?
    /// Whether further values stand for it: the usage is there again, or serves those that have none of their own.
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

    /// Whether each element is one unsigned byte.
    var isOfBytes: Bool { kind == .bytes }

    /// Whether two reports have all elements, and the same bytes there.
    ///
    /// Other fields may have a part of the first and the last of these bytes.
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

    /// The number of elements that lie in a report whole.
    func wholeCount(in report: Span<UInt8>) -> Int {
      max(0, min(count, (8 * report.count - firstBit) / bitSize))
    }

    /// The place of the usage that a value of an array stands for; `nil` where there is none.
    func member(for value: Int64) -> Int? {
      // No overflow: the value has at most 64 bits, and is looked at only above the minimum.
      guard value >= logicalMinimum, value &- logicalMinimum < memberCount else { return nil }
      return Int(value &- logicalMinimum)
    }
  }

  /// What the bits of the reports mean.
  public let layout: HIDReportLayout
  /// The number of values in a report.
  public let valueCount: Int
  private let byteCount: Int
  let steps: [Step]

  /// Looks up once what every report needs.
  ///
  /// - Parameter layout: What the bits of the reports mean.
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

  /// The place of the first value of a field; `nil` for a field without values.
  ///
  /// - Parameter field: A field of the layout.
  public func valueIndex(of field: HIDReportField) -> Int? {
    steps.first { $0.fieldIndex == field.index }?.valueIndex
  }

  /// Reads the values of a report.
  ///
  /// - Parameter report: The report on the wire: with its ID if it is numbered, which is not looked at. What is behind
  ///   the declared length is not looked at either.
  /// - Parameter values: Where the values go: logical values, sign-extended if the logical minimum is negative. There
  ///   must be room for ``valueCount``.
  /// - Returns: The number of values: ``valueCount``, or of a short report those before the first element that is not
  ///   whole; the others are left as they were.
  public func decode(_ report: Span<UInt8>, into values: inout MutableSpan<Int64>) -> Int {
    precondition(values.count >= valueCount, "no room for the values")
    guard report.count >= byteCount else { return decodeShort(report, &values) }
    // No overflow in what follows: the parser bounds a report to 16,384 bytes.
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

  /// Unsigned bits, as many at a time as a byte has.
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
        // Within 32 bits nothing wraps: the first check that there is room serves all eight.
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
