// SPDX-License-Identifier: Apache-2.0

// Apple's module makes Foundation visible, and most programs import only GameController.
@_exported public import Foundation

/// The integer type of Core Foundation, which is the type of the raw values of ``GCKeyCode``.
///
/// Foundation on Linux does not declare it.
public typealias CFIndex = Int
