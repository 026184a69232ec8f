// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Synchronization
import Testing

@testable import HIDBus

@Suite("The recording of USB transfers") struct USBTransferTapTests {
  private final class Sink: USBTransferSink {
    private let steps = Mutex<[USBTransferStep]>([])

    /// The steps as their kinds, their statuses and their data.
    var words: [String] {
      steps.withLock { steps in
        steps.map { step in
          let end = step.isEnd ? "C" : "S"
          return "\(end) \(step.id & 0xFF) \(step.kind) \(step.endpoint) \(step.status) "
            + "\(step.byteCount) \(step.data)"
        }
      }
    }
    var all: [USBTransferStep] { steps.withLock { $0 } }

    func record(_ step: USBTransferStep) { steps.withLock { $0.append(step) } }
    func nextDeviceNumber() -> UInt8 { 2 }
  }

  private static let device = USBDeviceDescription(
    vendorID: 1, productID: 2, versionNumber: 3,
    interfaces: [
      USBInterfaceDescription(
        reportDescriptor: [], input: .init(packetByteCount: 8, interval: 1),
        output: .init(packetByteCount: 8, interval: 1))
    ])

  private func tap(_ sink: Sink) -> USBTransferTap {
    USBTransferTap(of: Self.device, bus: 1, device: 2, to: sink)
  }

  private func transfer(
    _ sequence: UInt32, endpoint: UInt8, isFromDevice: Bool, length: Int = 8, data: [UInt8] = []
  ) -> USBIPRequest {
    .submit(
      .init(
        sequence: sequence, endpoint: endpoint, isFromDevice: isFromDevice, length: length,
        setup: USBSetupPacket(
          requestType: 0x80, request: 6, value: 0x0100, index: 0, length: UInt16(length)),
        data: HIDReportBytes(data)))
  }

  @Test("each transfer has a beginning and an end with the data of its side")
  func transfers() {
    let sink = Sink()
    var tap = tap(sink)
    tap.take(transfer(1, endpoint: 0, isFromDevice: true))
    tap.take(.submit(sequence: 1, status: 0, count: 2, data: [18, 1]))
    tap.take(transfer(2, endpoint: 1, isFromDevice: true))
    tap.take(transfer(3, endpoint: 1, isFromDevice: false, length: 1, data: [9]))
    tap.take(.submit(sequence: 3, status: 0, count: 1, data: []))
    tap.take(.submit(sequence: 2, status: -32, count: 0, data: []))
    #expect(
      sink.words == [
        "S 1 control 128 -115 8 []", "C 1 control 128 0 2 [18, 1]",
        "S 2 interrupt 129 -115 8 []", "S 3 interrupt 1 -115 1 [9]", "C 3 interrupt 1 0 1 []",
        "C 2 interrupt 129 -32 0 []",
      ])
    #expect(sink.all.map { $0.setup != nil } == [true, false, false, false, false, false])
    #expect(sink.all.allSatisfy { $0.bus == 1 && $0.device == 2 })
  }

  @Test("a withdrawn transfer ends with -ENOENT, and one that is over has one end")
  func withdrawals() {
    let sink = Sink()
    var tap = tap(sink)
    tap.take(transfer(1, endpoint: 1, isFromDevice: true))
    tap.take(.unlink(sequence: 2, target: 1))
    tap.take(.unlink(sequence: 2, status: USBIP.Status.unlinked))
    tap.take(transfer(3, endpoint: 1, isFromDevice: true))
    tap.take(.unlink(sequence: 4, target: 3))
    tap.take(.submit(sequence: 3, status: 0, count: 1, data: [7]))
    tap.take(.unlink(sequence: 4, status: USBIP.Status.success))
    tap.take(.submit(sequence: 99, status: 0, count: 0, data: []))
    #expect(
      sink.words == [
        "S 1 interrupt 129 -115 8 []", "C 1 interrupt 129 -2 0 []",
        "S 3 interrupt 129 -115 8 []", "C 3 interrupt 129 0 1 [7]",
      ])
  }

  @Test("two withdrawals with one number end both transfers")
  func equalNumbers() {
    let sink = Sink()
    var tap = tap(sink)
    for sequence in [1, 2] as [UInt32] {
      tap.take(transfer(sequence, endpoint: 1, isFromDevice: true))
    }
    for target in [1, 2] as [UInt32] { tap.take(.unlink(sequence: 3, target: target)) }
    for _ in 0..<2 { tap.take(.unlink(sequence: 3, status: USBIP.Status.unlinked)) }
    #expect(
      sink.words.suffix(2) == ["C 1 interrupt 129 -2 0 []", "C 2 interrupt 129 -2 0 []"])
  }

  @Test("the end of a connection ends its transfers, and the next one has other IDs")
  func connections() {
    let sink = Sink()
    var tap = tap(sink)
    tap.take(transfer(1, endpoint: 1, isFromDevice: true))
    tap.endConnection()
    tap.take(transfer(1, endpoint: 1, isFromDevice: true))
    #expect(
      sink.words == [
        "S 1 interrupt 129 -115 8 []", "C 1 interrupt 129 -108 0 []",
        "S 1 interrupt 129 -115 8 []",
      ])
    let ids = sink.all.map(\.id)
    #expect(ids[0] == ids[1] && ids[0] != ids[2])
  }
}
