// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDText

struct DescribeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Print a report descriptor: what it means, or in any other form.",
    discussion: """
      A descriptor comes from a file, from standard input (-), or from a device that is plugged. What a \
      file is written in is found out: bytes, hex, an array of C, hid-decode's text, "Usage Page (…)" lines, a \
      device file or its items, a recording, the kernel's rdesc.

        hidsim describe keyboard.json                 collections, reports and fields
        hidsim describe /dev/hidraw0 --as c           an array of C with comments
        hidsim describe mouse.bin --as items          items by name, for a device file
        hidsim describe old.hex --as diff new.hex     what changed for a host

      With --as diff the exit status is 1 where a host sees a difference. All other forms but json and diff can \
      be printed of a descriptor that nobody accepts, too.
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
      case .json, .diff: nil
      }
    }
  }

  @Argument(
    help: ArgumentHelp("A file with a report descriptor, - or a device.", valueName: "file|device"))
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
        items in words. hex, bin: the bytes. recording: the head of a recording. diff: what changed.
        """,
      valueName: "form"))
  var form: Form = .tree
  @OptionGroup var options: DescriptorOptions

  func validate() throws {
    if form == .diff, other == nil {
      throw ValidationError("--as diff compares two: add the other file or device")
    }
    if form != .diff, let other {
      throw ValidationError("\"\(other)\" is one too many; two are compared by --as diff")
    }
  }

  func run() async throws {
    try await reporting {
      if form == .diff, let other {
        try await printDifferences(to: other)
        return
      }
      let sources =
        form == .bin
        ? [try await options.descriptor(of: source)] : try await options.descriptors(of: source)
      for (index, source) in sources.enumerated() {
        if sources.count > 1, form == .tree || form == .text || form == .lines {
          if index > 0 { Output.shared.print("") }
          Output.shared.print("# \(source.label ?? "descriptor \(index + 1)")")
        }
        try print(source)
      }
    }
  }

  private func print(_ source: DescriptorSource) throws {
    if let format = form.format {
      // A tree of what is refused has nothing but the reason and the bytes.
      if form == .tree { _ = try source.parsed() }
      Output.shared.write(
        HIDDescriptorText.write(
          source.bytes, as: format, name: source.label, identity: source.text?.identity))
    } else {
      try source.parsed().writeJSON { Output.shared.write($0) }
    }
  }

  private func printDifferences(to other: String) async throws {
    let first = try await options.descriptor(of: source)
    let second = try await options.descriptor(of: other)
    let differences = try first.parsed().differences(to: second.parsed())
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
