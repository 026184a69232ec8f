// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The value of a button or axis: the newest one, and the one that the handlers were called with
/// last.
final class ElementValue: Sendable {
  private let newest = FloatCell()
  private let delivered = FloatCell()

  /// The newest value.
  var value: Float { newest.value }

  /// True if the newest value is the one that was delivered last.
  ///
  /// Use it on the handler queue of the device.
  var isDelivered: Bool { newest.value == delivered.value }

  /// Sets the newest and the delivered value, so that no handler is called.
  func set(_ value: Float) {
    newest.value = value
    delivered.value = value
  }

  /// Sets the newest value and returns whether it differs from the previous one.
  ///
  /// Call it on the thread that reads the device.
  func update(_ value: Float) -> Bool {
    guard value != newest.value else { return false }
    newest.value = value
    return true
  }

  /// Sets the delivered value.
  ///
  /// Use it on the handler queue of the device.
  ///
  /// - Returns: The value that was delivered before; nil if it is the same.
  func deliver(_ value: Float) -> Float? {
    let last = delivered.value
    guard value != last else { return nil }
    delivered.value = value
    return last
  }
}

/// A number that any thread may read and replace.
final class FloatCell: Sendable {
  private let bits = Atomic<UInt32>(0)

  var value: Float {
    get { Float(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }
}
