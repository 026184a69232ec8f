// SPDX-License-Identifier: Apache-2.0

/// Why something on a HID wire failed: a kind to decide by, and a sentence to show.
public struct HIDWireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it was.
  public enum Kind: Hashable, Sendable {
    /// The bus is not there: no `/dev/uhid`, no bus directory.
    case unavailable
    /// The caller may not use the bus or the device.
    case permissionDenied
    /// A limit of the bus: 64 hidraw nodes, 4,096 bytes a report.
    case limitReached
    /// The device did not come up: a bad descriptor, or no driver.
    case notStarted
    /// The device, or the other end of the wire, is gone.
    case gone
    /// No answer came within the caller's bound.
    case timedOut
    /// The device answered with an error, or not within the bus' own bound of 5 s.
    case ioError
    /// The argument is one the bus refuses: `EINVAL`.
    case invalidArgument
    /// The report does not have the declared length, or is not declared.
    case reportMismatch(HIDReportLengths.Mismatch)
    /// Another client holds the device.
    case busy
    /// What the other end sent makes no sense.
    case protocolViolation
    /// Anything else.
    case other
  }

  /// What kind of failure it was.
  public let kind: Kind
  /// What was tried, on what, the answer, and what to do.
  public let message: String
  /// The `errno` of the failed call, 0 where no call failed.
  public let errorNumber: Int32

  /// Makes an error.
  public init(_ kind: Kind, _ message: String, errorNumber: Int32 = 0) {
    self.kind = kind
    self.message = message
    self.errorNumber = errorNumber
  }

  /// The error of a device whose report descriptor cannot be parsed.
  ///
  /// - Parameters:
  ///   - device: The device as the message names it.
  ///   - error: Why the descriptor is not valid.
  package static func invalidDescriptor(of device: String, _ error: any Error) -> HIDWireError {
    HIDWireError(.invalidArgument, "\(device): its report descriptor is not valid: \(error)")
  }

  /// Makes the error of a report that cannot be sent as it is.
  public init(_ mismatch: HIDReportLengths.Mismatch) {
    let message =
      switch mismatch {
      case .empty: "an input report has at least one byte; none was given"
      case .undeclared(let id?): "the report descriptor declares no input report \(id)"
      case .undeclared(nil): "the report descriptor declares no input report for these bytes"
      case .short(let declared, let found), .long(let declared, let found):
        "the input report has \(found.counting("byte")); the report descriptor declares \(declared)"
      }
    self.init(.reportMismatch(mismatch), message)
  }

  /// The sentence to show.
  public var description: String { message }
}
