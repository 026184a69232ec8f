// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSimulator
import IOLoop
import Synchronization
import SystemPackage

/// Where a trace is written to, while it is recorded.
///
/// What is written at a time is whole lines, so that the file is a trace whenever the program ends, however it ends.
final class RecordingFile: Sendable {
  /// How much is written at a time, in bytes, if lines are not longer.
  private static let chunk = 16 * 1024
  /// How long is waited for more after something was written.
  private static let pause = Duration.milliseconds(20)

  /// What messages call it.
  let name: String
  private let descriptor: FileDescriptor
  private let isStandardOutput: Bool
  private let written = Atomic<Int>(0)

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - path: Its path; nil or `-` for standard output.
  ///   - isForced: Whether a file that is there is written over.
  init(_ path: String?, isForced: Bool) throws {
    isStandardOutput = path == nil || path == "-"
    guard let path, path != "-" else {
      name = "standard output"
      descriptor = .standardOutput
      return
    }
    name = path
    var status = stat()
    // A pipe or a device is nothing that could be written over.
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    var options: FileDescriptor.OpenOptions = [.create, .closeOnExec]
    if isForced || isSpecial { options.insert(.truncate) } else { options.insert(.exclusiveCreate) }
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: options,
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch Errno.fileExists {
      throw Self.isThere(path)
    } catch {
      throw Failure(.outputFailed, "\(path): cannot be written: \(error)")
    }
  }

  deinit { if !isStandardOutput { try? descriptor.close() } }

  /// Refuses, before anything else is done, a file that is there.
  static func check(_ path: String?, isForced: Bool) throws {
    guard let path, path != "-", !isForced else { return }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    throw isThere(path)
  }

  private static func isThere(_ path: String) -> Failure {
    Failure(.wrongArguments, "\(path): there is such a file; --force writes over it")
  }

  /// Whether a person at a terminal sees how it goes on, and not the trace itself.
  var hasProgress: Bool { isatty(2) != 0 && !(isStandardOutput && isatty(1) != 0) }

  /// How many bytes were written so far.
  var writtenByteCount: Int { written.load(ordering: .relaxed) }

  /// How the writing ended.
  enum Ending: Sendable {
    case whole
    /// The reader of standard output has left, as in `| head`: nobody misses the rest.
    case unread
    case failed(Failure)
  }

  /// Tells why nothing more is written; nothing where all was.
  func tell(_ ending: Ending) {
    switch ending {
    case .whole: break
    case .unread: Output.shared.note("\(name): its reader has gone, which ends the recording")
    case .failed(let failure): Output.shared.complain(failure.description)
    }
  }

  /// Writes a recording as it grows, to its end; what cannot be written is thrown away.
  ///
  /// - Parameters:
  ///   - whenBegun: Is called once, when the beginning is written.
  ///   - whenOver: Is called once, when no more can be written, with the reason.
  func write(
    _ recording: TraceRecording, whenBegun: @Sendable () -> Void = {},
    whenOver: @Sendable (Ending) -> Void
  ) async -> Ending {
    var ending = Ending.whole
    var hasBegun = false
    while let bytes = await recording.take() {
      guard case .whole = ending else { continue }
      if case .failure(let error) = await Blocking.run({ self.write(bytes) }) {
        ending =
          isStandardOutput && error == .brokenPipe
          ? .unread : .failed(Failure(.outputFailed, "\(name): cannot be written: \(error)"))
        recording.hurry()
        whenOver(ending)
        continue
      }
      if !hasBegun { whenBegun() }
      hasBegun = true
      // What comes next is often not far.
      _ = try? await Timeline.real.sleep(for: Self.pause)
    }
    return ending
  }

  private func write(_ bytes: [UInt8]) -> Result<Void, Errno> {
    var start = 0
    while start < bytes.count {
      var end = min(bytes.count, start + Self.chunk)
      if end < bytes.count {
        let line = bytes[start..<end].lastIndex(of: 0x0A) ?? bytes[end...].firstIndex(of: 0x0A)
        end = line.map { $0 + 1 } ?? bytes.count
      }
      do {
        written.wrappingAdd(try descriptor.writeAll(bytes[start..<end]), ordering: .relaxed)
      } catch {
        return .failure(error as? Errno ?? .ioError)
      }
      start = end
    }
    return .success(())
  }
}
