// SPDX-License-Identifier: Apache-2.0

/// The numbers of the protocol USB/IP.
///
/// All numbers are big-endian. Source: Documentation/usb/usbip_protocol.rst of Linux 6.12.
package enum USBIP {
  /// The version of the protocol: 1.1.1.
  package static let version: UInt16 = 0x0111
  /// The length of the header of each message about a transfer, in bytes.
  package static let headerByteCount = 48
  /// The longest data of a host that are accepted, in bytes: those of a control transfer.
  package static let longestTransfer = 65_535

  /// The status of a transfer: 0, or a negative error number of Linux.
  package enum Status {
    /// The transfer is complete.
    package static let success: Int32 = 0
    /// The device has stalled the endpoint: `-EPIPE`.
    package static let stall: Int32 = -32
    /// The host has withdrawn the transfer: `-ECONNRESET`.
    package static let unlinked: Int32 = -104
    /// The device is gone: `-ENODEV`.
    package static let noDevice: Int32 = -19
    /// The endpoint is gone with its device: `-ESHUTDOWN`.
    package static let shutdown: Int32 = -108
  }

  fileprivate enum Code {
    static let submit: UInt32 = 1
    static let unlink: UInt32 = 2
    static let submitReply: UInt32 = 3
    static let unlinkReply: UInt32 = 4
  }
}

