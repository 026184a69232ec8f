// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import Glibc

/// The words after `--`, which belong to another program.
///
/// The parser allows only one list of arguments, and `run` already uses it for its files.
enum Passthrough {
  /// The commands that accept words after `--`, or refuse them with a reason.
  static let commands = [
    "run", "bench", "stick", "serve", "drive", "android", "test", "replay", "proxy", "vm", "pedals",
  ]

  /// The words; nil without `--`, and for a command that is not in ``commands``.
  ///
  /// `vm` needs no `--`: its words begin at the first one that is not an option.
  @TaskLocal static var words: [String]?

  /// Refuses a `--` without a command after it.
  static func checkCommand() throws {
    if words?.isEmpty == true {
      throw ValidationError("there is no command after --: name one, or leave -- out")
    }
  }

  /// Returns words as bytes, each with a 0 at its end.
  ///
  /// If they are the last words of the command line, returns their original bytes, UTF-8 or not.
  static func bytes(of words: [String]) -> [[UInt8]] {
    let written = words.map { Array($0.utf8) + [0] }
    let given = (0..<Int(CommandLine.argc)).suffix(words.count).map { index in
      CommandLine.unsafeArgv[index].map { word in
        UnsafeBufferPointer(start: word, count: strlen(word) + 1).map { UInt8(bitPattern: $0) }
      } ?? []
    }
    let areThose = given.map { Array(String(decoding: $0, as: UTF8.self).utf8) } == written
    return areThose ? given : written
  }

  /// The variables of the environment in their original bytes, each with a 0 at its end.
  ///
  /// Entries without a `=` after the first byte, or whose first byte is a digit, are left out.
  static var environment: [[UInt8]] {
    var variables: [[UInt8]] = []
    guard var next = clinux_environment() else { return [] }
    while let variable = next.pointee {
      let bytes = UnsafeBufferPointer(start: variable, count: strlen(variable) + 1).map {
        UInt8(bitPattern: $0)
      }
      if let first = bytes.first, !(0x30...0x39).contains(first), bytes.dropFirst().contains(0x3D) {
        variables.append(bytes)
      }
      next += 1
    }
    return variables
  }
}
