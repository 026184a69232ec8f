// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDBus
import IOLoop

/// A test of many devices at a steady rate, in two processes, for losses and delays.
enum Soak {
  static let deviceCount = 8
  static let reportsPerSecond = 8000

  /// Sends a report every 125 us on every device, on absolute deadlines, and then unplugs the
  /// devices.
  ///
  /// A report has its number, from 0, and the time at which it was due, in nanoseconds of the
  /// monotonic clock.
  static func devices(in folder: String, seconds: Int) async throws {
    let bus = HIDBus(loopbackIn: try BusDirectory(path: folder))
    var ports: [any HIDDevicePort] = []
    var listeners: [Listener] = []
    for _ in 0..<deviceCount {
      let listener = Listener()
      listeners.append(listener)
      ports.append(try await bus.deviceBus.plug(description(on: bus), handler: listener))
    }
    for listener in listeners { for await _ in listener.opened { break } }
    let interval = 1_000_000_000 / UInt64(reportsPerSecond)
    let start = MonotonicTime.now.nanoseconds + 10_000_000
    let total = UInt64(seconds * reportsPerSecond)
    var sent: UInt64 = 0
    var batch = HIDReportBatch()
    while sent < total {
      try await Timeline.real.sleep(until: MonotonicTime(nanoseconds: start + sent * interval))
      let due = min(total, (MonotonicTime.now.nanoseconds - start) / interval + 1)
      batch.removeAll()
      for number in sent..<due {
        batch.append(bytes(number) + bytes(start + number * interval))
      }
      for port in ports { try await port.send(batch) }
      sent = due
    }
    for port in ports { await port.destroy() }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func description(on bus: HIDBus) throws -> HIDDeviceDescription {
    // One unnumbered input report of 16 bytes on a vendor page.
    let descriptor: [UInt8] = [
      0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF,
      0x00, 0x75, 0x08, 0x95, 0x10, 0x09, 0x01, 0x81, 0x02, 0xC0,
    ]
    return HIDDeviceDescription(
      identity: HIDDeviceIdentity(name: "hidsim soak", vendorID: 0x1209, productID: 1),
      physicalPath: HIDPhysicalPath(deviceID: bus.allocateDeviceID(), interface: 0),
      descriptor: try HIDReportDescriptor(parsing: descriptor))
  }

  /// The observations of one client.
  private struct Seen: Sendable {
    var count: UInt64 = 0
    var outOfOrder = 0
    var lost: HIDLossCount = 0
    var microsecondsLate: [UInt32] = []
  }

  /// Reads every device to its end, and prints the losses and the delays of the reports.
  ///
  /// - Returns: True if all reports came, in order.
  static func host(in folder: String, seconds: Int) async throws -> Bool {
    let bus = HIDBus(loopbackIn: try BusDirectory(path: folder))
    var hosts: [any HIDClientPort] = []
    for try await arrival in bus.clients.arrivals() {
      guard case .added(let record) = arrival else { continue }
      hosts.append(try await bus.clients.open(record))
      if hosts.count == deviceCount { break }
    }
    let all = await withTaskGroup(of: Seen.self) { group in
      for host in hosts { group.addTask { await read(host) } }
      var all: [Seen] = []
      for await seen in group { all.append(seen) }
      return all
    }
    let expected = UInt64(seconds * reportsPerSecond)
    let isWhole = all.allSatisfy { $0.count == expected && $0.outOfOrder == 0 && $0.lost == 0 }
    let late = all.flatMap(\.microsecondsLate).sorted()
    func quantile(_ part: Double) -> UInt32 {
      late.isEmpty ? 0 : late[min(late.count - 1, Int(Double(late.count) * part))]
    }
    print(
      #"{"bench":"soak","devices":\#(hosts.count),"expected":\#(expected * UInt64(deviceCount)),"#
        + #""received":\#(all.reduce(0) { $0 + $1.count }),"#
        + #""out_of_order":\#(all.reduce(0) { $0 + $1.outOfOrder }),"#
        + #""lost":\#(all.reduce(0) { $0 + $1.lost.count }),"late_us":{"p50":\#(quantile(0.5)),"#
        + #""p90":\#(quantile(0.9)),"p99":\#(quantile(0.99)),"p999":\#(quantile(0.999)),"#
        + #""max":\#(late.last ?? 0)}}"#)
    return isWhole && hosts.count == deviceCount
  }

  private static func read(_ host: any HIDClientPort) async -> Seen {
    var seen = Seen()
    let stream = host.reports(capacity: 1024, policy: .lossless)
    for await report in stream {
      var number: UInt64 = 0
      var due: UInt64 = 0
      for index in 0..<8 {
        number |= UInt64(report.bytes[index]) << (8 * index)
        due |= UInt64(report.bytes[8 + index]) << (8 * index)
      }
      if number != seen.count { seen.outOfOrder += 1 }
      seen.count += 1
      let now = MonotonicTime.now.nanoseconds
      seen.microsecondsLate.append(UInt32(clamping: (now - min(now, due)) / 1000))
    }
    seen.lost = stream.lost
    return seen
  }
}
