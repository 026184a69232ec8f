// SPDX-License-Identifier: Apache-2.0

import Glibc
public import SystemPackage

/// Calls a function of the kernel, and calls it again while a signal interrupts it.
///
/// - Parameter call: The function, which returns a negative number and sets `errno` if it fails.
/// - Returns: The result, which is not negative.
/// - Throws: The `Errno` of the call; never `EINTR`.
@inlinable
@inline(__always)
public func retryingOnInterrupt<Result: SignedInteger>(
  _ call: () -> Result
) throws(Errno) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = lastError()
    guard error == .interrupted else { throw error }
  }
}

/// Returns the error of the last call of the kernel on this thread.
@usableFromInline
func lastError() -> Errno { Errno(rawValue: errno) }
