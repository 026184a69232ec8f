// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import HIDBus
import HIDSimulator
import KeyboardLayouts

/// The words that a shell offers for an argument.
///
/// The script that `--generate-completion-script` prints contains the words of a list, and lets the
/// shell find files. For the `custom` kinds, the script runs hidsim.
enum Completion {
  /// Device files: those of the library, and all files and folders.
  static let deviceFiles = CompletionKind.custom { _, _, word in
    shippedNames(beginningWith: word) + paths(beginningWith: word)
  }

  /// Plugged devices, by their addresses (`/dev/hidraw3`, `loopback:` and an ID) and names.
  static let devices = CompletionKind.custom { (_, _, word) async in
    await plugged(beginningWith: word)
  }

  /// Device files, other files, and plugged devices.
  static let filesAndDevices = CompletionKind.custom { (_, _, word) async in
    shippedNames(beginningWith: word) + paths(beginningWith: word)
      + (await plugged(beginningWith: word))
  }

  /// Scripts, and folders that may contain scripts.
  static let scripts = CompletionKind.file(extensions: ["hidscript"])

  /// Any files.
  static let files = CompletionKind.file()

  /// Keyboard layouts by their codes.
  static let layouts = CompletionKind.list(KeyboardLayout.codes)

  static let reportTypes = CompletionKind.list(["input", "output", "feature"])

  private static func shippedNames(beginningWith word: String) -> [String] {
    guard !word.contains("/") else { return [] }
    return InputFiles.library().compactMap { file in
      let name = file.name
      return name.hasPrefix(word) ? name : nil
    }
  }

  private static func plugged(beginningWith word: String) async -> [String] {
    let devices = (try? await BusOptions.parse([]).devices()) ?? []
    let names = devices.flatMap { device in
      [device.record.address, device.record.identity.name].filter { $0.hasPrefix(word) }
    }
    // Two interfaces of a device have one name. zsh reads the text after a colon as a description.
    let isZsh = CompletionShell.requesting == .zsh
    return Set(names).sorted().map {
      isZsh ? $0.split(separator: ":").joined(separator: "\\:") : $0
    }
  }

  /// Returns the files and folders whose paths begin with a text.
  ///
  /// Names that begin with a dot are left out, unless the last component of the text begins with
  /// one. If the only match is a folder, returns its contents instead, found in the same way, or
  /// the folder itself if there are none.
  private static func paths(beginningWith word: String) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let start = word.dropFirst(folder.count)
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let found = names.filter { $0.hasPrefix(start) && (!$0.hasPrefix(".") || start.hasPrefix(".")) }
      .sorted().map { folder + $0 }
    // The shell would add a space after the name of a single folder.
    guard found.count == 1, isFolder(found[0]) else { return found }
    let inside = paths(beginningWith: found[0] + "/")
    return inside.isEmpty ? found : inside
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
  }
}
