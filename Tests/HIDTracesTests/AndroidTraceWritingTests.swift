// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDTraces
import TestSupport
import Testing

@Suite("Traces as commands of Android's hid program")
struct AndroidTraceWritingTests {
  private func input(_ time: Int64, _ bytes: [UInt8], device: Int = 0) -> HIDTraceEvent {
    HIDTraceEvent(microseconds: time, device: device, kind: .input(HIDReportBytes(bytes)))
  }

  private func written(
    _ devices: [HIDTraceDevice], _ events: [HIDTraceEvent]
  ) throws -> (lines: [String], leftOut: [String: Int]) {
    var writer = try #require(HIDTraceWriter(.android, devices: devices))
    var output: [UInt8] = []
    writer.begin(into: &output)
    for event in events {
      writer.write(event, into: &output)
      #expect(output.last == 0x0A)
    }
    let text = String(decoding: output, as: UTF8.self)
    return (text.split(separator: "\n").map(String.init), writer.leftOut)
  }

  @Test("each command has its line, delays precede reports, and omissions are counted by kind")
  func lines() throws {
    let devices = [
      HIDTraceDevice(
        descriptor: [5, 1], name: "Pad\u{1B}", physicalPath: "usb-1/input0", serialNumber: "7",
        identity: HIDTraceDevice.Identity(busType: 5, vendorID: 0x18D1, productID: 2),
        versionNumber: 0x100,
        reports: [
          HIDTraceInitialReport(
            type: .feature, id: HIDReportID(rawValue: 2), bytes: HIDReportBytes([2, 8])),
          HIDTraceInitialReport(type: .input, id: nil, bytes: HIDReportBytes([1])),
        ]),
      HIDTraceDevice(
        descriptor: [6], name: "\u{7}",
        identity: HIDTraceDevice.Identity(busType: 0x18, vendorID: 0, productID: 0)),
    ]
    let other: [HIDTraceEvent.Kind] = [
      .original(HIDReportBytes([1])), .output(HIDReportBytes([1])),
      .getReport(HIDTraceGet(type: .feature, id: nil, answer: .error)),
      .setReport(
        HIDTraceSet(type: .output, id: nil, report: HIDReportBytes([1]), answer: .acknowledged)),
      .opened, .closed, .plugged, .unplugged, .lost(7), .input(HIDReportBytes()),
    ]
    let (lines, leftOut) = try written(
      devices,
      [input(1500, [1, 2])] + other.map { HIDTraceEvent(microseconds: 2000, kind: $0) }
        + [input(2400, [3], device: 1), input(2499, [4]), input(2000, [5])])
    #expect(
      lines == [
        #"{"id":1,"command":"register","name":"Pad","vid":6353,"pid":2,"bus":"bluetooth","#
          + #""uniq":"7","descriptor":[5,1],"feature_reports":[{"id":2,"data":[2,8]}]}"#,
        #"{"id":2,"command":"register","vid":0,"pid":0,"bus":"usb","descriptor":[6]}"#,
        #"{"id":1,"command":"delay","duration":2}"#,
        #"{"id":1,"command":"report","report":[1,2]}"#,
        #"{"id":2,"command":"delay","duration":2}"#,
        #"{"id":2,"command":"report","report":[3]}"#,
        #"{"id":1,"command":"report","report":[4]}"#,
        #"{"id":1,"command":"report","report":[5]}"#,
      ])
    #expect(
      leftOut == [
        "control characters of names and serial numbers": 2, "physical paths": 1,
        "release numbers": 1,
        "initial reports that are not feature reports": 1,
        "buses that are neither USB nor Bluetooth": 1,
        "reports before the kernel changed them": 1, "output reports": 1,
        "get-report requests": 1, "set-report requests": 1, "open and close events": 2,
        "plug and unplug events": 2, "counts of lost input reports": 1,
        "empty input reports": 1, "fractions of milliseconds": 4,
      ])
  }

  @Test("a name that is longer than Android reads is cut between two characters, and counted")
  func longNames() throws {
    let name = String(repeating: "é", count: 200)
    let (lines, leftOut) = try written([HIDTraceDevice(descriptor: [6], name: name)], [])
    let shown = try #require(lines.first?.firstMatch(of: /"name":"(é*)"/)?.1)
    #expect(name.hasPrefix(shown) && shown.count < 200)
    #expect(leftOut["the ends of names and serial numbers that are too long"] == 1)
  }

  @Test("devices keep their numbers if Android allows these as ids, and count from 1 otherwise")
  func numbers() throws {
    for (own, ids) in [([7, 3], ["7", "3"]), ([0, 1], ["1", "2"]), ([5, 5], ["1", "2"])] {
      let devices = own.map { HIDTraceDevice(number: $0, descriptor: [6]) }
      let lines = try written(devices, [input(0, [1], device: 1)]).lines
      #expect(lines.map { String($0.dropFirst(6).prefix(1)) } == ids + [ids[1]])
    }
  }

  @Test("stamps of any size are written and read again, and a pause has at most 366 days")
  func extremeStamps() throws {
    let device = HIDTraceDevice(descriptor: [6])
    let year: Int64 = 366 * 86_400_000_000
    for (stamps, times) in [
      ([Int64.max, .min], [0, 0]), ([.min, .max], [0, year]), ([-1, 0, 1], [0, 0, 0]),
      ([1_700_000_000_000_000, 1_700_000_000_001_000], [0, 1000]),
      ([0, 200_000_000_000], [0, 200_000_000_000]),
    ] as [([Int64], [Int64])] {
      let bytes = try #require(
        HIDTrace(devices: [device], events: stamps.map { input($0, [1]) }).written(as: .android))
      let again = try HIDTrace(bytes, name: "a")
      #expect(again.events.map(\.microseconds) == times)
    }
  }

  @Test("a written trace is read again with its reports in order and times to half a millisecond")
  func roundTrip() throws {
    for seed in 0..<20 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let devices = (0..<Int.random(in: 1...4, using: &random)).map { number in
        HIDTraceDevice(
          number: number + 1,
          descriptor: (0..<Int.random(in: 1...40, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          },
          name: Bool.random(using: &random) ? "\"Pad\" – \(number)" : nil,
          serialNumber: Bool.random(using: &random) ? "" : nil,
          identity: HIDTraceDevice.Identity(busType: 3, vendorID: 1, productID: 0xFFFF),
          reports: (0..<Int.random(in: 0...3, using: &random)).map { id in
            HIDTraceInitialReport(
              type: .feature, id: HIDReportID(rawValue: UInt8(id)),
              bytes: HIDReportBytes([UInt8(id), 1]))
          })
      }
      var time: Int64 = 0
      let events = (0..<200).map { _ in
        time += Int64.random(in: 0...3000, using: &random)
        return input(
          time,
          (0..<Int.random(in: 1...70, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
          }, device: Int.random(in: devices.indices, using: &random))
      }
      let bytes = try #require(
        HIDTrace(devices: devices, events: events).written(as: .android))
      let again = try HIDTrace(bytes, name: "a")
      #expect(again.warnings == [])
      #expect(again.devices.map(withoutLine) == devices, "seed \(seed)")
      #expect(again.events.map(\.device) == events.map(\.device), "seed \(seed)")
      #expect(again.events.map(\.kind) == events.map(\.kind), "seed \(seed)")
      #expect(
        zip(again.events, events).allSatisfy { abs($0.microseconds - $1.microseconds) <= 500 },
        "seed \(seed)")
    }
  }

  @Test(
    "devices of Android's own tests are the same after reading and writing",
    .enabled(if: RecordingCorpus.folder != nil, "no corpus"))
  func corpus() throws {
    let folder = try #require(RecordingCorpus.folder).appendingPathComponent("android-cts")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    let devices = files.filter { $0.hasSuffix("_register.json") }
    #expect(devices.count >= 6)
    for file in devices {
      let data = try Data(contentsOf: folder.appendingPathComponent(file))
      let object = try #require(
        try JSONSerialization.jsonObject(with: data) as? [String: Any], "\(file)")
      let trace = try HIDTrace(Array(data), name: file)
      #expect(trace.devices.map(\.name) == [object["name"] as? String], "\(file)")
      let descriptor = try #require(object["descriptor"] as? [Int])
      #expect(trace.devices[0].descriptor.map(Int.init) == descriptor, "\(file)")
      #expect(trace.devices[0].identity?.vendorID == (object["vid"] as? Int).map(UInt16.init))
      let again = try HIDTrace(try #require(trace.written(as: .android)), name: file)
      #expect(again.devices.map(withoutLine) == trace.devices.map(withoutLine), "\(file)")
    }
  }

  private func withoutLine(_ device: HIDTraceDevice) -> HIDTraceDevice {
    var device = device
    device.line = 0
    return device
  }
}
