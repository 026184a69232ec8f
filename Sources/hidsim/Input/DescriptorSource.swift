// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDSimulator
import HIDBus
import HIDText
import HIDTraces

/// The options of the commands that read report descriptors.
struct DescriptorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The form of the file; default: detected.",
      discussion: HIDDescriptorFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      valueName: "format"))
  var from: String?
  @Option(
    help: ArgumentHelp(
      "The descriptor of a file with several: its number from 1, or name.",
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

  /// Reads the descriptors of a file or of a device, at least one; with `--pick`, only those that
  /// the option selects.
  func descriptors(of word: String) async throws -> [DescriptorSource] {
    try await numbered(word).map(\.source)
  }

  /// Reads the one descriptor of a file or of a device, or the one that `--pick` selects; fails if
  /// there are several.
  func descriptor(of word: String) async throws -> DescriptorSource {
    let all = try await numbered(word)
    guard all.count == 1 else {
      throw Failure(
        .wrongArguments,
        "\(word): \(all.count) descriptors; say which with --pick:\n" + Self.listing(all))
    }
    return all[0].source
  }

  /// Reads the devices of a file, or a whole device that is plugged; at least one.
  ///
  /// A report descriptor without a device has the name of its file.
  func devices(of word: String) async throws -> [HIDDeviceDefinition] {
    try await DescriptorSource.devices(word, from: format(), busOptions)
  }

  /// Returns the selected descriptors, each with its number in the file.
  private func numbered(_ word: String) async throws -> [Numbered] {
    let all = try await DescriptorSource.load(word, from: format(), busOptions).enumerated()
      .map { Numbered(number: $0.offset + 1, source: $0.element) }
    guard let pick else { return all }
    let chosen = all.filter { "\($0.number)" == pick || $0.source.label == pick }
    guard !chosen.isEmpty else {
      throw Failure(
        .noInput,
        "\(word): no descriptor has the number or name \"\(pick)\"; there are:\n"
          + Self.listing(all))
    }
    return chosen
  }

  private struct Numbered {
    let number: Int
    let source: DescriptorSource
  }

  private static func listing(_ all: [Numbered]) -> String {
    all.map { numbered in
      let source = numbered.source
      let label = source.label ?? "without a name"
      return "  \(numbered.number)  \(label), \(source.bytes.count.counting("byte"))"
    }.joined(separator: "\n")
  }
}

/// A report descriptor that the command line names.
struct DescriptorSource {
  /// The path of the file, `standard input`, or the address of the device.
  let name: String
  /// The name of the descriptor or of its device; `nil` if the file gives none.
  ///
  /// In a trace other than hid-recorder's text, a device without a name is `device 1` and so on.
  var label: String?
  let bytes: [UInt8]
  /// The locations of the bytes in the file; `nil` if they are not known.
  ///
  /// They are not known for a device, for a trace other than hid-recorder's text, and for a device
  /// file whose descriptor is in another file.
  var text: HIDDescriptorText?
  /// The names that a device file gives to its elements.
  var controls: [String: String] = [:]
  /// The identity of the device, if it is known.
  var identity: HIDDescriptorText.Identity?
  /// The findings of lint about the settings of the device; only a device file has these.
  var fileFindings: [HIDLintFinding] = []
  /// The problems of the device file, which are those of its first descriptor.
  var problems: [HIDTextProblem] = []

  /// Reads the descriptors of a file, of standard input (`-`), or of a device.
  ///
  /// A device node is read as a device, and any other path that exists as a file. A name may also
  /// be that of a file in the library. If `format` is given, a device is refused.
  static func load(
    _ word: String, from format: HIDDescriptorFormat?, _ busOptions: BusOptions
  ) async throws -> [DescriptorSource] {
    if let file = try await file(word) { return try read(file, format) }
    guard format == nil else {
      throw Failure(.noInput, "\(word): there is no such file")
    }
    let device = try await DeviceArgument.find(word, on: busOptions, orFile: true).record
    return [
      DescriptorSource(
        name: device.address, label: device.identity.name, bytes: device.descriptorBytes,
        identity: HIDDescriptorText.Identity(device.identity))
    ]
  }

  /// Reads the devices of a file, of standard input (`-`), or a plugged device with all its
  /// interfaces.
  static func devices(
    _ word: String, from format: HIDDescriptorFormat?, _ busOptions: BusOptions
  ) async throws -> [HIDDeviceDefinition] {
    if let file = try await file(word) {
      let kind = HIDInputFormat.detect(file.bytes)
      switch kind {
      case .trace(let trace) where format == nil:
        return try InputFiles.devices(
          of: InputFiles.recorded(file, trace, warnsOfAnswers: false), in: file.path)
      case .deviceFile where format == nil || format == .items:
        return try InputFiles.devices(in: file)
      default: return try read(file, format).map { try $0.device() }
      }
    }
    guard format == nil else {
      throw Failure(.noInput, "\(word): there is no such file")
    }
    let all = try await busOptions.devices()
    let found = try DeviceArgument.find(word, among: all, orFile: true, asWhole: true)
    return [try HIDDeviceDefinition(of: found.record.interfaces(among: all.map(\.record)))]
  }

  /// Makes a device that has only this report descriptor.
  private func device() throws -> HIDDeviceDefinition {
    HIDDeviceDefinition(
      name: label ?? InputFiles.name(of: name), vendorID: identity?.vendorID ?? 0,
      productID: identity?.productID ?? 0,
      interfaces: [HIDInterfaceDefinition(descriptor: try parsed())])
  }

  /// The name of standard input in messages.
  private static let standardInputName = "standard input"

  private static func file(_ word: String) async throws -> InputFiles.File? {
    guard word == "-" else { return try InputFiles.descriptorFile(word) }
    var bytes: [UInt8] = []
    for await chunk in try StandardInput.chunks() {
      bytes += chunk
      try InputFiles.checkDescriptor(bytes, grownBy: chunk.count, standardInputName)
      guard bytes.count <= InputFiles.longestTrace else {
        throw Failure(
          .wrongData,
          "\(standardInputName): more than \(InputFiles.longestTrace) bytes, the limit of a trace")
      }
    }
    return InputFiles.File(path: standardInputName, bytes: bytes)
  }

  private static func read(
    _ file: InputFiles.File, _ format: HIDDescriptorFormat?
  ) throws -> [DescriptorSource] {
    let kind = HIDInputFormat.detect(file.bytes)
    if format == nil, case .trace(let trace) = kind, trace != .recorder {
      return try recorded(file, trace)
    }
    // A device file names elements, and its descriptor may be in another file of its folder.
    let isDeviceFile = (format == nil || format == .items) && kind == .deviceFile
    var devices: [HIDDeviceDefinition] = []
    var problems: [HIDTextProblem] = []
    if isDeviceFile {
      do throws(HIDDeviceFileError) {
        devices = [try InputFiles.deviceFile(file)]
      } catch {
        // Other objects in JSON are descriptors too, such as those that hidsim show prints.
        var reader = JSONReader(file.bytes, file: file.path)
        let root = try? reader.only()
        if root == nil || root?["hidsim"] != nil { problems = error.problems }
      }
    }
    let interfaces = devices.flatMap(\.interfaces)
    let fileFindings = devices.flatMap { $0.fileFindings() }
    do throws(HIDTextProblem) {
      let texts = try HIDDescriptorText.read(
        kind == .trace(.recorder) ? headers(of: file.bytes) : file.bytes, name: file.path,
        format: format)
      return texts.enumerated().map { index, text in
        let isInterface = texts.count == interfaces.count
        return DescriptorSource(
          name: file.path, label: text.name, bytes: text.bytes, text: text,
          controls: isInterface ? interfaces[index].controls : [:], identity: text.identity,
          fileFindings: isInterface ? fileFindings[index] : [], problems: index == 0 ? problems : []
        )
      }
    } catch {
      guard !interfaces.isEmpty else {
        throw Failure(
          .wrongData,
          problems.isEmpty
            ? error.description : problems.map(\.description).joined(separator: "\n"))
      }
      return devices.flatMap { device in
        zip(device.interfaces, device.fileFindings()).map { interface, findings in
          DescriptorSource(
            name: file.path, label: interface.name, bytes: interface.descriptor.bytes,
            controls: interface.controls,
            identity: HIDDescriptorText.Identity(
              vendorID: device.vendorID, productID: device.productID), fileFindings: findings)
        }
      }
    }
  }

  /// Reads the report descriptors of the devices of a trace.
  ///
  /// A recording of hid-recorder is read as text instead, so that each byte has a location.
  private static func recorded(
    _ file: InputFiles.File, _ format: HIDTraceFormat
  ) throws -> [DescriptorSource] {
    let devices = try InputFiles.recorded(file, format, warnsOfAnswers: false)
    return zip(devices, devices.labels).map { device, label in
      DescriptorSource(
        name: file.path, label: label, bytes: device.descriptor,
        identity: device.identity.map {
          HIDDescriptorText.Identity(
            busType: $0.busType, vendorID: $0.vendorID, productID: $0.productID)
        })
    }
  }

  /// Empties the `E:` lines and the comments of a recording that is too long for a text with a
  /// descriptor.
  ///
  /// The comments `#! hidsim trace` and `#! unidentified` stay. A shorter recording is returned
  /// unchanged.
  private static func headers(of bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > HIDDescriptorText.maximumTextByteCount else { return bytes }
    var headers: [UInt8] = []
    let marks = ["#! hidsim trace", "#! unidentified"].map { Array($0.utf8) }
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      // Every line keeps its line break, so that the line numbers after it stay right.
      let isComment = line.first == 0x23 && !marks.contains { line.starts(with: $0) }
      if line.first != 0x45, !isComment { headers += line }
      headers.append(0x0A)
    }
    return headers
  }

  /// Parses the descriptor.
  ///
  /// - Throws: A failure with the location of the first fault.
  func parsed(reading: HIDReading = .linux) throws -> HIDReportDescriptor {
    do throws(HIDReportDescriptorError) {
      return try HIDReportDescriptor(parsing: bytes, reading: reading)
    } catch {
      let argument = name == Self.standardInputName ? "-" : name
      throw Failure(
        .wrongData, "\(place(of: error.offset)): \(error); hidsim lint \(argument) says more")
    }
  }

  /// Returns the name of the file, with the line and column of a byte if they are known.
  func place(of offset: Int?) -> String {
    guard let offset, let location = text?.location(ofByte: offset) else { return name }
    return "\(name):\(location)"
  }
}

extension HIDDescriptorText.Identity {
  /// Makes the identity that a recording can hold.
  ///
  /// It has the bus type of the transport, and the low 16 bits of the vendor ID and the product ID.
  fileprivate init(_ identity: HIDDeviceIdentity) {
    self.init(
      busType: identity.transport.busType, vendorID: UInt16(truncatingIfNeeded: identity.vendorID),
      productID: UInt16(truncatingIfNeeded: identity.productID))
  }
}
