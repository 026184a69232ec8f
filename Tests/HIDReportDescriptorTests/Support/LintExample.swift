// SPDX-License-Identifier: Apache-2.0

import TestSupport

import HIDReportDescriptor

/// Small descriptors for the tests of lint, and lint's findings in short form.
enum LintExample {
  /// The items of X, with eight bits, from 0 to 255.
  static let x: [UInt8] = [
    0x09, 0x30, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
  ]

  /// Returns a gamepad's application collection on the generic desktop page; the field begins at
  /// byte 6.
  static func device(field: [UInt8] = x) -> [UInt8] {
    [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01] + field + [0xc0]
  }

  /// Returns the codes and offsets of the findings: `empty-field@8`, or `@whole` for the whole
  /// descriptor.
  static func codes(_ bytes: [UInt8]) -> [String] {
    HIDReportDescriptor.lint(bytes).map { finding in
      "\(finding.code)@\(finding.offset.map(String.init) ?? "whole")"
    }
  }

  /// Returns a descriptor with some bytes changed, or random items.
  static func random(using random: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    if Bool.random(using: &random) {
      let examples = [Example.keyboard, Example.mouse, Example.gamepad, Example.consumer]
      bytes = examples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
    } else {
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        guard let tag = HIDItemTag.allCases.randomElement(using: &random) else { continue }
        let limits: [UInt32] = [0x20, 0x20, 0xffff, .max]
        let item = HIDItem(
          tag, data: .random(in: 0...(limits.randomElement(using: &random) ?? 0), using: &random),
          dataByteCount: [0, 1, 1, 1, 2, 4].randomElement(using: &random) ?? 1)
        if tag == .pop || tag == .delimiter, Bool.random(using: &random) { continue }
        item.encode(into: &bytes)
      }
    }
    return bytes
  }
}
