// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

/// An object of a manager, on its way to a callback.
///
/// Callbacks are called where the manager and its parts are used: on the main queue. The object is
/// used nowhere else, and the box is only stored and handed on between: so it is safe to send.
struct Confined<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object) { self.value = value }
}
