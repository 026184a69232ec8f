// SPDX-License-Identifier: Apache-2.0

/// Finds the known name that a misspelt one most likely means.
///
/// - Parameters:
///   - name: The name as it was written. A name over 64 bytes is no misspelling of anything.
///   - candidates: The names that would have been right.
/// - Returns: The nearest candidate, or nil where none is near: at most one edit for every three
///   characters, with letter case costing nothing.
package func nearestName(to name: some StringProtocol, among candidates: [String]) -> String? {
  let written = Array(name.lowercased().utf8)
  guard !written.isEmpty, written.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in candidates {
    let known = Array(candidate.lowercased().utf8)
    let allowed = max(1, max(written.count, known.count) / 3)
    guard abs(known.count - written.count) <= allowed else { continue }
    let distance = editDistance(written, known)
    guard distance <= allowed, distance < max(written.count, known.count),
      distance < best?.distance ?? .max
    else { continue }
    best = (candidate, distance)
  }
  return best?.name
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two names.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for (row, leftByte) in left.enumerated() {
    var current = [row + 1]
    for (column, rightByte) in right.enumerated() {
      var cost = min(
        previous[column] + (leftByte == rightByte ? 0 : 1),
        previous[column + 1] + 1,
        current[column] + 1)
      if row > 0, column > 0, leftByte == right[column - 1], left[row - 1] == rightByte {
        cost = min(cost, beforePrevious[column - 1] + 1)
      }
      current.append(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[right.count]
}
