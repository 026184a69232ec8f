// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// Functions that write and read numbers, texts and bytes in the format of the stored sticks.
///
/// The stored sticks are the entries of simulated InputSticks in ``InputStickDeviceDB``.
///
/// A number has 8 bytes, least significant byte first. A text or a sequence of bytes has its length
/// before it; the length 0 stands for nil.
open class InputStickDataUtils: NSObject {
  /// Appends a byte to data.
  open class func addByte(_ value: UInt8, to data: NSMutableData!) { data?.append(Data([value])) }

  /// Appends a number to data: eight bytes, least significant byte first.
  open class func addUInt(_ value: UInt, to data: NSMutableData!) {
    data?.append(Data((0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }))
  }

  /// Appends a text to data, after its length in UTF-8 bytes; nil appends the length 0.
  open class func add(_ value: String!, to data: NSMutableData!) {
    add(value.map { Data($0.utf8) }, to: data)
  }

  /// Appends bytes to data, after their number; nil appends the number 0.
  open class func add(_ value: Data!, to data: NSMutableData!) {
    addUInt(UInt(value?.count ?? 0), to: data)
    if let value { data?.append(value) }
  }

  private class func read<Value>(
    _ data: Data?, _ location: UnsafeMutablePointer<UInt>?,
    _ body: (inout DataReader) -> Value?
  ) -> Value? {
    guard let data, let location else { return nil }
    var reader = DataReader(data, at: location.pointee)
    defer { location.pointee = reader.location }
    return body(&reader)
  }

  /// Reads a byte, and moves the location past it; 0 beyond the end.
  open class func readByte(
    from data: Data!, atLocation location: UnsafeMutablePointer<UInt>!
  ) -> UInt8 {
    read(data, location) { $0.byte() } ?? 0
  }

  /// Reads a number, and moves the location past it; 0 beyond the end.
  open class func readUInt(
    from data: Data!, atLocation location: UnsafeMutablePointer<UInt>!
  ) -> UInt {
    read(data, location) { $0.uint() } ?? 0
  }

  /// Reads a length of eight bytes and a text of that many bytes, and moves the location past them.
  ///
  /// - Returns: The text; nil if the length is 0, or if the data has fewer bytes.
  open class func readString(
    from data: Data!, atLocation location: UnsafeMutablePointer<UInt>!
  ) -> String! {
    read(data, location) { $0.text() }
  }

  /// Reads a count of eight bytes and that many bytes after it, and moves the location past them.
  ///
  /// - Returns: The bytes; nil if the count is 0, or if the data has fewer bytes.
  open class func readData(
    from data: Data!, atLocation location: UnsafeMutablePointer<UInt>!
  ) -> Data! {
    read(data, location) { $0.bytes() }
  }
}

/// A reader of the format that ``InputStickDataUtils`` writes; it returns nil beyond the end.
struct DataReader {
  private let data: Data
  private(set) var location: UInt

  init(_ data: Data, at location: UInt = 0) {
    self.data = data
    self.location = location
  }

  private mutating func take(_ count: UInt) -> Data? {
    guard location <= UInt(data.count), count <= UInt(data.count) - location else {
      location = UInt(data.count)
      return nil
    }
    let start = data.startIndex + Int(location)
    location += count
    return Data(data[start..<start + Int(count)])
  }

  mutating func byte() -> UInt8? { take(1)?.first }

  mutating func uint() -> UInt? {
    take(8)?.reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) }
  }

  /// Reads a count of eight bytes and that many bytes; nil if the count is 0 or the data too short.
  mutating func bytes() -> Data? {
    guard let count = uint(), count > 0 else { return nil }
    return take(count)
  }

  mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }
}
