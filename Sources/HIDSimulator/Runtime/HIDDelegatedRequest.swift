// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A request of the host that is left to whoever drives the device.
public struct HIDDelegatedRequest: Hashable, Sendable {
  /// The number to answer by: no other request of the process has it.
  public let number: UInt64
  /// The report's type.
  public let type: HIDReportType
  /// The report's ID; `nil` for an un-numbered report.
  public let id: HIDReportID?
  /// What the host sets, the ID first where the report is numbered; `nil` where it asks for the report.
  public let bytes: [UInt8]?
  /// What the host sets, exactly as it came: before an un-numbered report there may be a `00`; `nil` where it asks for
  /// the report.
  public let raw: [UInt8]?
  /// Whether the descriptor declares the report.
  public let isDeclared: Bool
}

/// What whoever drives a device has to say to a request.
public enum HIDDelegatedAnswer: Hashable, Sendable {
  /// To a get request: these bytes, the ID first where the report is numbered.
  case report([UInt8])
  /// To a set request: done. The device remembers what was set.
  case accepted
  /// An error.
  case error
  /// No answer: the host waits until its own time is over.
  case nothing
  /// What the device would have answered by itself.
  case usual
}

/// Which requests are left to whoever drives a device, and for how long.
public struct HIDDelegation: Hashable, Sendable {
  /// Whether the host's get requests are.
  public var getsReports: Bool
  /// Whether the host's set requests are.
  public var setsReports: Bool
  /// After what time the device answers by itself.
  public var deadline: Duration

  /// Makes a delegation.
  public init(getsReports: Bool = true, setsReports: Bool = true, deadline: Duration = .seconds(1))
  {
    self.getsReports = getsReports
    self.setsReports = setsReports
    self.deadline = deadline
  }
}
