// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

// Runs the fuzz targets' operations on slow descriptors, one after the other, for scripts/fuzz
// --growth: callgrind counts the instructions of each call of `growthMeasured`, in this order.

/// An operation on a report descriptor.
private struct Operation: Sendable {
  let name: String
  /// Makes the input of the operation from a descriptor; callgrind does not count this call.
  let prepare: @Sendable ([UInt8]) -> [UInt8]
  /// Runs the operation, and returns any number that depends on its result.
  let run: @Sendable ([UInt8]) -> Int

  init(
    _ name: String, prepare: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
    run: @escaping @Sendable ([UInt8]) -> Int
  ) {
    self.name = name
    self.prepare = prepare
    self.run = run
  }
}

private let operations =
  [
    Operation("parse") { (try? HIDReportDescriptor(parsing: $0))?.reports.count ?? 0 },
    Operation("parse by HID 1.11") {
      (try? HIDReportDescriptor(parsing: $0, reading: .specification))?.reports.count ?? 0
    },
    Operation("lint") { HIDReportDescriptor.lint($0).count },
    Operation("decode", run: decode),
    Operation("changes", run: changes),
    Operation("evdev", run: mapEvents),
    Operation("words") {
      (try? HIDItem.decodeAll($0)).map { HIDReportDescriptor.namedItems($0).count } ?? 0
    },
    Operation("compare", run: compare),
  ]
  + HIDDescriptorFormat.allCases.filter { $0 != .binary }.flatMap { format in
    [
      Operation("write \(format)") { HIDDescriptorText.write($0, as: format).count },
      Operation("read \(format)", prepare: { HIDDescriptorText.write($0, as: format) }) {
        (try? HIDDescriptorText.read($0, name: "", format: format))?.count ?? 0
      },
      Operation("detect \(format)", prepare: { HIDDescriptorText.write($0, as: format) }) {
        HIDDescriptorFormat.detect($0) == format ? 1 : 0
      },
    ]
  }

@Sendable private func decode(_ bytes: [UInt8]) -> Int {
  guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { return 0 }
  var sum = 0
  for layout in descriptor.reports {
    let decoder = HIDReportDecoder(layout)
    var values = [Int64](repeating: 0, count: decoder.valueCount)
    var span = values.mutableSpan
    sum += decoder.decode(layout.zeroReport.span, into: &span)
  }
  return sum
}

@Sendable private func changes(_ bytes: [UInt8]) -> Int {
  guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { return 0 }
  var sum = 0
  for layout in descriptor.reports {
    let report = [UInt8](repeating: 0x55, count: layout.byteCount)
    let decoder = HIDReportDecoder(layout)
    decoder.forEachChange(from: layout.zeroReport.span, to: report.span) { _, _, _ in sum += 1 }
  }
  return sum
}

@Sendable private func mapEvents(_ bytes: [UInt8]) -> Int {
  guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { return 0 }
  return EvdevMapping(of: descriptor, driver: descriptor.group.driver).nodes.count
}

@Sendable private func compare(_ bytes: [UInt8]) -> Int {
  guard let descriptor = try? HIDReportDescriptor(parsing: bytes),
    let other = try? HIDReportDescriptor(parsing: bytes, reading: .specification)
  else { return 0 }
  return descriptor.differences(to: other).count
}

