// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A request of a host that gets or sets a report, without the bytes.
public struct HIDReportRequest: Hashable, Sendable {
  /// The two kinds of requests.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The host asks for a report.
    case get
    /// The host asks the device to take a report.
    case set
  }

  /// The kind of the request.
  public var kind: Kind
  /// The type of the report.
  public var type: HIDReportType
  /// The ID of the report; nil if reports of its type are unnumbered.
  public var id: HIDReportID?

  /// Creates a request from its parts.
  public init(_ kind: Kind, _ type: HIDReportType, _ id: HIDReportID?) {
    self.kind = kind
    self.type = type
    self.id = id
  }
}
