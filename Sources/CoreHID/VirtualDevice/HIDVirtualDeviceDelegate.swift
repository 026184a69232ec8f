// SPDX-License-Identifier: Apache-2.0

/// Answers what hosts ask of a virtual device.
///
/// Requests come one after the other, in the order in which the host made them. A host waits for the answer: the kernel
/// for 5 s at most. The delegate may dispatch input reports from within.
public protocol HIDVirtualDeviceDelegate: Sendable {
  /// Takes a report that a host has sent.
  ///
  /// - Parameters:
  ///   - device: The device it was sent to.
  ///   - type: The type of the report.
  ///   - id: Its ID; `nil` where the device does not number its reports.
  ///   - data: The report, its ID first where reports are numbered. It need not be as long as declared.
  /// - Throws: A ``HIDDeviceError``, to refuse it; the host sees an I/O error. Output reports are not answered.
  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedSetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, data: Data
  ) async throws

  /// Gives a host the report that it asks for.
  ///
  /// - Parameters:
  ///   - device: The device that is asked.
  ///   - type: The type of the report.
  ///   - id: Its ID; `nil` where the device does not number its reports.
  ///   - maxSize: How many bytes the host has room for. What is longer is cut.
  /// - Returns: The report, its ID first where reports are numbered.
  /// - Throws: A ``HIDDeviceError``, to refuse; the host sees an I/O error.
  func hidVirtualDevice(
    _ device: HIDVirtualDevice, receivedGetReportRequestOfType type: HIDReportType,
    id: HIDReportID?, maxSize: Int
  ) async throws -> Data
}
