// SPDX-License-Identifier: Apache-2.0

// Apple's module makes Foundation visible.
@_exported public import Foundation
