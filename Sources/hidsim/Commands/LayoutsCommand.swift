// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardLayouts

struct LayoutsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layouts", abstract: "List keyboard layouts, or draw one.",
    discussion: """
      A host makes characters of a keyboard's keys by its layout. hidsim type and scripts type for each of these layouts.

        hidsim layouts
        hidsim layouts de-DE                 the symbols of each key
        hidsim layouts fr-FR --text "déjà"   the keys that type a text

      The drawing has four symbols a key: without Shift and AltGr at the lower left, with Shift above it, with AltGr at \
      the lower right, with both above it. ◌ with an accent is a dead key: it types nothing until the next key.
      """)

  @Argument(
    help: "A layout: de-DE, xkb:de(neo); default: list all.", completion: Completion.layouts)
  var layout: String?
  @OptionGroup var hostOption: LayoutHostOption
  @Option(help: ArgumentHelp("Print the keys that type this text.", valueName: "text"))
  var text: String?
  @Flag(help: "Print one JSON object a line.") var json = false

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--text", text != nil, "a layout", layout != nil,
        because: "the keys depend on the layout"))
  }

  func run() async throws {
    try await reporting {
      guard let layout else { return list() }
      let found = try hostOption.layout(named: layout)
      if let text { return try printStrokes(of: text, found) }
      if json {
        for usageID in found.usageIDs { Output.shared.print(LayoutText.line(of: usageID, found)) }
      } else {
        for line in LayoutText.drawing(of: found) { Output.shared.print(line) }
      }
    }
  }

  private func list() {
    for layout in KeyboardLayout.all {
      if json {
        Output.shared.print(LayoutText.line(of: layout))
      } else {
        let code = layout.code.padding(to: 13)
        Output.shared.print(
          "\(code) \(layout.xkbName.padding(to: 13)) \(layout.shape.rawValue.padding(to: 5)) \(layout.name)"
        )
      }
    }
  }

  private func printStrokes(of text: String, _ layout: KeyboardLayout) throws {
    do throws(UntypableText) {
      _ = try layout.strokes(for: text)
    } catch {
      throw Failure(.wrongArguments, error.description)
    }
    for character in text {
      let strokes = layout.strokes(for: character) ?? []
      if json {
        Output.shared.print(LayoutText.line(of: character, strokes))
      } else {
        let name = LayoutText.shown(.character(character.unicodeScalars.first ?? " "))
        Output.shared.print(
          "\(name.padding(to: 3)) \(strokes.map(LayoutText.words).joined(separator: ", "))")
      }
    }
  }
}
