// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDSimulator
import HIDText
import HIDTraces
import IOLoop
import SystemPackage

/// The options of the commands that read traces.
struct TraceOptions: ParsableArguments {
  @Option(
    name: .customLong("descriptor"),
    help: ArgumentHelp(
      "The report descriptor of a device that the trace has none for.",
      discussion: """
        A file in any form that hidsim describe reads, or a device. Give one for each such device, in their order.
        """,
      valueName: "file|device"), completion: Completion.filesAndDevices)
  var descriptors: [String] = []
  @Flag(help: "Warn of wrong counts, wrong times and unknown lines, and go on.")
  var lenient = false

  /// Makes the rule that refuses standard input as both a trace and a report descriptor.
  func standardInputRule(_ traces: String...) -> OptionRule {
    .excludes(
      "- as the trace", traces.contains("-"), ["--descriptor -": descriptors.contains("-")],
      because: OptionRule.oneStandardInput, remedy: "name a file for one of them")
  }

  /// Makes the options for reading a trace, with the descriptors of `--descriptor`.
  func reading(_ trace: String) async throws -> HIDTraceReadingOptions {
    var options = HIDTraceReadingOptions(isLenient: lenient)
    options.sibling = { TraceFile.sibling(of: trace, $0) }
    for word in descriptors {
      let found = try await DescriptorSource.load(word, from: nil, BusOptions.parse([]))
      options.descriptors += found.map(\.bytes)
    }
    return options
  }

  /// Opens a trace: a file, a file of the library, a pipe, or `-` for standard input.
  ///
  /// - Parameter observing: Returns a source of the same bytes, which observes the reads.
  func reader(
    _ word: String, observing: (HIDTraceSource) -> HIDTraceSource = { $0 }
  ) async throws -> HIDTraceReader {
    let options = try await reading(word)
    let reader = try HIDTraceReader(observing(TraceFile.source(word)), options: options)
    try check(options, of: reader.devices, in: word)
    return reader
  }

  /// Opens two traces with the same options.
  func readers(_ first: String, _ second: String) async throws -> (HIDTraceReader, HIDTraceReader) {
    let options = (try await reading(first), try await reading(second))
    let readers = (
      try HIDTraceReader(TraceFile.source(first), options: options.0),
      try HIDTraceReader(TraceFile.source(second), options: options.1)
    )
    try check(options.0, of: readers.0.devices, readers.1.devices, in: "\(first), \(second)")
    return readers
  }

  /// Refuses given report descriptors that no device of any of the traces has.
  ///
  /// - Parameters:
  ///   - options: The options with which each of the traces was read.
  ///   - traces: The devices of each trace.
  ///   - name: The names of the traces.
  func check(
    _ options: HIDTraceReadingOptions, of traces: [HIDTraceDevice]..., in name: String
  ) throws {
    var rests = traces.map { $0.map(\.descriptor) }
    for descriptor in options.descriptors {
      // Each trace is read with all descriptors, so one descriptor is enough for a device of each.
      var isNeeded = false
      for index in rests.indices {
        guard let place = rests[index].firstIndex(of: descriptor) else { continue }
        rests[index].remove(at: place)
        isNeeded = true
      }
      guard isNeeded else {
        throw Failure(
          .wrongArguments,
          """
          \(name): --descriptor: no device needs a report descriptor of \(descriptor.count) bytes: leave it out; \
          the devices have these:
          \(Array(traces.joined()).listing)
          """)
      }
    }
  }
}

extension [HIDTraceDevice] {
  /// The devices with their numbers, one per line.
  var listing: String {
    zip(self, labels).enumerated().map { index, device in
      "  \(index + 1)  \"\(device.1)\", report descriptor of \(device.0.descriptor.count) bytes"
    }.joined(separator: "\n")
  }
}

