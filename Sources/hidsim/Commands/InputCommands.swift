// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import HIDUsages
import InputStick
import InputStickAPI
import KeyboardLayouts

struct TapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap", abstract: "Press and release keys.",
    usage: InputTargetOptions.usage("tap <key> ..."),
    discussion: """
      --to names a device that another hidsim of the same user has plugged; --via names a stick of hidsim stick. Through \
      a stick only keys can be pressed.

        hidsim tap leftCtrl+c enter --to keyboard
        hidsim tap leftCtrl+c enter --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @Argument(
    help: ArgumentHelp("Keys or buttons; + joins those held together.", valueName: "key")) var keys:
    [String]

  func run() async throws {
    try await reporting {
      guard let via = target.via else {
        return try await target.play(keys.map { "tap \(HIDScript.word($0))" })
      }
      let chords = try keys.map(KeyChord.init)
      try await StickInput.send(through: via, password: target.password) { manager in
        for chord in chords { chord.tap(manager) }
      }
    }
  }
}

/// Keys of a keyboard that are held together.
private struct KeyChord: Sendable {
  /// The maximum number of keys in a report, without modifiers.
  private static let capacity = 6

  private var modifiers: UInt8 = 0
  private var keys: [UInt8] = []

  /// Reads keys such as `leftCtrl+c`.
  init(_ text: String) throws {
    for name in text.split(separator: "+", omittingEmptySubsequences: false) {
      guard let usage = HIDUsage.key(named: name), let id = usage.usage,
        let key = UInt8(exactly: id), key != 0
      else {
        let near = NameSuggestion.nearest(to: String(name), in: HIDUsage.keyAliases.map(\.name))
        throw Failure(
          .wrongArguments,
          "there is no key \(quoted(String(name))); expected a name such as a, enter or leftShift"
            + (near.map { "; did you mean \($0)?" } ?? ""))
      }
      if (0xE0...0xE7).contains(key) { modifiers |= 1 << (key & 7) } else { keys.append(key) }
    }
    guard keys.count <= Self.capacity else {
      throw Failure(
        .wrongArguments,
        "\(text) has \(keys.count) keys; a report of the stick has \(Self.capacity) besides modifiers"
      )
    }
  }

  /// Presses the keys, and releases them.
  @MainActor func tap(_ manager: InputStickManager) {
    if keys.count > 1 {
      // The keyboard handler below can press only one key.
      let transaction = InputStickHIDTransaction.keyboard()
      let released = [UInt8](repeating: 0, count: Self.capacity)
      for (modifiers, keys) in [(modifiers, keys), (0, [])] {
        let pressed = keys + released.dropFirst(keys.count)
        var bytes = [modifiers, 0] + pressed
        transaction?.add(InputStickHIDReport.keyboardReport(withBytes: &bytes))
      }
      manager.buffersManager.addKeyboardHIDTransaction(transaction, flush: true)
    } else {
      manager.keyboardHandler.pressAndReleaseModifiers(modifiers, withKey: keys.first ?? 0)
    }
  }
}

struct TypeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "type", abstract: "Type a text.",
    usage: InputTargetOptions.usage("type <text>"),
    discussion: """
      --to names a keyboard that another hidsim of the same user has plugged; --via names a stick of hidsim stick. A \
      keyboard sends keys, and the host makes characters of them: --layout says which layout the host has. If the layout \
      cannot type a character, hidsim names it and types nothing.

        hidsim type "Hello" --to keyboard
        hidsim type "Größe: 5 €" --layout de-DE --to keyboard
        hidsim type "Hello" --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @OptionGroup var layoutOptions: LayoutOptions
  @Flag(help: "Leave out characters that the layout cannot type.") var skipMissing = false
  @Option(
    help: ArgumentHelp(
      "With --via: how often each report is sent, 0 to 10.",
      discussion: "0 sends one report a character. Default: 1.", valueName: "number"))
  var speed: UInt?
  @Argument(help: "The text.") var text: String

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--speed", speed != nil, "--via", target.via != nil,
        because: "only the client of a stick has a typing speed"))
    guard speed ?? 0 <= 10 else { throw ValidationError("--speed \(speed ?? 0): expected 0 to 10") }
  }

  func run() async throws {
    try await reporting {
      let layout = try layoutOptions.find()
      // The text is checked before anything is sent: a later error would name a location in a
      // script that the user has not written.
      do throws(UntypableText) {
        _ = try layout.strokes(for: text, skippingMissing: skipMissing)
      } catch {
        throw Failure(
          .wrongArguments,
          "\(error); name another layout with --layout, leave the characters out, or add --skip-missing"
        )
      }
      guard let via = target.via else {
        return try await target.play([
          HIDScript.typing(text, layout: layout.code, skippingMissing: skipMissing)
        ])
      }
      try await StickInput.send(through: via, password: target.password) { manager in
        manager.keyboardHandler.typeText(
          text, withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(layout),
          typingSpeed: speed ?? 1)
      }
    }
  }
}

struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a mouse.",
    usage: InputTargetOptions.usage("move <x> <y>"),
    discussion: """
      X is in counts to the right, Y in counts down; hidsim sends as many reports as that takes.

        hidsim move 10 -5 --to mouse
        hidsim move -200 0 --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @Argument(help: "Counts to the right, -32768 to 32767.") var x: Int16
  @Argument(help: "Counts down, -32768 to 32767.") var y: Int16

  func run() async throws {
    try await reporting {
      guard let via = target.via else { return try await target.play(["move \(x) \(y)"]) }
      try await StickInput.send(through: via, password: target.password) { manager in
        for (x, y) in zip(StickInput.steps(Int(x), Int(y)), StickInput.steps(Int(y), Int(x))) {
          manager.mouseHandler.moveCursorBy(x: x, y: y)
        }
      }
    }
  }
}

/// The option of commands that repeat an action.
struct RepetitionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How often, 1 to 100.", valueName: "number")) var count = 1

  func validate() throws {
    guard (1...100).contains(count) else {
      throw ValidationError("--count \(count): expected 1 to 100")
    }
  }
}

struct ClickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "click", abstract: "Click a button of a mouse.",
    usage: InputTargetOptions.usage("click [<button>]"),
    discussion: """
      BUTTON is left, right, middle, back, forward, or a number.

        hidsim click right --to mouse
        hidsim click --count 2 --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @OptionGroup var repetition: RepetitionOptions
  @Argument(help: "The button.") var button = "left"

  func run() async throws {
    try await reporting {
      guard let via = target.via else {
        let line = "click \(HIDScript.word(button))"
        return try await target.play(Array(repeating: line, count: repetition.count))
      }
      let number = HIDUsage.mouseButton(named: button)?.usage ?? UInt16(button)
      guard let number, (1...8).contains(number) else {
        throw Failure(
          .wrongArguments,
          "there is no button \(quoted(button)); expected left, right, middle, back, forward or 1 to 8"
        )
      }
      try await StickInput.send(through: via, password: target.password) { manager in
        manager.mouseHandler.click(
          withButtons: 1 << (number - 1), numberOfPress: UInt(repetition.count))
      }
    }
  }
}

struct ScrollCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scroll", abstract: "Turn the wheel of a mouse.",
    usage: InputTargetOptions.usage("scroll <detents>"),
    discussion: """
      Positive detents turn the wheel away from the user, or to the right with --horizontal.

        hidsim scroll 3 --to mouse
        hidsim scroll -3 --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @Flag(help: "Turn the horizontal wheel.") var horizontal = false
  @Argument(help: "The detents, -32768 to 32767.") var detents: Int16

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--horizontal", horizontal, ["--via": target.via != nil],
        because: "the mouse of a stick has one wheel"))
  }

  func run() async throws {
    try await reporting {
      guard let via = target.via else {
        return try await target.play(["scroll \(detents)\(horizontal ? " horizontal" : "")"])
      }
      try await StickInput.send(through: via, password: target.password) { manager in
        for step in StickInput.steps(Int(detents), 0) { manager.mouseHandler.scroll(step) }
      }
    }
  }
}

struct ConsumerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "consumer", abstract: "Press and release media keys.",
    usage: InputTargetOptions.usage("consumer <usage> ..."),
    discussion: """
      USAGE is the name of a usage of the page Consumer, such as volumeIncrement, mute or playOrPause, or its number in \
      hex.

        hidsim consumer mute --to InputStick
        hidsim consumer volumeIncrement e2 --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @Argument(help: ArgumentHelp("The usages.", valueName: "usage")) var usages: [String]

  func run() async throws {
    try await reporting {
      let usages = try usages.map(Self.usage)
      guard let via = target.via else {
        return try await target.play(
          usages.map { "tap \(HIDScript.word(HIDUsage(page: Self.page, usage: $0).description))" })
      }
      try await StickInput.send(through: via, password: target.password) { manager in
        for usage in usages {
          guard let action = InputStickConsumerActions(rawValue: UInt(usage)) else { continue }
          manager.consumerHandler.consumerAction(withUsage: action)
        }
      }
    }
  }

  private static let page: UInt16 = 0x0C

  private static func usage(_ text: String) throws -> UInt16 {
    if let usage = HIDUsage.usageID(named: text, onPage: page) ?? UInt16(text, radix: 16),
      usage != 0
    {
      return usage
    }
    let near = NameSuggestion.nearest(to: text, in: HIDUsage.shortNames(onPage: page))
    throw Failure(
      .wrongArguments,
      "there is no usage \(quoted(text)) of the page Consumer; expected a name, or 1 to ffff in hex"
        + (near.map { "; did you mean \($0)?" } ?? ""))
  }
}

