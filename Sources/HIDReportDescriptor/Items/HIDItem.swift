// SPDX-License-Identifier: Apache-2.0

/// One unit of a report descriptor, decoded from its bytes.
///
/// Source: HID 1.11, section 6.2.2.
public struct HIDItem: Hashable, Sendable {
  /// The class of an item: main, global, local or reserved.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Makes a field, or opens or closes a collection.
    case main = 0b00
    /// Applies to all main items that follow, until an item with the same tag or a Pop replaces it.
    case global = 0b01
    /// Applies to the next main item only.
    case local = 0b10
    /// Has no meaning.
    case reserved = 0b11
  }

  /// The first byte without its size: tag in bits 7…4, type in bits 3…2.
  public let code: UInt8
  /// The data, zero-extended from 0, 1, 2 or 4 little-endian bytes; 0 for a long item.
  public let data: UInt32
  /// The number of data bytes: 0, 1, 2 or 4; up to 255 for a long item.
  public let dataByteCount: Int
  /// The position of the first byte, in bytes from the start of the descriptor.
  public let offset: Int
  /// The tag of a long item, which the specification reserves; `nil` for a short item.
  public let longTag: UInt8?

  /// Creates a short item whose offset is 0.
  ///
  /// - Parameter tag: The tag of the item.
  /// - Parameter data: The data, of which the low bytes are kept.
  /// - Parameter dataByteCount: 0, 1, 2 or 4. A negative number becomes 0; 3 and all numbers above
  ///   4 become 4.
  public init(_ tag: HIDItemTag, data: UInt32, dataByteCount: Int) {
    code = tag.rawValue
    let count =
      switch dataByteCount {
      case ...0: 0
      case 1: 1
      case 2: 2
      default: 4
      }
    self.dataByteCount = count
    self.data = count == 4 ? data : data & (1 << UInt32(8 * count) - 1)
    offset = 0
    longTag = nil
  }

  /// Creates a short item with 1, 2 or 4 data bytes, the fewest that hold the value, and with
  /// offset 0.
  ///
  /// A signed item gets the fewest bytes that hold the value as two's complement: 255 as logical
  /// maximum takes two. Both cases of ``HIDReading`` give the value back, except an exponent
  /// outside -8…7, a negative maximum after a minimum of 0 or more, and a signed item above
  /// 2³¹-1. A signed item above 2³¹-1 has four bytes. Only Linux reads it as positive, and only
  /// as a maximum after a minimum of 0 or more. An item that never has data (`push`, `pop`,
  /// `endCollection`) gets none.
  ///
  /// - Parameter tag: The tag of the item.
  /// - Parameter value: The value: -2³¹ … 2³²-1 for a signed item, else 0 … 2³²-1.
  /// - Returns: The item, or `nil` if the value is outside this range.
  public init?(shortest tag: HIDItemTag, value: Int64) {
    let byteCount: Int
    if tag.isSigned && value <= Int64(Int32.max) {
      guard let value = Int32(exactly: value) else { return nil }
      byteCount = Int8(exactly: value) != nil ? 1 : Int16(exactly: value) != nil ? 2 : 4
    } else {
      guard let value = UInt32(exactly: value) else { return nil }
      byteCount = value <= 0xff ? 1 : value <= 0xffff ? 2 : 4
    }
    switch tag {
    case .push, .pop, .endCollection: self.init(tag, data: 0, dataByteCount: 0)
    default:
      self.init(tag, data: UInt32(truncatingIfNeeded: value), dataByteCount: byteCount)
    }
  }

  /// Decodes the item at `position`, and moves `position` past it.
  ///
  /// Each first byte from `f0` up starts a long item, as in the kernel; HID 1.11 defines only `fe`.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Parameter position: The position of the item, in bytes; unchanged when this throws.
  /// - Throws: `truncatedItem` if the descriptor ends inside the item, or `position` is outside it.
  ///
  /// Source: HID 1.11, sections 6.2.2.2 and 6.2.2.3.
  public init(
    decoding bytes: Span<UInt8>, at position: inout Int
  ) throws(HIDReportDescriptorError) {
    guard position >= 0, position < bytes.count else { throw .truncatedItem(offset: position) }
    let prefix = bytes[position]
    let available = bytes.count - position - 1
    code = prefix & ~0b11
    offset = position
    if prefix >= 0xf0 {
      guard available >= 2 else { throw .truncatedItem(offset: position) }
      let byteCount = Int(bytes[position + 1])
      guard available >= 2 + byteCount else { throw .truncatedItem(offset: position) }
      data = 0
      dataByteCount = byteCount
      longTag = bytes[position + 2]
      position += 3 + byteCount
    } else {
      let sizeCode = Int(prefix & 0b11)
      let byteCount = sizeCode == 3 ? 4 : sizeCode
      guard available >= byteCount else { throw .truncatedItem(offset: position) }
      var data: UInt32 = 0
      for index in 0..<byteCount {
        data |= UInt32(bytes[position + 1 + index]) << UInt32(8 * index)
      }
      self.data = data
      dataByteCount = byteCount
      longTag = nil
      position += 1 + byteCount
    }
  }

  /// Decodes all items of a descriptor, including reserved and long items.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Throws: `truncatedItem` if the descriptor ends inside an item.
  public static func decodeAll(_ bytes: [UInt8]) throws(HIDReportDescriptorError) -> [HIDItem] {
    var items: [HIDItem] = []
    items.reserveCapacity(bytes.count / 2 + 1)
    var position = 0
    while position < bytes.count {
      items.append(try HIDItem(decoding: bytes.span, at: &position))
    }
    return items
  }

  /// The class of the item; `nil` for a long item.
  public var kind: Kind? { isLong ? nil : Kind(rawValue: code >> 2 & 0b11) }

  /// The tag of the item; `nil` for a long item and for an unknown tag.
  public var tag: HIDItemTag? { isLong ? nil : HIDItemTag(rawValue: code) }

  /// True if this is a long item, which has no meaning in HID 1.11.
  public var isLong: Bool { longTag != nil }

  /// The number of bytes of the item, its first byte included.
  public var byteCount: Int { dataByteCount + (isLong ? 3 : 1) }

  /// The data as a signed number of its own width.
  public var signedData: Int32 {
    switch dataByteCount {
    case 1: Int32(Int8(truncatingIfNeeded: data))
    case 2: Int32(Int16(truncatingIfNeeded: data))
    default: Int32(bitPattern: data)
    }
  }

  /// Appends the bytes of a short item; for a long item, appends nothing.
  ///
  /// The data of a long item is only in the descriptor.
  ///
  /// - Parameter bytes: The array to append to.
  public func encode(into bytes: inout [UInt8]) {
    guard !isLong else { return }
    bytes.append(code | UInt8(dataByteCount == 4 ? 3 : dataByteCount & 0b11))
    for index in 0..<min(dataByteCount, 4) {
      bytes.append(UInt8(truncatingIfNeeded: data >> UInt32(8 * index)))
    }
  }
}
