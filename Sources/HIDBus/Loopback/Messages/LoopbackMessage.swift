// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A message between the two ends of a loopback socket, sent as one datagram.
///
/// The ends may be different programs, so the receiver checks every message.
enum LoopbackMessage: Hashable, Sendable {
  /// Client: opens the device, and requests its input reports.
  ///
  /// Answered by ``opened(isCounted:)``.
  case open
  /// Client: an output report as written to hidraw, its ID or 0 first.
  case write([UInt8])
  /// Client: requests a report; the number is its ID, or 0 for none.
  case get(token: UInt32, HIDReportType, number: UInt8)
  /// Client: sets a report, its ID or 0 first.
  case set(token: UInt32, HIDReportType, [UInt8])
  /// Client: withdraws a request whose answer it no longer waits for.
  case cancel(token: UInt32)
  /// Client: the number of input reports that every reader of the client has taken or lost since
  /// the previous message of this kind.
  ///
  /// Sent to a device that counts them, and while a reader has no room.
  case taken(UInt32)
  /// Device: an answer to `get` (with the report), `set` (without) or `open`
  /// (``opened(isCounted:)``); `nil` for an error.
  case answer(token: UInt32, [UInt8]?)
  /// Device: the number of input reports that were not sent, because this client took nothing for
  /// a second while the device waited for it.
  case lost(UInt32)

  /// The token of the first request, which opens the device.
  static let openToken: UInt32 = 0

  /// Device: the answer to `open`.
  ///
  /// - Parameter isCounted: True if the device counts the reports that the client has not taken,
  ///   and so needs ``taken(_:)``.
  static func opened(isCounted: Bool) -> LoopbackMessage {
    .answer(token: openToken, isCounted ? [1] : [])
  }

  /// The maximum length of a message, in bytes: one datagram.
  static let longest = 65_536
  /// The first byte of a datagram of input reports; each report follows its length.
  static let inputCode: UInt8 = 17

  private static func code(_ type: HIDReportType) -> UInt8 {
    switch type {
    case .input: 0
    case .output: 1
    case .feature: 2
    }
  }

  private static func type(_ code: UInt8?) -> HIDReportType? {
    switch code {
    case 0: .input
    case 1: .output
    case 2: .feature
    default: nil
    }
  }

  /// The message as a datagram.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .open:
      writer.append(UInt8(1))
    case .write(let report):
      writer.append(UInt8(2))
      writer.append(rest: report)
    case .get(let token, let type, let number):
      writer.append(UInt8(3))
      writer.append(token)
      writer.append(Self.code(type))
      writer.append(number)
    case .set(let token, let type, let report):
      writer.append(UInt8(4))
      writer.append(token)
      writer.append(Self.code(type))
      writer.append(rest: report)
    case .cancel(let token):
      writer.append(UInt8(5))
      writer.append(token)
    case .taken(let count):
      writer.append(UInt8(6))
      writer.append(count)
    case .answer(let token, let report):
      writer.append(UInt8(18))
      writer.append(token)
      writer.append(UInt8(report == nil ? 1 : 0))
      writer.append(rest: report ?? [])
    case .lost(let count):
      writer.append(UInt8(19))
      writer.append(count)
    }
    return writer.bytes
  }

  /// Decodes a datagram; `nil` if it has input reports, or is not valid.
  init?(decoding bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    let code = reader.next(UInt8.self)
    switch code {
    case 1:
      self = .open
    case 2:
      self = .write(reader.remainder)
      return
    case 3:
      guard let token = reader.next(UInt32.self), let type = Self.type(reader.next(UInt8.self)),
        let number = reader.next(UInt8.self)
      else { return nil }
      self = .get(token: token, type, number: number)
    case 4:
      guard let token = reader.next(UInt32.self), let type = Self.type(reader.next(UInt8.self))
      else { return nil }
      self = .set(token: token, type, reader.remainder)
      return
    case 5:
      guard let token = reader.next(UInt32.self) else { return nil }
      self = .cancel(token: token)
    case 6:
      guard let count = reader.next(UInt32.self) else { return nil }
      self = .taken(count)
    case 18:
      guard let token = reader.next(UInt32.self), let status = reader.next(UInt8.self)
      else { return nil }
      self = .answer(token: token, status == 0 ? reader.remainder : nil)
      return
    case 19:
      guard let count = reader.next(UInt32.self) else { return nil }
      self = .lost(count)
    default: return nil
    }
    if !reader.isAtEnd { return nil }
  }
}
