// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import IOLoop

/// The device files that come with hidsim.
public enum HIDDeviceLibrary {
  /// The folders that can hold the device files; a file is taken from the first folder that has it.
  ///
  /// They are `$HIDSIM_LIBRARY`, if it is set, and folders beside and above the program.
  public static var folders: [String] {
    var folders: [String] = []
    if let named = ProcessEnvironment["HIDSIM_LIBRARY"] { folders.append(named) }
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    var folder = URL(filePath: program).deletingLastPathComponent()
    for _ in 0..<6 {
      folders.append(folder.appending(path: "share/hidsim/Descriptors").path)
      folders.append(folder.appending(path: "Descriptors").path)
      folder = folder.deletingLastPathComponent()
    }
    return folders
  }
}
