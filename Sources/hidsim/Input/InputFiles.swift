// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HIDSimulator
import HIDTraces

/// The files a person names: device files, recordings and scripts.
enum InputFiles {
  /// The largest file that is read, in bytes: what a recording may have.
  private static let longest = 256 << 20

  /// A file that was read.
  struct File {
    let path: String
    let bytes: [UInt8]
  }

  /// Reads a file; a name that is not a path is looked up in the shipped library as well.
  static func read(_ name: String) throws -> File {
    var candidates = [name]
    if !name.contains("/") { candidates += libraryFolders.map { "\($0)/\(name)" } }
    for path in candidates where access(path, F_OK) == 0 {
      return File(path: path, bytes: try contents(of: path))
    }
    let looked = name.contains("/") ? "" : ", nor is it in the library (hidsim devices lists it)"
    throw Failure(.noInput, "\(name): there is no such file\(looked)")
  }

  /// Reads a script or a recording: a path and nothing else.
  static func readPath(_ path: String) throws -> File {
    guard access(path, F_OK) == 0 else { throw Failure(.noInput, "\(path): there is no such file") }
    return File(path: path, bytes: try contents(of: path))
  }

  private static func contents(of path: String) throws -> [UInt8] {
    do {
      var isFolder = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
        throw Failure(
          .noInput, "\(path): this is a folder; a device file or recording was expected")
      }
      let data = try Data(contentsOf: URL(filePath: path))
      guard data.count <= longest else {
        throw Failure(.wrongData, "\(path): \(data.count) bytes, and the limit is \(longest)")
      }
      if data.starts(with: [0x1F, 0x8B]) {
        throw Failure(
          .wrongData, "\(path): compressed with gzip; unpack it first: gunzip -k \(path)")
      }
      return [UInt8](data)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.noInput, "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
  }

  /// The devices in a file: one of a device file, all of a recording.
  static func devices(in file: File) throws -> [HIDDeviceDefinition] {
    switch HIDInputFormat.detect(file.bytes) {
    case .deviceFile, .unknown:
      // A file of neither kind is best told off as a device file: with the place where it stops being one.
      let folder = URL(filePath: file.path).deletingLastPathComponent().path
      do throws(HIDDeviceFileError) {
        return [
          try HIDDeviceFile.parse(file.bytes, name: file.path) { relative in
            try contents(of: folder.isEmpty ? relative : "\(folder)/\(relative)")
          }
        ]
      } catch {
        throw Failure(.wrongData, error.description)
      }
    case .recording:
      let recording = try recording(file)
      do throws(HIDRecordingError) {
        return try HIDDeviceDefinition.devices(of: recording, name: file.path)
      } catch {
        throw Failure(.wrongData, error.description)
      }
    }
  }

  /// Reads a recording.
  static func recording(_ file: File) throws -> HIDRecording {
    do throws(HIDRecordingError) {
      let recording = try HIDRecording.parse(file.bytes, name: file.path)
      for warning in recording.warnings { Output.shared.note("warning: \(warning)") }
      return recording
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  /// Reads a script, and looks its names up on some devices.
  static func script(_ path: String, for devices: [HIDDeviceDefinition]) throws -> HIDScript {
    let file = try readPath(path)
    do throws(HIDScriptError) {
      return try HIDScript.parse(file.bytes, name: file.path).resolved(for: devices)
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  // MARK: The library

  /// Where shipped device files are: `$HIDSIM_LIBRARY`, `share/hidsim` beside the program, or the
  /// checkout it was built in.
  private static var libraryFolders: [String] {
    var folders: [String] = []
    if let named = getenv("HIDSIM_LIBRARY") { folders.append(String(cString: named)) }
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

  /// The device files of the library, sorted by name.
  static func library() -> [File] {
    for folder in libraryFolders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let files = names.filter { $0.hasSuffix(".json") }.sorted()
      if files.isEmpty { continue }
      return files.compactMap { name in
        (try? contents(of: "\(folder)/\(name)")).map { File(path: "\(folder)/\(name)", bytes: $0) }
      }
    }
    return []
  }
}
