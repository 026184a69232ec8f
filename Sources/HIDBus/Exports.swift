// SPDX-License-Identifier: Apache-2.0

// Public declarations of this library name these types, whose modules are not products.
@_exported public import class IOLoop.IOLoop
@_exported public import struct IOLoop.MonotonicTime
