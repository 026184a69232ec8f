// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HIDBusDirectory
public import HIDReportDescriptor
public import HIDWire
import IOLoop
import KernelBus
public import LoopbackBus

/// Which buses a program asks for.
public enum HIDBusSelection: String, Hashable, Sendable, CaseIterable {
  /// For a device: the kernel's if `/dev/uhid` can be opened, else the loopback bus. For a client: both.
  case auto
  /// The kernel's, and nothing else.
  case kernel
  /// The loopback bus, and nothing else.
  case loopback

  /// What `HIDSIM_BUS` says; `auto` where it is not set.
  ///
  /// - Throws: `invalidArgument` if it names no bus.
  public static func fromEnvironment() throws(HIDWireError) -> HIDBusSelection {
    guard let value = getenv("HIDSIM_BUS") else { return .auto }
    let text = String(cString: value)
    guard !text.isEmpty else { return .auto }
    guard let selection = HIDBusSelection(rawValue: text) else {
      throw HIDWireError(
        .invalidArgument, "HIDSIM_BUS is \"\(text)\": expected auto, kernel or loopback")
    }
    return selection
  }

  /// The line that test frameworks print before the first test: the bus, and why it was chosen.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - option: The command-line option that chose it; `nil` if none did.
  ///   - problem: Why `/dev/uhid` cannot be opened; `nil` if it can.
  package func announcement(
    of bus: HIDBusKind, option: String? = nil, problem: HIDWireError?
  ) -> String {
    var reasons = [option ?? (self == .auto ? "auto" : "HIDSIM_BUS=\(rawValue)")]
    if self != .loopback, let problem {
      reasons.append("/dev/uhid: \(String(cString: strerror(problem.errorNumber)))")
    }
    return "hidsim: \(bus) bus (\(reasons.joined(separator: "; ")))"
  }

  /// Whether `HIDSIM_REQUIRE` has a value other than 0: tests then fail if their bus cannot be
  /// used.
  package static var isRequiredByEnvironment: Bool {
    guard let value = getenv("HIDSIM_REQUIRE") else { return false }
    return !["", "0"].contains(String(cString: value))
  }
}

/// The buses of this machine, and the choice between them.
public struct HIDBus: Sendable {
  /// Where devices are plugged.
  public let peripherals: any HIDPeripheralBus
  /// Where clients look for devices: one bus or both.
  public let hosts: [any HIDHostBus]
  /// Why this bus was chosen for devices: a few words.
  public let reason: String
  /// Who will not see the devices, where the choice fell back: a sentence with what to do; else `nil`.
  public let advice: String?
  /// Where device numbers are counted, if there is a folder for it.
  private let directory: BusDirectory?

  /// The bus that code in this task uses where it names none.
  @TaskLocal public static var current: HIDBus?

  /// The bus devices are plugged into.
  public var kind: HIDBusKind { peripherals.kind }

  /// Makes a loopback bus in a folder of its own, for tests.
  public init(loopbackIn directory: BusDirectory) {
    let bus = LoopbackBus(directory: directory)
    peripherals = bus
    hosts = [bus]
    reason = "asked for"
    advice = nil
    self.directory = directory
  }

  /// The folder in which programs on this bus meet, if there is one.
  package var meetingPlace: BusDirectory? { directory }
  /// The path of that folder.
  package var directoryPath: String? { directory?.path }

  /// Calls a body when the bus has ended: the one of ``isolated(_:)`` does.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) { directory?.whenRemoved(body) }

