// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Write the device file of a plugged or recorded device.",
    usage: "hidsim clone <device|trace> [<options>]",
    discussion: """
      The file describes the identity and the report descriptors of all interfaces, in words. hidsim run plugs it, and you \
      can add names of controls and behaviours to it.

        hidsim clone /dev/hidraw3 -o my.json             a plugged device
        hidsim clone recording.hid --pick 2 -o my.json   the second of a trace
        hidsim clone capture.pcapng -o my.json           the device of a capture
        hidsim clone "My keyboard" --features            with feature reports

      A trace is one of hid-recorder, libinput or umockdev, a capture of USB packets (pcap, pcapng), or commands of \
      Android's hid program. Each interface of a captured device counts as a device.

      For a device on USB the section usb has what differs from the USB device that hidsim derives. The file contains the \
      serial number. A vendor's driver can change the report descriptor of a plugged device; the file \
      and recordings have the changed one.
      """)

  @Argument(
    help: ArgumentHelp(
      "A device (node, number of hidsim list, name or words of it, vendor:product), or a trace.",
      valueName: "device|trace"), completion: Completion.filesAndDevices)
  var source: String
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; default: standard output.", valueName: "file"),
    completion: Completion.files)
  var output: String?
  @Flag(help: "Overwrite the file of -o.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Read the feature reports, and write their values as initial ones.",
      discussion: "Off by default, because a request can have effects in a device."))
  var features = false
  @Option(
    help: ArgumentHelp("The device of a trace, by its number from 1.", valueName: "number"))
  var pick: Int?
  @Option(
    help: ArgumentHelp(
      "With --features, the longest wait for a report: 500ms. (default: 5s)",
      discussion: "The kernel waits 5 s at most.", valueName: "time"))
  var timeout: TimeBound?
  @OptionGroup var busOptions: BusOptions

  func validate() throws {
    try OptionRule.check(
      .needs("--force", force, "-o", output != nil, because: "--force overwrites the file of -o"),
      .needs(
        "--timeout", timeout != nil, "--features", features,
        because: "only --features sends requests"),
      .excludes(
        "--features", features, ["--pick": pick != nil],
        because: "--features asks a plugged device, --pick chooses a device of a trace"))
  }

  func run() async throws {
    try await reporting {
      let (device, comment) = try await clone()
      let file = HIDDeviceFile.write(device, comment: comment)
      guard let output else { return Output.shared.write(file) }
      try CommandFiles.shared.claim([.init("-o", output)], hasLines: false)
      var written = try OutputFile(output, replaces: force)
      try written.write(file)
      try written.finish()
      let count = device.interfaces.count
      Output.shared.note(
        "\(output): \"\(device.name)\"\(count > 1 ? ", \(count.counting("interface"))" : ""); "
          + "hidsim run \(output) plugs it")
    }
  }

  private func clone() async throws -> (HIDDeviceDefinition, comment: [String]) {
    if let file = try InputFiles.descriptorFile(source) { return try clone(file) }
    try OptionRule.check(
      .needs(
        "--pick", pick != nil, "a trace", false, because: "\"\(source)\" is not a file"))
    let all = try await busOptions.devices()
    let found = try DeviceArgument.find(source, among: all, orFile: true, asWhole: true)
    let records = found.record.interfaces(among: all.map(\.record))
    var device = try HIDDeviceDefinition(of: records)
    if features {
      for (index, record) in records.enumerated() {
        let interface = all.first { $0.record.id == record.id } ?? found
        device.interfaces[index].initialReports = try await features(
          of: interface, device.interfaces[index].descriptor)
      }
    }
    if let usb = ClonedUSBDevice(of: records) {
      for note in device.takeUSBSettings(of: usb) {
        Output.shared.note("\(found.record.address): \(note)")
      }
    }
    for record in records {
      guard let driver = record.driver, driver != "hid-generic" else { continue }
      Output.shared.note(
        "\(record.address): the driver \(driver) may have changed the report descriptor; "
          + "the file has the changed one")
    }
    return (device, ["A copy of \(found.record.ids), made by hidsim clone."])
  }

  private func clone(_ file: InputFiles.File) throws -> (HIDDeviceDefinition, comment: [String]) {
    try OptionRule.check(
      .needs(
        "--features", features, "a device that is plugged", false,
        because: "\"\(source)\" is a file"))
    let format: HIDTraceFormat
    switch HIDInputFormat.detect(file.bytes) {
    case .trace(let found): format = found
    case .deviceFile:
      throw Failure(
        .wrongData,
        "\(source): this is a device file; expected a trace or a device; copy the file instead")
    case .unknown:
      if let failure = InputFiles.bareDescriptor(file, instead: .trace) { throw failure }
      format = try .detect(HIDTraceSource(name: file.path, bytes: file.bytes))
    }
    let recorded = try InputFiles.recorded(file, format)
    guard let number = pick ?? (recorded.count == 1 ? 1 : nil) else {
      throw Failure(
        .wrongArguments,
        "\(source): \(recorded.count) devices; say which with --pick:\n\(recorded.listing)")
    }
    guard (1...).contains(number), number <= recorded.count else {
      throw Failure(
        .noInput, "\(source): there is no device \(number); there are:\n\(recorded.listing)")
    }
    let device = try InputFiles.devices(of: [recorded[number - 1]], in: file.path)[0]
    return (device, ["A copy of a device in \(format.title), made by hidsim clone."])
  }

  /// Requests the feature reports of a device.
  ///
  /// Reports whose request fails are left out, with a note for each.
  private func features(
    of found: FoundDevice, _ descriptor: HIDReportDescriptor
  ) async throws -> [HIDInitialReport] {
    let client = try found.client()
    var reports: [HIDInitialReport] = []
    for layout in descriptor.reports(of: .feature) {
      do throws(HIDBusError) {
        let answer = try await client.get(
          .feature, layout.id, within: (timeout ?? .answer).duration)
        let declared = layout.zeroReport
        reports.append(
          HIDInitialReport(
            type: .feature, id: layout.id,
            bytes: Array((answer + declared.dropFirst(answer.count)).prefix(declared.count))))
      } catch {
        let number = layout.id.map { " \($0.rawValue)" } ?? ""
        Output.shared.note("feature report\(number) is left out: \(error)")
      }
    }
    return reports
  }
}
