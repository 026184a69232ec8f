// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDBus

@Suite("Messages of USB/IP") struct USBIPMessageTests {
  /// The examples of Documentation/usb/usbip_protocol.rst of Linux 6.12: a transfer from endpoint 1
  /// of 64 bytes, and its end.
  private static let submit: [UInt8] =
    [0, 0, 0, 1, 0, 0, 0x0D, 5, 0, 1, 0, 15, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0]
    + [0, 0, 0, 0x40, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 4]
    + .init(repeating: 0, count: 8)

  private func requests(_ bytes: [UInt8], cutAt cut: Int) throws -> [USBIPRequest] {
    var reader = USBIPRequestReader()
    var found: [USBIPRequest] = []
    for part in [bytes[..<cut], bytes[cut...]] {
      reader.append(part)
      while let request = try reader.next() { found.append(request) }
    }
    return found
  }

  private func transfer(
    _ sequence: UInt32, from isFromDevice: Bool, endpoint: UInt32, length: UInt32
  )
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    for number in [1, sequence, 0x1_0002, isFromDevice ? 1 : 0, endpoint, 0, length, 0, 0, 0] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    }
    return bytes + [0x21, 9, 0, 2, 0, 0, UInt8(length & 0xFF), UInt8(length >> 8 & 0xFF)]
  }

  @Test("the kernel's example is read, wherever its bytes are cut")
  func example() throws {
    let number = try #require(try requests(Self.submit, cutAt: 0).first)
    guard case .submit(let transfer) = number else {
      Issue.record("\(number)")
      return
    }
    #expect(transfer.sequence == 0x0D05)
    #expect(transfer.endpoint == 1 && transfer.isFromDevice && transfer.length == 64)
    for cut in 0...Self.submit.count {
      #expect(try requests(Self.submit + Self.submit, cutAt: cut) == [number, number])
    }
  }

  @Test("a transfer to the device has its data, and its setup packet is little-endian")
  func data() throws {
    let bytes = transfer(7, from: false, endpoint: 0, length: 3) + [9, 8, 7]
    for cut in 0...bytes.count {
      let found = try requests(bytes + [0, 0, 0, 2], cutAt: cut)
      guard case .submit(let transfer)? = found.first, found.count == 1 else {
        Issue.record("\(found)")
        return
      }
      #expect(transfer.data == HIDReportBytes([9, 8, 7]))
      #expect(
        transfer.setup
          == USBSetupPacket(requestType: 0x21, request: 9, value: 0x0200, index: 0, length: 3))
    }
  }

  @Test("a host may ask for more bytes than a control transfer has, as programs of libusb do")
  func long() throws {
    let bytes = transfer(1, from: true, endpoint: 1, length: 1 << 20)
    guard case .submit(let found)? = try requests(bytes, cutAt: 0).first else {
      Issue.record("no transfer")
      return
    }
    #expect(found.length == 1 << 20)
  }

  @Test("a transfer that is withdrawn is named by its number")
  func unlink() throws {
    var bytes = [UInt8](repeating: 0, count: 48)
    (bytes[3], bytes[7], bytes[23]) = (2, 9, 5)
    #expect(try requests(bytes, cutAt: 48) == [.unlink(sequence: 9, target: 5)])
  }

  @Test("bytes that are no message of a host are refused, and nothing is read after them")
  func refusals() throws {
    var isochronous = transfer(1, from: true, endpoint: 1, length: 8)
    isochronous[35] = 2
    var reply = transfer(1, from: true, endpoint: 1, length: 8)
    reply[3] = 3
    for bytes in [
      isochronous, reply, transfer(1, from: true, endpoint: 16, length: 8),
      transfer(1, from: false, endpoint: 1, length: 65_536),
      transfer(1, from: true, endpoint: 1, length: 0xFFFF_FFFF),
    ] {
      var reader = USBIPRequestReader()
      reader.append(bytes)
      #expect(throws: USBIPError.self) { try reader.next() }
      reader.append(Self.submit)
      #expect(try reader.next() == nil)
    }
  }

  @Test("replies have 48 bytes and the data, and name no device")
  func replies() {
    var replies = USBIPReplies()
    var bytes: [UInt8] = []
    replies.appendSubmit(0x0D05, data: ([1, 2] as [UInt8]).span)
    replies.move(to: &bytes)
    #expect(
      bytes == [0, 0, 0, 3, 0, 0, 0x0D, 5] + .init(repeating: 0, count: 19) + [2]
        + .init(repeating: 0, count: 20) + [1, 2])
    replies.appendUnlink(1, status: USBIP.Status.unlinked)
    replies.appendSubmit(2, status: USBIP.Status.stall, count: 3)
    replies.move(to: &bytes)
    #expect(bytes.count == 146)
    #expect(bytes[50..<58] == [0, 0, 0, 4, 0, 0, 0, 1])
    #expect(bytes[70..<74] == [0xFF, 0xFF, 0xFF, 0x98])
    #expect(bytes[98..<106] == [0, 0, 0, 3, 0, 0, 0, 2])
    #expect(bytes[118..<126] == [0xFF, 0xFF, 0xFF, 0xE0, 0, 0, 0, 3])
    replies.move(to: &bytes)
    #expect(bytes.count == 146)
  }
}
