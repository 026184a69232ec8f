// SPDX-License-Identifier: Apache-2.0

/// An item with at most four bytes of data, decoded for the parser.
struct HIDShortItem: BitwiseCopyable {
  /// The tag and the type of the prefix, in bits 5…0.
  let key: UInt8
  /// The number of data bytes: 0, 1, 2 or 4.
  let dataByteCount: Int
  let data: UInt32
  /// The position of the prefix, in bytes from the start of the descriptor.
  let offset: Int

  /// Decodes the item at `position`, where there is at least one byte.
  ///
  /// `nil` if the descriptor ends inside the item.
  @inline(__always)
  init?(decoding bytes: Span<UInt8>, at position: Int) {
    let prefix = bytes[position]
    // No overflow: a position is less than the number of bytes.
    guard prefix & 0b11 == 1 else {
      self.init(decodingOtherThanOneByte: bytes, at: position)
      return
    }
    guard position &+ 1 < bytes.count else { return nil }
    self.init(
      key: prefix >> 2, dataByteCount: 1, data: UInt32(bytes[position &+ 1]), offset: position)
  }

  /// Decodes an item with 0, 2 or 4 data bytes; `nil` if the descriptor ends inside it.
  ///
  /// It is separate because items with one data byte are six times as frequent.
  @inline(__always)
  private init?(decodingOtherThanOneByte bytes: Span<UInt8>, at position: Int) {
    let prefix = bytes[position]
    var data: UInt32 = 0
    var dataByteCount = 0
    switch prefix & 0b11 {
    case 0: break
    case 2:
      guard position &+ 2 < bytes.count else { return nil }
      data = UInt32(bytes[position &+ 1]) | UInt32(bytes[position &+ 2]) << 8
      dataByteCount = 2
    default:
      guard position &+ 4 < bytes.count else { return nil }
      data =
        UInt32(bytes[position &+ 1]) | UInt32(bytes[position &+ 2]) << 8
        | UInt32(bytes[position &+ 3]) << 16 | UInt32(bytes[position &+ 4]) << 24
      dataByteCount = 4
    }
    self.init(
      key: prefix >> 2, dataByteCount: dataByteCount, data: data, offset: position)
  }

  private init(key: UInt8, dataByteCount: Int, data: UInt32, offset: Int) {
    self.key = key
    self.dataByteCount = dataByteCount
    self.data = data
    self.offset = offset
  }

  /// The prefix with its two size bits cleared: tag in bits 7…4, type in bits 3…2.
  var code: UInt8 { key << 2 }

  /// The data as a signed number of its own width.
  var signedData: Int32 {
    @inline(__always) get {
      switch dataByteCount {
      case 1: Int32(Int8(truncatingIfNeeded: data))
      case 2: Int32(Int16(truncatingIfNeeded: data))
      default: Int32(bitPattern: data)
      }
    }
  }
}
