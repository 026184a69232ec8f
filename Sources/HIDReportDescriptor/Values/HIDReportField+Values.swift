// SPDX-License-Identifier: Apache-2.0

extension HIDReportField {
  /// Reads an element.
  ///
  /// - Parameter index: The index of the element, from 0.
  /// - Parameter payload: The report without its report ID, least significant bit first.
  /// - Returns: The value, sign-extended if the logical minimum is negative, in or out of the
  ///   logical range. Unsigned 64-bit values are returned as their bit pattern. `nil` if there is
  ///   no such element, the report is too short, or the element has no bits or more than 64.
  public func value(at index: Int, in payload: Span<UInt8>) -> Int64? {
    value(at: index, in: payload, from: 0)
  }

  /// Reads an element, like ``value(at:in:)`` of a span.
  public func value(at index: Int, in payload: [UInt8]) -> Int64? {
    value(at: index, in: payload.span, from: 0)
  }

  /// Writes an element, and changes no other bits.
  ///
  /// - Parameter value: The value, in or out of the range; its low bits are written.
  /// - Parameter index: The index of the element, from 0.
  /// - Parameter payload: The report without its report ID.
  /// - Returns: True if the element was written; false in the cases where reading returns `nil`.
  @discardableResult
  public func setValue(
    _ value: Int64, at index: Int, in payload: inout MutableSpan<UInt8>
  ) -> Bool {
    setValue(value, at: index, in: &payload, from: 0)
  }

  /// Writes an element, like ``setValue(_:at:in:)`` of a span.
  @discardableResult
  public func setValue(_ value: Int64, at index: Int, in payload: inout [UInt8]) -> Bool {
    var span = payload.mutableSpan
    return setValue(value, at: index, in: &span, from: 0)
  }

  /// Returns the bytes of an element of any size, also of one over 64 bits.
  ///
  /// - Parameter index: The index of the element, from 0.
  /// - Parameter payload: The report without its report ID.
  /// - Returns: The bits in the fewest bytes that hold them, least significant first; `nil` if
  ///   there is no such element or the report is too short.
  public func bytes(at index: Int, in payload: Span<UInt8>) -> [UInt8]? {
    guard let start = firstBit(at: index, byteCount: payload.count, from: 0) else { return nil }
    return stride(from: 0, to: bitSize, by: 8).map { bit in
      UInt8(
        truncatingIfNeeded: Self.extract(min(8, bitSize - bit), bitsAt: start + bit, of: payload))
    }
  }

  /// Returns the bytes of an element of any size; see ``bytes(at:in:)`` of a span.
  public func bytes(at index: Int, in payload: [UInt8]) -> [UInt8]? {
    bytes(at: index, in: payload.span)
  }

  // MARK: With the payload starting `base` bytes into the report

  func value(at index: Int, in report: Span<UInt8>, from base: Int) -> Int64? {
    guard (1...64).contains(bitSize),
      let start = firstBit(at: index, byteCount: report.count, from: base)
    else { return nil }
    return Self.value(of: bitSize, bitsAt: start, of: report, isSigned: isSigned)
  }

  func setValue(
    _ value: Int64, at index: Int, in report: inout MutableSpan<UInt8>, from base: Int
  ) -> Bool {
    guard (1...64).contains(bitSize),
      let start = firstBit(at: index, byteCount: report.count, from: base)
    else { return false }
    var rest = UInt64(bitPattern: value)
    var bit = start
    let end = start + bitSize
    while bit < end {
      let shift = bit & 7
      let width = min(8 - shift, end - bit)
      let mask = UInt8(truncatingIfNeeded: (1 << width - 1) << shift)
      let new = UInt8(truncatingIfNeeded: rest << UInt64(shift)) & mask
      report[bit >> 3] = report[bit >> 3] & ~mask | new
      rest >>= UInt64(width)
      bit += width
    }
    return true
  }

  /// Returns the first bit of an element that lies completely in the report, else `nil`.
  ///
  /// Neither the product nor the sum can overflow: the parser limits every factor.
  private func firstBit(at index: Int, byteCount: Int, from base: Int) -> Int? {
    guard index >= 0, index < count else { return nil }
    let start = base * 8 + bitOffset + index * bitSize
    return start + bitSize <= byteCount * 8 ? start : nil
  }

  /// Returns the value of `width` bits, 1 to 64, which must lie in the span.
  @inline(__always)
  static func value(
    of width: Int, bitsAt start: Int, of span: Span<UInt8>, isSigned: Bool
  ) -> Int64 {
    let bits = Int64(bitPattern: extract(width, bitsAt: start, of: span))
    let unused = Int64(truncatingIfNeeded: 64 &- width)
    return isSigned ? (bits &<< unused) &>> unused : bits
  }

  /// Extracts `width` bits, 1 to 64, which must lie in the span.
  @inline(__always)
  static func extract(_ width: Int, bitsAt start: Int, of span: Span<UInt8>) -> UInt64 {
    let first = start >> 3
    let shift = start & 7
    // The most frequent case.
    if shift + width <= 8 {
      return UInt64(span[first] &>> UInt8(truncatingIfNeeded: shift)) & (1 << UInt64(width) - 1)
    }
    let byteCount = (shift + width + 7) >> 3  // at most 9
    var bits: UInt64 = 0
    for index in 0..<min(byteCount, 8) {
      bits |= UInt64(span[first + index]) << UInt64(8 * index)
    }
    bits >>= UInt64(shift)
    if byteCount == 9 { bits |= UInt64(span[first + 8]) << UInt64(64 - shift) }
    return width == 64 ? bits : bits & (1 << UInt64(width) - 1)
  }
}

extension HIDReportField {
  /// The value of an idle element: nothing pressed, nothing moved, hat centred.
  ///
  /// In an absolute variable field without a null state, it is the value of ``valueRange`` that is
  /// nearest to 0. In other fields it is 0, unless 0 selects a usage of an array, or is a valid
  /// value of a field with a null state. Then it is a value outside the logical range, if the bits
  /// hold one, else 0.
  public var neutralValue: Int64 {
    let bits = representableRange
    let zeroMeansSomething =
      isArray
      ? member(for: 0) != nil
      : hasNullState && logicalMinimum < logicalMaximum && logicalMinimum <= 0
        && logicalMaximum >= 0
    if zeroMeansSomething {
      if logicalMaximum < bits.upperBound { return logicalMaximum + 1 }
      if logicalMinimum > bits.lowerBound { return logicalMinimum - 1 }
    }
    if isArray || isRelative || hasNullState { return 0 }
    return min(max(0, valueRange.lowerBound), valueRange.upperBound)
  }

  /// The number of values of an array, from the logical minimum on, that have a usage; 0 for
  /// another field.
  var memberCount: Int {
    guard isArray, !isPadding, logicalMaximum >= logicalMinimum else { return 0 }
    return Int(min(Int64(max(usages.count, count)), logicalMaximum - logicalMinimum + 1))
  }

  /// Returns whether the bits hold the value that selects a usage of an array.
  func canHold(member index: Int) -> Bool {
    representableRange.contains(logicalMinimum + Int64(index))
  }

  /// Returns the index of the usage that a value of an array selects; `nil` if it selects none.
  ///
  /// A usage ID of 0 counts as none: keyboards send it in free elements.
  func member(for value: Int64) -> Int? {
    guard value >= logicalMinimum, value <= logicalMaximum else { return nil }
    // No overflow: both are within 33 bits once the value is in the range.
    let index = Int(value - logicalMinimum)
    guard index < memberCount, let usage = extendedUsage(at: index), usage & 0xffff != 0 else {
      return nil
    }
    return index
  }
}
