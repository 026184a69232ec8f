// SPDX-License-Identifier: Apache-2.0

package import HIDUsages

/// The keys that Linux assigns to the usages of one page one by one.
///
/// Source: Linux 6.12, `drivers/hid/hid-input.c`.
struct EvdevKeyTable: Sendable {
  /// The keys of consecutive usages: the first usage ID, then the names without `KEY_`, but with
  /// `BTN_`; `-` for none.
  typealias Run = (first: Int, names: String)

  /// The key of each usage ID; 0 for none.
  private let numbers: [UInt16]
  /// The number of names that belong to no code; not 0 only if the table has a mistake.
  let unknownNameCount: Int

  /// Returns the key of a usage ID; `nil` for none.
  subscript(id: UInt16) -> EvdevCode? {
    guard id < numbers.count, numbers[Int(id)] != 0 else { return nil }
    return EvdevCode(.key, numbers[Int(id)])
  }

  private init(_ runs: [Run]) {
    var numbers: [UInt16] = []
    var unknownNameCount = 0
    for run in runs {
      numbers += [UInt16](repeating: 0, count: max(0, run.first - numbers.count))
      for name in run.names.split(separator: " ") {
        let code = EvdevCodeNames.codes[name.hasPrefix("BTN_") ? String(name) : "KEY_\(name)"]
        if code == nil, name != "-" { unknownNameCount += 1 }
        numbers.append(code?.number ?? 0)
      }
    }
    self.numbers = numbers
    self.unknownNameCount = unknownNameCount
  }
}

extension HIDUsage {
  /// The code of the key that Linux assigns to a usage of the keyboard page.
  ///
  /// It is `nil` for usages of other pages, and for those that Linux ignores or maps to
  /// `KEY_UNKNOWN`.
  package var linuxKeyCode: UInt16? {
    guard page == Self.KeyboardOrKeypadUsage.page, let usage else { return nil }
    return EvdevKeyTable.keyboard[usage]?.number
  }
}

extension EvdevKeyTable {
  /// Generic desktop: system controls.
  static let systemControls = Self([
    (
      0x81,
      """
      POWER SLEEP WAKEUP CONTEXT_MENU MENU PROG1 HELP EXIT SELECT RIGHT LEFT UP DOWN POWER2 RESTART
      """
    ),
    (0xa9, "MICMUTE ACCESSIBILITY"),
    (0xb5, "SWITCHVIDEOMODE"),
  ])

  /// Keyboard or keypad: the IDs that have their own key.
  static let keyboard = Self([
    (
      0x004,
      """
      A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 1 2 3 4 5 6 7 8 9 0 ENTER ESC \
      BACKSPACE TAB SPACE MINUS EQUAL LEFTBRACE RIGHTBRACE BACKSLASH BACKSLASH SEMICOLON \
      APOSTROPHE GRAVE COMMA DOT SLASH CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 SYSRQ \
      SCROLLLOCK PAUSE INSERT HOME PAGEUP DELETE END PAGEDOWN RIGHT LEFT DOWN UP NUMLOCK \
      KPSLASH KPASTERISK KPMINUS KPPLUS KPENTER KP1 KP2 KP3 KP4 KP5 KP6 KP7 KP8 KP9 KP0 KPDOT \
      102ND COMPOSE POWER KPEQUAL F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 OPEN HELP \
      PROPS FRONT STOP AGAIN UNDO CUT COPY PASTE FIND MUTE VOLUMEUP VOLUMEDOWN
      """
    ),
    (0x085, "KPCOMMA - RO KATAKANAHIRAGANA YEN HENKAN MUHENKAN KPJPCOMMA"),
    (0x090, "HANGEUL HANJA KATAKANA HIRAGANA ZENKAKUHANKAKU"),
    (0x09c, "DELETE"),
    (0x0b6, "KPLEFTPAREN KPRIGHTPAREN"),
    (0x0d8, "DELETE"),
    (
      0x0e0,
      """
      LEFTCTRL LEFTSHIFT LEFTALT LEFTMETA RIGHTCTRL RIGHTSHIFT RIGHTALT RIGHTMETA PLAYPAUSE \
      STOPCD PREVIOUSSONG NEXTSONG EJECTCD VOLUMEUP VOLUMEDOWN MUTE WWW BACK FORWARD STOP FIND \
      SCROLLUP SCROLLDOWN EDIT SLEEP COFFEE REFRESH CALC
      """
    ),
  ])

  /// Telephony device.
  static let telephony = Self([
    (0x02f, "MICMUTE"),
    (
      0x0b0,
      """
      NUMERIC_0 NUMERIC_1 NUMERIC_2 NUMERIC_3 NUMERIC_4 NUMERIC_5 NUMERIC_6 NUMERIC_7 \
      NUMERIC_8 NUMERIC_9 NUMERIC_STAR NUMERIC_POUND NUMERIC_A NUMERIC_B NUMERIC_C NUMERIC_D
      """
    ),
  ])

