// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory

/// What a device of the kernel's bus and a client of hidsim say to each other beside the kernel.
///
/// hidraw keeps 63 reports for a reader and drops the newest in silence (6.12). So the device says now and then
/// how many reports it has sent; the client reads until the node is empty, and says how many more
/// it can take.
enum ControlMessage: Hashable, Sendable {
  /// The device has sent so many reports in all, and sends no more until it is answered: counting begins here.
  case begin(UInt64)
  /// The device has sent so many reports in all.
  case sent(UInt64)
  /// The client has read what there was of so many reports, can take `room` more, and has missed
  /// `lost` since it came.
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

  /// Reads a message, or says that it is none.
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