struct TouchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "touch", abstract: "Touch a touch screen.",
    usage: InputTargetOptions.usage("touch <x> <y>"),
    discussion: """
      X and Y are in percent of the screen, from its upper left corner. The finger is lifted at once.

        hidsim touch 50 25.5 --to touchpad
        hidsim touch 50 25.5 --count 2 --via unix:/tmp/stick
      """)

  @OptionGroup var target: InputTargetOptions
  @OptionGroup var repetition: RepetitionOptions
  @Argument(help: "The place from the left, 0 to 100.") var x: Double
  @Argument(help: "The place from the top, 0 to 100.") var y: Double

  func validate() throws {
    for (name, value) in [("x", x), ("y", y)] where !(0...100).contains(value) {
      throw ValidationError("<\(name)> \(value): expected 0 to 100 percent")
    }
  }

  func run() async throws {
    try await reporting {
      guard let via = target.via else {
        let tap = ["touch 1 at \(x)% \(y)%", "touch 1 up"]
        return try await target.play((0..<repetition.count).flatMap { _ in tap })
      }
      let place = [x, y].map { UInt(($0 * 100).rounded()) }
      try await StickInput.send(through: via, password: target.password) { manager in
        manager.touchScreenHandler.clickAt(
          x: place[0], y: place[1], numberOfTimes: UInt(repetition.count))
        manager.touchScreenHandler.goOutOfRangeAt(x: place[0], y: place[1])
      }
    }
  }
}

struct PadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pad", abstract: "Press buttons of a stick's gamepad, and move its axes.",
    usage:
      "hidsim pad [<button> ...] --via <stick> [<options>]",
    discussion: """
      The buttons are released, and the axes return to 0, before the command ends. A gamepad that hidsim has plugged \
      itself takes hidsim tap, and hidsim script with "set".

        hidsim pad 1 3 --via unix:/tmp/stick
        hidsim pad --x -127 --y 127 --via unix:/tmp/stick
      """)

  @Option(
    help: ArgumentHelp("The stick: unix:PATH, tcp:PORT or /dev/pts/N.", valueName: "stick"),
    transform: StickEndpoint.connecting)
  var via: StickEndpoint
  @Option(help: ArgumentHelp("The stick's password.", valueName: "text")) var password: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("The axis X, -127 to 127.", valueName: "n"))
  var x: Int8 = 0
  @Option(parsing: .unconditional, help: ArgumentHelp("The axis Y.", valueName: "n"))
  var y: Int8 = 0
  @Option(parsing: .unconditional, help: ArgumentHelp("The axis Z.", valueName: "n"))
  var z: Int8 = 0
  @Option(parsing: .unconditional, help: ArgumentHelp("The axis Rx.", valueName: "n"))
  var rx: Int8 = 0
  @Argument(help: ArgumentHelp("The buttons, 1 to 16.", valueName: "button")) var buttons: [Int] =
    []

  func validate() throws {
    for button in buttons where !(1...16).contains(button) {
      throw ValidationError("there is no button \(button): expected 1 to 16")
    }
    if [x, y, z, rx].contains(-128) { throw ValidationError("an axis is at least -127") }
  }

  func run() async throws {
    try await reporting {
      let pressed = buttons.reduce(UInt(0)) { $0 | 1 << UInt($1 - 1) }
      try await StickInput.send(
        through: via, password: password,
        { manager in
          manager.gamepadHandler.sendCustomReport(
            withButtons: pressed, axisX: x, axisY: y, axisZ: z, axisRX: rx)
        },
        { manager in
          manager.gamepadHandler.sendCustomReport(
            withButtons: 0, axisX: 0, axisY: 0, axisZ: 0, axisRX: 0)
        })
    }
  }
}
