// SPDX-License-Identifier: Apache-2.0

// The names of the keys are those of Apple's GCKeyCodes.h and GCKeyNames.h. The numbers are the
// usages of HID's keyboard page.

extension GCKeyCode {
  /// The key of usage 0x04 on page 7.
  public static let keyA = GCKeyCode(rawValue: 0x04)
  /// The key of usage 0x05 on page 7.
  public static let keyB = GCKeyCode(rawValue: 0x05)
  /// The key of usage 0x06 on page 7.
  public static let keyC = GCKeyCode(rawValue: 0x06)
  /// The key of usage 0x07 on page 7.
  public static let keyD = GCKeyCode(rawValue: 0x07)
  /// The key of usage 0x08 on page 7.
  public static let keyE = GCKeyCode(rawValue: 0x08)
  /// The key of usage 0x09 on page 7.
  public static let keyF = GCKeyCode(rawValue: 0x09)
  /// The key of usage 0x0A on page 7.
  public static let keyG = GCKeyCode(rawValue: 0x0A)
  /// The key of usage 0x0B on page 7.
  public static let keyH = GCKeyCode(rawValue: 0x0B)
  /// The key of usage 0x0C on page 7.
  public static let keyI = GCKeyCode(rawValue: 0x0C)
  /// The key of usage 0x0D on page 7.
  public static let keyJ = GCKeyCode(rawValue: 0x0D)
  /// The key of usage 0x0E on page 7.
  public static let keyK = GCKeyCode(rawValue: 0x0E)
  /// The key of usage 0x0F on page 7.
  public static let keyL = GCKeyCode(rawValue: 0x0F)
  /// The key of usage 0x10 on page 7.
  public static let keyM = GCKeyCode(rawValue: 0x10)
  /// The key of usage 0x11 on page 7.
  public static let keyN = GCKeyCode(rawValue: 0x11)
  /// The key of usage 0x12 on page 7.
  public static let keyO = GCKeyCode(rawValue: 0x12)
  /// The key of usage 0x13 on page 7.
  public static let keyP = GCKeyCode(rawValue: 0x13)
  /// The key of usage 0x14 on page 7.
  public static let keyQ = GCKeyCode(rawValue: 0x14)
  /// The key of usage 0x15 on page 7.
  public static let keyR = GCKeyCode(rawValue: 0x15)
  /// The key of usage 0x16 on page 7.
  public static let keyS = GCKeyCode(rawValue: 0x16)
  /// The key of usage 0x17 on page 7.
  public static let keyT = GCKeyCode(rawValue: 0x17)
  /// The key of usage 0x18 on page 7.
  public static let keyU = GCKeyCode(rawValue: 0x18)
  /// The key of usage 0x19 on page 7.
  public static let keyV = GCKeyCode(rawValue: 0x19)
  /// The key of usage 0x1A on page 7.
  public static let keyW = GCKeyCode(rawValue: 0x1A)
  /// The key of usage 0x1B on page 7.
  public static let keyX = GCKeyCode(rawValue: 0x1B)
  /// The key of usage 0x1C on page 7.
  public static let keyY = GCKeyCode(rawValue: 0x1C)
  /// The key of usage 0x1D on page 7.
  public static let keyZ = GCKeyCode(rawValue: 0x1D)
  /// The key of usage 0x1E on page 7.
  public static let one = GCKeyCode(rawValue: 0x1E)
  /// The key of usage 0x1F on page 7.
  public static let two = GCKeyCode(rawValue: 0x1F)
  /// The key of usage 0x20 on page 7.
  public static let three = GCKeyCode(rawValue: 0x20)
  /// The key of usage 0x21 on page 7.
  public static let four = GCKeyCode(rawValue: 0x21)
  /// The key of usage 0x22 on page 7.
  public static let five = GCKeyCode(rawValue: 0x22)
  /// The key of usage 0x23 on page 7.
  public static let six = GCKeyCode(rawValue: 0x23)
  /// The key of usage 0x24 on page 7.
  public static let seven = GCKeyCode(rawValue: 0x24)
  /// The key of usage 0x25 on page 7.
  public static let eight = GCKeyCode(rawValue: 0x25)
  /// The key of usage 0x26 on page 7.
  public static let nine = GCKeyCode(rawValue: 0x26)
  /// The key of usage 0x27 on page 7.
  public static let zero = GCKeyCode(rawValue: 0x27)
  /// The key of usage 0x28 on page 7.
  public static let returnOrEnter = GCKeyCode(rawValue: 0x28)
  /// The key of usage 0x29 on page 7.
  public static let escape = GCKeyCode(rawValue: 0x29)
  /// The key of usage 0x2A on page 7.
  public static let deleteOrBackspace = GCKeyCode(rawValue: 0x2A)
  /// The key of usage 0x2B on page 7.
  public static let tab = GCKeyCode(rawValue: 0x2B)
  /// The key of usage 0x2C on page 7.
  public static let spacebar = GCKeyCode(rawValue: 0x2C)
  /// The key of usage 0x2D on page 7.
  public static let hyphen = GCKeyCode(rawValue: 0x2D)
  /// The key of usage 0x2E on page 7.
  public static let equalSign = GCKeyCode(rawValue: 0x2E)
  /// The key of usage 0x2F on page 7.
  public static let openBracket = GCKeyCode(rawValue: 0x2F)
  /// The key of usage 0x30 on page 7.
  public static let closeBracket = GCKeyCode(rawValue: 0x30)
  /// The key of usage 0x31 on page 7.
  public static let backslash = GCKeyCode(rawValue: 0x31)
  /// The key of usage 0x32 on page 7.
  public static let nonUSPound = GCKeyCode(rawValue: 0x32)
  /// The key of usage 0x33 on page 7.
  public static let semicolon = GCKeyCode(rawValue: 0x33)
  /// The key of usage 0x34 on page 7.
  public static let quote = GCKeyCode(rawValue: 0x34)
  /// The key of usage 0x35 on page 7.
  public static let graveAccentAndTilde = GCKeyCode(rawValue: 0x35)
  /// The key of usage 0x36 on page 7.
  public static let comma = GCKeyCode(rawValue: 0x36)
  /// The key of usage 0x37 on page 7.
  public static let period = GCKeyCode(rawValue: 0x37)
  /// The key of usage 0x38 on page 7.
  public static let slash = GCKeyCode(rawValue: 0x38)
  /// The key of usage 0x39 on page 7.
  public static let capsLock = GCKeyCode(rawValue: 0x39)
  /// The key of usage 0x3A on page 7.
  public static let F1 = GCKeyCode(rawValue: 0x3A)
  /// The key of usage 0x3B on page 7.
  public static let F2 = GCKeyCode(rawValue: 0x3B)
  /// The key of usage 0x3C on page 7.
  public static let F3 = GCKeyCode(rawValue: 0x3C)
  /// The key of usage 0x3D on page 7.
  public static let F4 = GCKeyCode(rawValue: 0x3D)
  /// The key of usage 0x3E on page 7.
  public static let F5 = GCKeyCode(rawValue: 0x3E)
  /// The key of usage 0x3F on page 7.
  public static let F6 = GCKeyCode(rawValue: 0x3F)
  /// The key of usage 0x40 on page 7.
  public static let F7 = GCKeyCode(rawValue: 0x40)
  /// The key of usage 0x41 on page 7.
  public static let F8 = GCKeyCode(rawValue: 0x41)
  /// The key of usage 0x42 on page 7.
  public static let F9 = GCKeyCode(rawValue: 0x42)
  /// The key of usage 0x43 on page 7.
  public static let F10 = GCKeyCode(rawValue: 0x43)
  /// The key of usage 0x44 on page 7.
  public static let F11 = GCKeyCode(rawValue: 0x44)
  /// The key of usage 0x45 on page 7.
  public static let F12 = GCKeyCode(rawValue: 0x45)
  /// The key of usage 0x46 on page 7.
  public static let printScreen = GCKeyCode(rawValue: 0x46)
  /// The key of usage 0x47 on page 7.
  public static let scrollLock = GCKeyCode(rawValue: 0x47)
  /// The key of usage 0x48 on page 7.
  public static let pause = GCKeyCode(rawValue: 0x48)
  /// The key of usage 0x49 on page 7.
  public static let insert = GCKeyCode(rawValue: 0x49)
  /// The key of usage 0x4A on page 7.
  public static let home = GCKeyCode(rawValue: 0x4A)
  /// The key of usage 0x4B on page 7.
  public static let pageUp = GCKeyCode(rawValue: 0x4B)
  /// The key of usage 0x4C on page 7.
  public static let deleteForward = GCKeyCode(rawValue: 0x4C)
  /// The key of usage 0x4D on page 7.
  public static let end = GCKeyCode(rawValue: 0x4D)
  /// The key of usage 0x4E on page 7.
  public static let pageDown = GCKeyCode(rawValue: 0x4E)
  /// The key of usage 0x4F on page 7.
  public static let rightArrow = GCKeyCode(rawValue: 0x4F)
  /// The key of usage 0x50 on page 7.
  public static let leftArrow = GCKeyCode(rawValue: 0x50)
  /// The key of usage 0x51 on page 7.
  public static let downArrow = GCKeyCode(rawValue: 0x51)
  /// The key of usage 0x52 on page 7.
  public static let upArrow = GCKeyCode(rawValue: 0x52)
  /// The key of usage 0x53 on page 7.
  public static let keypadNumLock = GCKeyCode(rawValue: 0x53)
  /// The key of usage 0x54 on page 7.
  public static let keypadSlash = GCKeyCode(rawValue: 0x54)
  /// The key of usage 0x55 on page 7.
  public static let keypadAsterisk = GCKeyCode(rawValue: 0x55)
  /// The key of usage 0x56 on page 7.
  public static let keypadHyphen = GCKeyCode(rawValue: 0x56)
  /// The key of usage 0x57 on page 7.
  public static let keypadPlus = GCKeyCode(rawValue: 0x57)
  /// The key of usage 0x58 on page 7.
  public static let keypadEnter = GCKeyCode(rawValue: 0x58)
  /// The key of usage 0x59 on page 7.
  public static let keypad1 = GCKeyCode(rawValue: 0x59)
  /// The key of usage 0x5A on page 7.
  public static let keypad2 = GCKeyCode(rawValue: 0x5A)
  /// The key of usage 0x5B on page 7.
  public static let keypad3 = GCKeyCode(rawValue: 0x5B)
  /// The key of usage 0x5C on page 7.
  public static let keypad4 = GCKeyCode(rawValue: 0x5C)
  /// The key of usage 0x5D on page 7.
  public static let keypad5 = GCKeyCode(rawValue: 0x5D)
  /// The key of usage 0x5E on page 7.
  public static let keypad6 = GCKeyCode(rawValue: 0x5E)
  /// The key of usage 0x5F on page 7.
  public static let keypad7 = GCKeyCode(rawValue: 0x5F)
  /// The key of usage 0x60 on page 7.
  public static let keypad8 = GCKeyCode(rawValue: 0x60)
  /// The key of usage 0x61 on page 7.
  public static let keypad9 = GCKeyCode(rawValue: 0x61)
  /// The key of usage 0x62 on page 7.
  public static let keypad0 = GCKeyCode(rawValue: 0x62)
  /// The key of usage 0x63 on page 7.
  public static let keypadPeriod = GCKeyCode(rawValue: 0x63)
  /// The key of usage 0x64 on page 7.
  public static let nonUSBackslash = GCKeyCode(rawValue: 0x64)
  /// The key of usage 0x65 on page 7.
  public static let application = GCKeyCode(rawValue: 0x65)
  /// The key of usage 0x66 on page 7.
  public static let power = GCKeyCode(rawValue: 0x66)
  /// The key of usage 0x67 on page 7.
  public static let keypadEqualSign = GCKeyCode(rawValue: 0x67)
  /// The key of usage 0x68 on page 7.
  public static let F13 = GCKeyCode(rawValue: 0x68)
  /// The key of usage 0x69 on page 7.
  public static let F14 = GCKeyCode(rawValue: 0x69)
  /// The key of usage 0x6A on page 7.
  public static let F15 = GCKeyCode(rawValue: 0x6A)
  /// The key of usage 0x6B on page 7.
  public static let F16 = GCKeyCode(rawValue: 0x6B)
  /// The key of usage 0x6C on page 7.
  public static let F17 = GCKeyCode(rawValue: 0x6C)
  /// The key of usage 0x6D on page 7.
  public static let F18 = GCKeyCode(rawValue: 0x6D)
  /// The key of usage 0x6E on page 7.
  public static let F19 = GCKeyCode(rawValue: 0x6E)
  /// The key of usage 0x6F on page 7.
  public static let F20 = GCKeyCode(rawValue: 0x6F)
  /// The key of usage 0x87 on page 7.
  public static let international1 = GCKeyCode(rawValue: 0x87)
  /// The key of usage 0x88 on page 7.
  public static let international2 = GCKeyCode(rawValue: 0x88)
  /// The key of usage 0x89 on page 7.
  public static let international3 = GCKeyCode(rawValue: 0x89)
  /// The key of usage 0x8A on page 7.
  public static let international4 = GCKeyCode(rawValue: 0x8A)
  /// The key of usage 0x8B on page 7.
  public static let international5 = GCKeyCode(rawValue: 0x8B)
  /// The key of usage 0x8C on page 7.
  public static let international6 = GCKeyCode(rawValue: 0x8C)
  /// The key of usage 0x8D on page 7.
  public static let international7 = GCKeyCode(rawValue: 0x8D)
  /// The key of usage 0x8E on page 7.
  public static let international8 = GCKeyCode(rawValue: 0x8E)
  /// The key of usage 0x8F on page 7.
  public static let international9 = GCKeyCode(rawValue: 0x8F)
  /// The key of usage 0x90 on page 7.
  public static let LANG1 = GCKeyCode(rawValue: 0x90)
  /// The key of usage 0x91 on page 7.
  public static let LANG2 = GCKeyCode(rawValue: 0x91)
  /// The key of usage 0x92 on page 7.
  public static let LANG3 = GCKeyCode(rawValue: 0x92)
  /// The key of usage 0x93 on page 7.
  public static let LANG4 = GCKeyCode(rawValue: 0x93)
  /// The key of usage 0x94 on page 7.
  public static let LANG5 = GCKeyCode(rawValue: 0x94)
  /// The key of usage 0x95 on page 7.
  public static let LANG6 = GCKeyCode(rawValue: 0x95)
  /// The key of usage 0x96 on page 7.
  public static let LANG7 = GCKeyCode(rawValue: 0x96)
  /// The key of usage 0x97 on page 7.
  public static let LANG8 = GCKeyCode(rawValue: 0x97)
  /// The key of usage 0x98 on page 7.
  public static let LANG9 = GCKeyCode(rawValue: 0x98)
  /// The key of usage 0xE0 on page 7.
  public static let leftControl = GCKeyCode(rawValue: 0xE0)
  /// The key of usage 0xE1 on page 7.
  public static let leftShift = GCKeyCode(rawValue: 0xE1)
  /// The key of usage 0xE2 on page 7.
  public static let leftAlt = GCKeyCode(rawValue: 0xE2)
  /// The key of usage 0xE3 on page 7.
  public static let leftGUI = GCKeyCode(rawValue: 0xE3)
  /// The key of usage 0xE4 on page 7.
  public static let rightControl = GCKeyCode(rawValue: 0xE4)
  /// The key of usage 0xE5 on page 7.
  public static let rightShift = GCKeyCode(rawValue: 0xE5)
  /// The key of usage 0xE6 on page 7.
  public static let rightAlt = GCKeyCode(rawValue: 0xE6)
  /// The key of usage 0xE7 on page 7.
  public static let rightGUI = GCKeyCode(rawValue: 0xE7)