  /// Consumer.
  static let consumer = Self([
    (0x030, "POWER RESTART SLEEP - SLEEP KBDILLUMTOGGLE BTN_0"),
    (0x040, "MENU SELECT UP DOWN LEFT RIGHT ESC KPPLUS KPMINUS"),
    (
      0x060,
      """
      INFO SUBTITLE - VCR - CAMERA - - - RED GREEN BLUE YELLOW ASPECT_RATIO - BRIGHTNESSUP \
      BRIGHTNESSDOWN - DISPLAYTOGGLE BRIGHTNESS_MIN BRIGHTNESS_MAX BRIGHTNESS_AUTO \
      CAMERA_ACCESS_ENABLE CAMERA_ACCESS_DISABLE CAMERA_ACCESS_TOGGLE KBDILLUMUP KBDILLUMDOWN \
      - KBDILLUMTOGGLE - - - - - VIDEO_NEXT LAST ENTER - - - PC TV WWW DVD PHONE PROGRAM \
      VIDEOPHONE GAMES MEMO CD VCR TUNER EXIT HELP TAPE TV2 SAT - PVR - CHANNELUP CHANNELDOWN \
      - - VCR2
      """
    ),
    (
      0x0b0,
      """
      PLAY PAUSE RECORD FASTFORWARD REWIND NEXTSONG PREVIOUSSONG STOPCD EJECTCD SHUFFLE - - \
      MEDIA_REPEAT - - SLOW
      """
    ),
    (0x0cd, "PLAYPAUSE - VOICECOMMAND"),
    (0x0d8, "DICTATE EMOJI_PICKER"),
    (0x0e2, "MUTE - - BASSBOOST - - - VOLUMEUP VOLUMEDOWN"),
    (0x0f5, "SLOW"),
    (
      0x181,
      """
      BUTTONCONFIG BOOKMARKS CONFIG WORDPROCESSOR EDITOR SPREADSHEET GRAPHICSEDITOR \
      PRESENTATION DATABASE MAIL NEWS VOICEMAIL ADDRESSBOOK CALENDAR TASKMANAGER JOURNAL \
      FINANCE CALC PLAYER FILE - WWW - - CHAT - - LOGOFF - COFFEE CONTROLPANEL - - APPSELECT \
      NEXT PREVIOUS - HELP DOCUMENTS - - - SPELLCHECK - - KEYBOARD - - SCREENSAVER - - FILE - \
      IMAGES AUDIO VIDEO - - - MESSENGER INFO
      """
    ),
    (0x1cb, "ASSISTANT"),
    (0x201, "NEW OPEN CLOSE EXIT - - SAVE PRINT PROPS"),
    (
      0x21a,
      """
      UNDO COPY CUT PASTE - FIND - SEARCH GOTO HOMEPAGE BACK FORWARD STOP REFRESH - - \
      BOOKMARKS - - ZOOMIN ZOOMOUT ZOOMRESET - - FULL_SCREEN SCROLLUP SCROLLDOWN
      """
    ),
    (0x23d, "EDIT"),
    (0x25f, "CANCEL"),
    (0x269, "INSERT DELETE"),
    (0x279, "REDO"),
    (0x289, "REPLY - FORWARDMAIL SEND"),
    (0x29d, "KBD_LAYOUT_NEXT - SCALE - - ALL_APPLICATIONS"),
    (
      0x2c7,
      """
      KBDINPUTASSIST_PREV KBDINPUTASSIST_NEXT KBDINPUTASSIST_PREVGROUP \
      KBDINPUTASSIST_NEXTGROUP KBDINPUTASSIST_ACCEPT KBDINPUTASSIST_CANCEL
      """
    ),
  ])

  /// Camera control.
  static let camera = Self([(0x20, "CAMERA_FOCUS CAMERA")])

  /// Vendor page 0xff7f of Hewlett-Packard.
  static let hewlettPackard = Self([
    (0x021, "PRINT"),
    (0x070, "HP CAMERA SOUND QUESTION"),
    (0x080, "EMAIL CHAT SEARCH CONNECT FINANCE SPORT SHOP"),
  ])

  /// Vendor page 0xff01 of Hewlett-Packard.
  static let hewlettPackard2 = Self([(0x01, "MICMUTE - BRIGHTNESSDOWN BRIGHTNESSUP")])

  static let all = [
    systemControls, keyboard, telephony, consumer, camera, hewlettPackard, hewlettPackard2,
  ]
}
