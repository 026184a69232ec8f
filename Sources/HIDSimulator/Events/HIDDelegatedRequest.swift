// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A request of the host that the program which drives the device can answer.
public struct HIDDelegatedRequest: Hashable, Sendable {
  /// The number that identifies the request in an answer.
  ///
  /// The number is unique in this process.
  public let number: UInt64
  /// The report's type.
  public let type: HIDReportType
  /// The report's ID; `nil` if the host gave none.
  ///
  /// A host can give an ID even if reports of the type are unnumbered.
  public let id: HIDReportID?
  /// The report that the host sets, its ID first if it is numbered; `nil` for a get request.
  public let bytes: [UInt8]?
  /// The bytes that the host sets, exactly as received; `nil` for a get request.
  ///
  /// An unnumbered report may have a `00` before it.
  public let raw: [UInt8]?
  /// True if the report descriptor declares the report.
  public let isDeclared: Bool
}

/// The requests that are delegated to the program which drives a device, and their deadline.
public struct HIDDelegation: Hashable, Sendable {
  /// True if get requests of the host are delegated.
  public var getsReports: Bool
  /// True if set requests of the host are delegated.
  public var setsReports: Bool
  /// The time after which the device answers a delegated request itself.
  public var deadline: Duration

  /// Makes a delegation: by default of all requests, with a deadline of one second.
  public init(getsReports: Bool = true, setsReports: Bool = true, deadline: Duration = .seconds(1))
  {
    self.getsReports = getsReports
    self.setsReports = setsReports
    self.deadline = deadline
  }
}
