// SPDX-License-Identifier: Apache-2.0

/// A value that expectations can change: `#expect` takes no calls of mutating methods.
final class Box<Value: ~Copyable> {
  var value: Value
  init(_ value: consuming Value) { self.value = value }
}
