// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

extension HIDReportLengths {
  /// The report types that are numbered.
  public var numberedReports: HIDNumberedReports {
    var set: HIDNumberedReports = []
    if isNumbered(.input) { set.insert(.input) }
    if isNumbered(.output) { set.insert(.output) }
    if isNumbered(.feature) { set.insert(.feature) }
    return set
  }

  /// Checks the reports of a batch, or some of them; see `checkInput(_:)`.
  ///
  /// - Parameters:
  ///   - batch: The reports.
  ///   - range: The indices of the reports to check; `nil` for all.
  /// - Throws: `reportMismatch` for the first report that is not valid.
  public func checkInput(
    _ batch: HIDReportBatch, in range: Range<Int>? = nil
  ) throws(HIDBusError) {
    let range = range ?? 0..<batch.count
    do throws(Mismatch) {
      try batch.withBytes { bytes throws(Mismatch) in
        for index in range {
          try checkInput(bytes.extracting(batch.byteRange(ofReport: index)))
        }
      }
    } catch {
      throw HIDBusError(error)
    }
  }
}
