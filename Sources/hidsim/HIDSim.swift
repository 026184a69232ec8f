// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@main
struct HIDSim: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hidsim", abstract: "A virtual HID peripheral simulator for Linux.")
}
