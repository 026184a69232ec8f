// SPDX-License-Identifier: Apache-2.0

/// A delegate that answers the requests of hosts to a virtual device.
///
/// Requests come one after the other, in the order in which the host made them. The host waits for
/// the answer to a request, for 5 s at most. The delegate can dispatch input reports while it
/// answers.
public protocol HIDVirtualDeviceDelegate: Sendable {
  /// Handles a report that a host has sent.
  ///
  /// - Parameters:
  ///   - device: The device to which the report was sent.
  ///   - type: The type of the report.
  ///   - id: The report's ID; `nil` if the device does not number its reports of this type, or if
  ///     `data` begins with 0.
  ///   - data: The report, its ID first if it has one. It can be shorter or longer than declared. A
  ///     short report without an ID can begin with the 0 that clients of hidraw put before it.
  /// - Throws: An error, such as a ``HIDDeviceError``, to refuse the report; the client of the host
  ///   then gets an I/O error. For an output report the error has no effect, because output reports
  ///   have no answer.
  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) async throws

  /// Returns the report that a host requests.
  ///
  /// - Parameters:
  ///   - device: The device from which the report is requested.
  ///   - type: The type of the report.
  ///   - id: The report's ID; `nil` if the device does not number its reports of this type, or if
  ///     the host requests the ID 0.
  ///   - maxSize: The largest number of bytes that the host gets: the declared length, or 4,096 for
  ///     a report that is not declared. A longer report is cut.
  /// - Returns: The report, its ID first if it has one.
  /// - Throws: An error, such as a ``HIDDeviceError``, to refuse the request; the client of the
  ///   host then gets an I/O error.
  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: Int
  ) async throws -> Data
}
