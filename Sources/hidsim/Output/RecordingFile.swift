// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDTraces
import IOLoop
import Synchronization
import SystemPackage

/// The file that a trace is written to while it is recorded.
///
/// Each write consists of whole lines, or of whole blocks of a capture, so that the file is a trace
/// whenever and however the program ends.
final class RecordingFile: Sendable {
  /// The maximum number of bytes of one write, unless a line is longer.
  private static let chunk = 16 * 1024
  /// The time to wait after a write, in which more lines can arrive.
  private static let pause = Duration.milliseconds(20)

  /// The name of the file in messages.
  let name: String
  private let descriptor: FileDescriptor
  /// The owner of the open file; nil for standard output.
  private let owner: OwnedDescriptor?
  private var isStandardOutput: Bool { owner == nil }
  /// True for a capture of USB packets, which consists of blocks instead of lines.
  let isCapture: Bool
  private let written = Atomic<Int>(0)
  private let events = Mutex(TraceLineCount())
  private let packetCount = Atomic<Int>(0)

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - path: The path of the file; nil or `-` for standard output.
  ///   - isForced: True to overwrite an existing file.
  init(_ path: String?, isForced: Bool) throws {
    isCapture = Self.namesCapture(path)
    guard let path, path != "-" else {
      name = "standard output"
      descriptor = .standardOutput
      owner = nil
      return
    }
    name = path
    var status = stat()
    // A pipe or a device has no contents that could be overwritten.
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    var options: FileDescriptor.OpenOptions = [.create, .closeOnExec]
    if isForced || isSpecial { options.insert(.truncate) } else { options.insert(.exclusiveCreate) }
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: options,
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      owner = OwnedDescriptor(takingOwnershipOf: descriptor)
    } catch Errno.fileExists {
      throw Failure.exists(path)
    } catch {
      throw Failure.unwritable(path, error)
    }
  }

  /// Refuses a path where a regular file exists; does not open or create the file.
  ///
  /// - Parameter isForced: True to accept an existing file.
  static func check(_ path: String?, isForced: Bool) throws {
    guard let path, path != "-", !isForced else { return }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    throw Failure.exists(path)
  }

  /// True if the file of a path is a capture of USB packets: its name ends with `.pcapng`.
  static func namesCapture(_ path: String?) -> Bool { path?.hasSuffix(".pcapng") == true }

  /// Refuses the name of a capture of USB packets for a recording without whole USB devices.
  static func checkNoCapture(_ path: String?) throws {
    guard let path, namesCapture(path) else { return }
    throw Failure(
      .wrongArguments,
      """
      \(path): only the USB bus has USB packets to capture: use "hidsim run --bus usb" or "hidsim serve", \
      or a name that does not end with .pcapng
      """)
  }

  /// True if a progress line is shown on standard error.
  ///
  /// Standard error is then a terminal that can show it, and the trace is not written to a standard
  /// output that is a terminal.
  var hasProgress: Bool { ProgressLine.isShown && !(isStandardOutput && isatty(1) != 0) }

  /// The number of bytes that were written so far.
  var writtenByteCount: Int { written.load(ordering: .relaxed) }

  /// The way in which the writing ended.
  enum Ending: Sendable {
    case whole
    /// The reader of standard output has left, as in `| head`; it needs no further lines.
    case unread
    case failed(Failure)
  }

  /// Prints the reason why nothing more is written; prints nothing for `whole`.
  func tell(_ ending: Ending) {
    switch ending {
    case .whole: break
    case .unread: Output.shared.note("\(name): its reader has gone; the recording ends")
    case .failed(let failure): Output.shared.complain(failure.description)
    }
  }

  /// Writes a recording as it grows, to its end.
  ///
  /// After an error, all further lines are discarded.
  ///
  /// - Parameters:
  ///   - whenBegun: Called once, when the beginning is written.
  ///   - whenOver: Called once, when a write has failed, with the reason.
  /// - Returns: `whole`, or the reason why a write failed.
  func write(
    _ recording: some RecordedBytes, whenBegun: @Sendable () -> Void = {},
    whenOver: @Sendable (Ending) -> Void
  ) async -> Ending {
    var ending = Ending.whole
    var hasBegun = false
    while let bytes = await recording.take() {
      guard case .whole = ending else { continue }
      let result: Result<Void, Errno>
      do throws(Errno) {
        result = try await Thread.call { self.write(bytes) }
      } catch {
        result = .failure(error)
      }
      if case .failure(let error) = result {
        ending =
          isStandardOutput && error == .brokenPipe
          ? .unread : .failed(failure(error))
        recording.stopWaiting()
        whenOver(ending)
        continue
      }
      if !hasBegun { whenBegun() }
      hasBegun = true
      // More lines often follow soon: one write then takes them together.
      _ = try? await Timeline.real.sleep(for: Self.pause)
    }
    return ending
  }

  private func failure(_ error: Errno) -> Failure {
    let what = isCapture ? "packet" : "event"
    let count =
      isCapture ? packetCount.load(ordering: .relaxed) : events.withLock { $0.events }
    let part =
      count == 0 ? "no \(what)" : count == 1 ? "one \(what)" : "the first \(count) \(what)s"
    let failure = Failure.unwritable(name, error)
    return Failure(failure.status, "\(failure); it holds \(part)")
  }

  private func write(_ bytes: [UInt8]) -> Result<Void, Errno> {
    var start = 0
    while start < bytes.count {
      var end = min(bytes.count, start + Self.chunk)
      if end < bytes.count {
        let whole = wholeEnd(bytes, from: start, to: end)
        end = whole > start ? whole : firstEnd(bytes, from: start, after: end)
      }
      let (count, error) = put(bytes[start..<end])
      if let error {
        let whole = wholeEnd(bytes, from: start, to: start + count)
        note(bytes[start..<whole])
        cut(start + count - whole)
        return .failure(error)
      }
      note(bytes[start..<end])
      start = end
    }
    return .success(())
  }

  /// Counts the events in whole lines, or the packets in whole blocks.
  private func note(_ bytes: ArraySlice<UInt8>) {
    guard isCapture else { return events.withLock { $0.add(bytes) } }
    let count = CaptureBlocks(bytes).count(where: \.isPacket)
    packetCount.wrappingAdd(count, ordering: .relaxed)
  }

  /// Returns the end of the last line or block that begins at a start and ends at most at a limit;
  /// the start if there is none.
  private func wholeEnd(_ bytes: [UInt8], from start: Int, to limit: Int) -> Int {
    guard isCapture else {
      return bytes[start..<limit].lastIndex(of: 0x0A).map { $0 + 1 } ?? start
    }
    return CaptureBlocks(bytes[start..<limit]).reduce(start) { $1.end }
  }

  /// Returns the end of a line or block that is longer than a chunk.
  private func firstEnd(_ bytes: [UInt8], from start: Int, after end: Int) -> Int {
    if isCapture { return CaptureBlocks(bytes[start...]).first { _ in true }?.end ?? bytes.count }
    return bytes[end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
  }

  /// Writes bytes, and returns how many were written and the error that stopped it.
  private func put(_ bytes: ArraySlice<UInt8>) -> (count: Int, error: Errno?) {
    var count = 0
    while count < bytes.count {
      do {
        let part = try bytes.dropFirst(count).withUnsafeBytes { try descriptor.write($0) }
        count += part
        written.wrappingAdd(part, ordering: .relaxed)
      } catch {
        return (count, error as? Errno ?? .ioError)
      }
    }
    return (count, nil)
  }

  /// Removes an incomplete line from the end of the file.
  private func cut(_ byteCount: Int) {
    var status = stat()
    guard byteCount > 0, !isStandardOutput, fstat(descriptor.rawValue, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return }
    _ = ftruncate(descriptor.rawValue, status.st_size - off_t(byteCount))
  }
}