/// The request of a control transfer.
///
/// Source: USB 2.0, section 9.3.
package struct USBSetupPacket: Hashable, Sendable {
  /// The type of a request.
  package enum Kind: UInt8, Sendable { case standard, `class`, vendor, reserved }
  /// The part of the device that a request is about.
  package enum Recipient: Hashable, Sendable { case device, interface, endpoint, other(UInt8) }

  /// The direction, the type and the recipient.
  package var requestType: UInt8
  package var request: UInt8
  package var value: UInt16
  package var index: UInt16
  /// The number of bytes of the data stage.
  package var length: UInt16

  package init(
    requestType: UInt8, request: UInt8, value: UInt16, index: UInt16, length: UInt16
  ) {
    self.requestType = requestType
    self.request = request
    self.value = value
    self.index = index
    self.length = length
  }

  /// True if the device sends the data.
  package var isFromDevice: Bool { requestType & 0x80 != 0 }
  /// The eight bytes of the packet.
  package var bytes: [UInt8] {
    [requestType, request]
      + [value, index, length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }
  package var kind: Kind { Kind(rawValue: requestType >> 5 & 3) ?? .reserved }
  package var recipient: Recipient {
    switch requestType & 0x1F {
    case 0: .device
    case 1: .interface
    case 2: .endpoint
    case let other: .other(other)
    }
  }
}

/// A message of a host about a transfer.
package enum USBIPRequest: Hashable, Sendable {
  /// A transfer to or from an endpoint.
  package struct Transfer: Hashable, Sendable {
    /// The number by which replies and later messages name the transfer.
    package var sequence: UInt32
    /// The number of the endpoint, without the direction: 0 to 15.
    package var endpoint: UInt8
    /// True if the device sends the data.
    package var isFromDevice: Bool
    /// The number of bytes that the host takes, or sends.
    package var length: Int
    /// The request of a control transfer; without meaning for other endpoints than 0.
    package var setup: USBSetupPacket
    /// The data of the host; empty for a transfer from the device.
    package var data: [UInt8]
  }

  case submit(Transfer)
  /// The host withdraws the transfer with the number `target`.
  case unlink(sequence: UInt32, target: UInt32)
}

/// The reason why a connection cannot go on.
package struct USBIPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, one line.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// A reader of a host's messages about transfers on one connection.
///
/// It keeps at most one message of ``USBIP/longestTransfer`` bytes of data, and the bytes of the
/// latest chunk.
package struct USBIPRequestReader: Sendable {
  private var bytes: [UInt8] = []
  /// The number of bytes at the start of `bytes` that were read.
  private var position = 0
  private var hasFailed = false

  package init() {}

  /// Adds bytes of the connection; ignores them after an error.
  package mutating func append(_ chunk: some Collection<UInt8>) {
    guard !hasFailed else { return }
    if position > 0 {
      bytes.removeFirst(position)
      position = 0
    }
    bytes += chunk
  }

  /// Returns the next message; nil if more bytes are needed.
  ///
  /// - Throws: The reason why the bytes are no message. The connection has no meaning after it, and
  ///   later calls return nil.
  package mutating func next() throws(USBIPError) -> USBIPRequest? {
    guard !hasFailed, bytes.count - position >= USBIP.headerByteCount else { return nil }
    do throws(USBIPError) {
      return try read()
    } catch {
      hasFailed = true
      bytes = []
      position = 0
      throw error
    }
  }

  private mutating func read() throws(USBIPError) -> USBIPRequest? {
    let header = BigEndianBytes(bytes[position..<position + USBIP.headerByteCount])
    let sequence = header.word(1)
    switch header.word(0) {
    case USBIP.Code.unlink:
      position += USBIP.headerByteCount
      return .unlink(sequence: sequence, target: header.word(5))
    case USBIP.Code.submit:
      return try readTransfer(header, sequence)
    case let code:
      throw USBIPError("expected a command 1 or 2 of USB/IP, found \(code)")
    }
  }

  private mutating func readTransfer(
    _ header: BigEndianBytes, _ sequence: UInt32
  ) throws(USBIPError) -> USBIPRequest? {
    let (direction, endpoint, length) = (header.word(3), header.word(4), header.word(6))
    guard direction <= 1, endpoint < 16 else {
      throw USBIPError(
        "transfer \(sequence): expected a direction 0 or 1 and an endpoint 0 to 15, "
          + "found \(direction) and \(endpoint)")
    }
    // A host may ask for more bytes than a device sends, and no memory is needed for them.
    let longest = direction == 0 ? USBIP.longestTransfer : Int(Int32.max)
    guard Int(length) <= longest else {
      throw USBIPError(
        "transfer \(sequence): \(Int32(bitPattern: length)) bytes; at most \(longest) are accepted")
    }
    // The document says 0xffffffff for a transfer that is not isochronous, and the kernel sends 0.
    guard [0, .max].contains(header.word(8)) else {
      throw USBIPError("transfer \(sequence) is isochronous; a HID device has no such endpoint")
    }
    let dataCount = direction == 0 ? Int(length) : 0
    let end = position + USBIP.headerByteCount + dataCount
    guard bytes.count >= end else { return nil }
    let transfer = USBIPRequest.Transfer(
      sequence: sequence, endpoint: UInt8(endpoint), isFromDevice: direction == 1,
      length: Int(length), setup: header.setup(at: 40),
      data: Array(bytes[position + USBIP.headerByteCount..<end]))
    position = end
    return .submit(transfer)
  }
}

/// A message of a device about a transfer.
package enum USBIPReply: Hashable, Sendable {
  /// The end of a transfer.
  ///
  /// - `count`: the number of bytes that were sent by either side.
  /// - `data`: the bytes that the device sends; empty for a transfer to the device.
  case submit(sequence: UInt32, status: Int32, count: Int, data: [UInt8])
  /// The answer to `unlink`: ``USBIP/Status/unlinked`` if the transfer was withdrawn, 0 if it was
  /// over.
  case unlink(sequence: UInt32, status: Int32)

  /// Appends the bytes of the message.
  package func write(to bytes: inout [UInt8]) {
    let start = bytes.count
    switch self {
    case .submit(let sequence, let status, let count, let data):
      bytes.appendBigEndian(USBIP.Code.submitReply)
      bytes.appendBigEndian(sequence)
      // Replies have no device, direction and endpoint.
      bytes.append(contentsOf: repeatElement(0, count: 12))
      bytes.appendBigEndian(UInt32(bitPattern: status))
      bytes.appendBigEndian(UInt32(truncatingIfNeeded: count))
      bytes.append(contentsOf: repeatElement(0, count: start + USBIP.headerByteCount - bytes.count))
      bytes += data
    case .unlink(let sequence, let status):
      bytes.appendBigEndian(USBIP.Code.unlinkReply)
      bytes.appendBigEndian(sequence)
      bytes.append(contentsOf: repeatElement(0, count: 12))
      bytes.appendBigEndian(UInt32(bitPattern: status))
      bytes.append(contentsOf: repeatElement(0, count: start + USBIP.headerByteCount - bytes.count))
    }
  }
}

/// The numbers of a header.
private struct BigEndianBytes {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  private func byte(_ index: Int) -> UInt8 { bytes[bytes.startIndex + index] }

  /// The 32-bit number at a multiple of four bytes.
  func word(_ index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(byte(4 * index + $1)) }
  }

  /// The setup packet at an offset, whose numbers are little-endian as on the bus.
  func setup(at offset: Int) -> USBSetupPacket {
    func pair(_ index: Int) -> UInt16 {
      UInt16(byte(offset + index)) | UInt16(byte(offset + index + 1)) << 8
    }
    return USBSetupPacket(
      requestType: byte(offset), request: byte(offset + 1), value: pair(2), index: pair(4),
      length: pair(6))
  }
}

extension [UInt8] {
  fileprivate mutating func appendBigEndian(_ number: UInt32) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
  }
}
