// SPDX-License-Identifier: Apache-2.0

import DequeModule

extension TraceLane {
  /// The number of equal events in a row that is unlikely to occur by accident.
  private static let runCount = 6

  /// Returns the nearest position from which several events in a row are equal in both traces.
  ///
  /// It is nil if there is no such position, or if the nearest one is the start of both traces. The
  /// time it takes grows linearly with the number of events that are searched.
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
    // The start of both traces was tried before: its events are equal, but their times differ.
    return nearest.flatMap { $0.first + $0.second > 0 ? $0 : nil }
  }

  private static func hash(_ numbers: [Int], _ place: Int) -> Int {
    var hasher = Hasher()
    for number in numbers[place..<place + runCount] { hasher.combine(number) }
    return hasher.finalize()
  }
}
