// SPDX-License-Identifier: Apache-2.0

import HIDText
import HIDTimeline
import HIDTraces

/// A request with a trace, or with two traces to compare.
struct TraceRequest {
  /// The paths of such requests.
  static let paths: Set<String> = ["trace", "compare"]
  /// The largest number of bytes of the traces.
  static let bodyLimit = 32 << 20
  /// The largest number of events that the page gets.
  private static let eventLimit = 50_000
  /// The largest number of differences that the page gets.
  private static let differenceLimit = 1000

  private let request: HTTPRequest

  init(_ request: HTTPRequest) { self.request = request }

  /// Reads the traces, and returns their timeline; for two traces also their differences.
  ///
  /// - Throws: A refusal with status 422 and the problems of a trace that cannot be read; one with
  ///   status 400 if two traces come without a valid length of the first.
  @concurrent
  func answer(isComparison: Bool) async throws(HTTPRefusal) -> JSONLine {
    if isComparison {
      guard let split = request.query["split"].flatMap(Int.init),
        (0...request.body.count).contains(split)
      else {
        throw HTTPRefusal(400, "add &split=N, the number of bytes of the first trace")
      }
      do {
        return try compared(at: split)
      } catch {
        throw HTTPRefusal(422, "\(error)")
      }
    }
    do throws(HIDTraceError) {
      var reader = try reader(request.body, request.query["name"])
      let timeline = try TraceTimeline.timeline(reading: &reader, limit: Self.eventLimit)
      return JSONLine { line in
        line.add("format", .string(reader.format.title))
        line.add("timeline", .object(timeline))
      }
    } catch {
      throw HTTPRefusal(422, "\(error)")
    }
  }

  private func compared(at split: Int) throws -> JSONLine {
    let first = try reader(Array(request.body[..<split]), request.query["first"])
    let second = try reader(Array(request.body[split...]), request.query["second"])
    var (one, other) = (first, second)
    let timeline = try TraceTimeline.timeline(
      reading: &one, and: &other, limit: Self.eventLimit / 2)
    var comparison = try HIDTraceComparison(
      first, second, options: .init(detailedCount: Self.differenceLimit))
    var differences: [JSONText] = []
    var count = 0
    while let difference = try comparison.next() {
      count += 1
      if count <= Self.differenceLimit {
        differences.append(.object(TraceTimeline.line(difference)))
      }
    }
    return JSONLine { line in
      line.add("timeline", .object(timeline))
      line.add("differences", .array(differences))
      line.add("count", .integer(count))
    }
  }

  private func reader(
    _ bytes: [UInt8], _ name: String?
  ) throws(HIDTraceError) -> HIDTraceReader {
    try HIDTraceReader(HIDTraceSource(name: name ?? "the trace", bytes: bytes))
  }
}
