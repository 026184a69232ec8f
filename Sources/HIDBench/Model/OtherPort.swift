// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

/// The bench as a client of a device that it does not simulate.
struct OtherPort: Sendable {
  let record: HIDDeviceRecord
  let catalog: HIDDeviceCatalog
  let base: MonotonicTime

  /// The number of reports that are kept for a page that reads slowly.
  private static let capacity = 1024
  /// The number of bytes from which events are written without a wait for more of them.
  private static let batchByteCount = 64 << 10

  /// Opens the device, and writes its input reports as Server-Sent Events until the client
  /// disconnects, the device is gone or the task is cancelled.
  ///
  /// If the device cannot be opened, or its report descriptor is not valid, the only event has the
  /// reason.
  func writeReports(to writer: HTTPBodyWriter) async {
    let stream: HIDReportStream
    let port: any HIDClientPort
    let descriptor: HIDReportDescriptor
    do {
      descriptor = try HIDReportDescriptor(parsing: record.descriptorBytes)
      (port, stream) = try await catalog.open(
        record, capacity: Self.capacity, policy: .dropNewest)
    } catch {
      let reason = (error as? HIDBusError)?.message ?? "\(error)"
      await writer.write(
        JSONLine { line in
          line.add("event", "refused")
          line.add("message", .string(reason))
        }.serverSentEvent())
      return
    }
    defer { port.close() }
    guard await writer.write(JSONLine { $0.add("event", "reading") }.serverSentEvent()) else {
      return
    }
    await withTaskCancellationHandler {
      await write(stream, descriptor, to: writer)
    } onCancel: {
      port.close()
    }
  }

  private func write(
    _ stream: HIDReportStream, _ descriptor: HIDReportDescriptor, to writer: HTTPBodyWriter
  ) async {
    var memories: [HIDReportID?: [UInt8]] = [:]
    var reports = stream.makeAsyncIterator()
    var lost = 0
    var bytes: [UInt8] = []
    while let report = await reports.next(isolation: #isolation) {
      let content = [UInt8](report.bytes)
      let id =
        descriptor.numbersReports(.input) ? content.first.flatMap(HIDReportID.init(rawValue:)) : nil
      let changes = descriptor.namedChanges(.input, from: memories[id], to: content)
      if let layout = descriptor.report(.input, id: id) {
        HIDReportDecoder(layout).remember(content.span, in: &memories[id, default: []])
      }
      bytes += JSONLine { line in
        line.add("event", "input")
        line.add("device", .string(record.id.description))
        line.add("time", .integer(report.time.microseconds(since: base)))
        EventJSON.addInput(content, id, changes, to: &line)
      }.serverSentEvent()
      if reports.hasNext, bytes.count < Self.batchByteCount { continue }
      let count = stream.lost.count
      if count > lost {
        bytes += JSONLine { line in
          line.add("event", "missed")
          line.add("count", .integer(count - lost))
        }.serverSentEvent()
        lost = count
      }
      guard await writer.write(bytes) else { return }
      bytes = []
    }
    await writer.write(JSONLine { $0.add("event", "removed") }.serverSentEvent())
  }

  /// Asks the device for a report, and returns its bytes and values.
  ///
  /// - Throws: A refusal with status 422 and the reason, if the device cannot be opened, refuses or
  ///   does not answer within 5 s.
  func read(_ type: HIDReportType, _ id: HIDReportID?) async throws(HTTPRefusal) -> JSONLine {
    let report: [UInt8]
    do throws(HIDBusError) {
      let port = try await catalog.open(record)
      defer { port.close() }
      report = try await port.getReport(type, id, timeout: .seconds(5))
    } catch {
      throw HTTPRefusal(422, error.message)
    }
    return ElementJSON.report(
      type, id, report, in: try? HIDReportDescriptor(parsing: record.descriptorBytes))
  }

  /// Sets a report of the device, or sends an output report.
  ///
  /// - Parameter report: The report, its ID first if it is numbered.
  /// - Throws: A refusal with status 422 and the reason.
  func send(_ type: HIDReportType, _ report: [UInt8]) async throws(HTTPRefusal) {
    do throws(HIDBusError) {
      let port = try await catalog.open(record)
      defer { port.close() }
      if type == .output {
        let isNumbered = (try? HIDReportDescriptor(parsing: record.descriptorBytes))?
          .numbersReports(.output)
        try await port.write(isNumbered == true ? report : [0] + report)
      } else {
        try await port.setReport(type, report, timeout: .seconds(5))
      }
    } catch {
      throw HTTPRefusal(422, error.message)
    }
  }
}
