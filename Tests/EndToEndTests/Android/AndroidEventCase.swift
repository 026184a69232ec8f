// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A case of one of Android's event tests: the reports that a device sends, and the events that an
/// app gets.
struct AndroidEventCase: Decodable, Sendable {
  var name: String
  var reports: [[UInt8]]
  var events: [AndroidEvent]

  private enum CodingKeys: CodingKey { case name, source, reports, events }

  private struct Wanted: Decodable {
    var action: String
    var keycode: String?
    var axes: [String: Double]?
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = try fields.decode(String.self, forKey: .name)
    reports = try fields.decode([[UInt8]].self, forKey: .reports)
    let sources = try fields.decodeIfPresent(String.self, forKey: .source)
      .map { Set($0.components(separatedBy: " | ")) }
    events = try fields.decode([Wanted].self, forKey: .events).map { wanted in
      let kind: AndroidEvent.Kind
      switch (wanted.keycode, wanted.axes) {
      case (let code?, nil): kind = .key(action: wanted.action, code: code)
      case (nil, let axes?):
        let named = axes.map { (String($0.trimmingPrefix("AXIS_")), $1) }
        kind = .motion(
          action: wanted.action, axes: Dictionary(uniqueKeysWithValues: named))
      default: throw EndToEndError("an event is of a key or of axes")
      }
      return AndroidEvent(kind: kind, sources: sources)
    }
  }

  /// Returns the cases in a file of the corpus.
  static func cases(of file: String) throws -> [AndroidEventCase] {
    let text = try DescriptorCorpus.text("android-cts/\(file)")
    return try JSONDecoder().decode([AndroidEventCase].self, from: Data(text.utf8))
  }
}

extension AndroidEventCase {
  /// Compares the received events with the wanted ones, in order, as Android's CTS does.
  ///
  /// - Returns: The description of the first difference; nil if there is none.
  func difference(from received: [AndroidEvent], _ tally: inout AndroidTally) -> String? {
    var rest = received[...]
    func differs(_ text: String) -> String { "\(text), in \(received), wanted \(events)" }
    for wanted in events {
      while let next = rest.first, next.isKey != wanted.isKey {
        tally.count(.otherKind)
        rest = rest.dropFirst()
      }
      guard let next = rest.popFirst() else { return differs("\(wanted) did not come") }
      guard next.fits(wanted) else {
        return differs(
          "\(next) of \(next.sources ?? []) came for \(wanted) of \(wanted.sources ?? ["any"])")
      }
      if wanted.sources == nil { tally.count(.noSource) }
      tally.events += 1
    }
    if let next = rest.first { return differs("\(next) came, and nothing more is wanted") }
    tally.cases += 1
    return nil
  }
}
