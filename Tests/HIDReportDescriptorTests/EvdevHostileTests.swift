// SPDX-License-Identifier: Apache-2.0

@testable import HIDReportDescriptor
import TestSupport
import Testing

/// Tests that every accepted descriptor can be mapped in bounded time.
///
/// The nodes must be consistent in themselves.
@Suite("event nodes of hostile descriptors", .timeLimit(.minutes(5)))
struct EvdevHostileTests {
  @Test("random items are refused, or mapped to consistent nodes")
  func randomItems() {
    var mapped = 0
    for seed in 0..<1000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      // The descriptor begins with a pen, so that the kernel maps the usages that follow.
      var bytes: [UInt8] = [0x05, 0x0d, 0x09, 0x02, 0xa1, 0x01, 0x75, 0x01, 0x95, 0x03]
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        guard let tag = HIDItemTag.allCases.randomElement(using: &random) else { continue }
        if tag == .pop || tag == .endCollection || tag == .collection { continue }
        let limit: UInt32 = Bool.random(using: &random) ? 0x60 : .max
        HIDItem(
          tag, data: .random(in: 0...limit, using: &random),
          dataByteCount: [1, 1, 1, 2, 4].randomElement(using: &random) ?? 1
        ).encode(into: &bytes)
      }
      if exercise(bytes + [0xc0]) { mapped += 1 }
    }
    #expect(mapped > 20)
  }

  @Test("examples with changed bytes are refused, or mapped to consistent nodes")
  func mutations() {
    var mapped = 0
    for seed in 0..<1000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let examples = [Example.keyboard, Example.mouse, Example.gamepad, Example.consumer]
      var bytes = examples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if exercise(bytes) { mapped += 1 }
    }
    #expect(mapped > 300)
  }

  @Test("255 fields with thousands of usages each are mapped, on each page with rules of its own")
  func usages() throws {
    for page in [0x01, 0x07, 0x09, 0x0c, 0x0d, 0x40] as [UInt8] {
      // The usages of the second range are near the end of the page. The maximum of the third range
      // is below its minimum: it has 12,288 usages, past the end of the page to 0x1fff.
      let ranges: [(ends: [UInt8], last: UInt32)] = [
        ([0x1a, 0x00, 0x00, 0x2a, 0xff, 0x2f], 0x2fff),
        ([0x1a, 0x00, 0xf0, 0x2a, 0x00, 0xff], 0xff00),
        ([0x1a, 0x00, 0xf0, 0x2a, 0x00, 0x00], 0x1fff),
      ]
      for (ends, last) in ranges {
        var bytes: [UInt8] = [
          0x05, 0x0d, 0x09, 0x04, 0xa1, 0x01, 0x05, page, 0x75, 0x00, 0x95, 0x01,
        ]
        for id in 1...255 as ClosedRange<UInt8> {
          bytes += [0x85, id]
          bytes += ends
          bytes += [0x81, 0x02]
        }
        bytes.append(0xc0)
        let usages = try HIDReportDescriptor(parsing: bytes).reports[0].fields[0].usages
        #expect(usages.ranges.last?.last == UInt32(page) << 16 | last)
        #expect(exercise(bytes))
      }
    }
  }

  @Test("255 nodes, whose fields have the largest number of elements, are mapped")
  func nodes() {
    var bytes: [UInt8] = [0x05, 0x01, 0x75, 0x00, 0x96, 0x00, 0x30]
    for id in 1...255 as ClosedRange<UInt8> {
      bytes += [0x09, id, 0xa1, 0x01, 0x85, id, 0x09, 0x30, 0x81, 0x02, 0xc0]
    }
    #expect(exercise(bytes))
  }

  @Test("800 nested collections are mapped")
  func depth() {
    var bytes: [UInt8] = [0x05, 0x01, 0x75, 0x01, 0x95, 0x01]
    for _ in 0..<800 { bytes += [0x09, 0x02, 0xa1, 0x01] }
    bytes += [0x09, 0x30, 0x81, 0x02]
    bytes += [UInt8](repeating: 0xc0, count: 800)
    #expect(exercise(bytes))
  }

  @Test("the usages of a long range are visited in few steps, and none is left out")
  func steps() throws {
    let starts: [UInt32] = [0x0001_0000, 0x0001_0300, 0x0001_d001, 0x0001_f000, 0x000c_ff80]
    for first in starts {
      var bytes: [UInt8] = [0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x75, 0x00, 0x95, 0x01]
      for (code, usage) in [(0x1b, first), (0x2b, first + 12_286)] as [(UInt8, UInt32)] {
        bytes.append(code)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(usage >> shift & 0xff)) }
      }
      bytes += [0x81, 0x02, 0xc0]
      let usages = try HIDReportDescriptor(parsing: bytes).reports[0].fields[0].usages
      #expect(usages.count == 12_287)
      var next = 0
      var steps = 0
      usages.forEachDistinct(upTo: 20_000) { usage, _, index, count in
        #expect(index == next)
        if index < 12_287 { #expect(usages.extendedUsage(at: index) == usage) }
        next += count
        steps += 1
      }
      #expect(next == 20_000)
      #expect(steps < 1_500)
    }
  }

  @discardableResult
  private func exercise(_ bytes: [UInt8]) -> Bool {
    guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { return false }
    for driver in [EvdevMapping.Driver.generic, .multitouch] {
      let mapping = EvdevMapping(of: descriptor, driver: driver)
      for node in mapping.nodes {
        #expect(node.eventTypes.first == .synchronization && node.eventTypes.count > 1)
        #expect(node.codes == node.codes.sorted())
        #expect(node.axes.map(\.code) == node.codes.filter { $0.type == .absolute })
      }
      for report in descriptor.reports {
        let node = mapping.node(of: report.type, id: report.id)
        for control in report.controls.prefix(20) {
          let outcome = mapping.outcome(of: control)
          guard mapping.driver == .generic else { continue }
          switch outcome {
          case .event(let code), .duplicate(let code): #expect(node?.contains(code) == true)
          case .contact, .dropped: Issue.record("\(outcome) without a touch surface")
          case .battery, .ignored: break
          }
        }
      }
    }
    return true
  }
}