  /// Every code that has a name, with the name of its key.
  static let named: [(code: GCKeyCode, name: String)] = [
    (.keyA, GCKeyA),
    (.keyB, GCKeyB),
    (.keyC, GCKeyC),
    (.keyD, GCKeyD),
    (.keyE, GCKeyE),
    (.keyF, GCKeyF),
    (.keyG, GCKeyG),
    (.keyH, GCKeyH),
    (.keyI, GCKeyI),
    (.keyJ, GCKeyJ),
    (.keyK, GCKeyK),
    (.keyL, GCKeyL),
    (.keyM, GCKeyM),
    (.keyN, GCKeyN),
    (.keyO, GCKeyO),
    (.keyP, GCKeyP),
    (.keyQ, GCKeyQ),
    (.keyR, GCKeyR),
    (.keyS, GCKeyS),
    (.keyT, GCKeyT),
    (.keyU, GCKeyU),
    (.keyV, GCKeyV),
    (.keyW, GCKeyW),
    (.keyX, GCKeyX),
    (.keyY, GCKeyY),
    (.keyZ, GCKeyZ),
    (.one, GCKeyOne),
    (.two, GCKeyTwo),
    (.three, GCKeyThree),
    (.four, GCKeyFour),
    (.five, GCKeyFive),
    (.six, GCKeySix),
    (.seven, GCKeySeven),
    (.eight, GCKeyEight),
    (.nine, GCKeyNine),
    (.zero, GCKeyZero),
    (.returnOrEnter, GCKeyReturnOrEnter),
    (.escape, GCKeyEscape),
    (.deleteOrBackspace, GCKeyDeleteOrBackspace),
    (.tab, GCKeyTab),
    (.spacebar, GCKeySpacebar),
    (.hyphen, GCKeyHyphen),
    (.equalSign, GCKeyEqualSign),
    (.openBracket, GCKeyOpenBracket),
    (.closeBracket, GCKeyCloseBracket),
    (.backslash, GCKeyBackslash),
    (.nonUSPound, GCKeyNonUSPound),
    (.semicolon, GCKeySemicolon),
    (.quote, GCKeyQuote),
    (.graveAccentAndTilde, GCKeyGraveAccentAndTilde),
    (.comma, GCKeyComma),
    (.period, GCKeyPeriod),
    (.slash, GCKeySlash),
    (.capsLock, GCKeyCapsLock),
    (.F1, GCKeyF1),
    (.F2, GCKeyF2),
    (.F3, GCKeyF3),
    (.F4, GCKeyF4),
    (.F5, GCKeyF5),
    (.F6, GCKeyF6),
    (.F7, GCKeyF7),
    (.F8, GCKeyF8),
    (.F9, GCKeyF9),
    (.F10, GCKeyF10),
    (.F11, GCKeyF11),
    (.F12, GCKeyF12),
    (.printScreen, GCKeyPrintScreen),
    (.scrollLock, GCKeyScrollLock),
    (.pause, GCKeyPause),
    (.insert, GCKeyInsert),
    (.home, GCKeyHome),
    (.pageUp, GCKeyPageUp),
    (.deleteForward, GCKeyDeleteForward),
    (.end, GCKeyEnd),
    (.pageDown, GCKeyPageDown),
    (.rightArrow, GCKeyRightArrow),
    (.leftArrow, GCKeyLeftArrow),
    (.downArrow, GCKeyDownArrow),
    (.upArrow, GCKeyUpArrow),
    (.keypadNumLock, GCKeyKeypadNumLock),
    (.keypadSlash, GCKeyKeypadSlash),
    (.keypadAsterisk, GCKeyKeypadAsterisk),
    (.keypadHyphen, GCKeyKeypadHyphen),
    (.keypadPlus, GCKeyKeypadPlus),
    (.keypadEnter, GCKeyKeypadEnter),
    (.keypad1, GCKeyKeypad1),
    (.keypad2, GCKeyKeypad2),
    (.keypad3, GCKeyKeypad3),
    (.keypad4, GCKeyKeypad4),
    (.keypad5, GCKeyKeypad5),
    (.keypad6, GCKeyKeypad6),
    (.keypad7, GCKeyKeypad7),
    (.keypad8, GCKeyKeypad8),
    (.keypad9, GCKeyKeypad9),
    (.keypad0, GCKeyKeypad0),
    (.keypadPeriod, GCKeyKeypadPeriod),
    (.nonUSBackslash, GCKeyNonUSBackslash),
    (.application, GCKeyApplication),
    (.power, GCKeyPower),
    (.keypadEqualSign, GCKeyKeypadEqualSign),
    (.F13, GCKeyF13),
    (.F14, GCKeyF14),
    (.F15, GCKeyF15),
    (.F16, GCKeyF16),
    (.F17, GCKeyF17),
    (.F18, GCKeyF18),
    (.F19, GCKeyF19),
    (.F20, GCKeyF20),
    (.international1, GCKeyInternational1),
    (.international2, GCKeyInternational2),
    (.international3, GCKeyInternational3),
    (.international4, GCKeyInternational4),
    (.international5, GCKeyInternational5),
    (.international6, GCKeyInternational6),
    (.international7, GCKeyInternational7),
    (.international8, GCKeyInternational8),
    (.international9, GCKeyInternational9),
    (.LANG1, GCKeyLANG1),
    (.LANG2, GCKeyLANG2),
    (.LANG3, GCKeyLANG3),
    (.LANG4, GCKeyLANG4),
    (.LANG5, GCKeyLANG5),
    (.LANG6, GCKeyLANG6),
    (.LANG7, GCKeyLANG7),
    (.LANG8, GCKeyLANG8),
    (.LANG9, GCKeyLANG9),
    (.leftControl, GCKeyLeftControl),
    (.leftShift, GCKeyLeftShift),
    (.leftAlt, GCKeyLeftAlt),
    (.leftGUI, GCKeyLeftGUI),
    (.rightControl, GCKeyRightControl),
    (.rightShift, GCKeyRightShift),
    (.rightAlt, GCKeyRightAlt),
    (.rightGUI, GCKeyRightGUI),
  ]
}