/// The whole blocks of a capture that hidsim has written, whose numbers are little-endian.
private struct CaptureBlocks: Sequence, IteratorProtocol {
  struct Block {
    let isPacket: Bool
    /// The index of the byte after the block.
    let end: Int
  }

  private var rest: ArraySlice<UInt8>

  /// Makes the sequence of the blocks that begin at the start of bytes and end within them.
  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> Block? {
    guard rest.count >= 12 else { return nil }
    func word(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(rest[rest.startIndex + offset + $1]) << (8 * $1) }
    }
    let count = word(4)
    guard count >= 12, count <= rest.count else { return nil }
    let block = Block(isPacket: word(0) == 6, end: rest.startIndex + count)
    rest = rest.dropFirst(count)
    return block
  }
}

/// The number of events in lines of a recording, which has no `B:` lines.
private struct TraceLineCount: Sendable {
  /// The starts of the `#!` lines of events; an input report has an `E:` line.
  private static let starts = HIDTraceEvent.names
    .filter { $0 != .input && $0 != .original }
    .map { Array("#! \($0.word) ".utf8) }

  private(set) var events = 0

  /// Counts the events in whole lines.
  mutating func add(_ lines: ArraySlice<UInt8>) {
    var rest = lines
    while let first = rest.first {
      let isEvent =
        first == UInt8(ascii: "E")
        || first == UInt8(ascii: "#") && Self.starts.contains { rest.starts(with: $0) }
      if isEvent { events += 1 }
      guard let end = rest.firstIndex(of: 0x0A) else { return }
      rest = rest[(end + 1)...]
    }
  }
}
