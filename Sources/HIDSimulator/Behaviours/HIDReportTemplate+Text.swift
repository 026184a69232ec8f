// SPDX-License-Identifier: Apache-2.0

import IOLoop

extension HIDReportTemplate: CustomStringConvertible {
  /// The template as device files have it: `01 ${battery:u8} ${request[2]:u8}`.
  public var description: String {
    parts.map { part in
      switch part {
      case .bytes(let bytes): bytes.hexText
      case .integer(let integer): "${\(integer)}"
      case .state(let name, _): "${\(name)}"
      case .request(nil): "${request}"
      case .request(let range?):
        range.count == 1
          ? "${request[\(range.lowerBound)]}"
          : "${request[\(range.lowerBound)..\(range.upperBound)]}"
      }
    }.joined(separator: " ")
  }
}

extension HIDReportTemplate.Integer: CustomStringConvertible {
  /// The term without its braces: `battery:u8`.
  public var description: String {
    switch source {
    case .value(let name): "\(name.text):\(format.name)"
    case .request(let offset): "request[\(offset)]:\(format.name)"
    case .time(unit: .microseconds(1)): "time:\(format.name)"
    case .time(let unit): "time:\(format.name) unit=\(unit.text)"
    case .instance: "instance:\(format.name)"
    case .device: "device:\(format.name)"
    case .crc32(let seed):
      seed.isEmpty
        ? "crc32:\(format.name)"
        : "crc32:\(format.name) seed=\(seed.hexText.filter { $0 != " " })"
    }
  }
}
