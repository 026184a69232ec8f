// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Support to run `hidsim` as another user.
extension Bench {
  /// The words before a shell command that run it as a user without privileges.
  ///
  /// setpriv still has the capabilities of root when it executes the command, and the kernel
  /// removes them by that `exec`. So the permissions of the other user count only for the files
  /// that the command itself opens or executes.
  static let asOtherUser = "setpriv --reuid 65534 --regid 65534 --clear-groups"

  /// Installs `hidsim` in a folder where every user can run it, and removes it after `body`.
  ///
  /// The checkout, the toolchain and the folder for temporary files may be below a folder that
  /// other users cannot enter, such as `/root`. With an umask of 077, only root can run the built
  /// program.
  ///
  /// - Parameter body: The test, which root runs. It gets the path of the installed program.
  func withProgramForOtherUsers(_ body: (String) async throws -> Void) async throws {
    let done = try await finish(
      program: "/bin/bash",
      ["-c", Self.installation, Self.asOtherUser, Self.binary, Self.checkout("")])
    let folder = try #require(done.output.last, "\(done.errors)")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body("\(folder)/hidsim")
  }

  /// A shell script that installs the program, and prints the folder of the installation.
  ///
  /// It copies libraries that other users cannot read to the folder of the program, which is linked
  /// to find them there. For the `sh` between setpriv and a command see ``asOtherUser``.
  private static let installation = """
    umask 022
    other() { $0 sh -c 'exec "$@"' sh "$@"; }
    for parent in "${TMPDIR:-/tmp}" /tmp /run /dev/shm; do
      folder=$(mktemp -d "$parent/hidsim-e2e-others.XXXXXX") || continue
      mkdir "$folder/scripts"
      cp "$1" "$folder/hidsim" &&
        cp -r "$2/Descriptors" "$folder" &&
        cp "$2/scripts/vm" "$2/scripts/70-hidsim.rules" "$folder/scripts" &&
        for library in $(ldd "$1" | awk '$3 ~ "^/" { print $3 }'); do
          other test -r "$library" || cp "$library" "$folder" || break
        done
      chmod -R a+rX "$folder"
      if other "$folder/hidsim" --version >&2; then
        echo "$folder"
        exit
      fi
      rm -rf "$folder"
    done
    echo "user 65534 cannot run a program in any of $TMPDIR, /tmp, /run and /dev/shm" >&2
    exit 1
    """
}
