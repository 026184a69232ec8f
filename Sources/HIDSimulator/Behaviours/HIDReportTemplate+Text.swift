// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDReportTemplate: CustomStringConvertible {
  /// The template as a device file contains it: `01 ${battery:u8} ${request[2]:u8}`.
  public var description: String {
    parts.map { part in
      switch part {
      case .bytes(let bytes): bytes.hexText
      case .integer(let integer): "${\(integer)}"
      case .halves(let high, let low): "\(high)\(low)"
      case .state(let name, _): "${\(name)}"
      case .stateBytes(let name, let range): "${\(name)\(text(range))}"
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

extension HIDReportTemplate.Half: CustomStringConvertible {
  /// The half as a device file contains it: `2`, or `${request[3]:u4}`.
  public var description: String {
    switch self {
    case .digit(let digit): String(digit, radix: 16)
    case .integer(let integer): "${\(integer.text(type: "u4"))}"
    }
  }
}

extension HIDReportTemplate.Integer: CustomStringConvertible {
  /// The term without its braces: `battery:u8`, `request[3]:u8>>4&07`.
  public var description: String { text(type: format.name) }

  fileprivate func text(type: String) -> String {
    var form = type
    if shift > 0 { form += ">>\(shift)" }
    if let mask { form += "&" + String(mask, radix: 16) }
    return switch source {
    case .value(let name): "\(name.text):\(form)"
    case .request(let offset): "request[\(offset)]:\(form)"
    case .stateBytes(let name, let offset): "\(name)[\(offset)]:\(form)"
    case .report(let type, let id, let offset):
      "\(name(type, id))[\(offset)]:\(form)"
    case .counter: "counter:\(form)"
    case .time(unit: .microseconds(1)): "time:\(form)"
    case .time(let unit): "time:\(form) unit=\(TimeUnit.text(unit))"
    case .instance: "instance:\(form)"
    case .device: "device:\(form)"
    case .crc32(let seed):
      seed.isEmpty
        ? "crc32:\(form)"
        : "crc32:\(form) seed=\(seed.hexText.filter { $0 != " " })"
    }
  }
}
