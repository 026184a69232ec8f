// SPDX-License-Identifier: Apache-2.0

import DequeModule

extension TraceLane {
  /// How many events in a row must be the same, so that it is no accident.
  private static let runCount = 6

  /// The nearest place from which on a few events are the same in both traces; linear in those that are searched.
  func commonRun() -> TraceAlignment.Pair? {
    let ones = first.prefix(Self.searchedCount).map(\.key.hashValue)
    let others = second.prefix(Self.searchedCount).map(\.key.hashValue)
    guard ones.count >= Self.runCount, others.count >= Self.runCount else { return nil }
    var places: [Int: Int] = [:]
    for place in 0...others.count - Self.runCount {
      let run = Self.hash(others, place)
      if places[run] == nil { places[run] = place }
    }
    var nearest: TraceAlignment.Pair?
    for place in 0...ones.count - Self.runCount {
      if let nearest, place >= nearest.first + nearest.second { break }
      guard let other = places[Self.hash(ones, place)] else { continue }
      if let nearest, nearest.first + nearest.second <= place + other { continue }
      nearest = TraceAlignment.Pair(first: place, second: other)
    }
    // At the very beginning it would be what was the same but for its times.
    return nearest.flatMap { $0.first + $0.second > 0 ? $0 : nil }
  }

  private static func hash(_ numbers: [Int], _ place: Int) -> Int {
    var hasher = Hasher()
    for number in numbers[place..<place + runCount] { hasher.combine(number) }
    return hasher.finalize()
  }
}
