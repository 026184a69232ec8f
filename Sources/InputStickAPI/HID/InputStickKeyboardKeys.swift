// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

/// The LEDs of a keyboard.
public enum InputStickKeyboardLEDs: UInt8, Sendable {
  /// Num Lock.
  case NumLockLED = 1
  /// Caps Lock.
  case CapsLockLED = 2
  /// Scroll Lock.
  case ScrollLockLED = 4
}

/// The modifier keys.
public enum InputStickKeyboardModifiers: UInt8, Sendable {
  /// Left Control.
  case CTRL_LEFT = 0x01
  /// Left Shift.
  case SHIFT_LEFT = 0x02
  /// Left Alt.
  case ALT_LEFT = 0x04
  /// The left key with the logo.
  case GUI_LEFT = 0x08
  /// Right Control.
  case CTRL_RIGHT = 0x10
  /// Right Shift.
  case SHIFT_RIGHT = 0x20
  /// Right Alt: AltGr.
  case ALT_RIGHT = 0x40
  /// The right key with the logo.
  case GUI_RIGHT = 0x80
}

/// The number of times that each report is sent: the higher the number, the fewer keys a slow host
/// misses.
public enum InputStickTypingSpeed: UInt, Sendable {
  /// One report for most characters: the fastest speed, which not every host supports.
  ///
  /// Dead keys, combining marks, and two equal keys in a row need more reports.
  ///
  /// Each report releases the key of the report before it. If the link is lost in a long text, the
  /// last key can stay pressed at the host.
  case speedFastest = 0
  /// Each report once.
  case speedNormal = 1
  /// Half the normal speed.
  case speed050 = 2
  /// A third of the normal speed.
  case speed030 = 3
  /// A quarter of the normal speed.
  case speed025 = 4
  /// A fifth of the normal speed.
  case speed020 = 5
  /// A tenth of the normal speed.
  case speed010 = 10
}

