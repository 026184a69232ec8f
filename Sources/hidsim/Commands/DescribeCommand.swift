// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor

struct DescribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Print a report descriptor: what it means, or in any other form.",
    discussion: """
      A descriptor comes from a file, from standard input (-), or from a device that is plugged. What a \
      file is written in is found out: bytes, hex, an array of C, hid-decode's text, "Usage Page (…)" lines, a \
      device file or its items, the kernel's rdesc, or a trace: one of hid-recorder, libinput or umockdev, a capture of USB \
      packets (pcap, pcapng), commands of Android's hid program.

        hidsim describe keyboard.json               collections, reports, fields
        hidsim describe /dev/hidraw0 --as c         an array of C with comments
        hidsim describe mouse.bin --as items        items, for a device file
        hidsim describe capture.pcapng              each device that the capture has
        hidsim describe mouse.bin --as evdev        what Linux makes of it
        hidsim describe old.hex --as diff new.hex   what changed for a host
        hidsim describe <(xxd -r -p dump.txt)       what another program prints

      With --as diff the exit status is 1 where a host sees a difference. text, c, items, lines, hex, bin and \
      recording can be printed of a descriptor that nobody accepts, too.
      """)

  /// What can be printed.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case tree
    case text
    case c
    case json
    case items
    case lines
    case hex
    case bin
    case recording
    case evdev
    case diff

    /// The form as a text; `nil` for the others.
    var format: HIDDescriptorFormat? {
      switch self {
      case .tree: .tree
      case .text: .text
      case .c: .c
      case .items: .items
      case .lines: .lines
      case .hex: .hex
      case .bin: .binary
      case .recording: .recording
      case .json, .evdev, .diff: nil
      }
    }

    /// Whether the form is of one descriptor: of several, it could not be told where the next begins.
    var takesOne: Bool { self == .bin || self == .hex }

    /// Whether the form says what the descriptor means.
    var hasReading: Bool { self == .tree || self == .json || self == .diff }
  }

  @Argument(
    help: ArgumentHelp(
      "A file with report descriptors, a trace, - or a device.", valueName: "file|device"))
  var source: String
  @Argument(
    help: ArgumentHelp("With --as diff, what to compare with.", valueName: "other"))
  var other: String?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "What to print.",
      discussion: """
        tree: collections, reports and fields, then the bytes. text: bytes and items, as hid-decode. c: an \
        array of C. json: reports, fields and collections. items: items by name, as in device files. lines: \
        items in words. hex, bin: the bytes. recording: the head of a recording. evdev: the event nodes of Linux and \
        the event of each control, unless a driver of the vendor takes the device. diff: what changed.
        """,
      valueName: "form"))
  var form: Form = .tree
  @Option(
    help: ArgumentHelp(
      "Whose reading tree, json and diff show, where they differ.",
      discussion: "linux: what a Linux host sees. specification: the letter of HID 1.11."))
  var reading: Reading = .linux
  @OptionGroup var options: DescriptorOptions

  /// Whose reading of a descriptor.
  enum Reading: String, ExpressibleByArgument, CaseIterable {
    case linux
    case specification

    var reading: HIDReading { self == .linux ? .linux : .specification }
  }

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--as diff", form == .diff, "another file or device", other != nil,
        because: "it compares two"),
      .needs(
        "\"\(other ?? "")\"", other != nil, "--as diff", form == .diff,
        because: "the other forms are of one file or device"),
      .needs(
        "--reading \(reading.rawValue)", reading != .linux, "--as tree, json or diff",
        form.hasReading,
        because: "--as \(form.rawValue) "
          + (form == .evdev ? "is what Linux reads" : "does not depend on it")),
      .excludes(
        "- as the file", source == "-", ["- as the other": other == "-"],
        because: "standard input has one text", remedy: "name a file for one of them"))
  }

  func run() async throws {
    try await reporting {
      if form == .diff, let other {
        try await printDifferences(to: other)
        return
      }
      let sources =
        form.takesOne
        ? [try await options.descriptor(of: source)] : try await options.descriptors(of: source)
      for (index, source) in sources.enumerated() {
        var source = source
        if sources.count > 1 {
          switch form {
          case .tree, .text, .lines, .evdev:
            if index > 0 { Output.shared.print("") }
            Output.shared.print("# \(source.label ?? "descriptor \(index + 1)")")
          case .c: source.label = source.label ?? "report_descriptor_\(index + 1)"
          case .recording: Output.shared.print("D: \(index)")
          case .json, .items, .hex, .bin, .diff: break
          }
        }
        try print(source)
      }
    }
  }

  private func print(_ source: DescriptorSource) throws {
    if form == .evdev {
      let descriptor = try source.parsed()
      let mapping = EvdevMapping(of: descriptor, driver: descriptor.group.driver)
      Output.shared.write(Array(mapping.text.utf8))
    } else if let format = form.format {
      // A tree of what is refused has nothing but the reason and the bytes.
      if form == .tree { _ = try source.parsed(reading: reading.reading) }
      Output.shared.write(
        HIDDescriptorText.write(
          source.bytes, as: format, name: source.label, identity: source.identity,
          reading: reading.reading))
    } else {
      try source.parsed(reading: reading.reading).writeJSON { Output.shared.write($0) }
    }
  }

  private func printDifferences(to other: String) async throws {
    let first = try await options.descriptor(of: source)
    let second = try await options.descriptor(of: other)
    let differences = try first.parsed(reading: reading.reading).differences(
      to: second.parsed(reading: reading.reading))
    for difference in differences { Output.shared.print(difference.description) }
    if differences.isEmpty {
      Output.shared.note(
        first.bytes == second.bytes
          ? "the bytes are the same" : "the same for a host; the bytes differ")
      return
    }
    throw ExitCode(Failure.Status.failed.rawValue)
  }
}
