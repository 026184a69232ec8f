// SPDX-License-Identifier: Apache-2.0

import Glibc
package import SystemPackage

/// A descriptor that is closed when the last reference to this object is released.
package final class OwnedDescriptor: Sendable {
  package let descriptor: FileDescriptor

  package init(takingOwnershipOf descriptor: FileDescriptor) { self.descriptor = descriptor }
  deinit { _ = Glibc.close(descriptor.rawValue) }
}
