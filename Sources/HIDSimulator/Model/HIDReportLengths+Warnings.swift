// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
import HIDText

extension HIDReportLengths {
  /// Fills up an input report with zeros to its declared length.
  ///
  /// - Parameter report: The report; its first byte is its ID if input reports are numbered.
  /// - Returns: The report, and true if it was short. A report that is not declared, or is not
  ///   short, is unchanged.
  package func filledUp(_ report: [UInt8]) -> (report: [UInt8], wasShort: Bool) {
    let id = isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let declared = byteCount(.input, id), report.count < declared else {
      return (report, false)
    }
    return (report + Array(repeating: 0, count: declared - report.count), true)
  }

  /// Returns a warning about hardware's reaction to a host's report that is not as declared.
  ///
  /// hidraw passes on reports of any length, and so does USB (6.12). The device alone decides what
  /// it does with a report that is too short or too long.
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - id: The report's ID; `nil` when reports of its type are unnumbered.
  ///   - payload: The report without its ID.
  /// - Returns: A sentence; `nil` for a report that is declared and has the declared length.
  package func warning(
    _ type: HIDReportType, _ id: HIDReportID?, payload: [UInt8]
  ) -> String? {
    let name = "\(type) report\(id.map { " \($0)" } ?? "")"
    let idByteCount = id == nil ? 0 : 1
    guard let declared = byteCount(type, id).map({ $0 - idByteCount }) else {
      return "the descriptor declares no \(name): hardware would refuse or ignore it"
    }
    guard payload.count != declared else { return nil }
    let sent = (id.map { [$0.rawValue] } ?? []) + payload
    let shown = sent.count <= 16 ? sent.hexText : sent.count.counting("byte")
    let fate =
      payload.count > declared
      ? "would receive \(shown), and might cut or refuse the report"
      : "would receive only \(shown), and might keep its old bytes for the rest, use zeros, or refuse "
        + "the report"
    return
      "\(name) has \(payload.count.counting("byte")), and is declared with \(declared): hardware \(fate)"
  }
}
