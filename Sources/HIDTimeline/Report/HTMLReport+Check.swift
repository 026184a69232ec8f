// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HIDText

extension HTMLReport {
  /// Reads data in JSON, and checks that they are those of a report.
  ///
  /// Keys that the page does not know are allowed.
  ///
  /// - Parameters:
  ///   - json: The data, of any length.
  ///   - name: The name of the data in messages.
  /// - Returns: The data for ``html(of:)``.
  /// - Throws: An error for ``words(of:name:)``.
  package static func data(from json: [UInt8], name: String) throws -> [UInt8] {
    // The byte order marks of UTF-8 and UTF-16.
    let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
    guard !marks.contains(where: { json.starts(with: $0) }) else {
      throw HIDTextProblem(
        file: name, location: .start, message: "the data begin with a byte order mark",
        help: "write UTF-8 without one")
    }
    // Browsers refuse what this reader allows, such as a trailing comma: the page has the data
    // written anew.
    var reader = JSONReader(json, file: name, maximumByteCount: json.count)
    let node = try reader.only()
    let data = JSONText.value(node).utf8
    _ = try JSONDecoder().decode(ReportData.self, from: Data(data))
    return data
  }

  /// Returns the problem of data in JSON as text, with its place.
  ///
  /// - Parameters:
  ///   - error: The error of ``data(from:name:)``.
  ///   - name: The name of the data in the message.
  package static func words(of error: any Error, name: String) -> String {
    if let error = error as? JSONError { return "\(error.problem)" }
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context):
      return "\(name): \(place(context.codingPath)) has no key \"\(key.stringValue)\""
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return "\(name): \(place(context.codingPath)): expected \(self.name(of: type))"
    case .dataCorrupted(let context):
      // A number that is not a whole one, for example.
      return "\(name): \(place(context.codingPath)): \(context.debugDescription)"
    @unknown default: return "\(name): \(error)"
    }
  }

  /// Returns a path as text: `parts[2].title`.
  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the report" }
    return path.reduce("") { text, key in
      if let index = key.intValue { return "\(text)[\(index)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Int.Type, is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is [String: Any].Type: "an object"
    case is [Any].Type: "an array"
    default: "another type"
    }
  }
}

/// The keys that the page of a report needs.
private struct ReportData: Decodable {
  struct Part: Decodable {
    let title: String
    let outcome: String?
    let message: String?
    let cases: [Case]?
    let script: String?
    let line: Int?
    let output: String?
    let again: String?
    let duration: Double?
    let timeline: Timeline?
    let differences: [Difference]?
  }

  struct Case: Decodable {
    let name: String
    let outcome: String
    let place: String?
    let message: String?
  }

  struct Timeline: Decodable {
    let devices: [Device]
    let events: [Event]
    let before: Int
    let after: Int
  }

  struct Device: Decodable {
    let device: String
    let elements: Elements?
  }

  struct Elements: Decodable {
    let elements: [Element]
  }

  struct Element: Decodable {
    let name: String
    let type: String
    let report: ReportID
    let bit: Int
    let size: Int
    let array: Bool
    let slots: Int
  }

  /// The ID of a report, or null.
  ///
  /// The key of an `Int?` may be missing. This key must be there, because the page compares the ID
  /// with null.
  struct ReportID: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if !container.decodeNil() { _ = try container.decode(Int.self) }
    }
  }

  struct Event: Decodable {
    let event: String
    let time: Double
    let device: String?
    let bytes: String?
    let changes: [String: Double]?
  }

  struct Difference: Decodable {
    let text: String
  }

  let title: String
  let summary: String
  let environment: [[String]]
  let parts: [Part]
}
