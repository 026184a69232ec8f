// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

/// The error of an operation on a bus: a kind for decisions, and a sentence for users.
public struct HIDBusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// The bus, or the device on it, cannot be used: for example, there is no `/dev/uhid` or no bus
    /// directory.
    case unavailable
    /// The caller may not use the bus or the device, or the device would type into a user's
    /// windows.
    case permissionDenied
    /// A limit of hidsim, of the bus (64 hidraw nodes, 4,096 bytes a report), of the process
    /// (descriptors, threads, memory, watches) or the system (open files, disk space) is reached.
    case limitReached
    /// The device did not become ready: its descriptor is not valid, no driver accepts it, its
    /// driver's probe did not end in time, or its nodes are missing.
    case notStarted
    /// The device, or the other end of the bus, is gone or not plugged, or the port was closed.
    case gone
    /// An action did not end within the caller's timeout, or within a limit of its own.
    case timedOut
    /// The device answered with an error, refused the report, did not answer within the bus' own
    /// limit, or, on the kernel bus, was unplugged meanwhile.
    case ioError
    /// An argument, a report descriptor or `HIDSIM_BUS` is not valid, or the kernel refuses it
    /// (`EINVAL`).
    case invalidArgument
    /// The report does not have the declared length, is not declared, or is empty.
    case reportMismatch(HIDReportLengths.Mismatch)
    /// Another client has the device exclusively, another program has grabbed its evdev nodes, the
    /// device's process accepts no connections, or another device of the bus directory, or a file
    /// of another program in it, has the same name.
    case busy
    /// The other end sent data that violates the protocol.
    case protocolViolation
    /// Any other failure.
    case other
  }

  /// The kind of failure.
  public let kind: Kind
  /// The failed action, its object, the error, and the remedy, as far as they are known.
  public let message: String
  /// The `errno` of the failure; 0 if there is none.
  public let errorNumber: Int32

  /// Makes an error.
  public init(_ kind: Kind, _ message: String, errorNumber: Int32 = 0) {
    self.kind = kind
    self.message = message
    self.errorNumber = errorNumber
  }

  /// Returns the error of a device whose report descriptor cannot be parsed.
  ///
  /// - Parameters:
  ///   - device: The device as the message names it.
  ///   - error: The reason why the descriptor is not valid.
  package static func invalidDescriptor(of device: String, _ error: any Error) -> HIDBusError {
    HIDBusError(.invalidArgument, "\(device): its report descriptor is not valid: \(error)")
  }

  /// Makes the error of an input report that cannot be sent as it is.
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

  /// The message for users.
  public var description: String { message }
}
