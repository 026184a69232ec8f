// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import HIDSimulator
import HIDWire
import KeyboardLayouts

/// The words that a shell offers for an argument.
///
/// A shell asks this program, by the script that `--generate-completion-script` has made.
enum Completion {
  /// Device files: those that come with hidsim, and the JSON files and traces that are there.
  static let deviceFiles = CompletionKind.custom { _, _, word in
    shippedNames(beginningWith: word) + paths(beginningWith: word)
  }

  /// Devices that are plugged, by their nodes and names.
  static let devices = CompletionKind.custom { (_, _, word) async in
    await plugged(beginningWith: word)
  }

  /// Device files, other files, and devices that are plugged.
  static let filesAndDevices = CompletionKind.custom { (_, _, word) async in
    shippedNames(beginningWith: word) + paths(beginningWith: word)
      + (await plugged(beginningWith: word))
  }

  /// Scripts, and folders that can have some.
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
    // Two interfaces of a device have one name. zsh takes what follows a colon for a description.
    let isZsh = CompletionShell.requesting == .zsh
    return Set(names).sorted().map {
      isZsh ? $0.split(separator: ":").joined(separator: "\\:") : $0
    }
  }

  /// The files and folders whose paths begin with a text; of one folder alone, what is in it.
  private static func paths(beginningWith word: String) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let start = word.dropFirst(folder.count)
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    let found = names.filter { $0.hasPrefix(start) && (!$0.hasPrefix(".") || start.hasPrefix(".")) }
      .sorted().map { folder + $0 }
    // The shell would put a space behind its name.
    guard found.count == 1, isFolder(found[0]) else { return found }
    let inside = paths(beginningWith: found[0] + "/")
    return inside.isEmpty ? found : inside
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
  }
}
