// SPDX-License-Identifier: Apache-2.0

/// A message between a device of the kernel bus and a client of hidsim, sent without the kernel's
/// HID code.
///
/// hidraw keeps 63 reports for a reader and drops the newest without notice (6.12). So the device
/// reports from time to time how many reports it has sent. The client reads until the node is
/// empty, and answers how many more it can take.
enum ControlMessage: Hashable, Sendable {
  /// Device: the number of reports that it has sent in all, with which counting begins.
  ///
  /// The device sends no more reports until the client answers or is given up.
  case begin(UInt64)
  /// Device: the number of reports that it has sent in all.
  case sent(UInt64)
  /// Client: the answer to the count request with this number.
  ///
  /// The client has read all available reports, can take `room` more, and has lost `lost`, as far
  /// as it knows, since it connected.
  case taken(UInt64, room: UInt32, lost: UInt64)

  /// The longest message, in bytes.
  static let longest = 21

  private static let sentCode: UInt8 = 1
  private static let takenCode: UInt8 = 2
  private static let beginCode: UInt8 = 3

  var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .begin(let count):
      writer.append(Self.beginCode)
      writer.append(count)
    case .sent(let count):
      writer.append(Self.sentCode)
      writer.append(count)
    case .taken(let count, let room, let lost):
      writer.append(Self.takenCode)
      writer.append(count)
      writer.append(room)
      writer.append(lost)
    }
    return writer.bytes
  }

  /// Decodes a message; `nil` if the bytes are not a valid one.
  init?(decoding bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    switch reader.next(UInt8.self) {
    case Self.beginCode:
      guard let count = reader.next(UInt64.self) else { return nil }
      self = .begin(count)
    case Self.sentCode:
      guard let count = reader.next(UInt64.self) else { return nil }
      self = .sent(count)
    case Self.takenCode:
      guard let count = reader.next(UInt64.self), let room = reader.next(UInt32.self),
        let lost = reader.next(UInt64.self)
      else { return nil }
      self = .taken(count, room: room, lost: lost)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }
}
