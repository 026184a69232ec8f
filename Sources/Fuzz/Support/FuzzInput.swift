// SPDX-License-Identifier: Apache-2.0

/// The bytes that the fuzzer hands over.
///
/// - Parameter start: Where they begin.
/// - Parameter count: How many there are.
public func fuzzInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

/// Ends the run as a finding, with the reason, where a promise is broken.
///
/// A precondition would not say why in an optimised build.
///
/// - Parameter isKept: Whether the promise was kept.
/// - Parameter promise: What should hold, in words.
public func expect(
  _ isKept: Bool, _ promise: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !isKept { fatalError(promise(), file: file, line: line) }
}

/// Numbers from the bytes of an input, over and over.
public struct FuzzMaterial: RandomNumberGenerator {
  private let bytes: [UInt8]
  private var position = 0

  /// Starts at the first byte; without bytes all numbers are 0.
  public init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

  /// The next byte.
  public mutating func byte() -> UInt8 {
    guard !bytes.isEmpty else { return 0 }
    defer { position = position + 1 == bytes.count ? 0 : position + 1 }
    return bytes[position]
  }

  /// The next eight bytes.
  public mutating func next() -> UInt64 {
    (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }

  /// A number of a range, the ends more often than the others.
  ///
  /// - Parameter range: The numbers to choose from.
  public mutating func number(in range: ClosedRange<Int64>) -> Int64 {
    switch byte() & 7 {
    case 0: return range.lowerBound
    case 1: return range.upperBound
    default:
      // No overflow: the remainder is less than the width, if that is not all of 64 bits.
      let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      let offset = width == .max ? next() : next() % (width + 1)
      return Int64(bitPattern: UInt64(bitPattern: range.lowerBound) &+ offset)
    }
  }

  /// So many bytes.
  ///
  /// - Parameter count: How many.
  public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}

/// The bytes of an input, read as a list of steps: each byte is used once.
public struct FuzzSteps: Sendable {
  private var rest: ArraySlice<UInt8>

  /// Starts at the first byte.
  public init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The code of the next step; `nil` at the end.
  public mutating func next() -> UInt8? { rest.popFirst() }

  /// The next byte; 0 after the end.
  public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next 64-bit number: a small one, its negative, one near a power of two, or any.
  ///
  /// It takes two bytes of the input; any number takes eight more.
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

  /// The next bytes; fewer at the end of the input.
  ///
  /// - Parameter count: The number of bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
