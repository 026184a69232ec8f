// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A device whose host is `usb host`, which sends commands in output reports.
final class CommandedDevice: HIDDeviceHandler {
  private static let phases = ["output", "output-together", "echo", "paced"]

  /// The number of reports in a chunk.
  private let reports: Int
  private let marks = Mutex([[UInt64]](repeating: [], count: phases.count))
  private let ended: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  private init(reports: Int) {
    self.reports = reports
    (ended, continuation) = AsyncStream.makeStream()
  }

  /// Runs a device on a connection until the host closes it, and prints its figures.
  static func run(reports: Int, socket: Int32) async throws {
    setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
    let server = try await USBServer(USBServerAddress(host: 0x7F00_0001, port: 0))
    let bus = HIDBus(serving: server).deviceBus
    let device = CommandedDevice(reports: reports)
    let port = try await bus.plug(
      USBBench.description(HIDDeviceID(rawValue: 1 << 63)), handler: device)
    await server.give("1-1", to: FileDescriptor(rawValue: socket))
    for await _ in device.ended { break }
    device.printFigures()
    await port.destroy()
  }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events {
      switch record.event {
      case .output(let report): take(report, port)
      case .close: continuation.yield()
      default: break
      }
    }
  }

  private func take(_ report: HIDReportBytes, _ port: any HIDDevicePort) {
    switch report[0] {
    case 1: marks.withLock { $0[Int(report[1])].append(USBBench.processorTime) }
    case 2:
      port.assumeIsolated { port in
        do {
          let wasSent = try report.withSpan { try port.sendInput($0) }
          if !wasSent { fatalError("no room") }
        } catch {
          fatalError("\(error)")
        }
      }
    case 3:
      let count = reports * USBBench.chunkCount
      Task(executorPreference: IOLoop.devices.taskExecutor) {
        try await USBBench.stream(count, from: 0, port)
      }
    default: break
    }
  }

  private func printFigures() {
    for (phase, marks) in zip(Self.phases, marks.withLock { $0 }) {
      USBBench.printFigure(
        phase, zip(marks, marks.dropFirst()).map { $1 - $0 }, reports: reports)
    }
  }
}
