// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// An event of a stick's command link.
struct LinkEvent: Decodable {
  var event: String
  var state: String?
  var link: String?
  var message: String?
}

extension Bench {
  /// Starts `hidsim stick`, and returns the address to which its clients connect.
  func stick(_ options: [String] = []) async throws -> (run: HidsimProcess, place: String) {
    let run = try await start(program: Self.binary, ["stick"] + options + ["--json", "--input"])
    let line = try await run.line { $0.contains("\"state\":\"listening\"") }
    let event = try JSONDecoder().decode(LinkEvent.self, from: Data(line.utf8))
    return (run, try #require(event.link))
  }
}
