// SPDX-License-Identifier: Apache-2.0

/// The longest possible pairing of equal elements of two lists that keeps their order.
///
/// The algorithm reads the lists once, 64 elements of the second list at a time. It keeps its rows
/// for the search of the pairs, from the end to the start. For lists of 2,048 elements, this takes
/// half a megabyte and at most 65,536 steps, however similar the lists are.
///
/// Source: Hyyrö, "Bit-Parallel LCS-length Computation Revisited", 2004. The search of the pairs
/// follows from its definition of the rows.
struct TraceAlignment {
  /// The indices of a pair in both lists, counted from 0.
  struct Pair: Hashable {
    var first: Int
    var second: Int
  }

  /// The pairs, in order.
  private(set) var pairs: [Pair] = []

  /// Pairs equal elements.
  ///
  /// - Parameters:
  ///   - first: The first list. Equal elements have the same number.
  ///   - second: The second list, with the same numbers.
  ///   - reach: For each index of the first list, the indices of the second list that it can be
  ///     paired with; nil for all. Neither end of a range comes before the same end of the previous
  ///     range.
  init(_ first: [Int], _ second: [Int], reach: [Range<Int>]? = nil) {
    guard !first.isEmpty, !second.isEmpty else { return }
    let wordCount = (second.count + 63) / 64
    var masks: [Int: [UInt64]] = [:]
    for (place, element) in second.enumerated() {
      masks[element, default: [UInt64](repeating: 0, count: wordCount)][place / 64] |=
        1 << UInt64(place % 64)
    }
    // A bit is 0 if the longest pairing with the second list up to its element has one pair more
    // than the longest pairing up to the element before.
    var row = [UInt64](repeating: .max, count: wordCount)
    var rows: [UInt64] = []
    rows.reserveCapacity(first.count * wordCount)
    for (place, element) in first.enumerated() {
      if let mask = masks[element] {
        var carry: UInt64 = 0
        for word in 0..<wordCount {
          let old = row[word]
          var equal = mask[word]
          if let reach { equal &= Self.ones(reach[place], word) }
          let (sum, first) = old.addingReportingOverflow(old & equal)
          let (total, second) = sum.addingReportingOverflow(carry)
          carry = first || second ? 1 : 0
          row[word] = total | (old & ~equal)
        }
      }
      rows += row
    }
    trace(rows, wordCount, first.count, second.count)
  }

  /// Returns the bits of a range that are in a word.
  private static func ones(_ range: Range<Int>, _ word: Int) -> UInt64 {
    let low = max(range.lowerBound - 64 * word, 0)
    let high = min(range.upperBound - 64 * word, 64)
    guard low < high else { return 0 }
    return (UInt64.max >> UInt64(64 - (high - low))) << UInt64(low)
  }

  private mutating func trace(
    _ rows: [UInt64], _ wordCount: Int, _ firstCount: Int, _ secondCount: Int
  ) {
    func isStep(_ first: Int, _ second: Int) -> Bool {
      rows[first * wordCount + second / 64] >> UInt64(second % 64) & 1 == 0
    }
    var first = firstCount
    var second = secondCount
    while first > 0, second > 0 {
      if !isStep(first - 1, second - 1) {
        second -= 1
      } else if first > 1, isStep(first - 2, second - 1) {
        first -= 1
      } else {
        first -= 1
        second -= 1
        pairs.append(Pair(first: first, second: second))
      }
    }
    pairs.reverse()
  }
}
