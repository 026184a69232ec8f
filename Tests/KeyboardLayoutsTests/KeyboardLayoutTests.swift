// SPDX-License-Identifier: Apache-2.0

import KeyboardLayouts
import Testing

@Suite("keyboard layouts") struct KeyboardLayoutTests {
  @Test(
    "characters have the measured key strokes",
    arguments: [
      ("de-DE", "@", [0x4014]), ("de-DE", "€", [0x4008]), ("de-DE", "~", [0x4030]),
      ("de-DE", "^", [0x0035, 0x002C]), ("en-GB", "é", [0x4033, 0x0008]), ("pt-BR", "º", [0x4031]),
      ("fr-CA", "{", [0x4034]), ("en-US", "A", [0x0204]), ("en-US", "\n", [0x0028]),
      ("en-US", "\t", [0x002B]), ("en-US", " ", [0x002C]),
    ] as [(String, Character, [UInt16])])
  func strokes(code: String, character: Character, expected: [UInt16]) throws {
    let layout = try #require(KeyboardLayout(code: code))
    let strokes = try #require(layout.strokes(for: character))
    #expect(strokes.map { UInt16($0.modifiers.rawValue) << 8 | UInt16($0.usageID) } == expected)
  }

  @Test(
    "the strokes of every character of every layout give that character again",
    arguments: KeyboardLayout.codes)
  func back(code: String) throws {
    let layout = try #require(KeyboardLayout(code: code))
    #expect(layout.characters.count >= 95)
    for character in layout.characters where character != "\r\n" {
      let strokes = try #require(layout.strokes(for: character))
      #expect(layout.text(of: strokes) == String(character), "\(code) \(character)")
    }
  }

  @Test("a layout is found by its code, in any capitals, and by other spellings")
  func codes() {
    #expect(KeyboardLayout(code: "DE-de")?.code == "de-DE")
    #expect(KeyboardLayout(code: "de_DE")?.code == "de-DE")
    for (spelling, code) in [
      ("ja-JP", "jp-JP"), ("vi-VN", "vn-VN"), ("en-us-dvorak", "en-DV"), ("pt-BT", "pt-BR"),
      ("sv-SV", "sv-SE"),
    ] {
      #expect(KeyboardLayout(code: spelling)?.code == code)
    }
    #expect(KeyboardLayout(code: "xx-XX") == nil)
    #expect(KeyboardLayout(code: "") == nil)
    #expect(KeyboardLayout.all.map(\.code) == KeyboardLayout.codes)
  }

  /// Checks a pangram of each language; the third value has the letters that the layout lacks.
  @Test(
    "a pangram of the language is typed and read back",
    arguments: [
      ("cs-CZ", "Příliš žluťoučký kůň úpěl ďábelské ódy", ""),
      ("da-DK", "Quizdeltagerne spiste jordbær med fløde, mens cirkusklovnen Walther", ""),
      ("de-CH", "Zwölf Boxkämpfer jagen Viktor quer über den grossen Sylter Deich", ""),
      ("de-DE", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich", ""),
      ("el-GR", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία ΐ ΰ", ""),
      ("en-DV", "The quick brown fox jumps over the lazy dog", ""),
      ("en-GB", "The quick brown fox costs £5", ""),
      ("en-US", "The quick brown fox jumps over the lazy dog; ~`!@#$%^&*()_+{}|:\"<>?", ""),
      ("en-US-int", "Café à la façade", ""),
      ("es-ES", "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia, ¿año?", ""),
      ("fi-FI", "Törkylempijävongahdus Åland", ""),
      ("fr-BE", "Voix ambiguë d'un cœur qui au zéphyr préfère les jattes de kiwis", ""),
      ("fr-CA", "Voix ambiguë d'un cœur qui au zéphyr préfère", "œ"),
      ("fr-CH", "Voix ambiguë d'un coeur qui au zéphyr préfère ÀÉÈ", ""),
      ("fr-FR", "Voix ambiguë d'un coeur qui au zéphyr préfère les jattes de kiwis", ""),
      ("he-IL", "דג סקרן שט בים מאוכזב ולפתע מצא חברה", ""),
      ("hr-HR", "Gojazni đačić s biciklom drži hmelj i finu vatu u džepu nošnje", ""),
      ("hu-HU", "Árvíztűrő tükörfúrógép", ""),
      ("it-IT", "Pranzo d'acqua fa volti sghembi: perché, così, più, là", ""),
      ("jp-JP", "The quick brown fox ¥100 _|", ""),
      ("nb-NO", "Vår sære Zulu fra badeøya spilte jo whist og quickstep i min taxi", ""),
      ("nl-NL", "Pa's wijze lynx bezag vroom het fikse aquaduct: één, ïdee", ""),
      ("pl-PL", "Pchnąć w tę łódź jeża lub ośm skrzyń fig", ""),
      ("pt-BR", "Luís argüia à Júlia que brações, fé, chá, óxido, pôr, zângão", ""),
      ("pt-PT", "Luís argüia à Júlia que brações, fé, chá, óxido, pôr, zângão", ""),
      ("ru-RU", "Съешь же ещё этих мягких французских булок, да выпей чаю", ""),
      ("sk-SK", "Kŕdeľ šťastných ďatľov učí pri ústí Váhu mĺkveho koňa obhrýzať kôru", ""),
      ("sv-SE", "Flygande bäckasiner söka hwila på mjuka tuvor", ""),
      ("vn-VN", "Ấộừữợ đặng ế ầ", ""),
    ])
  func pangrams(code: String, text: String, missing: String) throws {
    let layout = try #require(KeyboardLayout(code: code))
    let lacking = text.filter { layout.strokes(for: $0) == nil }
    #expect(String(lacking) == missing)
    let typed = layout.text(of: try layout.strokes(for: text, skippingMissing: true))
    #expect(typed == text.filter { !missing.contains($0) })
  }

  @Test("a text with characters that the layout lacks is refused, with their positions")
  func missing() throws {
    let layout = try #require(KeyboardLayout(code: "de-DE"))
    #expect {
      try layout.strokes(for: "España\u{1F600}\u{7}")
    } throws: { error in
      "\(error)"
        == "the layout de-DE cannot type \"ñ\" (character 5), \"\u{1F600}\" (character 7), "
        + "U+0007 (character 8)"
    }
    #expect(try layout.text(of: layout.strokes(for: "España", skippingMissing: true)) == "Espaa")
    #expect(try layout.strokes(for: "").isEmpty)
  }

  @Test("composed and decomposed spellings of a character have the same strokes")
  func canonicalEquivalence() throws {
    let layout = try #require(KeyboardLayout(code: "fr-FR"))
    #expect(try layout.strokes(for: "e\u{302}") == layout.strokes(for: "ê"))
    #expect(try layout.strokes(for: "a\r\nb") == layout.strokes(for: "a\nb"))
  }

  @Test(
    "a dead key, with a key that it does not combine with, types nothing, and so do command keys")
  func cancelled() throws {
    let layout = try #require(KeyboardLayout(code: "de-DE"))
    let acute = KeyStroke([], 0x2E)
    #expect(layout.symbol(of: 0x2E) == .dead("acute"))
    #expect(layout.text(of: [acute, KeyStroke([], 0x09), KeyStroke([], 0x0F)]) == "l")
    #expect(layout.text(of: [KeyStroke(.leftControl, 0x06), KeyStroke([], 0x06)]) == "c")
    #expect(layout.text(of: [KeyStroke([], 0x06)], capsLock: true) == "C")
    #expect(layout.text(of: [acute]) == "")
  }
}
