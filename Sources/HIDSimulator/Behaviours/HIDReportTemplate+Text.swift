// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDReportTemplate: CustomStringConvertible {
  /// The template as a device file contains it: `01 ${battery:u8} ${request[2]:u8}`.
  public var description: String {
    parts.map { part in
      switch part {
      case .bytes(let bytes): bytes.hexText
      case .integer(let integer): "${\(integer)}"
      case .state(let name, _): "${\(name)}"
      case .request(nil): "${request}"
      case .request(let range?): "${request\(text(range))}"
      case .report(let type, let id, let range): "${\(name(type, id))\(text(range))}"
      }
    }.joined(separator: " ")
  }
}

private func text(_ range: ClosedRange<Int>) -> String {
  range.count == 1 ? "[\(range.lowerBound)]" : "[\(range.lowerBound)..\(range.upperBound)]"
}

private func name(_ type: HIDReportType, _ id: HIDReportID?) -> String {
  id.map { "\(type) \($0)" } ?? "\(type)"
}

extension HIDReportTemplate.Integer: CustomStringConvertible {
  /// The term without its braces: `battery:u8`.
  public var description: String {
    switch source {
    case .value(let name): "\(name.text):\(format.name)"
    case .request(let offset): "request[\(offset)]:\(format.name)"
    case .report(let type, let id, let offset):
      "\(name(type, id))[\(offset)]:\(format.name)"
    case .counter: "counter:\(format.name)"
    case .time(unit: .microseconds(1)): "time:\(format.name)"
    case .time(let unit): "time:\(format.name) unit=\(TimeUnit.text(unit))"
    case .instance: "instance:\(format.name)"
    case .device: "device:\(format.name)"
    case .crc32(let seed):
      seed.isEmpty
        ? "crc32:\(format.name)"
        : "crc32:\(format.name) seed=\(seed.hexText.filter { $0 != " " })"
    }
  }
}
