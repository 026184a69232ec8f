// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus

/// A host that `--host` can simulate.
enum RunHost: String, ExpressibleByArgument, CaseIterable { case locks }

/// The clock of a run.
enum RunClock: String, ExpressibleByArgument, CaseIterable {
  case real, virtual

  /// Refuses a virtual time on the kernel bus.
  func check(on bus: HIDBusKind) throws(Failure) {
    guard self == .real || bus == .loopback else {
      throw Failure(
        .wrongArguments,
        "--timeline virtual needs the loopback bus: the kernel uses the real clock; "
          + "add --bus loopback")
    }
  }
}
