// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDSimulator
import HIDSystem
import HIDText
import HIDWire

/// The options of the commands that read report descriptors.
struct DescriptorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How the file is written, instead of finding out.",
      discussion: HIDDescriptorFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "format"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "Which of several descriptors in a file: its number, from 1, or its name.",
      valueName: "number|name"))
  var pick: String?
  @OptionGroup var busOptions: BusOptions

  func format() throws -> HIDDescriptorFormat? {
    guard let from else { return nil }
    let other = ["bin": "binary", "json": "items"][from] ?? from
    guard let format = HIDDescriptorFormat(rawValue: other) else {
      let known = HIDDescriptorFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("the format is \"\(from)\": expected one of \(known)")
    }
    return format
  }

  /// The descriptors in a file or of a device, at least one.
  func descriptors(of word: String) async throws -> [DescriptorSource] {
    let all = try await DescriptorSource.load(word, from: format(), busOptions)
    guard let pick else { return all }
    let chosen = all.enumerated().filter { "\($0.offset + 1)" == pick || $0.element.label == pick }
    guard !chosen.isEmpty else {
      throw Failure(
        .noInput, "\(word): no descriptor is \"\(pick)\"; there are:\n" + Self.listing(all))
    }
    return chosen.map(\.element)
  }

  /// The one descriptor in a file or of a device.
  func descriptor(of word: String) async throws -> DescriptorSource {
    let all = try await descriptors(of: word)
    guard all.count == 1 else {
      throw Failure(
        .wrongArguments,
        "\(word): \(all.count) descriptors; say which with --pick:\n" + Self.listing(all))
    }
    return all[0]
  }

  private static func listing(_ all: [DescriptorSource]) -> String {
    all.enumerated().map { index, source in
      "  \(index + 1)  \(source.label ?? "without a name"), \(source.bytes.count.counting("byte"))"
    }.joined(separator: "\n")
  }
}

/// A report descriptor that somebody named on the command line.
struct DescriptorSource {
  /// The file or device.
  let name: String
  /// What the file calls the descriptor, where it has several or a name for it.
  let label: String?
  let bytes: [UInt8]
  /// Where its bytes stand in the file; `nil` for a device, and in a binary file.
  var text: HIDDescriptorText?
  /// The names that a device file gives to controls.
  var controls: [String: String] = [:]

  /// Reads the descriptors of a file, of standard input (`-`), or of a device.
  ///
  /// A node is a device; any other path that exists is a file; a name may be of a file in the library.
  static func load(
    _ word: String, from format: HIDDescriptorFormat?, _ busOptions: BusOptions
  ) async throws -> [DescriptorSource] {
    if let file = try await file(word) { return try read(file, format) }
    guard format == nil else {
      throw Failure(.noInput, "\(word): there is no such file")
    }
    let hosts = try busOptions.hosts()
    let device = try await DeviceArgument.find(word, on: hosts, orFile: true)
    return [
      DescriptorSource(
        name: device.address, label: device.identity.name, bytes: device.descriptorBytes)
    ]
  }

  private static func file(_ word: String) async throws -> InputFiles.File? {
    guard word == "-" else { return try InputFiles.descriptorFile(word) }
    var bytes: [UInt8] = []
    for await chunk in StandardInput.chunks() {
      bytes += chunk
      guard bytes.count <= HIDDescriptorText.maximumTextByteCount else {
        throw Failure(
          .wrongData,
          "standard input: more than \(HIDDescriptorText.maximumTextByteCount) bytes, the limit of a report descriptor"
        )
      }
    }
    return InputFiles.File(path: "standard input", bytes: bytes)
  }

  private static func read(
    _ file: InputFiles.File, _ format: HIDDescriptorFormat?
  ) throws -> [DescriptorSource] {
    // A device file names controls, and its descriptor may stand in a file beside it.
    let isDeviceFile =
      (format == nil || format == .items) && HIDInputFormat.detect(file.bytes) == .deviceFile
    let interfaces =
      isDeviceFile ? (try? InputFiles.devices(in: file))?.flatMap(\.interfaces) ?? [] : []
    do throws(HIDTextProblem) {
      let texts = try HIDDescriptorText.read(file.bytes, name: file.path, format: format)
      return texts.enumerated().map { index, text in
        let controls = texts.count == interfaces.count ? interfaces[index].controls : [:]
        return DescriptorSource(
          name: file.path, label: text.name, bytes: text.bytes, text: text, controls: controls)
      }
    } catch {
      guard !interfaces.isEmpty else { throw Failure(.wrongData, error.description) }
      return interfaces.map {
        DescriptorSource(
          name: file.path, label: $0.name, bytes: $0.descriptor.bytes, controls: $0.controls)
      }
    }
  }

  /// The descriptor, or a failure that says where it is wrong.
  func parsed(reading: HIDReading = .linux) throws -> HIDReportDescriptor {
    do throws(HIDReportDescriptorError) {
      return try HIDReportDescriptor(parsing: bytes, reading: reading)
    } catch {
      throw Failure(
        .wrongData, "\(place(of: error.offset)): \(error); hidsim lint \(name) says more")
    }
  }

  /// The file, with line and column of a byte where it has them.
  func place(of offset: Int?) -> String {
    guard let offset, let location = text?.location(ofByte: offset) else { return name }
    return "\(name):\(location)"
  }
}
