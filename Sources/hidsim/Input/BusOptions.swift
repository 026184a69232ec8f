// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreHID
import HIDSystem
import HIDWire
import LoopbackBus

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
      "The bus; default: HIDSIM_BUS, else auto.",
      discussion: """
        auto plugs devices into the kernel bus if /dev/uhid can be opened, else into the loopback bus. It finds \
        plugged devices on both.
        """))
  var bus: Name?

  /// Refuses `--live` on the loopback bus.
  func excludesLive(_ isLive: Bool) -> OptionRule {
    .excludes(
      "--bus loopback", bus == .loopback, ["--live": isLive],
      because: "no input of the loopback bus reaches a desktop")
  }

  /// What was asked for, on the command line or in the environment.
  ///
  /// - Throws: A failure if too few threads are left for a bus, or if `HIDSIM_BUS` names no bus.
  func selection() throws -> HIDBusSelection {
    try Threads.checkForDevices()
    if let bus { return bus.selection }
    do throws(HIDWireError) {
      return try .fromEnvironment()
    } catch {
      throw Failure(.wrongArguments, error.message)
    }
  }

  /// Makes the bus that devices are plugged into.
  ///
  /// - Throws: A failure that says why it cannot be used: status 77 without permission, or 1 with
  ///   `HIDSIM_REQUIRE`.
  func bus(isLive: Bool, fidelity: LoopbackBus.Fidelity = .lossless) throws -> HIDBus {
    let selection = try selection()
    do throws(HIDWireError) {
      return try HIDBus(selection, isLive: isLive, fidelity: fidelity)
    } catch {
      let failure = Failure(error)
      guard failure.status == .noPermission, HIDBusSelection.isRequiredByEnvironment else {
        throw failure
      }
      throw Failure(.failed, "\(failure); without HIDSIM_REQUIRE the exit status is 77")
    }
  }

  /// The devices that are there now; warns where the loopback bus was left out.
  ///
  /// - Throws: Why it was, where nothing else can have devices either.
  func devices() async throws -> [FoundDevice] {
    let hosts = try HIDBus.forClients(selection())
    let devices = try await HIDDeviceManager(on: hosts).hidsim.foundDevices().compactMap(
      FoundDevice.init)
    if let leftOut = hosts.leftOut {
      if devices.isEmpty, !HIDBus.kernelTakesDevices { throw leftOut }
      Output.shared.note("warning: devices of the loopback bus are left out: \(leftOut.message)")
    }
    return devices
  }
}

/// A device that is there.
struct FoundDevice {
  /// The device as its bus has it.
  let record: HIDDeviceRecord
  private let reference: HIDDeviceClient.DeviceReference

  init?(_ reference: HIDDeviceClient.DeviceReference) {
    guard let record = reference.record else { return nil }
    self.record = record
    self.reference = reference
  }

  /// Makes a client of the device.
  ///
  /// - Throws: Why there can be none.
  func client() throws -> HIDDeviceClient { try HIDDeviceClient.open(reference) }
}

extension HIDDeviceClient {
  /// Does something with the device; what fails is told in the bus' words.
  nonisolated func telling<Value: Sendable>(
    _ body: (HIDDeviceClient) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(self)
    } catch is HIDDeviceError {
      guard let lastFailure else { throw Failure(.failed, "\(self) does not accept this request") }
      throw lastFailure
    }
  }
}
