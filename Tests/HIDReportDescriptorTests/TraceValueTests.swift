// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

/// Comparison of hidsim's values with those of hid-tools 0.12, for the first 400 reports of every
/// trace.
@Suite(
  "values of recorded reports",
  .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
struct TraceValueTests {
  @Test("every value of every recorded report is the one hid-tools reads")
  func values() throws {
    var differences: [String] = []
    var count = 0
    for trace in try DescriptorCorpus.objects("oracle-hidtools-values.jsonl.gz", as: Trace.self) {
      let recording = try Recording(DescriptorCorpus.text(unpacking: trace.file))
      for expected in trace.reports {
        guard let bytes = recording.reports[safe: expected.report]?.bytes,
          let device = recording.reports[safe: expected.report]?.device,
          let descriptor = recording.descriptors[device],
          let layout = descriptor.report(.input, of: bytes)
        else {
          differences.append("\(trace.file): no report \(expected.report)")
          continue
        }
        let payload = Array(bytes.dropFirst(layout.payloadOffset))
        for element in expected.values {
          let bit = element.bit - 8 * layout.payloadOffset
          guard
            let field = layout.fields.first(where: {
              $0.bitCount > 0 && ($0.bitOffset..<$0.bitOffset + $0.bitCount).contains(bit)
            })
          else {
            differences.append("\(trace.file): no field at bit \(bit)")
            continue
          }
          let index = (bit - field.bitOffset) / field.bitSize
          let values = element.values.indices.map { field.value(at: index + $0, in: payload) }
          count += values.count
          if values != element.values {
            differences.append(
              "\(trace.file) report \(expected.report) bit \(bit): \(values), hid-tools "
                + "\(element.values)")
          }
        }
      }
    }
    #expect(count >= 57_835)
    #expect(differences == [], "of \(count) values")
  }

  struct Trace: Decodable {
    var file: String
    var reports: [Report]
  }

  struct Report: Decodable {
    var report: Int
    var values: [Element]
  }

  /// An element as `[bit with the ID's byte, usage, values]`.
  struct Element: Decodable {
    var bit: Int
    var values: [Int64?]

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      bit = try container.decode(Int.self)
      _ = try container.decode(Int64.self)
      values = try container.decode([Int64].self)
    }
  }

  /// The lines of a hid-recorder file that the tests use.
  struct Recording {
    var descriptors: [Int: HIDReportDescriptor] = [:]
    var reports: [(device: Int, bytes: [UInt8])] = []

    init(_ text: String) throws {
      var device = 0
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        switch words.first {
        case "D:": device = words.dropFirst().first.flatMap { Int($0) } ?? 0
        case "R:":
          descriptors[device] = try HIDReportDescriptor(parsing: Self.bytes(words.dropFirst(2)))
        case "E:": reports.append((device, Self.bytes(words.dropFirst(3))))
        default: break
        }
      }
    }

    private static func bytes(_ words: ArraySlice<Substring>) -> [UInt8] {
      words.compactMap { UInt8($0, radix: 16) }
    }
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
