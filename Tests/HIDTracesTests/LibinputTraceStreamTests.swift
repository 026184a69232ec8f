// SPDX-License-Identifier: Apache-2.0
import HIDTraces
import Synchronization
import TestSupport
import Testing

@Suite("Long and hostile recordings of libinput")
struct LibinputTraceStreamTests {
  /// The byte counts that readers request from a source: the largest one, and the sum.
  private final class Asked: Sendable {
    struct Totals {
      var largest = 0
      var sum = 0
    }
    let totals = Mutex(Totals())

    func source(_ bytes: [UInt8]) -> HIDTraceSource {
      HIDTraceSource(name: "r.yml") { offset, count in
        self.totals.withLock {
          $0.largest = max($0.largest, count)
          $0.sum += count
        }
        return offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
      }
    }
  }

  @Test("20,000 events are read in order, in bounded pieces and less than four passes")
  func stream() throws {
    let count = 10_000
    var text = LibinputText.head(2)
    text.reserveCapacity(4 << 20)
    for device in 0..<2 {
      text += LibinputText.device(3 + device, name: "d\(device)", descriptor: LibinputText.mouse)
      for index in 0..<count {
        let time = index * 2 + device
        text += LibinputText.hid(
          time / 1_000_000, time % 1_000_000, device, [UInt8(device), UInt8(index & 0xFF)])
        if index % 8 == 0 { text += LibinputText.evdev(0, index) }
      }
    }
    let bytes = Array(text.utf8)
    let asked = Asked()
    var reader = try HIDTraceReader(asked.source(bytes))
    var read = 0
    var inOrder = true
    while let event = try reader.next() {
      inOrder = inOrder && event.microseconds == Int64(read) && event.device == read % 2
      read += 1
    }
    #expect(read == 2 * count)
    #expect(inOrder)
    let totals = asked.totals.withLock { $0 }
    #expect(totals.largest <= 256 << 10)
    #expect(totals.sum < 4 * bytes.count)
  }

  @Test("long unknown lines are passed over in pieces, and values that are too long are refused")
  func longLines() throws {
    let start = "version: 1\ndevices:\n- node: a\n"
    for (text, isRead) in [
      (start + "  quirks: " + String(repeating: "x", count: 4 << 20) + "\n  hid: [1]\n", true),
      (start + "  hid: [" + String(repeating: "1, ", count: 1 << 20) + "]\n", false),
      (start + String(repeating: " ", count: 4 << 20) + "hid: [1]\n", false),
      (start + "  hid: [1]\n" + String(repeating: "#\n", count: 2 << 20), true),
      (start + "  hid: [1]\n  events:\n" + String(repeating: "  - a:\n", count: 1 << 17), true),
      (start + String(repeating: "- hid: [1]\n", count: 2000), false),
    ] {
      let asked = Asked()
      let source = asked.source(Array(text.utf8))
      let options = HIDTraceReadingOptions(format: .libinput)
      #expect(((try? HIDTrace(reading: source, options: options)) != nil) == isRead)
      let totals = asked.totals.withLock { $0 }
      #expect(totals.largest <= 256 << 10)
      #expect(totals.sum < 4 * text.utf8.count)
    }
  }

  @Test("deeply nested YAML is refused or passed over")
  func deep() throws {
    let start = "version: 1\ndevices:\n- node: a\n  hid: [1]\n  events:\n  - hid:\n"
    for inner in [
      "      " + String(repeating: "- ", count: 60_000) + "1\n",
      "      " + String(repeating: "[", count: 250) + String(repeating: "]", count: 250) + ": 1\n",
      "      x: " + String(repeating: "{a: ", count: 250) + String(repeating: "}", count: 250)
        + "\n",
      (0..<500).map { String(repeating: " ", count: 6 + $0) + "a:\n" }.joined(),
      "      x: " + String(repeating: "\"", count: 100_001) + "\n",
      "      x: |\n" + String(repeating: "        y\n", count: 20_000),
      "      x: " + String(repeating: "a:", count: 100_000) + "\n",
    ] {
      let text =
        start + inner + "      time: [0, 1]\n      hidraw0: [1]\n  - evdev:\n    - [0]\n"
      do {
        let trace = try HIDTrace(
          Array(text.utf8), name: "r.yml", options: HIDTraceReadingOptions(format: .libinput))
        #expect(trace.events.count == 1)
      } catch {
        #expect(!error.problems.isEmpty)
      }
    }
  }

  @Test("a recording with a few changed bytes is read or refused", arguments: 0..<4)
  func mutations(_ part: Int) {
    var text = LibinputText.head(2)
    text += LibinputText.device(3, name: "a & b", descriptor: LibinputText.mouse)
    text += LibinputText.hid(0, 1, 0, [1, 2]) + LibinputText.evdev(0, 1)
    text += LibinputText.hid(0, 5, 0, Array(0..<40)) + "# Closing after 2s inactivity"
    text += LibinputText.device(4, name: "ü", descriptor: LibinputText.vendor)
    text += LibinputText.hid(0, 3, 1, [3]) + "  - hid: {time: [1, 2], hidraw1: [3, 4]}\n"
    let bytes = Array(text.utf8)
    var unread = 0
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix64(seed: seed * 4 + UInt64(part))
      let changed = mutated(bytes, using: &random)
      do {
        let trace = try HIDTrace(
          changed, name: "r.yml",
          options: HIDTraceReadingOptions(format: .libinput, isLenient: seed % 2 == 0))
        let lines = changed.count { $0 == 0x0A } + 1
        #expect(trace.events.allSatisfy { $0.device < trace.devices.count && $0.line <= lines })
        #expect(trace.devices.allSatisfy { (1...4096).contains($0.descriptor.count) })
      } catch {
        unread += 1
        #expect((1...20).contains(error.problems.count))
      }
      _ = try? HIDTraceFormat.detect(HIDTraceSource(name: "", bytes: changed))
    }
    #expect((1..<400).contains(unread))
  }
}
