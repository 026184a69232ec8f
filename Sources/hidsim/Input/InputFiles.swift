// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces
import IOLoop
import SystemPackage

/// Reading of the files that the user names, such as device files, traces, scripts and report
/// descriptors, and of the files that come with hidsim (the library).
enum InputFiles {
  /// The maximum size of a file that is kept in memory, in bytes; scripts have their own limit.
  static let longestTrace = 256 << 20

  /// The expected kind of a file.
  enum Kind: String {
    case devices = "a device file or a trace"
    case trace = "a trace"
    case script = "a script"
    case descriptor = "a report descriptor"
    case stream = "a stream of Android's hid program"
    case report = "the data of a report"

    /// The maximum size of a file that is read, in bytes.
    var longest: Int {
      switch self {
      case .devices, .trace, .descriptor, .stream, .report: InputFiles.longestTrace
      case .script: HIDScript.maximumByteCount
      }
    }
  }

  /// A file that was read.
  struct File {
    let path: String
    let bytes: [UInt8]

    var name: String { InputFiles.name(of: path) }
  }

  /// Returns the last component of a path.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Reads a device file or a trace.
  ///
  /// A name without a slash is also looked up in the library.
  static func read(_ name: String) throws -> File { try read(name, .devices) }

  /// Reads a file with a report descriptor.
  ///
  /// A name without a slash is also looked up in the library.
  ///
  /// A pipe is read as well, such as one of `<(…)`.
  ///
  /// - Returns: Nil if there is no such file, or if it is a character device.
  static func descriptorFile(_ name: String) throws -> File? {
    var status = stat()
    if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFCHR { return nil }
    if let file = try readIfThere(name, .descriptor, allowsPipe: true) { return file }
    guard !name.isEmpty, !name.contains("/") else { return nil }
    return try libraryFile(name, .descriptor)
  }

  private static func read(_ name: String, _ kind: Kind) throws -> File {
    try find(name) { try readIfThere($0, kind) }
  }

  /// Finds a file by its path.
  ///
  /// A name without a slash is also looked up in the library.
  ///
  /// - Parameter open: Opens the file at a path; returns nil if it does not exist.
  static func find<Found>(_ name: String, _ open: (String) throws -> Found?) throws -> Found {
    if let file = try open(name) { return file }
    guard !name.isEmpty, !name.contains("/") else {
      throw Failure(.noInput, "\(name): there is no such file")
    }
    for folder in HIDDeviceLibrary.folders {
      if let file = try open("\(folder)/\(name)") { return file }
    }
    throw Failure(.noInput, "\(name): \(notInLibrary)")
  }

  /// The message about a name that is neither a file nor in the library.
  static let notInLibrary =
    "there is no such file, and none of this name in the library; hidsim devices lists the library"

  static func readIfThere(
    _ path: String, _ kind: Kind, allowsPipe: Bool = false
  ) throws -> File? {
    try contents(of: path, kind, allowsPipe: allowsPipe).map { File(path: path, bytes: $0) }
  }

  /// Reads the bytes of a file; returns nil if it does not exist.
  private static func contents(
    of path: String, _ kind: Kind, allowsPipe: Bool = false
  ) throws -> [UInt8]? {
    try openIfThere(path) { status in
      try check(status, path, kind, allowsPipe: allowsPipe)
    } read: { (file: consuming OwnedDescriptor, status: stat) in
      try bytes(of: file.descriptor, status, path, kind)
    }
  }

