// SPDX-License-Identifier: Apache-2.0

/// Returns the bytes that the fuzzer hands over.
///
/// - Parameter start: The first byte.
/// - Parameter count: The number of bytes.
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

/// Ends the run as a finding, with the reason, if a promise is broken.
///
/// A precondition would not print the reason in an optimised build.
///
/// - Parameter isKept: True if the promise was kept.
/// - Parameter promise: The text of the finding.
public func expect(
  _ isKept: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !isKept { fatalError(promise(), file: file, line: line) }
}

/// Returns an input in pieces of 1 to 7 bytes, as a connection may deliver it.
///
/// The bytes of the input also choose the lengths of the pieces.
public func fuzzPieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
  var lengths = FuzzMaterial(bytes)
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = rest.prefix(Int(lengths.byte() % 7) + 1)
    pieces.append(piece)
    rest = rest.dropFirst(piece.count)
  }
  return pieces
}

/// A source of numbers from the bytes of an input, which are used again and again.
public struct FuzzMaterial: RandomNumberGenerator {
  private let bytes: [UInt8]
  private var position = 0

  /// Starts at the first byte; without bytes, every byte that is returned is 0.
  public init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  /// Returns the next byte.
  public mutating func byte() -> UInt8 {
    guard !bytes.isEmpty else { return 0 }
    defer { position = position + 1 == bytes.count ? 0 : position + 1 }
    return bytes[position]
  }

  /// Returns the number that the next eight bytes form, the first as the most significant.
  public mutating func next() -> UInt64 {
    (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }

  /// Returns a number of a range, the ends more often than the others.
  ///
  /// - Parameter range: The numbers to choose from.
  public mutating func number(in range: ClosedRange<Int64>) -> Int64 {
    switch byte() & 7 {
    case 0: return range.lowerBound
    case 1: return range.upperBound
    default:
      // No overflow: the remainder is less than the width, unless the width is all of 64 bits.
      let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      let offset = width == .max ? next() : next() % (width + 1)
      return Int64(bitPattern: UInt64(bitPattern: range.lowerBound) &+ offset)
    }
  }

  /// Returns the next `count` bytes.
  ///
  /// - Parameter count: The number of bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}

/// The bytes of an input, read as a list of steps: each byte is used once.
public struct FuzzSteps: Sendable {
  private var rest: ArraySlice<UInt8>

  /// Starts at the first byte.
  public init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Returns the code of the next step; `nil` at the end.
  public mutating func next() -> UInt8? { rest.popFirst() }

  /// Returns the next byte; 0 after the end.
  public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Returns the next 64-bit number: a small one, its negative, one near a power of two, or any.
  ///
  /// It takes two bytes of the input, and eight more for a number of the last kind.
  public mutating func number() -> UInt64 {
    let low = UInt64(byte())
    switch byte() {
    case let exponent where exponent < 64: return (1 << UInt64(exponent)) &+ low &- 1
    case let exponent where exponent < 128: return (1 << UInt64(exponent & 63)) &- low
    case ..<192: return low
    case ..<224: return 0 &- low
    default: return (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }
  }

  /// Returns the next bytes; fewer at the end of the input.
  ///
  /// - Parameter count: The number of bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
