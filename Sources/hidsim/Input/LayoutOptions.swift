// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import HIDUsageNaming
public import KeyboardLayouts
import XKBLayouts

/// The options for the keyboard layout of the host.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The host's keyboard layout: de-DE, xkb:de(neo).",
      discussion:
        "hidsim layouts lists them. xkb: and a layout of this machine's xkb-data needs libxkbcommon.",
      valueName: "layout"),
    completion: Completion.layouts)
  var layout = "en-US"
  @Option(help: "The system of the host, which has its own layouts.")
  var host = KeyboardLayout.Host.linux

  /// The layout that is named.
  func find() throws -> KeyboardLayout { try Self.named(layout, host: host) }

  /// The layout with a name.
  ///
  /// - Throws: A failure that names the nearest code, or what to do.
  static func named(_ name: String, host: KeyboardLayout.Host) throws -> KeyboardLayout {
    do throws(XKBLayoutError) {
      return try KeyboardLayout(named: name, host: host)
    } catch {
      let near = NameSuggestion.nearest(to: name, in: KeyboardLayout.codes)
      let isMissing = if case .missingLibrary = error { true } else { false }
      throw Failure(
        isMissing ? .unavailable : .wrongArguments,
        "\(error); \(near.map { "did you mean \"\($0)\"?" } ?? error.help)")
    }
  }
}

extension KeyboardLayout.Host: ExpressibleByArgument {}
