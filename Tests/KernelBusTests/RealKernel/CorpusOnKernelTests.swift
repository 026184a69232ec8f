// SPDX-License-Identifier: Apache-2.0

import IOLoop
import TestSupport
import Glibc
import HIDReportDescriptor
import SystemPackage
import Testing

@testable import HIDBus

/// Comparison of the running kernel with the predictions for descriptors.
///
/// A descriptor that stops the kernel, according to lint, is never plugged.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(
    if: KernelBus.unavailability() == nil,
    "/dev/uhid does not open here; run the tests inside scripts/vm"),
  .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct CorpusOnKernelTests {
  /// A descriptor with a name for messages.
  private typealias Named = (name: String, bytes: [UInt8])

  /// The step through the corpus, of which every `share`th descriptor is plugged.
  ///
  /// udevd, if it runs, takes ten times as long for a device as the kernel.
  private static let share = access("/run/udev/control", F_OK) == 0 ? 10 : 1

  @Test("the kernel starts every descriptor in which lint finds no error, and no other")
  func starts() async throws {
    let outcome = try await Self.compareStarts(Self.corpus(Self.share))
    #expect(outcome.started >= 600 / Self.share && outcome.refused >= 80 / Self.share, "\(outcome)")
    #expect(outcome.differences == [])
  }

  @Test("event nodes have the predicted number, names, events, ranges and properties")
  func nodes() async throws {
    let outcome = try await Self.compareNodes(Self.corpus(Self.share))
    #expect(outcome.devices >= 600 / Self.share && outcome.nodes >= 1000 / Self.share, "\(outcome)")
    #expect(outcome.differences == [])
  }

  @Test("the kernel starts every mixed or changed descriptor without a lint error, and no other")
  func startsOfMutants() async throws {
    let outcome = try await Self.compareStarts(Self.mutants(500 / Self.share, seed: 1))
    #expect(
      outcome.started >= 150 / Self.share && outcome.refused >= 150 / Self.share, "\(outcome)")
    #expect(outcome.differences == [])
  }

  @Test("event nodes of mixed and changed descriptors are as predicted")
  func nodesOfMutants() async throws {
    let outcome = try await Self.compareNodes(Self.mutants(500 / Self.share, seed: 2))
    #expect(outcome.devices >= 150 / Self.share && outcome.nodes >= 250 / Self.share, "\(outcome)")
    #expect(outcome.differences == [])
  }

  @Test("the drivers for Vivaldi keyboards and sensor hubs map as predicted")
  func rareDrivers() async throws {
    // The device has a volume knob and System Sleep, and a collection for Google's keyboard or for
    // a sensor.
    let twoApplications: [UInt8] = [
      0x05, 0x0c, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x01, 0x09, 0xe0, 0x15, 0x00, 0x25, 0x7f, 0x75,
      0x08, 0x95, 0x01, 0x81, 0x02, 0xc0,
      0x05, 0x01, 0x09, 0x80, 0xa1, 0x01, 0x85, 0x02, 0x09, 0x82, 0x81, 0x02, 0xc0,
    ]
    let outcome = try await Self.compareNodes([
      ("vivaldi", twoApplications + [0x06, 0xd1, 0xff, 0x09, 0x01, 0xa1, 0x01, 0xc0]),
      ("sensors", twoApplications + [0x05, 0x20, 0x09, 0x01, 0xa1, 0x01, 0xc0]),
    ])
    #expect(outcome.drivers == ["hid-vivaldi": 1, "hid-sensor-hub": 1])
    #expect(outcome.nodes == 2)
    #expect(outcome.differences == [])
  }

  @Test("multipliers that are nearly the one that stops the kernel have the predicted nodes")
  func multipliers() async throws {
    let usage: [UInt8] = [0x05, 0x01, 0x09, 0x38, 0xa1, 0x01, 0x09, 0x48]
    let whole: [UInt8] = [0x17, 0, 0, 0, 0x80, 0x27, 0xff, 0xff, 0xff, 0x7f]
    let outcome = try await Self.compareNodes([
      ("from one above the lowest", usage + [0x17, 1, 0, 0, 0x80] + whole[5...] + Self.feature),
      ("to one below the highest", usage + whole[..<6] + [0xfe, 0xff, 0xff, 0x7f] + Self.feature),
      (
        "from 0 to the highest unsigned",
        usage + [0x15, 0, 0x27] + [255, 255, 255, 255] + Self.feature
      ),
      ("all of them, as input", usage + whole + [0x75, 0x20, 0x95, 0x01, 0x81, 0x02, 0xc0]),
      ("without an element", usage + whole + [0x75, 0x20, 0x95, 0x00, 0xb1, 0x02, 0xc0]),
    ])
    #expect(outcome.devices == 5)
    #expect(outcome.differences == [])
  }

  private static let feature: [UInt8] = [0x75, 0x20, 0x95, 0x01, 0xb1, 0x02, 0xc0]

  // MARK: Comparing

  private static func compareStarts(
    _ descriptors: [Named]
  ) async throws -> (started: Int, refused: Int, differences: [String]) {
    var outcome = (started: 0, refused: 0, differences: [] as [String])
    for (name, bytes) in descriptors {
      // Other tests use the thread too.
      await Task.yield()
      let errors = HIDReportDescriptor.lint(bytes).filter { $0.severity == .error }
      guard !errors.contains(where: { $0.rule == .multiplierStopsLinux }) else { continue }
      let isStarted = try isStarted(bytes)
      if isStarted { outcome.started += 1 } else { outcome.refused += 1 }
      if isStarted != errors.isEmpty {
        outcome.differences.append("\(name): \(isStarted ? "started" : "refused"), lint \(errors)")
      }
    }
    return outcome
  }

  private static func isStarted(_ descriptor: [UInt8]) throws -> Bool {
    do {
      let device = try PluggedDevice(descriptor)
      try device.waitUntilAdded()
      return try device.unplug() > 0
    } catch Errno.invalidArgument {
      return false
    }
  }

  private static func compareNodes(
    _ descriptors: [Named]
  ) async throws -> (
    devices: Int, nodes: Int, facts: Int, drivers: [String: Int], differences: [String]
  ) {
    var outcome = (
      devices: 0, nodes: 0, facts: 0, drivers: [:] as [String: Int], differences: [] as [String]
    )
    for (name, bytes) in descriptors {
      // Other tests use the thread too.
      await Task.yield()
      let errors = HIDReportDescriptor.lint(bytes).filter { $0.severity == .error }
      guard errors.isEmpty else { continue }
      let descriptor = try HIDReportDescriptor(parsing: bytes)
      let device = try PluggedDevice(bytes)
      try device.waitUntilProbed()
      let folder = device.folder ?? ""
      let driver = SysFS.linkTarget("/sys/bus/hid/devices/\(folder)/driver") ?? "none"
      let theirs = KernelNode.all(of: folder)
      _ = try device.unplug()
      outcome.drivers[driver, default: 0] += 1
      guard drivers[driver] == descriptor.group.driver else {
        outcome.differences.append(
          "\(name): driver \(driver), foretold \(descriptor.group.driver)")
        continue
      }
      let ours = EvdevMapping(of: descriptor, driver: descriptor.group.driver).nodes
        .map(KernelNode.init)
      outcome.devices += 1
      outcome.nodes += theirs.count
      outcome.facts += theirs.reduce(0) { $0 + $1.factCount }
      if ours != theirs {
        outcome.differences.append(
          "\(name), \(driver): \(bytes)\nforetold \(ours)\nkernel \(theirs)")
      }
    }
    return outcome
  }

  private static let drivers: [String: EvdevMapping.Driver] = [
    "hid-generic": .generic, "hid-multitouch": .multitouch, "hid-sensor-hub": .sensorHub,
    "hid-vivaldi": .vivaldi,
  ]

  // MARK: Descriptors

  /// Returns every `share`th descriptor of the corpus.
  private static func corpus(_ share: Int = 1) throws -> [Named] {
    let files = try DescriptorCorpus.rows("oracle-kernel.tsv").map { String($0[0]) }.filter {
      $0.hasSuffix(".hex")
    }
    return try stride(from: 0, to: files.count, by: share).map {
      (files[$0], try DescriptorCorpus.bytes(files[$0]))
    }
  }

  /// Returns changed descriptors of the corpus, the same for the same seed.
  ///
  /// Each one has the beginning of one descriptor and the end of another, cut between items; or one
  /// to four changed bytes.
  private static func mutants(_ count: Int, seed: UInt64) throws -> [Named] {
    let originals = try corpus().filter { !$0.bytes.isEmpty }
    let places = originals.map { itemOffsets($0.bytes) }
    var state = seed
    func next(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    return (0..<count).map { number in
      let index = next(below: originals.count)
      var (name, bytes) = originals[index]
      if number.isMultiple(of: 2) {
        let other = next(below: originals.count)
        let cut = places[index][next(below: places[index].count)]
        let start = places[other][next(below: places[other].count)]
        bytes = Array(bytes[..<cut] + originals[other].bytes[start...])
        name += " up to byte \(cut), \(originals[other].name) from byte \(start)"
      } else {
        for _ in 0...next(below: 4) { bytes[next(below: bytes.count)] = UInt8(next(below: 256)) }
        name += ", mutant \(number)"
      }
      return (name, bytes)
    }
  }

  /// Returns the offsets at which items begin or end, up to the first item that is cut short.
  private static func itemOffsets(_ bytes: [UInt8]) -> [Int] {
    var offsets = [0]
    var position = 0
    while position < bytes.count, (try? HIDItem(decoding: bytes.span, at: &position)) != nil {
      offsets.append(position)
    }
    return offsets
  }
}
