// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
@testable import HIDBus
import SystemPackage
import Testing

/// Tests of the device's end of the kernel bus; the tests act as the kernel.
@Suite(.timeLimit(.minutes(1))) struct UHIDDeviceTests {
  private func plug(
    _ kernel: borrowing FakeKernel, _ handler: EventLog, _ transport: HIDTransport = .usb
  ) async throws -> UHIDDevice {
    let peripheral = UHIDDevice(
      try plainDevice(transport), channel: UHIDChannel(takingOwnershipOf: kernel.device),
      handler: handler, discovery: KernelDiscovery(sources: [], udev: nil))
    try await peripheral.create()
    _ = try kernel.receive()  // UHID_CREATE2
    return peripheral
  }

  @Test("plugging sends one UHID_CREATE2, and unplugging sends UHID_DESTROY and ends the channel")
  func life() async throws {
    let kernel = try FakeKernel()
    let peripheral = UHIDDevice(
      try plainDevice(), channel: UHIDChannel(takingOwnershipOf: kernel.device),
      handler: EventLog(), discovery: KernelDiscovery(sources: [], udev: nil))
    try await peripheral.create()
    #expect(try kernel.receive() == UHIDEvent.create(try plainDevice()))
    await peripheral.destroy()
    #expect(try kernel.receive() == [1, 0, 0, 0])
    #expect(try kernel.receive() == [])
  }

  @Test("a port that is dropped destroys its device")
  func dropped() async throws {
    let kernel = try FakeKernel()
    var peripheral: UHIDDevice? = try await plug(kernel, EventLog())
    #expect(peripheral != nil)
    peripheral = nil
    #expect(try kernel.receive() == [1, 0, 0, 0])
    #expect(try kernel.receive() == [])
  }

  @Test("an input report is one UHID_INPUT2 event: type, size, bytes")
  func input() async throws {
    let kernel = try FakeKernel()
    let peripheral = try await plug(kernel, EventLog())
    var batch = HIDReportBatch()
    for number in 0..<100 as Range<UInt8> { batch.append([number, 2, 3, 4, 5, 6, 7, 8]) }
    let isSent = Task { try await peripheral.send(batch) }
    try await isSent.value
    // A socket takes the vectors of one call as one message, uhid takes each as a message.
    var messages: [UInt8] = []
    while messages.count < 100 * 14 { messages += try kernel.receive() }
    for number in 0..<100 {
      #expect(
        Array(messages[number * 14..<(number + 1) * 14]) == [
          0x0c, 0x00, 0x00, 0x00,  //                    type: UHID_INPUT2
          0x08, 0x00,  //                                size: 8 bytes
          UInt8(number), 2, 3, 4, 5, 6, 7, 8,
        ])
    }
    await peripheral.destroy()
  }

  @Test("events reach the handler in order")
  func events() async throws {
    let kernel = try FakeKernel()
    let log = EventLog()
    let peripheral = try await plug(kernel, log)
    try kernel.send([2, 0, 0, 0])
    try kernel.send([4, 0, 0, 0])
    for number in 0..<40 as Range<UInt8> {
      try kernel.send([13, 0, 0, 0, number, 0, 0, 0, 4, 0, 1, 0, number])
    }
    try kernel.send([5, 0, 0, 0])
    try kernel.send([3, 0, 0, 0])
    let sets = (0..<40 as Range<UInt8>).map {
      HIDHostEvent.setReport(
        HIDRequestID(rawValue: UInt32($0)), .feature, HIDReportID(rawValue: 4), HIDReportBytes([$0])
      )
    }
    #expect(await log.next(44) == [.start([]), .open] + sets + [.close, .stop])
    await peripheral.destroy()
  }

  @Test(
    "a message that is cut short is read with zeros after it, and an invalid one is passed over")
  func malformed() async throws {
    let kernel = try FakeKernel()
    let log = EventLog()
    let peripheral = try await plug(kernel, log)
    try kernel.send([4, 0, 0, 0], exactly: true)
    try kernel.send([4], exactly: true)
    try kernel.send([0xff, 0xff, 0xff, 0xff])
    try kernel.send([6, 0, 0, 0] + [UInt8](repeating: 0xff, count: 4376))
    try kernel.send([5, 0, 0, 0])
    #expect(
      await log.next(4) == [
        .open, .open, .output(HIDReportBytes([UInt8](repeating: 0xff, count: 4096))), .close,
      ])
    await peripheral.destroy()
  }

  @Test(
    "an unnumbered answer begins with a 0 on USB and I2C only, and a numbered one never does",
    arguments: [
      (HIDTransport.usb, [0, 9] as [UInt8]), (.i2c, [0, 9]), (.bluetooth, [9]), (.virtual, [9]),
    ])
  func answers(_ sample: (transport: HIDTransport, expected: [UInt8])) async throws {
    let kernel = try FakeKernel()
    let log = EventLog()
    let peripheral = try await plug(kernel, log, sample.transport)
    for (number, expected) in [(UInt8(0), sample.expected), (3, [9])] {
      try kernel.send([9, 0, 0, 0, 7, 0, 0, 0, number, 0])
      _ = await log.next(1)
      peripheral.answerGet(HIDRequestID(rawValue: 7), [9])
      let size = UInt8(expected.count)
      #expect(try kernel.receive() == [10, 0, 0, 0, 7, 0, 0, 0, 0, 0, size, 0] + expected)
    }
    try kernel.send([9, 0, 0, 0, 8, 0, 0, 0, 0, 0])
    _ = await log.next(1)
    peripheral.answerGet(HIDRequestID(rawValue: 8), nil)
    #expect(try kernel.receive() == [10, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0])
    await peripheral.destroy()
  }

  @Test("a device that the kernel does not start is an error after the timeout")
  func watchdog() async throws {
    let kernel = try FakeKernel()
    let peripheral = try await plug(kernel, EventLog())
    do {
      _ = try await peripheral.ready(within: .milliseconds(50))
      Issue.record("ready without a start")
    } catch {
      #expect(error.kind == .notStarted)
      #expect(error.message.contains("dmesg"))
    }
    await peripheral.destroy()
  }

  @Test("a device that the kernel starts and stops is an error")
  func gaveUp() async throws {
    let kernel = try FakeKernel()
    let peripheral = try await plug(kernel, EventLog())
    try kernel.send([2, 0, 0, 0])
    try kernel.send([3, 0, 0, 0])
    do {
      _ = try await peripheral.ready(within: .seconds(30))
      Issue.record("ready after a stop")
    } catch {
      #expect(error.kind == .notStarted)
    }
    await peripheral.destroy()
  }

  @Test("a port ends when the kernel closes the channel")
  func kernelGone() async throws {
    let kernel = try FakeKernel()
    let peripheral = try await plug(kernel, EventLog())
    _ = consume kernel
    do {
      _ = try await peripheral.ready(within: .seconds(30))
      Issue.record("ready without a kernel")
    } catch {
      #expect(error.kind == .gone)
    }
  }
}