  /// Runs a body on a loopback bus of its own, which nobody else sees: for tests that run side by side.
  ///
  /// ``current`` is that bus in the body's task, and in those that it starts. Its folder goes when the body is done.
  ///
  /// - Throws: `unavailable` if there is no folder for it; what the body throws.
  public static func isolated<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    return try await $current.withValue(HIDBus(loopbackIn: directory)) { try await body() }
  }

  /// Chooses the bus.
  ///
  /// - Parameters:
  ///   - selection: Which bus is asked for.
  ///   - isLive: Whether devices on the kernel's bus are meant for the desktop of whoever is logged in.
  ///   - fidelity: What becomes of the input reports of clients that read slowly, on the loopback bus.
  /// - Throws: `unavailable` or `permissionDenied` when the bus that was asked for cannot be used, or
  ///   when none can. An explicit choice is never replaced by another bus.
  public init(
    _ selection: HIDBusSelection, isLive: Bool = false, fidelity: LoopbackBus.Fidelity = .lossless
  ) throws(HIDWireError) {
    try HIDWireError.check(.real, "use a bus")
    switch selection {
    case .kernel:
      if let error = KernelBus.unavailability() { throw error }
      let bus = KernelBus(isLive: isLive)
      directory = Self.sharedDirectory()
      peripherals = bus
      hosts = [bus]
      reason = "asked for"
      advice = nil
    case .loopback:
      let directory = try BusDirectory.shared()
      let bus = LoopbackBus(directory: directory, fidelity: fidelity)
      self.directory = directory
      peripherals = bus
      hosts = [bus]
      reason = "asked for"
      advice = nil
    case .auto:
      guard let error = KernelBus.unavailability() else {
        let bus = KernelBus(isLive: isLive)
        directory = Self.sharedDirectory()
        peripherals = bus
        hosts = [bus] + (directory.map { [LoopbackBus(directory: $0)] } ?? [])
        reason = "/dev/uhid can be opened"
        advice = nil
        return
      }
      let directory = try BusDirectory.shared()
      let bus = LoopbackBus(directory: directory, fidelity: fidelity)
      self.directory = directory
      peripherals = bus
      hosts = [bus, KernelBus()]
      reason =
        switch error.kind {
        case .permissionDenied: "no permission to open /dev/uhid"
        case .unavailable: "no /dev/uhid here"
        default: "/dev/uhid cannot be opened"
        }
      advice =
        error.kind == .permissionDenied
        ? """
        only programs with hidsim's client library see this device; for hidapi, evdev or SDL, run \
        hidsim as root, or get permission to open /dev/uhid\(HIDWireError.help)
        """
        : """
        only programs with hidsim's client library see this device; for hidapi, evdev or SDL, run \
        hidsim vm -- CMD, or sudo modprobe uhid\(HIDWireError.help)
        """
    }
  }

  /// Makes what a client needs, which no device: a client of both buses does without `/dev/uhid`.
  ///
  /// A bus directory that is not there, and cannot be made since the folder above it is not there either, has
  /// no devices. One that cannot be used is in ``HIDHosts/leftOut`` where both buses are asked for.
  ///
  /// - Throws: `unavailable` or `permissionDenied` if the loopback bus alone is asked for, and its bus
  ///   directory cannot be used.
  public static func forClients(_ selection: HIDBusSelection) throws(HIDWireError) -> HIDHosts {
    try HIDWireError.check(.real, "use a bus")
    let kernel: [any HIDHostBus] = selection == .loopback ? [] : [KernelBus()]
    if selection == .kernel { return HIDHosts(kernel) }
    do throws(HIDWireError) {
      return HIDHosts(kernel + [LoopbackBus(directory: try BusDirectory.shared())])
    } catch {
      if error.errorNumber == ENOENT { return HIDHosts(kernel) }
      if selection == .loopback { throw error }
      return HIDHosts(kernel, leftOut: error)
    }
  }

  /// Whether devices can be plugged into the kernel's bus here.
  public static var kernelTakesDevices: Bool { kernelProblem == nil }

  /// Why no device can be plugged into the kernel's bus here, or `nil` if one can.
  package static var kernelProblem: HIDWireError? { KernelBus.unavailability() }

  private static func sharedDirectory() -> BusDirectory? {
    do throws(HIDWireError) {
      return try BusDirectory.shared()
    } catch {
      return nil
    }
  }

  /// Chooses a number for a device to be plugged, with room for 256 interfaces in its low bits.
  public func allocateDeviceID() -> HIDDeviceID {
    do throws(HIDWireError) {
      if let directory { return try directory.allocateDeviceID() }
    } catch {
      // Without a folder there is nobody to count with: chance does it as well.
    }
    return HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 0..<1 << 55) << 8)
  }

  /// Says why no device with this descriptor can be plugged, or `nil` if one can.
  public func refusal(of descriptor: HIDReportDescriptor) -> HIDWireError? {
    kind == .kernel ? KernelBus.refusal(of: descriptor.bytes, named: "device") : nil
  }

  /// The buses as a client sees them.
  public var clients: HIDHosts { HIDHosts(hosts) }
}
