// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop

/// Runs a device that sends as fast as its first client reads, and then unplugs it.
func loopbackDevice(in folder: String, reports: Int) async throws {
  let bus = HIDBus(loopbackIn: try BusDirectory(path: folder))
  let listener = Listener()
  let port = try await bus.deviceBus.plug(
    BenchDevice.description(on: bus), handler: listener)
  for await _ in listener.opened { break }
  let batch = BenchDevice.batch
  for _ in 0..<(reports + batch.count - 1) / batch.count { try await port.send(batch) }
  // Returns when the client has taken all reports.
  await port.destroy()
}

/// Runs a client that reads `reports` reports with `for await`, and prints their mean time.
func loopbackHost(in folder: String, reports: Int) async throws {
  let bus = HIDBus(loopbackIn: try BusDirectory(path: folder))
  for try await arrival in bus.clients.arrivals() {
    guard case .added(let record) = arrival else { continue }
    // The stream exists before the device gets the open and begins to send.
    let (host, stream) = try await bus.clients.open(record, capacity: 1024, policy: .lossless)
    var began = MonotonicTime.now
    var count = 0
    for await _ in stream {
      if count == 0 { began = .now }
      count += 1
      if count == reports { break }
    }
    guard count == reports else {
      throw HIDBusError(.other, "\(count) of \(reports) reports came, \(stream.lost) were lost")
    }
    var chunks = Chunks("loopback", unit: "nanoseconds")
    chunks.add(MonotonicTime.now.nanoseconds - began.nanoseconds, reports: count)
    chunks.print()
    host.close()
    return
  }
}

/// Measures a ring in one task, which repeatedly puts 64 reports into it and then reads them.
@concurrent func ringBench(reports: Int) async {
  var chunks = Chunks("delivery", unit: "nanoseconds")
  let ring = ReportRing(capacity: 1024)
  var iterator = HIDReportStream(ring).makeAsyncIterator()
  var sum = 0
  for chunk in 0..<Chunks.count {
    let began = MonotonicTime.now
    var source = UInt64(chunk)
    for _ in 0..<reports / 64 {
      for _ in 0..<64 {
        withUnsafeBytes(of: source) { bytes in
          if !ring.put(bytes, at: began) { fatalError("the ring is full") }
        }
        source += 1
      }
      ring.commit()
      for _ in 0..<64 {
        guard let report = await iterator.next(isolation: nil) else { fatalError("the end") }
        sum &+= Int(report.bytes[0])
      }
    }
    chunks.add(
      MonotonicTime.now.nanoseconds - began.nanoseconds, reports: reports / 64 * 64)
  }
  if sum == 0 { fatalError("nothing came") }
  chunks.print()
}
