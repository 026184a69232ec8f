// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HIDSessions
import HIDSimulator

/// Reading of scripts, their included files, and the devices that they need.
extension InputFiles {
  /// The texts of a script and of its included files, which have been parsed without an error.
  struct ScriptText {
    let text: String
    /// The texts of the included files, by path.
    let files: [String: String]
  }

  /// Reads the texts of a script and of its included files.
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

  /// Parses a script and its included files.
  ///
  /// The names in the script are not looked up on devices yet.
  ///
  /// - Parameter variables: The variables that the command line sets.
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

  /// Reads device files, and the script that plays them.
  ///
  /// - Parameters:
  ///   - files: The device files; none for the devices that the script needs.
  ///   - script: The script; nil for none.
  ///   - settings: The values of its variables.
  static func devices(
    in files: [String], playedBy script: String?, _ settings: [ScriptVariable]
  ) throws -> ([HIDDeviceDefinition], HIDScript?) {
    var definitions: [HIDDeviceDefinition] = []
    for file in files { definitions += try devices(in: InputFiles.read(file)) }
    guard let script else { return (definitions, nil) }
    let read = try InputFiles.script(script, variables: ScriptVariable.values(settings))
    if files.isEmpty {
      definitions = try devices(neededBy: read)
      if definitions.isEmpty {
        throw Failure(
          .wrongArguments,
          "\(read.name) names no device by \"needs\": name a device file, such as keyboard.json")
      }
    }
    return (definitions, try read.lookedUp(on: definitions))
  }

  /// Reads the devices that a script names with `needs`.
  ///
  /// A path is relative to the folder of the file with the `needs` line. A name without a slash may
  /// also be that of a file in the library.
  static func devices(neededBy script: HIDScript) throws -> [HIDDeviceDefinition] {
    try script.deviceFiles.flatMap { needed in
      do {
        return try devices(in: file(needed.name, besides: needed.file))
      } catch let failure as Failure where failure.status == .noInput {
        throw Failure(.noInput, "\(needed.file):\(needed.location): \(failure.description)")
      }
    }
  }

  /// Reads a device file or a trace by its path, relative to the folder of another file, or by its
  /// name in the library.
  static func file(_ name: String, besides other: String) throws -> File {
    let folder = other.lastIndex(of: "/").map { String(other[...$0]) } ?? ""
    let path = name.hasPrefix("/") ? name : folder + name
    if let file = try readIfThere(path, .devices) { return file }
    if !name.contains("/"), let file = try libraryFile(name, .devices) { return file }
    throw Failure(
      .noInput,
      "\(path): \(name.contains("/") ? "there is no such file" : notInLibrary)")
  }

  /// Reads a file that a script includes.
  ///
  /// Refuses a file outside the script's folder, where a symbolic link may lead.
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
  /// The script's program and its arguments; empty without a program.
  ///
  /// A relative path in the script is relative to the folder of the file that names the program; it
  /// becomes relative to the working directory. A name without a slash stays as it is.
  var programWords: [String] {
    guard let program, let name = program.words.first else { return [] }
    guard name.contains("/"), !name.hasPrefix("/") else { return program.words }
    let folder = program.file.lastIndex(of: "/").map { String(program.file[...$0]) } ?? "./"
    return [folder + name] + program.words.dropFirst()
  }

  /// Looks up the script's names on some devices.
  func lookedUp(on devices: [HIDDeviceDefinition]) throws -> HIDScript {
    do throws(HIDScriptError) {
      return try resolved(for: devices)
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }
}
