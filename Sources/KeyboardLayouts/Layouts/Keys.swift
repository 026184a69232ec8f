// SPDX-License-Identifier: Apache-2.0

/// The symbols of a layout's keys.
struct Keys: Hashable, Sendable {
  /// The symbols of each usage ID, for the states in the order of ``KeyState/all``.
  let symbols: [UInt8: [KeySymbol]]
  /// True if a key has another symbol with the right Alt key; symbols that a row lacks do not
  /// count.
  let hasAltGr: Bool

  init(_ symbols: [UInt8: [KeySymbol]]) {
    self.symbols = symbols
    hasAltGr = symbols.values.contains { row in
      row.indices.contains { $0 & 2 != 0 && row[$0] != row[$0 & ~2] }
    }
  }

  /// Returns the symbol of a key in a state.
  func symbol(of usageID: UInt8, in state: KeyState) -> KeySymbol {
    guard let row = symbols[usageID] else { return .none }
    let index = Int(state.rawValue)
    return row.indices.contains(index) ? row[index] : .none
  }

  /// Returns the strokes with the lowest cost for each character: one key if possible, else a
  /// sequence that composes it, else strokes for a character and a key with a combining mark.
  func strokes(composing table: ComposeTable) -> [Character: [KeyStroke]] {
    var direct: [KeySymbol: (stroke: KeyStroke, cost: Int)] = [:]
    let states = KeyState.all.filter {
      !$0.contains(.capsLock) && (hasAltGr || !$0.contains(.altGr))
    }
    for state in states {
      for (usageID, _) in symbols.sorted(by: { $0.key < $1.key }) {
        let symbol = symbol(of: usageID, in: state)
        guard symbol != .none, direct[symbol].map({ state.cost < $0.cost }) ?? true else {
          continue
        }
        direct[symbol] = (KeyStroke(state.modifiers, usageID), state.cost)
      }
    }
    var found: [Character: (strokes: [KeyStroke], cost: Int)] = [:]
    func add(_ character: Character, _ strokes: [KeyStroke], cost: Int) {
      if let known = found[character], known.cost <= cost { return }
      found[character] = (strokes, cost)
    }
    for (symbol, key) in direct {
      guard case .character(let scalar) = symbol else { continue }
      add(Character(scalar), [key.stroke], cost: key.cost)
    }
    for rule in table.sequences {
      guard let character = rule.text.first, rule.text.count == 1 else { continue }
      let parts = rule.symbols.compactMap { direct[$0] }
      guard parts.count == rule.symbols.count else { continue }
      // A sequence always costs more than one key, and a longer sequence more than a shorter one.
      add(character, parts.map(\.stroke), cost: parts.reduce(10 * parts.count) { $0 + $1.cost })
    }
    // A layout with keys for combining marks types each letter with each mark, precomposed or not.
    let marks = direct.keys.compactMap { symbol -> Unicode.Scalar? in
      guard case .character(let scalar) = symbol,
        scalar.properties.canonicalCombiningClass != .notReordered
      else { return nil }
      return scalar
    }
    for (base, entry) in found where !marks.isEmpty {
      for mark in marks {
        guard let key = direct[.character(mark)] else { continue }
        var text = String(base)
        text.unicodeScalars.append(mark)
        guard let character = text.first, text.count == 1 else { continue }
        add(character, entry.strokes + [key.stroke], cost: 100 + entry.cost + key.cost)
      }
    }
    if let enter = found["\n"] { found["\r\n"] = enter }
    return found.mapValues(\.strokes)
  }
}
