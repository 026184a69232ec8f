// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus

/// The option that selects the bus.
struct BusOptions: ParsableArguments {
  /// The names of the choices.
  enum Name: String, ExpressibleByArgument, CaseIterable {
    case auto
    case kernel
    case loopback
    case usb

    var selection: HIDBusSelection {
      switch self {
      case .auto: .auto
      case .kernel: .kernel
      case .loopback: .loopback
      case .usb: .usb
      }
    }

    /// True if the name is that of a bus on which the kernel's drivers take the devices.
    var usesKernel: Bool { self == .kernel || self == .usb }
  }

  @Option(
    help: ArgumentHelp(
      "The bus; default: HIDSIM_BUS, else auto.",
      discussion: """
        auto plugs devices into the kernel bus if /dev/uhid can be opened, else into the loopback bus. It finds \
        plugged devices on both. usb plugs a device as a whole USB device, as root with the kernel's driver vhci_hcd.
        """))
  var bus: Name?

  /// Makes the rule that refuses `--live` on the loopback bus.
  func excludesLive(_ isLive: Bool) -> OptionRule {
    .excludes(
      "--bus loopback", bus == .loopback, ["--live": isLive],
      because: "no input of the loopback bus reaches a desktop")
  }

  /// Returns the bus that the command line selects, or else the one that the environment selects.
  ///
  /// - Throws: A failure if too few threads or too little address space is left for a bus, or if
  ///   `HIDSIM_BUS` is used and names no bus.
  func selection() throws -> HIDBusSelection {
    try Threads.checkForDevices()
    if let bus { return bus.selection }
    do throws(HIDBusError) {
      return try .fromEnvironment()
    } catch {
      throw Failure(.wrongArguments, error.message)
    }
  }

  /// Makes the bus that devices are plugged into.
  ///
  /// - Throws: A failure if the bus cannot be used: status 77 if it is not available or not
  ///   permitted, or 1 instead with `HIDSIM_REQUIRE`; 71 if a limit is reached; 64 if `HIDSIM_BUS`
  ///   names no bus; 1 after any other error.
  func bus(isLive: Bool, fidelity: LoopbackBus.Fidelity = .lossless) throws -> HIDBus {
    let selection = try selection()
    do throws(HIDBusError) {
      return try HIDBus(selection, isLive: isLive, fidelity: fidelity)
    } catch {
      let failure = Failure(error)
      guard failure.status == .noPermission, HIDBusSelection.isRequiredByEnvironment else {
        throw failure
      }
      throw Failure(.failed, "\(failure); without HIDSIM_REQUIRE the exit status is 77")
    }
  }

  /// Finds the devices that exist now: those of the buses, then those that `hidsim serve` serves.
  ///
  /// Prints a warning if the devices of the loopback bus could not be read.
  ///
  /// - Throws: The failures of ``selection()``, and the error of a bus whose devices cannot be
  ///   found. The error of the loopback bus, if only this bus is selected, or if no device was
  ///   found and the kernel bus takes no devices.
  func devices() async throws -> [FoundDevice] {
    let hosts = try HIDBus.forClients(selection())
    let devices = try await hosts.devices().map { FoundDevice($0, on: hosts) }
    if let leftOut = hosts.leftOut {
      if devices.isEmpty, !HIDBus.kernelTakesDevices { throw leftOut }
      Output.shared.note("warning: devices of the loopback bus are left out: \(leftOut.message)")
    }
    return devices + HIDBus.servedDevices.map(FoundDevice.init(served:))
  }
}

/// A device that exists on a bus.
struct FoundDevice {
  /// The description of the device on its bus.
  let record: HIDDeviceRecord
  /// The buses of the device; nil for a device that is served to other machines.
  private let catalog: HIDDeviceCatalog?

  init(_ record: HIDDeviceRecord, on catalog: HIDDeviceCatalog) {
    self.record = record
    self.catalog = catalog
  }

  /// Makes a found device of one that `hidsim serve` serves.
  init(served record: HIDDeviceRecord) {
    self.record = record
    catalog = nil
  }

  /// Makes a client of the device, which opens the device when it is first needed.
  ///
  /// - Throws: The reason why no client can be made.
  func client() throws -> DeviceClient {
    guard let catalog else {
      throw Failure(
        .unavailable,
        """
        \(record.address) is served to other machines: a host imports it (usbip attach), and opens it there
        """)
    }
    return try DeviceClient(record, on: catalog)
  }
}
