// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSystem
import HIDWire

/// The option that picks the bus.
struct BusOptions: ParsableArguments {
  /// The names of the buses.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case auto
    case kernel
    case loopback

    var selection: HIDBusSelection {
      switch self {
      case .auto: .auto
      case .kernel: .kernel
      case .loopback: .loopback
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "Which bus: auto, kernel or loopback.",
      discussion: """
        auto is the kernel's if /dev/uhid can be opened, else the loopback bus; for list and the like it \
        is both. HIDSIM_BUS sets the default.
        """))
  var bus: Name?

  /// What was asked for, on the command line or in the environment.
  func selection() throws -> HIDBusSelection {
    if let bus { return bus.selection }
    do throws(HIDWireError) {
      return try .fromEnvironment()
    } catch {
      throw Failure(.wrongArguments, error.message)
    }
  }

  /// The buses to look for devices on.
  func hosts() throws -> HIDHosts { try HIDBus.forClients(selection()) }
}

extension HIDHosts {
  /// The devices that are there now; warns where the loopback bus was left out.
  ///
  /// - Throws: Why it was, where nothing else can have devices either.
  func devicesOrWarning() async throws -> [HIDDeviceRecord] {
    let devices = try await devices()
    if let leftOut {
      if devices.isEmpty, !HIDBus.kernelTakesDevices { throw leftOut }
      Output.shared.note("warning: no devices of the loopback bus: \(leftOut.message)")
    }
    return devices
  }
}
