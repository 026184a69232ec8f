// SPDX-License-Identifier: Apache-2.0

/// A keyboard layout of a host: the keys that type each character.
///
/// A keyboard sends keys, and the host's layout turns them into characters. A device cannot ask the
/// host for its layout, so the user must name it.
///
/// ```swift
/// let german = KeyboardLayout(code: "de-DE")
/// let strokes = try german?.strokes(for: "Größe 5 €")
/// ```
public struct KeyboardLayout: Sendable, Identifiable {
  /// The code: a language and a region, such as `de-DE`, or with a variant, such as `en-US-int`; or
  /// a name such as `xkb:de(neo)`.
  public let code: String
  /// The name in English; for a layout from this machine's xkb-data, the same as ``xkbName``.
  public let name: String
  /// The layout's name in xkb-data, with the variant in parentheses: `us(intl)`.
  public let xkbName: String
  /// The set of keys of a keyboard for this layout.
  public let shape: Shape
  /// The system of the host.
  public let host: Host
  let keys: Keys
  private let strokes: [Character: [KeyStroke]]

  /// The code of the layout.
  public var id: String { code }

  /// The set of keys that a keyboard has.
  public enum Shape: String, Hashable, Sendable, CaseIterable {
    /// 101 to 104 keys, as in the United States.
    case ansi
    /// One more key, left of Z: usage 0x64.
    case iso
    /// ISO, and one more key, right of the slash (usage 0x87), as in Brazil.
    case abnt
    /// Keys for Japanese (usages 0x87 to 0x8b).
    case jis
  }

  /// The operating system of a host; the layouts of a country differ between systems.
  public enum Host: String, Hashable, Sendable, CaseIterable {
    /// Linux with X11 or Wayland: xkb-data and libX11's Compose file.
    case linux
  }

  /// Makes a layout from its keys.
  ///
  /// - Parameters:
  ///   - code: The code, which error messages contain.
  ///   - name: The name in English.
  ///   - xkbName: The name in xkb-data.
  ///   - shape: The set of keys that the keyboard has.
  ///   - symbols: For each usage ID of the keyboard page, the symbols of the eight states of
  ///     ``KeyState/all``. A key with fewer symbols types nothing in the other states.
  public init(
    code: String, name: String, xkbName: String, shape: Shape, symbols: [UInt8: [KeySymbol]]
  ) {
    self.code = code
    self.name = name
    self.xkbName = xkbName
    self.shape = shape
    host = .linux
    keys = Keys(symbols)
    strokes = keys.strokes(composing: .standard)
  }

  /// Returns the symbol of a key in a state.
  ///
  /// - Parameters:
  ///   - usageID: The key: a usage ID of the keyboard page.
  ///   - state: The state of Shift, AltGr and Caps Lock.
  public func symbol(of usageID: UInt8, in state: KeyState = []) -> KeySymbol {
    keys.symbol(of: usageID, in: state)
  }

  /// The keys for which the layout has symbols, sorted by usage ID.
  public var usageIDs: [UInt8] { keys.symbols.keys.sorted() }

  /// True if a key has another symbol with the right Alt key.
  ///
  /// The states for which a key has no symbol, since its list is shorter, do not count.
  public var hasAltGr: Bool { keys.hasAltGr }

  /// The characters that the layout types while Caps Lock is off, sorted as Swift compares
  /// characters.
  ///
  /// Each is typed by a key, by a composed sequence, or by one of these and a key with a combining
  /// mark. CR LF is one of them if a key types a line feed. The layout also types a character whose
  /// scalars are all among them.
  public var characters: [Character] { strokes.keys.sorted() }

  // MARK: Text to strokes

  /// Returns the strokes that type a character, in their order: dead keys before the letter, keys
  /// with combining marks after it.
  ///
  /// If a precomposed character has strokes, its canonical equivalent has the same strokes. Caps
  /// Lock must be off on the host.
  ///
  /// - Returns: The strokes, or nil if the layout cannot type the character.
  public func strokes(for character: Character) -> [KeyStroke]? {
    if let found = strokes[character] { return found }
    // A letter with marks and no precomposed character: type its scalars one after the other.
    let scalars = character.unicodeScalars
    guard scalars.count > 1, character != "\r\n" else { return nil }
    var all: [KeyStroke] = []
    for scalar in scalars {
      guard let part = strokes[Character(scalar)] else { return nil }
      all += part
    }
    return all
  }

  /// Returns the strokes that type a text.
  ///
  /// Caps Lock must be off on the host. A line feed, alone or after a carriage return, is the Enter
  /// key; a tab is the Tab key.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - skipsMissing: True to leave out characters that the layout cannot type.
  /// - Throws: The characters that the layout cannot type, with their positions, unless
  ///   `skipsMissing` is true.
  public func strokes(
    for text: String, skippingMissing skipsMissing: Bool = false
  ) throws(UntypableText) -> [KeyStroke] {
    var all: [KeyStroke] = []
    var missing: [UntypableText.Part] = []
    for (index, character) in text.enumerated() {
      if let strokes = strokes(for: character) {
        all += strokes
      } else if !skipsMissing {
        missing.append(.init(character: character, index: index))
      }
    }
    guard missing.isEmpty else { throw UntypableText(layout: code, parts: missing) }
    return all
  }

  // MARK: Strokes to text

  /// Returns the text that strokes type on a host with this layout.
  ///
  /// A dead key and a key with which it forms no character both type nothing: libxkbcommon cancels
  /// such a sequence. A sequence that is incomplete at the end types nothing. Strokes with Control,
  /// left Alt or GUI, and strokes of keys without a symbol, type nothing and do not end a sequence.
  ///
  /// - Parameters:
  ///   - strokes: The strokes, in their order.
  ///   - capsLock: True if Caps Lock is on during all strokes. A stroke of its key changes nothing.
  public func text(of strokes: some Sequence<KeyStroke>, capsLock: Bool = false) -> String {
    var text = ""
    var pending: [KeySymbol] = []
    for stroke in strokes where stroke.modifiers.isDisjoint(with: .command) {
      let symbol = keys.symbol(
        of: stroke.usageID, in: KeyState(stroke.modifiers, capsLock: capsLock))
      guard symbol != .none else { continue }
      pending.append(symbol)
      switch ComposeTable.standard.step(pending) {
      case .composing: continue
      case .composed(let composed): text += composed
      case .unknown:
        if pending.count == 1, case .character(let scalar) = symbol {
          text.unicodeScalars.append(scalar)
        }
      }
      pending = []
    }
    return text
  }
}

extension KeyboardLayout: Hashable {
  /// Returns whether two layouts have the same code and the same symbols.
  public static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.keys == right.keys
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