/// Opening of the traces that the user names.
enum TraceFile {
  /// Opens a trace: a file, or a file of the library.
  ///
  /// A pipe or standard input (`-`) is copied to a temporary file first, since traces are read
  /// twice.
  static func source(_ word: String) throws -> HIDTraceSource {
    guard word != "-" else {
      return try checked(kept(.standardInput, name: "standard input"))
    }
    return try checked(InputFiles.find(word, opened))
  }

  /// The maximum size of a file that is read beside a trace, in bytes.
  private static let longestSibling = 16 << 20

  /// Reads the file with the path of a trace, but another ending.
  ///
  /// - Returns: Nil if the file cannot be read, or is longer than 16 MiB.
  static func sibling(of trace: String, _ end: String) -> [UInt8]? {
    let path = URL(filePath: trace).deletingPathExtension().path + end
    guard let file = try? ReadableFile(path: path),
      (try? CommandFiles.shared.read(path: path)) != nil,
      let bytes = try? file.read(at: 0, count: longestSibling + 1), bytes.count <= longestSibling
    else { return nil }
    return bytes
  }

  /// Prints the warnings about a trace that is still usable.
  static func tell(_ warnings: [HIDTextProblem]) {
    for warning in warnings { Output.shared.note("warning: \(warning)") }
  }

  /// Opens the file at a path; returns nil if it does not exist.
  private static func opened(_ path: String) throws -> HIDTraceSource? {
    try InputFiles.openIfThere(path) { status in
      try check(status, path)
    } read: { (file: consuming OwnedDescriptor, status: stat) -> HIDTraceSource in
      guard status.st_mode & S_IFMT == S_IFREG else {
        return try kept(file.descriptor, name: path)
      }
      return HIDTraceSource(name: path, file: ReadableFile(takingOwnershipOf: file.release()))
    }
  }

  private static func check(_ status: stat, _ path: String) throws {
    let found =
      switch status.st_mode & S_IFMT {
      case S_IFREG, S_IFIFO: nil as String?
      case S_IFDIR: "a folder"
      case S_IFSOCK: "a socket"
      case S_IFCHR, S_IFBLK: "a device node"
      default: "not a regular file"
      }
    if let found { throw InputFiles.unexpected(found, at: path, insteadOf: .trace) }
  }

  /// Copies the input, to its end, into a temporary file without a name.
  private static func kept(_ input: FileDescriptor, name: String) throws -> HIDTraceSource {
    let output = try TemporaryFile.make()
    let file = ReadableFile(takingOwnershipOf: output)
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count: Int
      do {
        count = try part.withUnsafeMutableBytes { try input.read(into: $0) }
      } catch Errno.wouldBlock {
        input.isReadable()
        continue
      } catch let error as Errno {
        throw Failure(.init(error, otherwise: .noInput), "\(name): cannot be read: \(error)")
      }
      if count == 0 { break }
      do {
        _ = try output.writeAll(part[..<count])
      } catch {
        throw Failure(
          (error as? Errno).map { .init($0, otherwise: .unavailable) } ?? .unavailable,
          "\(name): cannot be copied to a temporary file: \(error); set TMPDIR to another folder")
      }
    }
    return HIDTraceSource(name: name, file: file)
  }

  /// Refuses an empty file, a file compressed with gzip, and a device file.
  private static func checked(_ source: HIDTraceSource) throws -> HIDTraceSource {
    let start: [UInt8]
    do throws(Errno) {
      start = try source.read(at: 0, count: 1 << 16)
    } catch {
      throw Failure(
        .init(error, otherwise: .noInput), "\(source.name): cannot be read: \(error)")
    }
    if start.isEmpty {
      throw Failure(.wrongData, "\(source.name): this is empty; a trace was expected")
    }
    try InputFiles.checkPacked(start, source.name)
    if HIDInputFormat.detect(start) == .deviceFile {
      throw Failure(
        .wrongData,
        "\(source.name): this is a device file, and a trace was expected; hidsim run plugs it")
    }
    return source
  }
}
