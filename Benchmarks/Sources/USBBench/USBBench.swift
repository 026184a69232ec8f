// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop

/// The costs of hidsim's USB bus.
///
/// It is the counterpart of `usb.c` in `scripts/bench.d`, with the same device; `scripts/bench usb`
/// runs both. The program prints one JSON object a line.
@main
enum USBBench {
  /// The number of chunks of reports, of which a figure is the median.
  static let chunkCount = 21

  static func main() {
    Task.detached {
      do {
        try await run()
        exit(0)
      } catch {
        print(error)
        exit(1)
      }
    }
    // The profilers of Valgrind cannot run a program whose main thread has ended.
    while true { pause() }
  }

  private static func run() async throws {
    let words = CommandLine.arguments.dropFirst()
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch (words.first, numbers.count) {
    case ("device", 2):
      try await CommandedDevice.run(reports: numbers[0], socket: Int32(numbers[1]))
    case ("plug", 1): try await plug(reports: numbers[0])
    default:
      print("usage: USBBench device REPORTS SOCKET | plug REPORTS")
      exit(64)
    }
  }

  /// The device: high speed, 64 bytes in and out, a period of 125 µs.
  static func description(_ id: HIDDeviceID) throws -> HIDDeviceDescription {
    let bytes: [UInt8] = [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
      0x95, 0x40, 0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0xC0,
    ]
    var description = HIDDeviceDescription(
      identity: HIDDeviceIdentity(name: "hidsim usb bench", vendorID: 0x1209, productID: 1),
      physicalPath: HIDPhysicalPath(deviceID: id, interface: 0),
      descriptor: try HIDReportDescriptor(parsing: bytes))
    description.usb.speed = .high
    description.usbInterface.interval = 1
    return description
  }

  /// Returns a report with its time, or 0, and its number.
  static func report(_ number: UInt64, at time: UInt64 = 0) -> InlineArray<64, UInt8> {
    var report = InlineArray<64, UInt8>(repeating: 0)
    for index in 0..<8 {
      report[index] = UInt8(truncatingIfNeeded: time >> (8 * index))
      report[8 + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
    }
    return report
  }

  /// Sends reports as fast as the host takes them.
  static func stream(_ count: Int, from first: UInt64, _ port: any HIDDevicePort) async throws {
    var batch = HIDReportBatch()
    for start in stride(from: 0, to: count, by: 64) {
      batch.removeAll()
      for number in start..<min(start + 64, count) {
        batch.append(report(first + UInt64(number)).span)
      }
      try await port.send(batch)
    }
  }

  /// The processor time of the calling thread, in nanoseconds.
  static var processorTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Prints the median of the costs of chunks.
  static func printFigure(_ bench: String, _ costs: [UInt64], reports: Int) {
    let median = Double(costs.sorted()[costs.count / 2]) / Double(reports)
    let figure = (median * 10).rounded() / 10
    print(
      #"{"bench":"\#(bench)","variant":"hidsim","n":\#(reports * costs.count),"#
        + #""instructions":\#(figure)}"#)
    fflush(nil)
  }

  /// Plugs the device into the USB bus, and sends reports to `usb read`.
  ///
  /// The first 1,000 reports are 1 ms apart, each with the time at which it was sent. Further ones
  /// follow as fast as the host takes them.
  private static func plug(reports: Int) async throws {
    // Without a folder, hidsim's two ends exchange no messages beside the kernel: the reader is a C
    // program.
    setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
    let bus = try HIDBus(.usb)
    let listener = Listener()
    let count = reports * chunkCount
    let description = try Self.description(bus.allocateDeviceID())
    try await withTaskExecutorPreference(bus.deviceBus.pluggingExecutor) {
      let port = try await bus.deviceBus.plug(description, handler: listener)
      for await _ in listener.opened { break }
      // usbhid drops the reports of the first 50 ms after a node is opened.
      var due = MonotonicTime.now.advanced(by: .milliseconds(100))
      let spaced = 1_000
      for number in 0..<spaced {
        try await Timeline.real.sleep(until: due)
        try await sendTimed(UInt64(number), port)
        due = due.advanced(by: .milliseconds(1))
      }
      let began = processorTime
      try await stream(count, from: UInt64(spaced), port)
      printFigure("kernel", [processorTime - began], reports: count)
      // Returns when the host has taken all reports.
      await port.destroy()
    }
  }

  private static func sendTimed(
    _ number: UInt64, _ port: isolated any HIDDevicePort
  ) throws {
    let report = Self.report(number, at: MonotonicTime.now.nanoseconds)
    guard try port.sendInput(report.span) else { fatalError("no room") }
  }
}

/// A handler that answers nothing, and reports each open of its device in ``opened``.
private final class Listener: HIDDeviceHandler {
  let opened: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (opened, continuation) = AsyncStream.makeStream() }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events {
      if case .open = record.event { continuation.yield() }
    }
  }
}
