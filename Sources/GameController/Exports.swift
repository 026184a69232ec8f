// SPDX-License-Identifier: Apache-2.0

// Apple's module makes Foundation visible; most programs import GameController alone.
@_exported public import Foundation

/// The integer of Core Foundation, which Linux's Foundation does not declare: the raw values of
/// ``GCKeyCode``.
public typealias CFIndex = Int
