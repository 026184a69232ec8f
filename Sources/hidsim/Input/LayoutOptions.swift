// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
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
  @OptionGroup var hostOption: LayoutHostOption

  /// Finds the layout that the option names.
  func find() throws -> KeyboardLayout { try hostOption.layout(named: layout) }
}

/// The option for the operating system that defines the layouts.
struct LayoutHostOption: ParsableArguments {
  @Option(help: "The system of the host, which has its own layouts.")
  var host = KeyboardLayout.Host.linux

  /// Finds the layout with a name.
  ///
  /// - Throws: A failure that names the nearest code, or a remedy.
  func layout(named name: String) throws -> KeyboardLayout {
    do throws(XKBLayoutError) {
      return try KeyboardLayout(named: name, host: host)
    } catch {
      let isMissing = if case .missingLibrary = error { true } else { false }
      throw Failure(isMissing ? .unavailable : .wrongArguments, "\(error); \(error.help)")
    }
  }
}

extension KeyboardLayout.Host: ExpressibleByArgument {}
