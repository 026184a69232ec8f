// SPDX-License-Identifier: Apache-2.0

/// A small random generator with a seed, so that a failing case can be repeated.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator with a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Returns a copy with one to four changes: bytes changed, inserted, removed, or cut off at the
/// end.
///
/// The changes end when no byte is left. An empty array is returned unchanged.
package func mutated(_ bytes: [UInt8], using random: inout SplitMix64) -> [UInt8] {
  var copy = bytes
  for _ in 0..<Int.random(in: 1...4, using: &random) where !copy.isEmpty {
    let position = Int.random(in: copy.indices, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: copy.removeLast(copy.count - position)
    case 1: copy.remove(at: position)
    case 2: copy.insert(UInt8.random(in: 0...255, using: &random), at: position)
    case 3: copy.insert(contentsOf: copy[position...].prefix(16), at: position)
    case 4: copy[position] = bytes.randomElement(using: &random) ?? 0
    default: copy[position] = UInt8.random(in: 0...255, using: &random)
    }
  }
  return copy
}