  /// Opens a file, non-blocking, and registers it with ``CommandFiles``.
  ///
  /// - Parameters:
  ///   - check: Refuses the file by its status, before and after it is opened.
  ///   - read: Reads the file, whose status is the second argument.
  /// - Returns: The result of `read`; nil if there is no such file.
  /// - Throws: The error of `check` or `read`; a failure in place of an `Errno`.
  static func openIfThere<Value>(
    _ path: String, check: (stat) throws -> Void,
    read: (consuming OwnedDescriptor, stat) throws -> Value
  ) throws -> Value? {
    do {
      // Check before the file is opened: to open a pipe or a device node can affect other programs.
      var status = stat()
      guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
      try check(status)
      let file = try OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
      let descriptor = file.descriptor.rawValue
      guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
      try check(status)
      try CommandFiles.shared.read(descriptor, named: path)
      return try read(file, status)
    } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
      return nil
    } catch let error as Errno {
      throw Failure(.init(error, otherwise: .noInput), "\(path): cannot be read: \(error)")
    }
  }

  /// Reads a file to its end.
  ///
  /// Refuses a file above the limit of its kind, a file compressed with gzip, and an empty pipe.
  ///
  /// The size in `status` is not reliable: a file can grow, and files in /proc have no size. A pipe
  /// ends when all its writers have closed it; a pipe without a writer ends at once.
  private static func bytes(
    of file: FileDescriptor, _ status: stat, _ path: String, _ kind: Kind
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    bytes.reserveCapacity(Int(status.st_size))
    while true {
      let count: Int
      do {
        count = try part.withUnsafeMutableBytes { try file.read(into: $0) }
      } catch Errno.wouldBlock where status.st_mode & S_IFMT == S_IFIFO {
        file.isReadable()
        continue
      }
      if count == 0 { break }
      bytes += part[..<count]
      try check(byteCount: bytes.count, path, kind)
      if kind == .descriptor { try checkDescriptor(bytes, grownBy: count, path) }
    }
    if bytes.isEmpty, status.st_mode & S_IFMT == S_IFIFO {
      throw Failure(.noInput, "\(path): the pipe ended without any data")
    }
    try checkPacked(bytes, path)
    return bytes
  }

  static func checkPacked(_ bytes: [UInt8], _ path: String) throws {
    guard bytes.starts(with: [0x1F, 0x8B]) else { return }
    throw Failure(
      .wrongData, "\(path): compressed with gzip; unpack it first: gunzip -k \(path)")
  }

  private static func check(
    _ status: stat, _ path: String, _ kind: Kind, allowsPipe: Bool
  ) throws {
    let found =
      switch status.st_mode & S_IFMT {
      case S_IFREG: nil as String?
      case S_IFDIR: "a folder"
      case S_IFIFO: allowsPipe ? nil : "a pipe"
      case S_IFSOCK: "a socket"
      case S_IFCHR, S_IFBLK: "a device node"
      default: "not a regular file"
      }
    if let found { throw unexpected(found, at: path, insteadOf: kind) }
    try check(byteCount: Int(status.st_size), path, kind)
  }

  /// Makes the failure for a path that is not the expected type of file.
  static func unexpected(_ found: String, at path: String, insteadOf kind: Kind) -> Failure {
    Failure(
      .noInput, "\(path): this is \(found); expected a regular file: \(kind.rawValue)")
  }

  private static func check(byteCount: Int, _ path: String, _ kind: Kind) throws {
    guard byteCount > kind.longest else { return }
    throw Failure(
      .wrongData,
      "\(path): \(byteCount) bytes; the limit of \(kind.rawValue) is \(kind.longest) bytes")
  }

  /// Refuses a file above the limit of texts with a report descriptor, unless it is a trace.
  ///
  /// Call it after each part that was read: the kind of the file is detected only once, when its
  /// size crosses the limit.
  ///
  /// - Parameters:
  ///   - bytes: All bytes that were read so far.
  ///   - count: The number of bytes at their end that are new since the previous call.
  static func checkDescriptor(_ bytes: [UInt8], grownBy count: Int, _ path: String) throws {
    let limit = HIDDescriptorText.maximumTextByteCount
    guard bytes.count > limit, bytes.count - count <= limit else { return }
    if case .trace = HIDInputFormat.detect(bytes) { return }
    throw Failure(
      .wrongData, "\(path): more than \(limit) bytes, the limit of a report descriptor")
  }

  /// Reads the devices of a file: one from a device file, all from a trace.
  static func devices(named name: String) throws -> [HIDDeviceDefinition] {
    try devices(in: read(name))
  }

  /// Reads the devices of a device file or a trace.
  static func devices(in file: File) throws -> [HIDDeviceDefinition] {
    switch HIDInputFormat.detect(file.bytes) {
    case .trace(let format):
      return try devices(of: recorded(file, format), in: file.path)
    case .deviceFile, .unknown:
      // A file of neither kind is parsed as a device file, since that error has the location of the
      // first fault.
      do throws(HIDDeviceFileError) {
        return [try deviceFile(file)]
      } catch {
        throw bareDescriptor(file, instead: .devices) ?? Failure(.wrongData, error.description)
      }
    }
  }

  /// Reads the device of a device file.
  static func deviceFile(_ file: File) throws(HIDDeviceFileError) -> HIDDeviceDefinition {
    let folder = URL(filePath: file.path).deletingLastPathComponent().path
    return try HIDDeviceFile.parse(file.bytes, name: file.path) { relative in
      guard let bytes = try contents(of: "\(folder)/\(relative)", .descriptor) else {
        throw Failure(.noInput, "there is no such file")
      }
      return bytes
    }
  }

  /// Reads the devices of a trace.
  ///
  /// The warnings about the trace are printed.
  ///
  /// - Parameter warnsOfAnswers: False to leave out the warnings about answers that a trace cannot
  ///   hold.
  static func recorded(
    _ file: File, _ format: HIDTraceFormat, warnsOfAnswers: Bool = true
  ) throws -> [HIDTraceDevice] {
    do throws(HIDTraceError) {
      var options = HIDTraceReadingOptions(format: format, canGiveDescriptors: false) {
        TraceFile.sibling(of: file.path, $0)
      }
      options.warnsOfAnswers = warnsOfAnswers
      var reader = try HIDTraceReader(
        HIDTraceSource(name: file.path, bytes: file.bytes), options: options)
      // So far, the reader has read only the headers of hid-recorder's text, all but the events of
      // a recording of libinput, and everything of the other formats. An error in the rest is an
      // error of the file, too.
      if format == .recorder || format == .libinput { while try reader.next() != nil {} }
      TraceFile.tell(reader.warnings)
      return reader.devices
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  /// Makes the failure for a file that is only a report descriptor, with a remedy; nil for any
  /// other file.
  ///
  /// - Parameter kind: The kind of file that was expected instead.
  static func bareDescriptor(_ file: File, instead kind: Kind) -> Failure? {
    guard file.bytes.count <= HIDDescriptorText.maximumTextByteCount,
      HIDInputFormat.detect(file.bytes) == .unknown
        || HIDDescriptorFormat.detect(file.bytes) != .items,
      let text = try? HIDDescriptorText.read(file.bytes, name: file.path).first,
      (try? HIDReportDescriptor(parsing: text.bytes)) != nil
    else { return nil }
    return Failure(
      .wrongData,
      """
      \(file.path): this is only a report descriptor; \(kind.rawValue) was expected; \
      hidsim describe \(file.path) --as recording makes a recording of it, --as items makes items for a device file
      """)
  }

  /// Makes definitions from the devices of a trace that was read from a file.
  static func devices(
    of recorded: [HIDTraceDevice], in path: String
  ) throws -> [HIDDeviceDefinition] {
    do throws(HIDTraceError) {
      return try HIDDeviceDefinition.devices(of: recorded, name: path)
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  /// Makes the devices of a trace, each USB device of a capture as a whole.
  static func wholeDevices(
    of reader: HIDTraceReader, in path: String
  ) throws -> WholeTraceDevices {
    do throws(HIDTraceError) {
      return try HIDDeviceDefinition.wholeDevices(
        of: reader.devices, name: path, isCapture: reader.format == .usb)
    } catch {
      throw Failure(.wrongData, error.description)
    }
  }

  /// Reads a stream of Android's `hid` program.
  static func stream(_ path: String) throws -> [UInt8] {
    guard let file = try readIfThere(path, .stream, allowsPipe: true) else {
      throw Failure(.noInput, "\(path): there is no such file")
    }
    return file.bytes
  }

  // MARK: The library

  /// Reads the first file with a name in the library's folders; `nil` if no folder has it.
  static func libraryFile(_ name: String, _ kind: Kind) throws -> File? {
    for folder in HIDDeviceLibrary.folders {
      if let file = try readIfThere("\(folder)/\(name)", kind) { return file }
    }
    return nil
  }

  /// Reads the schema of device files from the library.
  static func schema() throws -> File {
    let name = "schema/device-\(HIDDeviceFile.version).json"
    if let file = try libraryFile(name, .descriptor) { return file }
    throw notShipped(name)
  }

  /// Makes the failure for a file that is missing in the library.
  static func notShipped(_ name: String) -> Failure {
    Failure(
      .unavailable,
      "\(name) is not in the library; set HIDSIM_LIBRARY to the folder Descriptors of hidsim")
  }

  /// Reads the device files of the first library folder that has any, sorted by name.
  ///
  /// Files that cannot be read are left out.
  static func library() -> [File] {
    for folder in HIDDeviceLibrary.folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let files = names.filter { $0.hasSuffix(".json") }.sorted()
      if files.isEmpty { continue }
      return files.compactMap { name in
        try? readIfThere("\(folder)/\(name)", .devices)
      }
    }
    return []
  }
}
