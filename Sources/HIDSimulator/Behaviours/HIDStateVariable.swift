// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A named value that an interface remembers besides its reports.
public struct HIDStateVariable: Hashable, Sendable {
  /// The type of the value.
  public enum Kind: Hashable, Sendable {
    /// A whole number of 8, 16 or 32 bits.
    case integer(bitCount: Int, isSigned: Bool)
    /// 0 or 1.
    case bool
    /// A fixed number of bytes, from 1 to 4,096.
    case bytes(count: Int)
  }

  /// The name: 1 to 64 ASCII letters, digits, `-` and `_`, a letter first.
  public let name: String
  /// The type of the value.
  public let kind: Kind
  /// The value before the first change.
  public let initial: HIDStateValue

  /// Creates a variable from its parts.
  ///
  /// The initial value is zero, or zeros, if none is given.
  ///
  /// - Precondition: The kind has a valid size, and the initial value fits the kind.
  public init(_ name: String, _ kind: Kind, initial: HIDStateValue? = nil) {
    precondition(kind.isSound, "\(name): \(kind) is not a valid size of a state")
    precondition(
      initial.map(kind.canHold) ?? true, "\(name): \(kind) cannot be \(initial ?? kind.zero)")
    self.name = name
    self.kind = kind
    self.initial = initial ?? kind.zero
  }
}

/// The value of a state.
public enum HIDStateValue: Hashable, Sendable, CustomStringConvertible {
  /// A whole number.
  case integer(Int64)
  /// Bytes.
  case bytes([UInt8])

  /// The number, or the bytes in hexadecimal.
  public var description: String {
    switch self {
    case .integer(let number): "\(number)"
    case .bytes(let bytes): bytes.hexText
    }
  }
}

extension HIDStateVariable.Kind {
  /// The types by the names that device files use; the count of `bytes` is a placeholder.
  static let named: [(String, Self)] = [
    ("u8", .integer(bitCount: 8, isSigned: false)), ("i8", .integer(bitCount: 8, isSigned: true)),
    ("u16", .integer(bitCount: 16, isSigned: false)),
    ("i16", .integer(bitCount: 16, isSigned: true)),
    ("u32", .integer(bitCount: 32, isSigned: false)),
    ("i32", .integer(bitCount: 32, isSigned: true)), ("bool", .bool), ("bytes", .bytes(count: 1)),
  ]

  /// The name of the type, without a count.
  var name: String {
    switch self {
    case .integer(let bits, let isSigned): "\(isSigned ? "i" : "u")\(bits)"
    case .bool: "bool"
    case .bytes: "bytes"
    }
  }

  /// The range of numbers that a state of this type can hold; `nil` for bytes.
  package var range: ClosedRange<Int64>? {
    switch self {
    case .integer(let bits, isSigned: false): 0...(1 << Int64(bits) - 1)
    case .integer(let bits, isSigned: true): -(1 << Int64(bits - 1))...(1 << Int64(bits - 1) - 1)
    case .bool: 0...1
    case .bytes: nil
    }
  }

  /// True if the size is one that a state can have.
  fileprivate var isSound: Bool {
    switch self {
    case .integer(let bits, _): [8, 16, 32].contains(bits)
    case .bool: true
    case .bytes(let count): (1...4096).contains(count)
    }
  }

  /// Returns whether a state of this type can hold a value.
  fileprivate func canHold(_ value: HIDStateValue) -> Bool {
    switch (self, value) {
    case (.bytes(let count), .bytes(let bytes)): bytes.count == count
    case (.bytes, .integer), (_, .bytes): false
    case (_, .integer(let number)): range?.contains(number) ?? false
    }
  }

  var zero: HIDStateValue {
    if case .bytes(let count) = self { return .bytes(Array(repeating: 0, count: count)) }
    return .integer(0)
  }

  /// Returns the number that a state of this type stores for a given number.
  ///
  /// An integer state stores the low bits. A bool state stores 1 unless the number is 0.
  func wrapped(_ number: Int64) -> Int64 {
    guard case .integer(let bits, let isSigned) = self else { return number == 0 ? 0 : 1 }
    let low = number & (1 << Int64(bits) - 1)
    let isNegative = isSigned && low >> Int64(bits - 1) == 1
    return isNegative ? low - 1 << Int64(bits) : low
  }
}
