// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDBus
import IOLoop
import Testing

extension ConformanceTests {
  /// Many devices, and many repetitions.
  @Suite(.serialized) struct Limits {
    @Test(
      "a device that is plugged, used and unplugged hundreds of times leaves no resources behind",
      arguments: BusUnderTest.all)
    func leaks(_ bus: BusUnderTest) async throws {
      let handler = RecordingHandler()
      for _ in 0..<(bus == .usb ? 5 : 20) { try await cycle(bus, handler) }
      let before = try await Held.settled()
      // udevd needs about 50 ms per device on the VM's one processor.
      let isSlow = bus.usesKernel && access("/run/udev/control", F_OK) == 0
      // The kernel takes half a second for a USB device.
      let count = bus == .usb ? 40 : isSlow ? 300 : 1000
      for _ in 0..<count { try await cycle(bus, handler) }
      let after = try await Held.settled(atMost: before)
      #expect(after.descriptors <= before.descriptors)
      #expect(after.threads <= before.threads)
      #expect(after.residentKiB - before.residentKiB < 2048, "2 KiB a cycle")
    }

    private func cycle(_ bus: BusUnderTest, _ handler: RecordingHandler) async throws {
      try await withDevice(bus, TestDescriptor.plain, handler: handler) { rig in
        let client = try await rig.client()
        let stream = client.reports(capacity: 8, policy: .lossless)
        try await rig.send([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(await take(1, from: stream) == [[1, 2, 3, 4, 5, 6, 7, 8]])
        try await client.setReport(.feature, [1, 2, 3, 4, 5, 6, 7, 8], timeout: .seconds(5))
        client.close()
      }
      handler.forget()
    }

    @Test(
      "64 devices at once, or 15 USB devices, each have their own reports",
      arguments: BusUnderTest.all)
    func many(_ bus: BusUnderTest) async throws {
      // The number of hidraw nodes, and of ports of the virtual USB host controller.
      let limit = bus == .usb ? 15 : 64
      let host = try bus.make()
      var ports: [any HIDDevicePort] = []
      let handler = RecordingHandler()
      do {
        for _ in 0..<limit {
          let port = try await host.plug(description(TestDescriptor.plain), handler: handler)
          ports.append(port)
        }
        var addresses: Set<String> = []
        for (index, port) in ports.enumerated() {
          let record = try await port.ready(within: .seconds(10))
          addresses.insert(record.address)
          let client = try await host.open(record)
          let stream = client.reports(capacity: 8, policy: .lossless)
          var batch = HIDReportBatch()
          batch.append([UInt8(index), 0, 0, 0, 0, 0, 0, 0])
          try await port.send(batch)
          #expect(await take(1, from: stream) == [[UInt8(index), 0, 0, 0, 0, 0, 0, 0]])
          client.close()
        }
        #expect(addresses.count == limit)
        try await oneMore(host, bus, TestDescriptor.plain)
        try await oneMore(host, bus, TestDescriptor.keyboard)
        // When one device is unplugged, the next one can be plugged.
        await ports.removeLast().destroy()
        let next = try await host.plug(description(TestDescriptor.plain), handler: handler)
        ports.append(next)
        _ = try await next.ready(within: .seconds(10))
      } catch {
        Issue.record(error)
      }
      for port in ports { await port.destroy() }
    }

    /// Plugs one device more than the kernel's 64 hidraw nodes or 15 USB ports allow (6.12); the
    /// loopback bus has no such limit.
    private func oneMore(
      _ host: any HIDDeviceBus, _ bus: BusUnderTest, _ descriptor: [UInt8]
    ) async throws {
      let what = try description(descriptor)
      guard bus != .usb else {
        let kind = await failure { _ = try await host.plug(what, handler: RecordingHandler()) }
        #expect(kind == .limitReached)
        return
      }
      let port = try await host.plug(what, handler: RecordingHandler())
      let kind = await failure { _ = try await port.ready(within: .seconds(10)) }
      #expect(kind == (bus.usesKernel ? .limitReached : nil))
      await port.destroy()
    }
  }
}

/// The resources that this process holds.
private struct Held: Sendable {
  var descriptors: Int
  var threads: Int
  var residentKiB: Int

  static func now() throws -> Held {
    Held(
      descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"),
      residentKiB: try resident())
  }

  /// Returns the resources that are held once no more threads end and no more descriptors are
  /// closed, or after a second.
  ///
  /// There is no event for either, so the function polls: until the numbers are at most those of
  /// `bound`, or without a bound until they have not changed for 10 ms.
  static func settled(atMost bound: Held? = nil) async throws -> Held {
    var held = try now()
    for _ in 0..<100 {
      if let bound, held.descriptors <= bound.descriptors, held.threads <= bound.threads { break }
      await withCheckedContinuation { continuation in
        RecordingHandler.clock.schedule(at: .now.advanced(by: .milliseconds(10))) {
          continuation.resume()
        }
      }
      let next = try now()
      if bound == nil, next.descriptors == held.descriptors, next.threads == held.threads { break }
      held = next
    }
    return held
  }

  private static func count(_ path: String) -> Int {
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  private static func resident() throws -> Int {
    let file = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("VmRSS:") { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
  }
}
