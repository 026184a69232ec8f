// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

/// A weak reference that passes an object of a manager to a callback.
///
/// It is safe to send. The object is used only on the main queue, where the manager and its
/// callbacks run; other threads only store and pass the reference.
struct Confined<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object) { self.value = value }
}
