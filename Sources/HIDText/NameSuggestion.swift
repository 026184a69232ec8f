// SPDX-License-Identifier: Apache-2.0

/// A search for the known name that is most similar to an unknown one.
public enum NameSuggestion {
  /// Returns the candidate with the fewest letters to change, add, remove or swap, if they are few
  /// enough.
  ///
  /// Letters are bytes of UTF-8. Only the first 64 of each name are compared.
  ///
  /// - Parameter name: The name as it was written, in upper or lower case.
  /// - Parameter candidates: The known names. The first of several equally near names is returned.
  /// - Returns: The nearest candidate if its distance is at most a third of the name's letters, or
  ///   1 for a short name; else `nil`.
  public static func nearest(
    to name: some StringProtocol, in candidates: some Sequence<String>
  ) -> String? {
    let wanted = Array(name.lowercased().utf8.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let letters = Array(candidate.lowercased().utf8.prefix(64))
      let limit = min(max(1, wanted.count / 3), (best?.distance ?? .max) - 1)
      guard abs(letters.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, letters)
      if distance <= limit { best = (candidate, distance) }
      if distance == 0 { break }
    }
    return best?.name
  }

  /// Returns the edit distance with swaps of neighbours, "optimal string alignment".
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for i in left.indices {
      var current = [i + 1]
      current.reserveCapacity(right.count + 1)
      for j in right.indices {
        var cost = min(
          previous[j] + (left[i] == right[j] ? 0 : 1), previous[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          cost = min(cost, beforePrevious[j - 1] + 1)
        }
        current.append(cost)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[right.count]
  }
}
