// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HIDSimulator
import HIDText

/// Scripts, what they include, and the devices that they need.
extension InputFiles {
  /// The text of a script and of what it includes, read and found to be in order.
  struct ScriptText {
    let text: String
    /// The texts of what it includes, by path.
    let files: [String: String]
  }

  /// Reads a script and what it includes, as text.
  static func scriptText(_ path: String, variables: [String: String]) throws -> ScriptText {
    guard let file = try readIfThere(path, .script) else {
      throw Failure(.noInput, "\(path): there is no such file")
    }
    var files: [String: String] = [:]
    do throws(HIDScriptError) {
      _ = try HIDScript.parse(file.bytes, name: path, variables: variables) { path in
        let bytes = try included(path, besides: file.path)
        files[path] = String(decoding: bytes, as: UTF8.self)
        return bytes
      }
    } catch {
      throw Failure(.wrongData, error.description)
    }
    return ScriptText(text: String(decoding: file.bytes, as: UTF8.self), files: files)
  }

  /// Reads a script and what it includes, its names not yet looked up.
  ///
  /// - Parameter variables: What is set from outside.
  static func script(_ path: String, variables: [String: String]) throws -> HIDScript {
    guard let file = try readIfThere(path, .script) else {
      throw Failure(.noInput, "\(path): there is no such file")
    }
    do throws(HIDScriptError) {
      return try HIDScript.parse(file.bytes, name: file.path, variables: variables) {
        try included($0, besides: file.path)
      }
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  /// The devices that a script asks for by `needs`, each of which stands beside it or in the library.
  static func devices(neededBy script: HIDScript) throws -> [HIDDeviceDefinition] {
    try script.deviceFiles.flatMap { needed in
      do {
        return try devices(in: file(needed.name, besides: needed.file))
      } catch let failure as Failure where failure.status == .noInput {
        throw Failure(.noInput, "\(needed.file):\(needed.location): \(failure.description)")
      }
    }
  }

  /// Finds a device file by its path from the folder of another file on, or by its name in the shipped library.
  static func file(_ name: String, besides other: String) throws -> File {
    let folder = other.lastIndex(of: "/").map { String(other[...$0]) } ?? ""
    let path = name.hasPrefix("/") ? name : folder + name
    if let file = try readIfThere(path, .devices) { return file }
    if !name.contains("/"), let file = try libraryFile(name, .devices) { return file }
    throw Failure(
      .noInput,
      "\(path): \(name.contains("/") ? "there is no such file" : notInLibrary)")
  }

  /// Reads a file that a script includes; one that a link leads out of the script's folder to is none of its.
  private static func included(_ path: String, besides script: String) throws -> [UInt8] {
    func folder(of path: String) -> String {
      URL(filePath: path).deletingLastPathComponent().resolvingSymlinksInPath().path
    }
    guard let file = try readIfThere(path, .script) else {
      throw Failure(.noInput, "there is no such file")
    }
    let real = URL(filePath: path).resolvingSymlinksInPath().path
    guard real.hasPrefix(folder(of: script) + "/") else {
      throw Failure(.noInput, "a link leads to a file outside the script's folder")
    }
    return file.bytes
  }
}

extension HIDScript {
  /// The words of the script's program, its path as seen from the working directory; none without
  /// a program.
  var programWords: [String] {
    guard let program, let name = program.words.first else { return [] }
    guard name.contains("/"), !name.hasPrefix("/") else { return program.words }
    let folder = program.file.lastIndex(of: "/").map { String(program.file[...$0]) } ?? "./"
    return [folder + name] + program.words.dropFirst()
  }

  /// Looks the script's names up on some devices.
  func lookedUp(on devices: [HIDDeviceDefinition]) throws -> HIDScript {
    do throws(HIDScriptError) {
      return try resolved(for: devices)
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }
}