/// The keys, by their labels in the United States.
public enum InputStickKeyboardKeys: UInt8, Sendable {
  /// No key.
  case KEY_NONE = 0x00
  /// The key that has the label A in the United States.
  case KEY_A = 0x04
  /// The key that has the label B in the United States.
  case KEY_B = 0x05
  /// The key that has the label C in the United States.
  case KEY_C = 0x06
  /// The key that has the label D in the United States.
  case KEY_D = 0x07
  /// The key that has the label E in the United States.
  case KEY_E = 0x08
  /// The key that has the label F in the United States.
  case KEY_F = 0x09
  /// The key that has the label G in the United States.
  case KEY_G = 0x0A
  /// The key that has the label H in the United States.
  case KEY_H = 0x0B
  /// The key that has the label I in the United States.
  case KEY_I = 0x0C
  /// The key that has the label J in the United States.
  case KEY_J = 0x0D
  /// The key that has the label K in the United States.
  case KEY_K = 0x0E
  /// The key that has the label L in the United States.
  case KEY_L = 0x0F
  /// The key that has the label M in the United States.
  case KEY_M = 0x10
  /// The key that has the label N in the United States.
  case KEY_N = 0x11
  /// The key that has the label O in the United States.
  case KEY_O = 0x12
  /// The key that has the label P in the United States.
  case KEY_P = 0x13
  /// The key that has the label Q in the United States.
  case KEY_Q = 0x14
  /// The key that has the label R in the United States.
  case KEY_R = 0x15
  /// The key that has the label S in the United States.
  case KEY_S = 0x16
  /// The key that has the label T in the United States.
  case KEY_T = 0x17
  /// The key that has the label U in the United States.
  case KEY_U = 0x18
  /// The key that has the label V in the United States.
  case KEY_V = 0x19
  /// The key that has the label W in the United States.
  case KEY_W = 0x1A
  /// The key that has the label X in the United States.
  case KEY_X = 0x1B
  /// The key that has the label Y in the United States.
  case KEY_Y = 0x1C
  /// The key that has the label Z in the United States.
  case KEY_Z = 0x1D
  /// The key 1 above the letters.
  case KEY_1 = 0x1E
  /// The key 2 above the letters.
  case KEY_2 = 0x1F
  /// The key 3 above the letters.
  case KEY_3 = 0x20
  /// The key 4 above the letters.
  case KEY_4 = 0x21
  /// The key 5 above the letters.
  case KEY_5 = 0x22
  /// The key 6 above the letters.
  case KEY_6 = 0x23
  /// The key 7 above the letters.
  case KEY_7 = 0x24
  /// The key 8 above the letters.
  case KEY_8 = 0x25
  /// The key 9 above the letters.
  case KEY_9 = 0x26
  /// The key 0 above the letters.
  case KEY_0 = 0x27
  /// The key Enter.
  case KEY_ENTER = 0x28
  /// The key Escape.
  case KEY_ESCAPE = 0x29
  /// The key Backspace.
  case KEY_BACKSPACE = 0x2A
  /// The key Tab.
  case KEY_TAB = 0x2B
  /// The key Spacebar.
  case KEY_SPACEBAR = 0x2C
  /// The key Minus.
  case KEY_MINUS = 0x2D
  /// The key Equals.
  case KEY_EQUALS = 0x2E
  /// The key Left Bracket.
  case KEY_LEFT_BRACKET = 0x2F
  /// The key Right Bracket.
  case KEY_RIGHT_BRACKET = 0x30
  /// The key Backslash.
  case KEY_BACKSLASH = 0x31
  /// The key of ISO keyboards in place of the backslash; this library's layouts use
  /// ``KEY_BACKSLASH``.
  case KEY_HASH_NON_US = 0x32
  /// The key Semicolon.
  case KEY_SEMICOLON = 0x33
  /// The key Apostrophe.
  case KEY_APOSTROPHE = 0x34
  /// The grave accent.
  case KEY_GRAVE = 0x35
  /// The comma.
  case KEY_COMA = 0x36
  /// The full stop.
  case KEY_DOT = 0x37
  /// The key Slash.
  case KEY_SLASH = 0x38
  /// The key Caps Lock.
  case KEY_CAPS_LOCK = 0x39
  /// The function key F1.
  case KEY_F1 = 0x3A
  /// The function key F2.
  case KEY_F2 = 0x3B
  /// The function key F3.
  case KEY_F3 = 0x3C
  /// The function key F4.
  case KEY_F4 = 0x3D
  /// The function key F5.
  case KEY_F5 = 0x3E
  /// The function key F6.
  case KEY_F6 = 0x3F
  /// The function key F7.
  case KEY_F7 = 0x40
  /// The function key F8.
  case KEY_F8 = 0x41
  /// The function key F9.
  case KEY_F9 = 0x42
  /// The function key F10.
  case KEY_F10 = 0x43
  /// The function key F11.
  case KEY_F11 = 0x44
  /// The function key F12.
  case KEY_F12 = 0x45
  /// The key Print Screen.
  case KEY_PRINT_SCREEN = 0x46
  /// The key Scroll Lock.
  case KEY_SCROLL_LOCK = 0x47
  /// The key Pause.
  case KEY_PASUE = 0x48
  /// The key Insert.
  case KEY_INSERT = 0x49
  /// The key Home.
  case KEY_HOME = 0x4A
  /// The key Page Up.
  case KEY_PAGE_UP = 0x4B
  /// The key Delete.
  case KEY_DELETE = 0x4C
  /// The key End.
  case KEY_END = 0x4D
  /// The key Page Down.
  case KEY_PAGE_DOWN = 0x4E
  /// The key Arrow Right.
  case KEY_ARROW_RIGHT = 0x4F
  /// The key Arrow Left.
  case KEY_ARROW_LEFT = 0x50
  /// The key Arrow Down.
  case KEY_ARROW_DOWN = 0x51
  /// The key Arrow Up.
  case KEY_ARROW_UP = 0x52
  /// The key Num Lock.
  case KEY_NUM_LOCK = 0x53
  /// The key Num Slash.
  case KEY_NUM_SLASH = 0x54
  /// The key Num Star.
  case KEY_NUM_STAR = 0x55
  /// The key Num Minus.
  case KEY_NUM_MINUS = 0x56
  /// The key Num Plus.
  case KEY_NUM_PLUS = 0x57
  /// The key Num Enter.
  case KEY_NUM_ENTER = 0x58
  /// The key 1 of the keypad.
  case KEY_NUM_1 = 0x59
  /// The key 2 of the keypad.
  case KEY_NUM_2 = 0x5A
  /// The key 3 of the keypad.
  case KEY_NUM_3 = 0x5B
  /// The key 4 of the keypad.
  case KEY_NUM_4 = 0x5C
  /// The key 5 of the keypad.
  case KEY_NUM_5 = 0x5D
  /// The key 6 of the keypad.
  case KEY_NUM_6 = 0x5E
  /// The key 7 of the keypad.
  case KEY_NUM_7 = 0x5F
  /// The key 8 of the keypad.
  case KEY_NUM_8 = 0x60
  /// The key 9 of the keypad.
  case KEY_NUM_9 = 0x61
  /// The key 0 of the keypad.
  case KEY_NUM_0 = 0x62
  /// The key Num Dot.
  case KEY_NUM_DOT = 0x63
  /// The key left of the Z of an ISO keyboard.
  case KEY_BACKSLASH_NON_US = 0x64
  /// The key Application.
  case KEY_APPLICATION = 0x65
  /// The international key 1.
  case KEY_INT1 = 0x87
  /// The international key 2.
  case KEY_INT2 = 0x88
  /// The international key 3.
  case KEY_INT3 = 0x89
  /// The international key 4.
  case KEY_INT4 = 0x8A
  /// The international key 5.
  case KEY_INT5 = 0x8B
  /// The international key 6.
  case KEY_INT6 = 0x8C
  /// The international key 7.
  case KEY_INT7 = 0x8D
  /// The international key 8.
  case KEY_INT8 = 0x8E
  /// The international key 9.
  case KEY_INT9 = 0x8F
}
