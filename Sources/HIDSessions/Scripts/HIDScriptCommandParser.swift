// SPDX-License-Identifier: Apache-2.0

internal import HIDReportDescriptor
import HIDSimulator
internal import HIDText
import KeyboardLayouts
import XKBLayouts

/// A parser of the words that follow the first word of a command.
enum HIDScriptCommandParser {
  typealias Read = @Sendable (inout HIDScriptWords) throws(HIDTextProblem) -> HIDScript.Command

  static func parse(
    _ word: HIDScriptToken, _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    if let read = commands.first(where: { $0.name == word.text })?.read { return try read(&words) }
    let names = commands.map(\.name) + HIDScriptParser.directives
    let near = synonyms[word.text.lowercased()] ?? NameSuggestion.nearest(to: word.text, in: names)
    throw words.problem(
      "expected a command, found \(word.found)", at: word.location,
      help: near.map { "did you mean \"\($0)\"?" }
        ?? "the commands are \(names.joined(separator: ", "))")
  }

  private static let synonyms = [
    "sleep": "wait", "delay": "wait", "key": "tap", "send": "report", "assert": "expect",
    "down": "press", "up": "release", "write": "type", "text": "type", "connect": "plug",
    "disconnect": "unplug", "button": "press", "wheel": "scroll", "reply": "answer",
    "loop": "repeat", "var": "let",
  ]

  private static let commands: [(name: String, read: Read)] = [
    ("tap", { (words) throws(HIDTextProblem) in .tap(try words.chord()) }),
    ("press", { (words) throws(HIDTextProblem) in .press(try words.chord()) }),
    (
      "release",
      { (words) throws(HIDTextProblem) in
        words.peek == nil ? .release([]) : .release(try words.chord())
      }
    ),
    ("type", type),
    ("report", { (words) throws(HIDTextProblem) in .report(try words.bytes()) }),
    ("wait", wait),
    ("expect", expect),
    (
      "move",
      { (words) throws(HIDTextProblem) in
        .move(
          x: try words.integer("the distance to the right"),
          y: try words.integer("the distance down"))
      }
    ),
    (
      "click",
      { (words) throws(HIDTextProblem) in
        .click(try words.control("a button: left, right, middle or a number"))
      }
    ),
    ("scroll", scroll),
    (
      "axis",
      { (words) throws(HIDTextProblem) in
        .axis(try words.control("the name of an axis"), try words.value())
      }
    ),
    ("set", set),
    ("touch", touch),
    ("battery", { (words) throws(HIDTextProblem) in .battery(try words.value()) }),
    ("host", host),
    ("unplug", { (_) throws(HIDTextProblem) in .unplug }),
    ("plug", { (_) throws(HIDTextProblem) in .plug }),
    ("sync", { (_) throws(HIDTextProblem) in .sync }),
    ("answer", answer),
    ("link", link),
  ]

  @Sendable private static func type(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    guard let token = words.peek, token.kind == .string else {
      throw words.unexpected("the text in double quotes", help: "such as type \"Hello\"")
    }
    _ = try words.next("the text")
    var name = HIDScript.Name(text: TypingLayouts.defaultCode, location: token.location)
    if words.take("layout") {
      name = try words.name("the name of a layout", help: "such as layout de-DE")
    }
    let skipsMissing = words.take("skip-missing")
    let layout: KeyboardLayout
    do throws(XKBLayoutError) {
      layout = try TypingLayouts.layout(named: name.text)
    } catch {
      throw words.problem(error.description, at: name.location, help: error.help)
    }
    let strokes: [KeyStroke]
    do throws(UntypableText) {
      strokes = try layout.strokes(for: token.text, skippingMissing: skipsMissing)
    } catch {
      throw words.problem(
        error.description, at: token.location,
        help: "name another layout, leave the characters out, or add skip-missing")
    }
    return .type(text: token.text, strokes: strokes)
  }

  @Sendable private static func wait(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    if words.take("reader") {
      var reader = HIDNodeReader.any
      if let token = words.peek, token.text != "within" {
        reader = try words.keyword(
          "hidraw, evdev or \"within\"", [("hidraw", .hidraw), ("evdev", .evdev)])
      }
      return .waitForReader(reader, within: try words.bound())
    }
    if words.take("open") { return .waitForOpen(within: try words.bound()) }
    guard let token = words.peek, token.text.utf8.first.map({ hexDigit($0) ?? 16 < 10 }) == true
    else {
      throw words.unexpected(
        "a duration, \"reader\" or \"open\"",
        help: "such as wait 100ms, or wait reader hidraw within 2s")
    }
    return .wait(try words.duration())
  }

  @Sendable private static func expect(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    if words.take("event") {
      let pattern = try hostEvent(&words)
      return .expectEvent(pattern, within: try words.bound())
    }
    if words.take("only") {
      guard words.take("event") else {
        throw words.unexpected(
          "\"event\"", help: "such as expect only event output bytes 02 within 2s")
      }
      let pattern = try hostEvent(&words)
      return .expectOnlyEvent(pattern, within: try words.bound())
    }
    if words.take("nothing") {
      guard words.take("else") else { return .expectNothing(nil, for: try words.span()) }
      return .expectNothingElse(for: words.peek == nil ? nil : try words.span())
    }
    if words.take("anything") {
      return .expectAnything(for: words.peek == nil ? nil : try words.span())
    }
    if words.take("no") {
      guard words.take("event") else {
        throw words.unexpected(
          "\"event\"", help: "such as expect no event output for 200ms, or expect nothing for 200ms"
        )
      }
      let pattern = try hostEvent(&words)
      return .expectNothing(pattern, for: try words.span())
    }
    let control = try words.control(
      "a control, such as led.capsLock, or \"event\", \"only\", \"nothing\", \"anything\" or \"no\""
    )
    let value = try words.value()
    return .expect(control, value, within: words.peek == nil ? nil : try words.bound())
  }

  @Sendable private static func set(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    var settings: [HIDScript.Setting] = []
    repeat {
      let control = try words.control("a control, such as x or led.capsLock")
      settings.append(HIDScript.Setting(control, to: try words.value()))
    } while words.peek != nil
    return .set(settings)
  }

  @Sendable private static func touch(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    enum Action { case at, move, up }
    var touches: [HIDScript.Touch] = []
    repeat {
      let place = words.peek?.location
      let contact = try words.integer("the number of a contact", help: "such as touch 1 at 50% 50%")
      guard contact >= 0, !touches.contains(where: { $0.contact == contact }) else {
        throw words.problem(
          contact < 0
            ? "the number of the contact is \(contact); expected 0 or more"
            : "contact \(contact) is named twice in one command",
          at: place ?? .start, help: contact < 0 ? nil : "write a second touch command")
      }
      let action = try words.keyword(
        "\"at\", \"move\" or \"up\"", [("at", Action.at), ("move", .move), ("up", .up)])
      var touch = HIDScript.Touch(contact: contact, place: nil, begins: action == .at)
      if action != .up {
        touch.place = HIDScript.Touch.Place(x: try words.value(), y: try words.value())
      }
      touches.append(touch)
    } while words.peek != nil
    return .touch(touches)
  }

  @Sendable private static func scroll(
    _ words: inout HIDScriptWords
  ) throws(HIDTextProblem) -> HIDScript.Command {
    let distance = try words.integer("the number of detents")
    guard words.peek != nil else { return .scroll(distance, isHorizontal: false) }
    let isHorizontal = try words.keyword(
      "\"horizontal\" or the end of the command", [("horizontal", true), ("vertical", false)])
    return .scroll(distance, isHorizontal: isHorizontal)
  }
}
