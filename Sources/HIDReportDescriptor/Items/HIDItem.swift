// SPDX-License-Identifier: Apache-2.0

/// One unit of a report descriptor, as it stands in the bytes.
///
/// Source: HID 1.11, section 6.2.2.
public struct HIDItem: Hashable, Sendable {
  /// What an item is about.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Makes a field, or opens or closes a collection.
    case main = 0b00
    /// Describes all main items that follow, until it is given again.
    case global = 0b01
    /// Describes the next main item only.
    case local = 0b10
    /// Has no meaning.
    case reserved = 0b11
  }

  /// The first byte without its size: tag in bits 7…4, type in bits 3…2.
  public let code: UInt8
  /// The data, zero-extended from 0, 1, 2 or 4 little-endian bytes; 0 for a long item.
  public let data: UInt32
  /// The number of data bytes: 0, 1, 2 or 4; of a long item up to 255.
  public let dataByteCount: Int
  /// The place of the first byte, in bytes from the start of the descriptor.
  public let offset: Int
  /// The tag of a long item, which the specification leaves to the future; `nil` for a short one.
  public let longTag: UInt8?

  /// Makes a short item; its place is 0.
  ///
  /// - Parameter tag: What the item says.
  /// - Parameter data: The data, of which the low bytes are kept.
  /// - Parameter dataByteCount: 0, 1, 2 or 4; anything else becomes the next of these, above 4 becomes 4.
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

  /// Makes a short item with the fewest bytes that hold the value; its place is 0.
  ///
  /// Signed items get the fewest bytes from which both readings of HID 1.11 give the value back: 255 as
  /// logical maximum takes two. Items that never have data (`push`, `pop`, `endCollection`) get none.
  ///
  /// - Parameter tag: What the item says.
  /// - Parameter value: The value; signed items take -2³¹ … 2³²-1, the others 0 … 2³²-1.
  /// - Returns: The item, or `nil` when 32 bits do not hold the value.
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
  /// Every byte from `f0` up starts a long item, as the kernel has it; HID 1.11 knows only `fe`.
  ///
  /// - Parameter bytes: The descriptor.
  /// - Parameter position: Where to read, in bytes; left alone when this throws.
  /// - Throws: `truncatedItem` if the descriptor ends inside the item.
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

  /// Decodes all items of a descriptor, whatever they mean.
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

  /// What the item is about, `nil` for a long item.
  public var kind: Kind? { isLong ? nil : Kind(rawValue: code >> 2 & 0b11) }

  /// What the item says, `nil` for a long or unknown one.
  public var tag: HIDItemTag? { isLong ? nil : HIDItemTag(rawValue: code) }

  /// Whether this is a long item, which has no meaning in HID 1.11.
  public var isLong: Bool { longTag != nil }

  /// The number of bytes the item takes, its first included.
  public var byteCount: Int { dataByteCount + (isLong ? 3 : 1) }

  /// The data as a signed number of its own width.
  public var signedData: Int32 {
    switch dataByteCount {
    case 1: Int32(Int8(truncatingIfNeeded: data))
    case 2: Int32(Int16(truncatingIfNeeded: data))
    default: Int32(bitPattern: data)
    }
  }

  /// Appends the item's bytes; of a long item nothing, because its data is only in the descriptor.
  ///
  /// - Parameter bytes: What to append to.
  public func encode(into bytes: inout [UInt8]) {
    guard !isLong else { return }
    bytes.append(code | UInt8(dataByteCount == 4 ? 3 : dataByteCount & 0b11))
    for index in 0..<min(dataByteCount, 4) {
      bytes.append(UInt8(truncatingIfNeeded: data >> UInt32(8 * index)))
    }
  }
}