/// The name of the key ``GCKeyCode/keyA`` in a keyboard's profile.
public let GCKeyA = "A"
/// The name of the key ``GCKeyCode/keyB`` in a keyboard's profile.
public let GCKeyB = "B"
/// The name of the key ``GCKeyCode/keyC`` in a keyboard's profile.
public let GCKeyC = "C"
/// The name of the key ``GCKeyCode/keyD`` in a keyboard's profile.
public let GCKeyD = "D"
/// The name of the key ``GCKeyCode/keyE`` in a keyboard's profile.
public let GCKeyE = "E"
/// The name of the key ``GCKeyCode/keyF`` in a keyboard's profile.
public let GCKeyF = "F"
/// The name of the key ``GCKeyCode/keyG`` in a keyboard's profile.
public let GCKeyG = "G"
/// The name of the key ``GCKeyCode/keyH`` in a keyboard's profile.
public let GCKeyH = "H"
/// The name of the key ``GCKeyCode/keyI`` in a keyboard's profile.
public let GCKeyI = "I"
/// The name of the key ``GCKeyCode/keyJ`` in a keyboard's profile.
public let GCKeyJ = "J"
/// The name of the key ``GCKeyCode/keyK`` in a keyboard's profile.
public let GCKeyK = "K"
/// The name of the key ``GCKeyCode/keyL`` in a keyboard's profile.
public let GCKeyL = "L"
/// The name of the key ``GCKeyCode/keyM`` in a keyboard's profile.
public let GCKeyM = "M"
/// The name of the key ``GCKeyCode/keyN`` in a keyboard's profile.
public let GCKeyN = "N"
/// The name of the key ``GCKeyCode/keyO`` in a keyboard's profile.
public let GCKeyO = "O"
/// The name of the key ``GCKeyCode/keyP`` in a keyboard's profile.
public let GCKeyP = "P"
/// The name of the key ``GCKeyCode/keyQ`` in a keyboard's profile.
public let GCKeyQ = "Q"
/// The name of the key ``GCKeyCode/keyR`` in a keyboard's profile.
public let GCKeyR = "R"
/// The name of the key ``GCKeyCode/keyS`` in a keyboard's profile.
public let GCKeyS = "S"
/// The name of the key ``GCKeyCode/keyT`` in a keyboard's profile.
public let GCKeyT = "T"
/// The name of the key ``GCKeyCode/keyU`` in a keyboard's profile.
public let GCKeyU = "U"
/// The name of the key ``GCKeyCode/keyV`` in a keyboard's profile.
public let GCKeyV = "V"
/// The name of the key ``GCKeyCode/keyW`` in a keyboard's profile.
public let GCKeyW = "W"
/// The name of the key ``GCKeyCode/keyX`` in a keyboard's profile.
public let GCKeyX = "X"
/// The name of the key ``GCKeyCode/keyY`` in a keyboard's profile.
public let GCKeyY = "Y"
/// The name of the key ``GCKeyCode/keyZ`` in a keyboard's profile.
public let GCKeyZ = "Z"
/// The name of the key ``GCKeyCode/one`` in a keyboard's profile.
public let GCKeyOne = "One"
/// The name of the key ``GCKeyCode/two`` in a keyboard's profile.
public let GCKeyTwo = "Two"
/// The name of the key ``GCKeyCode/three`` in a keyboard's profile.
public let GCKeyThree = "Three"
/// The name of the key ``GCKeyCode/four`` in a keyboard's profile.
public let GCKeyFour = "Four"
/// The name of the key ``GCKeyCode/five`` in a keyboard's profile.
public let GCKeyFive = "Five"
/// The name of the key ``GCKeyCode/six`` in a keyboard's profile.
public let GCKeySix = "Six"
/// The name of the key ``GCKeyCode/seven`` in a keyboard's profile.
public let GCKeySeven = "Seven"
/// The name of the key ``GCKeyCode/eight`` in a keyboard's profile.
public let GCKeyEight = "Eight"
/// The name of the key ``GCKeyCode/nine`` in a keyboard's profile.
public let GCKeyNine = "Nine"
/// The name of the key ``GCKeyCode/zero`` in a keyboard's profile.
public let GCKeyZero = "Zero"
/// The name of the key ``GCKeyCode/returnOrEnter`` in a keyboard's profile.
public let GCKeyReturnOrEnter = "ReturnOrEnter"
/// The name of the key ``GCKeyCode/escape`` in a keyboard's profile.
public let GCKeyEscape = "Escape"
/// The name of the key ``GCKeyCode/deleteOrBackspace`` in a keyboard's profile.
public let GCKeyDeleteOrBackspace = "DeleteOrBackspace"
/// The name of the key ``GCKeyCode/tab`` in a keyboard's profile.
public let GCKeyTab = "Tab"
/// The name of the key ``GCKeyCode/spacebar`` in a keyboard's profile.
public let GCKeySpacebar = "Spacebar"
/// The name of the key ``GCKeyCode/hyphen`` in a keyboard's profile.
public let GCKeyHyphen = "Hyphen"
/// The name of the key ``GCKeyCode/equalSign`` in a keyboard's profile.
public let GCKeyEqualSign = "EqualSign"
/// The name of the key ``GCKeyCode/openBracket`` in a keyboard's profile.
public let GCKeyOpenBracket = "OpenBracket"
/// The name of the key ``GCKeyCode/closeBracket`` in a keyboard's profile.
public let GCKeyCloseBracket = "CloseBracket"
/// The name of the key ``GCKeyCode/backslash`` in a keyboard's profile.
public let GCKeyBackslash = "Backslash"
/// The name of the key ``GCKeyCode/nonUSPound`` in a keyboard's profile.
public let GCKeyNonUSPound = "NonUSPound"
/// The name of the key ``GCKeyCode/semicolon`` in a keyboard's profile.
public let GCKeySemicolon = "Semicolon"
/// The name of the key ``GCKeyCode/quote`` in a keyboard's profile.
public let GCKeyQuote = "Quote"
/// The name of the key ``GCKeyCode/graveAccentAndTilde`` in a keyboard's profile.
public let GCKeyGraveAccentAndTilde = "GraveAccentAndTilde"
/// The name of the key ``GCKeyCode/comma`` in a keyboard's profile.
public let GCKeyComma = "Comma"
/// The name of the key ``GCKeyCode/period`` in a keyboard's profile.
public let GCKeyPeriod = "Period"
/// The name of the key ``GCKeyCode/slash`` in a keyboard's profile.
public let GCKeySlash = "Slash"
/// The name of the key ``GCKeyCode/capsLock`` in a keyboard's profile.
public let GCKeyCapsLock = "CapsLock"
/// The name of the key ``GCKeyCode/F1`` in a keyboard's profile.
public let GCKeyF1 = "F1"
/// The name of the key ``GCKeyCode/F2`` in a keyboard's profile.
public let GCKeyF2 = "F2"
/// The name of the key ``GCKeyCode/F3`` in a keyboard's profile.
public let GCKeyF3 = "F3"
/// The name of the key ``GCKeyCode/F4`` in a keyboard's profile.
public let GCKeyF4 = "F4"
/// The name of the key ``GCKeyCode/F5`` in a keyboard's profile.
public let GCKeyF5 = "F5"
/// The name of the key ``GCKeyCode/F6`` in a keyboard's profile.
public let GCKeyF6 = "F6"
/// The name of the key ``GCKeyCode/F7`` in a keyboard's profile.
public let GCKeyF7 = "F7"
/// The name of the key ``GCKeyCode/F8`` in a keyboard's profile.
public let GCKeyF8 = "F8"
/// The name of the key ``GCKeyCode/F9`` in a keyboard's profile.
public let GCKeyF9 = "F9"
/// The name of the key ``GCKeyCode/F10`` in a keyboard's profile.
public let GCKeyF10 = "F10"
/// The name of the key ``GCKeyCode/F11`` in a keyboard's profile.
public let GCKeyF11 = "F11"
/// The name of the key ``GCKeyCode/F12`` in a keyboard's profile.
public let GCKeyF12 = "F12"
/// The name of the key ``GCKeyCode/printScreen`` in a keyboard's profile.
public let GCKeyPrintScreen = "PrintScreen"
/// The name of the key ``GCKeyCode/scrollLock`` in a keyboard's profile.
public let GCKeyScrollLock = "ScrollLock"
/// The name of the key ``GCKeyCode/pause`` in a keyboard's profile.
public let GCKeyPause = "Pause"
/// The name of the key ``GCKeyCode/insert`` in a keyboard's profile.
public let GCKeyInsert = "Insert"
/// The name of the key ``GCKeyCode/home`` in a keyboard's profile.
public let GCKeyHome = "Home"
/// The name of the key ``GCKeyCode/pageUp`` in a keyboard's profile.
public let GCKeyPageUp = "PageUp"
/// The name of the key ``GCKeyCode/deleteForward`` in a keyboard's profile.
public let GCKeyDeleteForward = "DeleteForward"
/// The name of the key ``GCKeyCode/end`` in a keyboard's profile.
public let GCKeyEnd = "End"
/// The name of the key ``GCKeyCode/pageDown`` in a keyboard's profile.
public let GCKeyPageDown = "PageDown"
/// The name of the key ``GCKeyCode/rightArrow`` in a keyboard's profile.
public let GCKeyRightArrow = "RightArrow"
/// The name of the key ``GCKeyCode/leftArrow`` in a keyboard's profile.
public let GCKeyLeftArrow = "LeftArrow"
/// The name of the key ``GCKeyCode/downArrow`` in a keyboard's profile.
public let GCKeyDownArrow = "DownArrow"
/// The name of the key ``GCKeyCode/upArrow`` in a keyboard's profile.
public let GCKeyUpArrow = "UpArrow"
/// The name of the key ``GCKeyCode/keypadNumLock`` in a keyboard's profile.
public let GCKeyKeypadNumLock = "KeypadNumLock"
/// The name of the key ``GCKeyCode/keypadSlash`` in a keyboard's profile.
public let GCKeyKeypadSlash = "KeypadSlash"
/// The name of the key ``GCKeyCode/keypadAsterisk`` in a keyboard's profile.
public let GCKeyKeypadAsterisk = "KeypadAsterisk"
/// The name of the key ``GCKeyCode/keypadHyphen`` in a keyboard's profile.
public let GCKeyKeypadHyphen = "KeypadHyphen"
/// The name of the key ``GCKeyCode/keypadPlus`` in a keyboard's profile.
public let GCKeyKeypadPlus = "KeypadPlus"
/// The name of the key ``GCKeyCode/keypadEnter`` in a keyboard's profile.
public let GCKeyKeypadEnter = "KeypadEnter"
/// The name of the key ``GCKeyCode/keypad1`` in a keyboard's profile.
public let GCKeyKeypad1 = "Keypad1"
/// The name of the key ``GCKeyCode/keypad2`` in a keyboard's profile.
public let GCKeyKeypad2 = "Keypad2"
/// The name of the key ``GCKeyCode/keypad3`` in a keyboard's profile.
public let GCKeyKeypad3 = "Keypad3"
/// The name of the key ``GCKeyCode/keypad4`` in a keyboard's profile.
public let GCKeyKeypad4 = "Keypad4"
/// The name of the key ``GCKeyCode/keypad5`` in a keyboard's profile.
public let GCKeyKeypad5 = "Keypad5"
/// The name of the key ``GCKeyCode/keypad6`` in a keyboard's profile.
public let GCKeyKeypad6 = "Keypad6"
/// The name of the key ``GCKeyCode/keypad7`` in a keyboard's profile.
public let GCKeyKeypad7 = "Keypad7"
/// The name of the key ``GCKeyCode/keypad8`` in a keyboard's profile.
public let GCKeyKeypad8 = "Keypad8"
/// The name of the key ``GCKeyCode/keypad9`` in a keyboard's profile.
public let GCKeyKeypad9 = "Keypad9"
/// The name of the key ``GCKeyCode/keypad0`` in a keyboard's profile.
public let GCKeyKeypad0 = "Keypad0"
/// The name of the key ``GCKeyCode/keypadPeriod`` in a keyboard's profile.
public let GCKeyKeypadPeriod = "KeypadPeriod"
/// The name of the key ``GCKeyCode/nonUSBackslash`` in a keyboard's profile.
public let GCKeyNonUSBackslash = "NonUSBackslash"
/// The name of the key ``GCKeyCode/application`` in a keyboard's profile.
public let GCKeyApplication = "Application"
/// The name of the key ``GCKeyCode/power`` in a keyboard's profile.
public let GCKeyPower = "Power"
/// The name of the key ``GCKeyCode/keypadEqualSign`` in a keyboard's profile.
public let GCKeyKeypadEqualSign = "KeypadEqualSign"
/// The name of the key ``GCKeyCode/F13`` in a keyboard's profile.
public let GCKeyF13 = "F13"
/// The name of the key ``GCKeyCode/F14`` in a keyboard's profile.
public let GCKeyF14 = "F14"
/// The name of the key ``GCKeyCode/F15`` in a keyboard's profile.
public let GCKeyF15 = "F15"
/// The name of the key ``GCKeyCode/F16`` in a keyboard's profile.
public let GCKeyF16 = "F16"
/// The name of the key ``GCKeyCode/F17`` in a keyboard's profile.
public let GCKeyF17 = "F17"
/// The name of the key ``GCKeyCode/F18`` in a keyboard's profile.
public let GCKeyF18 = "F18"
/// The name of the key ``GCKeyCode/F19`` in a keyboard's profile.
public let GCKeyF19 = "F19"
/// The name of the key ``GCKeyCode/F20`` in a keyboard's profile.
public let GCKeyF20 = "F20"
/// The name of the key ``GCKeyCode/international1`` in a keyboard's profile.
public let GCKeyInternational1 = "International1"
/// The name of the key ``GCKeyCode/international2`` in a keyboard's profile.
public let GCKeyInternational2 = "International2"
/// The name of the key ``GCKeyCode/international3`` in a keyboard's profile.
public let GCKeyInternational3 = "International3"
/// The name of the key ``GCKeyCode/international4`` in a keyboard's profile.
public let GCKeyInternational4 = "International4"
/// The name of the key ``GCKeyCode/international5`` in a keyboard's profile.
public let GCKeyInternational5 = "International5"
/// The name of the key ``GCKeyCode/international6`` in a keyboard's profile.
public let GCKeyInternational6 = "International6"
/// The name of the key ``GCKeyCode/international7`` in a keyboard's profile.
public let GCKeyInternational7 = "International7"
/// The name of the key ``GCKeyCode/international8`` in a keyboard's profile.
public let GCKeyInternational8 = "International8"
/// The name of the key ``GCKeyCode/international9`` in a keyboard's profile.
public let GCKeyInternational9 = "International9"
/// The name of the key ``GCKeyCode/LANG1`` in a keyboard's profile.
public let GCKeyLANG1 = "LANG1"
/// The name of the key ``GCKeyCode/LANG2`` in a keyboard's profile.
public let GCKeyLANG2 = "LANG2"
/// The name of the key ``GCKeyCode/LANG3`` in a keyboard's profile.
public let GCKeyLANG3 = "LANG3"
/// The name of the key ``GCKeyCode/LANG4`` in a keyboard's profile.
public let GCKeyLANG4 = "LANG4"
/// The name of the key ``GCKeyCode/LANG5`` in a keyboard's profile.
public let GCKeyLANG5 = "LANG5"
/// The name of the key ``GCKeyCode/LANG6`` in a keyboard's profile.
public let GCKeyLANG6 = "LANG6"
/// The name of the key ``GCKeyCode/LANG7`` in a keyboard's profile.
public let GCKeyLANG7 = "LANG7"
/// The name of the key ``GCKeyCode/LANG8`` in a keyboard's profile.
public let GCKeyLANG8 = "LANG8"
/// The name of the key ``GCKeyCode/LANG9`` in a keyboard's profile.
public let GCKeyLANG9 = "LANG9"
/// The name of the key ``GCKeyCode/leftControl`` in a keyboard's profile.
public let GCKeyLeftControl = "LeftControl"
/// The name of the key ``GCKeyCode/leftShift`` in a keyboard's profile.
public let GCKeyLeftShift = "LeftShift"
/// The name of the key ``GCKeyCode/leftAlt`` in a keyboard's profile.
public let GCKeyLeftAlt = "LeftAlt"
/// The name of the key ``GCKeyCode/leftGUI`` in a keyboard's profile.
public let GCKeyLeftGUI = "LeftGUI"
/// The name of the key ``GCKeyCode/rightControl`` in a keyboard's profile.
public let GCKeyRightControl = "RightControl"
/// The name of the key ``GCKeyCode/rightShift`` in a keyboard's profile.
public let GCKeyRightShift = "RightShift"
/// The name of the key ``GCKeyCode/rightAlt`` in a keyboard's profile.
public let GCKeyRightAlt = "RightAlt"
/// The name of the key ``GCKeyCode/rightGUI`` in a keyboard's profile.
public let GCKeyRightGUI = "RightGUI"
