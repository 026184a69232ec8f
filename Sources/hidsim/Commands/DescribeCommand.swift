// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSimulator

struct DescribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe", abstract: "Print a report descriptor, in any of twelve forms.",
    usage: "hidsim describe <file|device> [<other>] [<options>]",
    discussion: """
      A descriptor comes from a file, from standard input (-), or from a plugged device. hidsim recognises the form of a \
      file: bytes, hex, an array of C, text of hid-decode, "Usage Page (...)" lines, a device file or its items, the \
      kernel's rdesc, a trace of hid-recorder, libinput or umockdev, a capture of USB packets (pcap, pcapng), or commands of \
      Android's hid program.

        hidsim describe keyboard.json               collections, reports, fields
        hidsim describe /dev/hidraw0 --as c         an array of C with comments
        hidsim describe mouse.bin --as items        items, for a device file
        hidsim describe capture.pcapng              each device of a capture
        hidsim describe mouse.bin --as evdev        the event nodes of Linux
        hidsim describe mouse.json --as usb         the USB device, as lsusb -v
        hidsim describe old.hex --as diff new.hex   what changed for a host

      The forms text, c, items, lines, hex, bin and recording work for a faulty descriptor, too.

      Exit status: with --as diff 1 if a host sees a difference.
      """)

  /// A form of output.
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
    case usb
    case diff

    /// The text format of the form; `nil` for `json`, `evdev`, `usb` and `diff`.
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
      case .json, .evdev, .usb, .diff: nil
      }
    }

    /// True if only one descriptor can be printed in the form.
    ///
    /// With several, the output would not show where the next descriptor begins.
    var takesOne: Bool { self == .bin || self == .hex }

    /// True if the output in this form depends on `--reading`.
    var hasReading: Bool { self == .tree || self == .json || self == .diff }
  }

  @Argument(
    help: ArgumentHelp(
      "A file with report descriptors, a trace, - or a device.", valueName: "file|device"),
    completion: Completion.filesAndDevices)
  var source: String
  @Argument(
    help: ArgumentHelp("With --as diff, the descriptor to compare with.", valueName: "other"),
    completion: Completion.filesAndDevices)
  var other: String?
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The form to print.",
      discussion: """
        tree: collections, reports and fields, then the bytes. text: bytes and items, as hid-decode. c: an \
        array of C. json: reports, fields and collections. items: items by name, as in device files. lines: \
        items in words. hex, bin: the bytes. recording: the first lines of a trace. evdev: the event nodes of Linux and \
        the event of each control, without drivers of vendors. usb: the descriptors of the USB device of \
        --bus usb. diff: what changed.
        """,
      valueName: "form"))
  var form: Form = .tree
  @Option(
    help: ArgumentHelp(
      "How tree, json and diff read the descriptor.",
      discussion: "linux: as a Linux host does. specification: as HID 1.11 says."))
  var reading: Reading = .linux
  @OptionGroup var options: DescriptorOptions

  /// The rules for reading a descriptor.
  enum Reading: String, ExpressibleByArgument, CaseIterable {
    case linux
    case specification

    var reading: HIDReading { self == .linux ? .linux : .specification }
  }

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--as diff", form == .diff, "another file or device", other != nil,
        because: "--as diff compares two report descriptors"),
      .needs(
        "\"\(other ?? "")\"", other != nil, "--as diff", form == .diff,
        because: "only --as diff prints two files or devices"),
      .needs(
        "--reading \(reading.rawValue)", reading != .linux, "--as tree, json or diff",
        form.hasReading,
        because: "--as \(form.rawValue) "
          + (form == .evdev ? "always reads as Linux does" : "prints the same with every --reading")
      ),
      .excludes(
        "--as usb", form == .usb, ["--pick": options.pick != nil],
        because: "--as usb prints whole devices, with all their interfaces"),
      .excludes(
        "- as the file", source == "-", ["- as the other": other == "-"],
        because: OptionRule.oneStandardInput, remedy: "name a file instead of one - of the two"))
  }

  func run() async throws {
    try await reporting {
      if form == .diff, let other {
        try await printDifferences(to: other)
        return
      }
      if form == .usb {
        try await printUSBDevices()
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
          case .json, .items, .hex, .bin, .usb, .diff: break
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
      // A refused descriptor would give a tree with only the reason and the bytes: it is an error
      // instead.
      if form == .tree { _ = try source.parsed(reading: reading.reading) }
      Output.shared.write(
        HIDDescriptorText.write(
          source.bytes, as: format, name: source.label, identity: source.identity,
          reading: reading.reading))
    } else {
      try source.parsed(reading: reading.reading).writeJSON { Output.shared.write($0) }
    }
  }

  private func printUSBDevices() async throws {
    let devices = try await options.devices(of: source)
    for (index, device) in devices.enumerated() {
      if devices.count > 1 {
        if index > 0 { Output.shared.print("") }
        Output.shared.print("# \(device.name)")
      }
      do throws(HIDBusError) {
        Output.shared.write(Array(try device.usbDescription().text.utf8))
      } catch {
        throw Failure(.wrongData, "\(source): \(error.message)")
      }
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
          ? "the bytes are the same"
          : "the bytes differ, but a host reads both descriptors in the same way")
      return
    }
    throw ExitCode(Failure.Status.failed.rawValue)
  }
}