/// The families of descriptors, each hostile in one way; `make` takes a length in bytes.
private let families: [(name: String, make: @Sendable (Int) -> [UInt8])] = [
  ("usages", { fill($0, [0x09, 0x01], end: [0x81, 0x02]) }),
  ("nested collections", nested),
  ("pushes", { fill($0, [0xa4]) }),
  ("push and pop", { fill($0, [0xa4, 0xb4]) }),
  ("fields", { fill($0, head: [0x75, 0x01, 0x95, 0x01], [0x09, 0x30, 0x81, 0x02]) }),
  ("fields of 12,288", { fill($0, head: [0x75, 0, 0x96, 0, 0x30], [0x09, 0x30, 0x81, 2]) }),
  ("long ranges", { fill($0, head: [0x95, 0x01], [0x19, 0x00, 0x2a, 0xff, 0x2f, 0x81, 0x02]) }),
  ("short ranges", { fill($0, [0x19, 0x01, 0x29, 0x01], end: [0x81, 0x02]) }),
  ("report IDs in turn", { fill($0, head: small, turns([0x09, 0x30, 0x81, 0x02])) }),
  ("reports", { fill($0, head: small, turns([0x09, 0x30, 0x81, 0x02, 0x91, 0x02, 0xb1, 0x02])) }),
  (
    "delimiters",
    { fill($0, [0xa9, 0x01, 0x09, 0x01, 0x09, 0x02, 0xa9, 0x00], end: [0x81, 0x02]) }
  ),
  ("designators", { fill($0, [0x39, 0x01, 0x79, 0x01], end: [0x81, 0x02]) }),
  (
    "designators of fields",
    { fill($0, head: small, [0x39, 0x01, 0x79, 0x02, 0x09, 0x30, 0x81, 0x02]) }
  ),
  ("late pages", { fill($0, [0x05, 0x01, 0x09, 0x30, 0x05, 0x09], end: [0x81, 0x02]) }),
  ("arrays", { fill($0, head: array, [0x19, 0x00, 0x29, 0xff, 0x81, 0x00]) }),
  ("touches", { fill($0, head: touch, [0x09, 0x51, 0x09, 0x30, 0x09, 0x31, 0x81, 0x02]) }),
  ("features", { fill($0, head: touch, [0x09, 0x55, 0x09, 0x59, 0xb1, 0x02]) }),
  ("applications", { fill($0, [0x09, 0x02, 0xa1, 0x01, 0x09, 0x30, 0x81, 0x02, 0xc0]) }),
  ("random items", randomItems),
  ("random bytes", { count in random(count) }),
]

private let small: [UInt8] = [0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x75, 0x08, 0x95, 0x01]
private let array: [UInt8] = [
  0x05, 0x07, 0x75, 0x08, 0x95, 0x06, 0x15, 0x00, 0x26, 0xff, 0x00,
]
private let touch: [UInt8] = [
  0x05, 0x0d, 0x09, 0x04, 0xa1, 0x01, 0x09, 0x22, 0xa1, 0x02, 0x75, 0x08, 0x95, 0x03,
]

/// Returns a descriptor of a head, as many units as fit, and an end that closes its collections.
private func fill(
  _ count: Int, head: [UInt8] = [0x05, 0x01, 0x09, 0x02, 0xa1, 0x01], _ unit: [UInt8],
  end: [UInt8] = []
) -> [UInt8] {
  let depth = head.indices.count { head[$0] == 0xa1 && $0 % 2 == 0 }
  let end = end + [UInt8](repeating: 0xc0, count: depth)
  var bytes = head
  bytes.reserveCapacity(count)
  while bytes.count + unit.count + end.count <= count { bytes += unit }
  return bytes + end
}

@Sendable private func nested(_ count: Int) -> [UInt8] {
  let depth = count / 5
  return (0..<depth).flatMap { _ in [0x09, 0x02, 0xa1, 0x01] as [UInt8] }
    + [UInt8](repeating: 0xc0, count: depth)
}

/// Returns the unit for each of 16 report IDs.
private func turns(_ unit: [UInt8]) -> [UInt8] {
  (1...16).flatMap { id in [0x85, id * 15] + unit }
}

private func random(_ count: Int) -> [UInt8] {
  var state: UInt64 = 1
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 33)
  }
}

/// Returns items with tags that HID 1.11 defines and the parser accepts.
///
/// Sizes and counts are small, and no collection is closed too often.
@Sendable private func randomItems(_ count: Int) -> [UInt8] {
  let tags: [HIDItemTag] = [
    .input, .output, .feature, .usagePage, .logicalMaximum, .unit, .reportID, .usage, .usage,
    .usageMinimum, .usageMaximum, .designatorIndex, .stringMaximum,
  ]
  var bytes = small
  for byte in random(count) where bytes.count + 5 < count {
    let tag = tags[Int(byte >> 3) % tags.count]
    HIDItem(tag, data: UInt32(byte) | 1, dataByteCount: byte & 7 == 0 ? 4 : 1).encode(into: &bytes)
  }
  return bytes + [0xc0]
}

/// Runs one operation, whose instructions callgrind counts.
@c(growthMeasured)
@inline(never)
public func growthMeasured(_ operation: Int) -> Int {
  operations[operation].run(input)
}

nonisolated(unsafe) private var input: [UInt8] = []

@main
private enum Growth {
  static func main() {
    var sum = 0
    for (name, make) in families {
      for (index, operation) in operations.enumerated() {
        // Work that is done only in the first call is not growth.
        sum += operation.run(operation.prepare(make(512)))
        for byteCount in [1024, 2048, 4096] {
          input = operation.prepare(make(byteCount))
          sum += growthMeasured(index)
          print("\(operation.name)\t\(name)\t\(input.count)")
        }
      }
    }
    if sum == .min { print(sum) }
  }
}
