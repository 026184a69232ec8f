// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Something an interface remembers under a name, besides its reports.
public struct HIDStateVariable: Hashable, Sendable {
  /// What it can hold.
  public enum Kind: Hashable, Sendable {
    /// A whole number of so many bits, 8, 16 or 32.
    case integer(bitCount: Int, isSigned: Bool)
    /// 0 or 1.
    case bool
    /// So many bytes, from 1 to 4,096.
    case bytes(count: Int)
  }

  /// The name: letters, digits, `-` and `_`, a letter first.
  public let name: String
  /// What it can hold.
  public let kind: Kind
  /// What it holds before anything happens.
  public let initial: HIDStateValue

  /// Creates a variable from its parts; zero, or zeros, if nothing is said of its first value.
  ///
  /// - Precondition: The kind has one of the sizes that it names, and can hold the first value.
  public init(_ name: String, _ kind: Kind, initial: HIDStateValue? = nil) {
    precondition(kind.isSound, "\(name): \(kind) is not a valid size of a state")
    precondition(
      initial.map(kind.canHold) ?? true, "\(name): \(kind) cannot be \(initial ?? kind.zero)")
    self.name = name
    self.kind = kind
    self.initial = initial ?? kind.zero
  }
}

/// What a state holds.
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
  /// The types by the names that device files use, and whether a count stands beside them.
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

  /// The numbers it can hold; `nil` for bytes.
  var range: ClosedRange<Int64>? {
    switch self {
    case .integer(let bits, isSigned: false): 0...(1 << Int64(bits) - 1)
    case .integer(let bits, isSigned: true): -(1 << Int64(bits - 1))...(1 << Int64(bits - 1) - 1)
    case .bool: 0...1
    case .bytes: nil
    }
  }

  /// Whether it has a size that a state can have.
  fileprivate var isSound: Bool {
    switch self {
    case .integer(let bits, _): [8, 16, 32].contains(bits)
    case .bool: true
    case .bytes(let count): (1...4096).contains(count)
    }
  }

  /// Whether it can hold a value.
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

  /// The number as it is once stored: its low bits; for a bool whether it is not zero.
  func wrapped(_ number: Int64) -> Int64 {
    guard case .integer(let bits, let isSigned) = self else { return number == 0 ? 0 : 1 }
    let low = number & (1 << Int64(bits) - 1)
    let isNegative = isSigned && low >> Int64(bits - 1) == 1
    return isNegative ? low - 1 << Int64(bits) : low
  }
}
