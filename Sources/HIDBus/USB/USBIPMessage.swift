// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

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

  /// The eight bytes on the bus.
  package var bytes: [UInt8] {
    [requestType, request]
      + [value, index, length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  /// True if the device sends the data.
  package var isFromDevice: Bool { requestType & 0x80 != 0 }
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
    package var data: HIDReportBytes
    /// The `transfer_flags` of the host's URB, such as `URB_SHORT_NOT_OK`.
    package var flags: UInt32 = 0
    /// The period of an interrupt endpoint that the host has chosen: frames, or microframes at high
    /// speed.
    package var interval: UInt32 = 0
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
    append { $0 += chunk }
  }

  /// Calls a closure that appends bytes of the connection to its argument, and returns its result.
  ///
  /// The bytes are ignored after an error.
  package mutating func append<Result, Failure: Error>(
    _ body: (inout [UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if hasFailed || position == bytes.count {
      bytes.removeAll(keepingCapacity: true)
    } else if position > 0 {
      bytes.removeFirst(position)
    }
    position = 0
    return try body(&bytes)
  }

  /// Returns the next message; nil if more bytes are needed.
  ///
  /// - Throws: The reason why the bytes are no message. The connection has no meaning after it, and
  ///   later calls return nil.
  package mutating func next() throws(USBIPError) -> USBIPRequest? {
    guard !hasFailed, bytes.count - position >= USBIP.headerByteCount else { return nil }
    do throws(USBIPError) {
      return try read(USBIPHeader(bytes.span, at: position))
    } catch {
      hasFailed = true
      throw error
    }
  }

  private mutating func read(_ header: USBIPHeader) throws(USBIPError) -> USBIPRequest? {
    switch header.code {
    case USBIP.Code.unlink:
      position += USBIP.headerByteCount
      return .unlink(sequence: header.sequence, target: header.target)
    case USBIP.Code.submit:
      return try readTransfer(header)
    case let code:
      throw USBIPError("expected a command 1 or 2 of USB/IP, found \(code)")
    }
  }

  private mutating func readTransfer(_ header: USBIPHeader) throws(USBIPError) -> USBIPRequest? {
    let (sequence, isFromDevice) = (header.sequence, header.direction == 1)
    guard header.direction <= 1, header.endpoint < 16 else {
      throw USBIPError(
        "transfer \(sequence): expected a direction 0 or 1 and an endpoint 0 to 15, "
          + "found \(header.direction) and \(header.endpoint)")
    }
    // A host may ask for more bytes than a device sends, and no memory is needed for them.
    let longest = isFromDevice ? Int(Int32.max) : USBIP.longestTransfer
    guard Int(header.length) <= longest else {
      throw USBIPError(
        "transfer \(sequence): \(Int32(bitPattern: header.length)) bytes; "
          + "at most \(longest) are accepted")
    }
    // The document says 0xffffffff for a transfer that is not isochronous, and the kernel sends 0.
    guard header.packetCount == 0 || header.packetCount == .max else {
      throw USBIPError("transfer \(sequence) is isochronous; a HID device has no such endpoint")
    }
    let start = position + USBIP.headerByteCount
    let end = start + (isFromDevice ? 0 : Int(header.length))
    guard bytes.count >= end else { return nil }
    position = end
    return .submit(
      USBIPRequest.Transfer(
        sequence: sequence, endpoint: UInt8(header.endpoint), isFromDevice: isFromDevice,
        length: Int(header.length), setup: header.setup,
        data: HIDReportBytes(copying: bytes.span.extracting(start..<end)), flags: header.flags,
        interval: header.interval))
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
}

/// Messages of a device for its host, in the order in which they must be sent.
///
/// The memory is used again for later messages.
package struct USBIPReplies: ~Copyable, Sendable {
  /// The bytes of the messages.
  private var bytes: [UInt8] = []
  /// The end of each message in `bytes`.
  private var ends: [Int] = []

  package init() {}

  /// Adds the end of a transfer without data from the device.
  ///
  /// - Parameters:
  ///   - sequence: The number of the transfer.
  ///   - status: The status of the transfer.
  ///   - count: The number of bytes that the host has sent.
  package mutating func appendSubmit(_ sequence: UInt32, status: Int32, count: Int) {
    appendHeader(USBIP.Code.submitReply, sequence, status, count)
    ends.append(bytes.count)
  }

  /// Adds the end of a transfer with data from the device.
  package mutating func appendSubmit(_ sequence: UInt32, data: Span<UInt8>) {
    appendHeader(USBIP.Code.submitReply, sequence, USBIP.Status.success, data.count)
    bytes.append(copying: data)
    ends.append(bytes.count)
  }

  /// Adds the answer to the withdrawal of a transfer.
  package mutating func appendUnlink(_ sequence: UInt32, status: Int32) {
    appendHeader(USBIP.Code.unlinkReply, sequence, status, 0)
    ends.append(bytes.count)
  }

  private mutating func appendHeader(
    _ code: UInt32, _ sequence: UInt32, _ status: Int32, _ count: Int
  ) {
    bytes.append(addingCapacity: USBIP.headerByteCount) { output in
      output.appendBigEndian(code)
      output.appendBigEndian(sequence)
      // Replies have no device, direction and endpoint.
      output.append(repeating: 0, count: 12)
      output.appendBigEndian(UInt32(bitPattern: status))
      output.appendBigEndian(UInt32(truncatingIfNeeded: count))
      output.append(repeating: 0, count: output.freeCapacity)
    }
  }

  /// Moves the bytes of the messages to the end of an array.
  package mutating func move(to array: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    if array.isEmpty { swap(&array, &bytes) } else { array += bytes }
    removeAll()
  }

  private mutating func removeAll() {
    if !bytes.isEmpty { bytes.removeAll(keepingCapacity: true) }
    ends.removeAll(keepingCapacity: true)
  }

  /// Takes the messages.
  package mutating func take() -> [USBIPReply] {
    var messages: [USBIPReply] = []
    forEach { messages.append($0) }
    removeAll()
    return messages
  }

  /// Calls a closure with each message, in order.
  package func forEach(_ body: (USBIPReply) -> Void) {
    var start = 0
    for end in ends {
      let header = USBIPHeader(bytes.span, at: start)
      if header.code == USBIP.Code.submitReply {
        body(
          .submit(
            sequence: header.sequence, status: header.status, count: Int(header.length),
            data: Array(bytes[(start + USBIP.headerByteCount)..<end])))
      } else {
        body(.unlink(sequence: header.sequence, status: header.status))
      }
      start = end
    }
  }
}

/// The numbers of the header of a message.
private struct USBIPHeader {
  let code: UInt32
  let sequence: UInt32
  let direction: UInt32
  let endpoint: UInt32
  /// The transfer that is withdrawn; of a transfer its flags, and in a reply the status.
  let target: UInt32
  /// The length of the data.
  let length: UInt32
  /// The number of packets of an isochronous transfer.
  let packetCount: UInt32
  /// The period of an interrupt endpoint that the host has chosen.
  let interval: UInt32
  /// The request of a control transfer, whose numbers are little-endian as on the bus.
  let setup: USBSetupPacket

  var status: Int32 { Int32(bitPattern: target) }
  var flags: UInt32 { target }

  init(_ bytes: Span<UInt8>, at start: Int) {
    let bytes = bytes.extracting(start..<start + USBIP.headerByteCount)
    code = bytes.bigEndian(at: 0)
    sequence = bytes.bigEndian(at: 4)
    direction = bytes.bigEndian(at: 12)
    endpoint = bytes.bigEndian(at: 16)
    target = bytes.bigEndian(at: 20)
    length = bytes.bigEndian(at: 24)
    packetCount = bytes.bigEndian(at: 32)
    interval = bytes.bigEndian(at: 36)
    setup = USBSetupPacket(
      requestType: bytes[40], request: bytes[41], value: bytes.littleEndian(at: 42),
      index: bytes.littleEndian(at: 44), length: bytes.littleEndian(at: 46))
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func bigEndian(at index: Int) -> UInt32 {
    UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
      | UInt32(self[index + 3])
  }

  @inline(__always)
  fileprivate func littleEndian(at index: Int) -> UInt16 {
    UInt16(self[index]) | UInt16(self[index + 1]) << 8
  }
}

extension OutputSpan<UInt8> {
  @inline(__always)
  fileprivate mutating func appendBigEndian(_ number: UInt32) {
    append(UInt8(truncatingIfNeeded: number >> 24))
    append(UInt8(truncatingIfNeeded: number >> 16))
    append(UInt8(truncatingIfNeeded: number >> 8))
    append(UInt8(truncatingIfNeeded: number))
  }
}
