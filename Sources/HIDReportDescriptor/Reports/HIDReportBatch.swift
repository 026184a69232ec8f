// SPDX-License-Identifier: Apache-2.0

/// Reports that are sent together.
///
/// One call can send all reports of a batch. On the kernel bus, one system call sends up to 63 of
/// them. Reuse a batch: ``removeAll()`` keeps its memory.
public struct HIDReportBatch: Sendable {
  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var ends: [Int] = []

  /// Makes an empty batch.
  public init() {}

  /// Makes a batch of one report, whose bytes are not copied.
  public init(_ report: [UInt8]) {
    storage = report
    ends = [report.count]
  }

  /// The number of reports.
  @inlinable public var count: Int { ends.count }

  /// True if there are no reports.
  public var isEmpty: Bool { ends.isEmpty }

  /// The number of bytes of all reports together.
  public var byteCount: Int { storage.count }

  /// Adds a report.
  ///
  /// - Parameter report: The bytes of the report, with its ID first if it is numbered.
  @inlinable
  public mutating func append(_ report: Span<UInt8>) {
    storage.append(copying: report)
    ends.append(storage.count)
  }

  /// Adds a report.
  public mutating func append(_ report: [UInt8]) {
    storage.append(contentsOf: report)
    ends.append(storage.count)
  }

  /// Adds zeros to the end of the last report, up to a length in bytes; ignored without a report.
  public mutating func extendLast(to byteCount: Int) {
    guard let end = ends.last else { return }
    let found = end - (ends.count > 1 ? ends[ends.count - 2] : 0)
    guard byteCount > found else { return }
    storage.append(contentsOf: repeatElement(0, count: byteCount - found))
    ends[ends.count - 1] = storage.count
  }

  /// Removes all reports, and keeps the memory for the next ones.
  public mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Returns the range of one report's bytes in the span of ``withBytes(_:)``.
  @inlinable
  public func byteRange(ofReport index: Int) -> Range<Int> {
    (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }

  /// Returns whether each report of a range has `byteCount` bytes.
  ///
  /// False if `byteCount` is 0 or negative.
  @inlinable
  public func areAll(_ byteCount: Int, in range: Range<Int>) -> Bool {
    guard byteCount > 0 else { return false }
    let ends = ends.span
    var start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
    for index in range {
      let end = ends[index]
      guard end &- start == byteCount else { return false }
      start = end
    }
    return true
  }

  /// Calls `body` once, with the bytes of all reports in one span, and returns its result.
  ///
  /// ``byteRange(ofReport:)`` returns the range of one report in the span.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span)
  }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  @inlinable
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
