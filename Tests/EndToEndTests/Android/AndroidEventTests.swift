// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
  /// The event tests of Android's CTS: `hidsim android play` sends the reports, the kernel's
  /// drivers make events, and these are compared with the events that an app would get.
  @Suite(
    "the events of Android's own tests",
    .enabled(if: TestBus.testsKernel, TestBus.kernelReason),
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  struct AndroidEventTests {
    /// A file of cases, with the device that the cases need.
    struct File: CustomTestStringConvertible, Sendable {
      var device: String
      var name: String
      /// The device's own key layout of Android, or the generic one.
      var layout: AndroidKeyLayout
      /// The number of cases and events in the file, counted by hand.
      var tally: AndroidTally

      var testDescription: String { name }
    }

    /// A device that the kernel's driver for it does not accept, with the reason in the kernel's
    /// log.
    struct Refusal: CustomTestStringConvertible, Sendable {
      var device: String
      /// The driver and the device, as a message of the kernel's log begins.
      var place: String
      var reason: String
      /// The output reports of the driver that the file does not answer, as the run prints them.
      var outputs: Set<String> = []

      var testDescription: String { device }
    }

    private static let files = [
      File(
        device: "google_gamepad_usb", name: "google_gamepad_keyeventtests", layout: .generic,
        tally: AndroidTally(cases: 3, events: 6)),
      File(
        device: "gravis_gamepadprousb", name: "gravis_gamepadprousb_keyeventtests",
        layout: .gravis, tally: AndroidTally(cases: 10, events: 20)),
      File(
        device: "gravis_gamepadprousb", name: "gravis_gamepadprousb_motioneventtests",
        layout: .gravis, tally: AndroidTally(cases: 5, events: 8)),
      File(
        device: "microsoft_xboxones", name: "microsoft_xboxones_keyeventtests",
        layout: .xboxOneS,
        tally: AndroidTally(cases: 12, events: 24, exceptions: [.noSource: 24])),
      // The device's own layout, Vendor_1532_Product_0707.kl, does not name the axes on which Linux
      // reports the triggers. The file uses the names of Generic.kl. Each trigger is also a button,
      // which goes down before the first motion and up before the last one.
      File(
        device: "razer_raiju_mobile_bluetooth",
        name: "razer_raiju_mobile_bluetooth_motioneventtests", layout: .generic,
        tally: AndroidTally(cases: 15, events: 38, exceptions: [.otherKind: 4])),
    ]

    /// The file that is compared only with a kernel that has no driver for the device.
    private static let driverless = File(
      device: "sony_dualshock4", name: "sony_dualshock4_keyeventtests", layout: .dualShock4,
      tally: AndroidTally(cases: 2, events: 4, exceptions: [.noSource: 4]))

    /// The files that are not compared.
    ///
    /// Without its driver, the kernel makes events only from another report than the one in these
    /// files. With its driver, there would be no keys either, even if the packet number in the
    /// answer were right: the answer does not name a kind of controller.
    private static let incomparable = [
      "nintendo_switchpro_keyeventtests", "nintendo_switchpro_motioneventtests",
    ]

    private static let refusals = [
      // On Bluetooth the serial number must be an address. The bus is Bluetooth if the file names
      // none.
      Refusal(
        device: "sony_dualshock4", place: "playstation 0005:054C:09CC.",
        reason: "Failed to get MAC address from DualShock4"),
      // The first packet, number 0, asks for the kind of the controller. The file answers only
      // packet 3.
      Refusal(
        device: "nintendo_switchpro", place: "nintendo 0005:057E:2009.",
        reason: "Failed to get joycon info; ret=-110",
        outputs: [
          #"{"eventId":6,"deviceId":1,"reportType":1,"reportData":[1,0,0,0,0,0,0,0,0,0,2]}"#
        ]),
    ]

    @Test("every file of event tests is compared or in the list of exceptions")
    func all() throws {
      let folder = DescriptorCorpus.directory.appending(path: "android-cts")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix("eventtests.json") }
      let known = (Self.files + [Self.driverless]).map(\.name) + Self.incomparable
      #expect(names.sorted() == known.map { "\($0).json" }.sorted())
      let left = try Self.incomparable.flatMap { try AndroidEventCase.cases(of: "\($0).json") }
      #expect(left.count == 3)
      #expect(left.flatMap(\.events).count == 4)
      print("not compared, for want of a driver that takes the device: 3 cases, 4 events")
    }

    @Test(
      "the reports of each case make the events on Linux that Android expects", arguments: files)
    func events(file: File) async throws {
      try await Bench.run(.kernel) { bench in
        let (run, device) = try await plug(file.device, bench)
        try await compare(file, run, device, bench)
      }
    }

    /// The kernel parameter that leaves all devices to hid-generic.
    private static let genericSwitch = "/sys/module/hid/parameters/ignore_special_drivers"

    @Test(
      "the reports of a DualShock 4 make Android's events where the kernel has no driver for it",
      .enabled(if: access(genericSwitch, W_OK) == 0, "\(genericSwitch) cannot be written"))
    func withoutDriver() async throws {
      try await Bench.run(.kernel) { bench in
        let generic = URL(filePath: Self.genericSwitch)
        try generic.write("1")
        defer { try? generic.write("0") }
        let (run, device) = try await plug(Self.driverless.device, bench)
        try generic.write("0")
        #expect(device.driver == "hid-generic")
        try await compare(Self.driverless, run, device, bench)
      }
    }

    @Test(
      "a device that its driver refuses fails the run, and the kernel's log has the reason",
      .enabled(if: KernelLog.isReadable, "the kernel's log cannot be read"),
      arguments: refusals)
    func refused(refusal: Refusal) async throws {
      try await Bench.run(.kernel) { bench in
        let log = try KernelLog()
        let run = try await register(refusal.device, bench)
        _ = try await run.note(containing: "no driver accepts it")
        try await run.closeInput()
        #expect(try await run.status == 1)
        let messages = try log.take()
        #expect(
          messages.contains { $0.hasPrefix(refusal.place) && $0.contains(refusal.reason) },
          "\(messages)")
        #expect(Set(run.output.lines) == refusal.outputs)
      }
    }

    private func register(_ device: String, _ bench: Bench) async throws -> HidsimProcess {
      let run = try await bench.start("android", "play", "-")
      try await run.write(DescriptorCorpus.text("android-cts/\(device)_register.json") + "\n")
      return run
    }

    private func plug(
      _ device: String, _ bench: Bench
    ) async throws -> (run: HidsimProcess, device: Event) {
      (try await register(device, bench), try await bench.device())
    }

    /// Sends the reports of each case as the CTS does, and compares the events that follow.
    private func compare(
      _ file: File, _ run: HidsimProcess, _ device: Event, _ bench: Bench
    ) async throws {
      var tally = AndroidTally()
      var nodes = try AndroidNode.all(of: device, file.layout)
      let monitor = try await bench.start("monitor", try #require(device.node))
      _ = try await monitor.note(containing: "monitoring")
      for test in try AndroidEventCase.cases(of: "\(file.name).json") {
        // hidraw gets a report before it becomes events. So the last report is sent twice: when
        // hidraw has the second one, the kernel has made all events of the first. The second one is
        // the same and makes no event.
        let reports = test.reports + test.reports.suffix(1)
        for report in reports {
          try await run.write("{\"id\": 1, \"command\": \"report\", \"report\": \(report)}\n")
        }
        for _ in reports { try await monitor.line { _ in true } }
        var received: [AndroidEvent] = []
        for index in nodes.indices { received += try nodes[index].take() }
        let difference = test.difference(from: received, &tally)
        #expect(difference == nil, "\(test.name)")
      }
      try await run.closeInput()
      #expect(try await run.status == 0, "\(run.transcript)")
      print("\(file.name): \(tally)")
      #expect(tally == file.tally)
    }
  }
}

/// An evdev node, read in the way of Android.
private struct AndroidNode {
  private let node: EventNode
  private var reader: AndroidInputReader

  /// Opens all evdev nodes of a device.
  static func all(of device: Event, _ layout: AndroidKeyLayout) throws -> [AndroidNode] {
    let kernel = KernelDevice(node: try #require(device.node))
    return try #require(device.eventNodes).map { path in
      let node = try EventNode(path)
      let settings = try EvdevNode(path)
      var ranges: [UInt16: AndroidInputReader.Range] = [:]
      for code in try kernel.bits("capabilities/abs", of: path) {
        let code = UInt16(truncatingIfNeeded: code)
        let axis = try settings.axis(code)
        ranges[code] = AndroidInputReader.Range(
          minimum: axis[1], maximum: axis[2], fuzz: axis[3], flat: axis[4])
      }
      let keys = try kernel.bits("capabilities/key", of: path)
      return AndroidNode(
        node: node, reader: AndroidInputReader(layout, keys: keys, ranges: ranges))
    }
  }

  /// Takes the pending events, and returns them as events of Android.
  mutating func take() throws -> [AndroidEvent] { reader.events(of: try node.take()) }
}
