// SPDX-License-Identifier: Apache-2.0

import Glibc
public import HIDReportDescriptor
import IOLoop

/// The buses that a program asks for.
public enum HIDBusSelection: String, Hashable, Sendable, CaseIterable {
  /// For a device, the kernel's bus if `/dev/uhid` can be opened, else the loopback bus; for a
  /// client, both.
  case auto
  /// The kernel's bus only.
  case kernel
  /// The loopback bus only.
  case loopback
  /// For a device, the USB bus; for a client, the kernel's bus only, which has the interfaces of
  /// USB devices.
  case usb

  /// Returns the selection in `HIDSIM_BUS`; `auto` if it is not set or empty.
  ///
  /// - Throws: `invalidArgument` for any value but `auto`, `kernel`, `loopback` and `usb`.
  public static func fromEnvironment() throws(HIDBusError) -> HIDBusSelection {
    guard let text = ProcessEnvironment["HIDSIM_BUS"] else { return .auto }
    guard let selection = HIDBusSelection(rawValue: text) else {
      throw HIDBusError(
        .invalidArgument, "HIDSIM_BUS is \"\(text)\": expected auto, kernel, loopback or usb")
    }
    return selection
  }

  /// Returns the line that HIDTesting and `hidsim test` print before the first test: the bus, and
  /// the reason for it.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - option: The command-line option that chose the bus; `nil` if none did.
  ///   - problem: The error of opening `/dev/uhid`; `nil` if it can be opened. The line for an
  ///     explicit selection of the loopback bus or the USB bus leaves it out.
  package func announcement(
    of bus: HIDBusKind, option: String? = nil, problem: HIDBusError?
  ) -> String {
    var reasons = [option ?? (self == .auto ? "auto" : "HIDSIM_BUS=\(rawValue)")]
    if self == .auto || self == .kernel, let problem {
      reasons.append("/dev/uhid: \(String(cString: strerror(problem.errorNumber)))")
    }
    return "hidsim: \(bus) bus (\(reasons.joined(separator: "; ")))"
  }

  /// True if `HIDSIM_REQUIRE` is set, and neither empty nor 0: a test whose bus cannot be used then
  /// fails, and is not skipped.
  package static var isRequiredByEnvironment: Bool {
    ProcessEnvironment["HIDSIM_REQUIRE"].map { $0 != "0" } ?? false
  }
}

/// The bus that devices are plugged into, and the buses on which clients look for devices.
public struct HIDBus: Sendable {
  /// The bus that devices are plugged into.
  public private(set) var deviceBus: any HIDDeviceBus
  /// The buses on which clients look for devices: the kernel's, the loopback bus or both; none if
  /// devices are served to other machines.
  public let clientBuses: [any HIDClientBus]
  /// The reason for the choice of the bus for devices, in a few words.
  public let reason: String
  /// A message for users that names the programs that see the devices, and a way to reach others.
  ///
  /// It is `nil` unless `auto` fell back to the loopback bus.
  public let advice: String?
  /// The bus directory, which also counts device IDs; `nil` if it cannot be used.
  private let directory: BusDirectory?

  /// The bus of code in this task that names no bus; `nil` if none is set.
  @TaskLocal public static var current: HIDBus?

  /// The kind of the bus that devices are plugged into.
  public var kind: HIDBusKind { deviceBus.kind }

  /// Makes a loopback bus in a separate folder, for tests.
  public init(loopbackIn directory: BusDirectory) {
    let bus = LoopbackBus(directory: directory)
    deviceBus = bus
    clientBuses = [bus]
    reason = "asked for"
    advice = nil
    self.directory = directory
  }

  /// Makes the bus of devices that hosts import from a server of USB/IP.
  ///
  /// No client bus of this process has them. Other programs can drive them through the bus
  /// directory, if there is one.
  package init(serving server: USBServer) {
    directory = Self.sharedDirectory()
    deviceBus = ServedUSBBus(server, publishingIn: directory)
    clientBuses = []
    reason = "served at \(server.address)"
    advice = nil
  }

  /// Returns the bus with a recorder of the transfers of the devices that are plugged into it from
  /// now on; nil for a bus that has no USB devices.
  package func recording(to sink: any USBTransferSink) -> HIDBus? {
    var bus = self
    if var usb = deviceBus as? USBBus {
      usb.sink = sink
      bus.deviceBus = usb
    } else if var served = deviceBus as? ServedUSBBus {
      served.sink = sink
      bus.deviceBus = served
    } else {
      return nil
    }
    return bus
  }

  /// The folder that programs on this bus share; `nil` if it cannot be used.
  package var sharedFolder: BusDirectory? { directory }
  /// The path of ``sharedFolder``; `nil` if the folder cannot be used.
  package var directoryPath: String? { directory?.path }

  /// Calls a closure at the end of the next removal of the bus' folder.
  ///
  /// ``isolated(_:)`` removes the folder when it ends. Without a further removal, or without a
  /// folder, the closure is never called.
  package func whenEnded(_ body: @escaping @Sendable () -> Void) { directory?.whenRemoved(body) }

  /// Runs a body on a separate loopback bus, which no other program uses: for tests that run in
  /// parallel.
  ///
  /// ``current`` is that bus in the body's task, and in the tasks that the body starts, except
  /// detached ones. The bus' folder is removed when the body has returned or thrown.
  ///
  /// - Throws: `unavailable` if no folder can be made; `limitReached` if the process lacks
  ///   descriptors or memory; any error of the body.
  public static func isolated<Value>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    let directory = try BusDirectory.temporary()
    defer { directory.removeAll() }
    return try await $current.withValue(HIDBus(loopbackIn: directory)) { try await body() }
  }

  /// Chooses the bus, and makes the bus directory if it does not exist.
  ///
  /// - Parameters:
  ///   - selection: The bus that is asked for.
  ///   - isLive: True if the desktop of the logged-in user may use devices on the kernel's bus.
  ///   - fidelity: The treatment of the input reports of slow clients on the loopback bus.
  /// - Throws: `unavailable` or `permissionDenied` if the selected bus cannot be used, or if no bus
  ///   can; `limitReached` if the process lacks descriptors, memory or threads; `other` after any
  ///   other error of `/dev/uhid`, if only the kernel's bus is asked for. An explicit selection is
  ///   never replaced by another bus.
  public init(
    _ selection: HIDBusSelection, isLive: Bool = false, fidelity: LoopbackBus.Fidelity = .lossless
  ) throws(HIDBusError) {
    try HIDBusError.check(.real, "use a bus")
    switch selection {
    case .kernel:
      if let error = KernelBus.unavailability() { throw error }
      let bus = KernelBus(isLive: isLive)
      directory = Self.sharedDirectory()
      deviceBus = bus
      clientBuses = [bus]
      reason = "asked for"
      advice = nil
    case .usb:
      if let error = USBBus.unavailability() { throw error }
      directory = Self.sharedDirectory()
      deviceBus = USBBus(isLive: isLive)
      clientBuses = [KernelBus()]
      reason = "asked for"
      advice = nil
    case .loopback:
      let directory = try BusDirectory.shared()
      let bus = LoopbackBus(directory: directory, fidelity: fidelity)
      self.directory = directory
      deviceBus = bus
      clientBuses = [bus]
      reason = "asked for"
      advice = nil
    case .auto:
      guard let error = KernelBus.unavailability() else {
        let bus = KernelBus(isLive: isLive)
        directory = Self.sharedDirectory()
        deviceBus = bus
        clientBuses = [bus] + (directory.map { [LoopbackBus(directory: $0)] } ?? [])
        reason = "/dev/uhid can be opened"
        advice = nil
        return
      }
      let directory = try BusDirectory.shared()
      let bus = LoopbackBus(directory: directory, fidelity: fidelity)
      self.directory = directory
      deviceBus = bus
      clientBuses = [bus, KernelBus()]
      reason =
        switch error.kind {
        case .permissionDenied: "no permission to open /dev/uhid"
        case .unavailable: "no /dev/uhid here"
        default: "/dev/uhid cannot be opened"
        }
      advice = Self.advice(after: error)
    }
  }

  /// Returns the ``advice`` for a failure to open `/dev/uhid`.
  static func advice(after error: HIDBusError) -> String {
    let remedy =
      switch error.kind {
      case .permissionDenied: "run hidsim as root, or get permission to open /dev/uhid"
      case .unavailable: "run hidsim vm -- CMD, or sudo modprobe uhid"
      default: "run hidsim vm -- CMD, or remove the cause of the error: \(error.message)"
      }
    return """
      only programs with hidsim's client library see this device; for hidapi, evdev or SDL, \
      \(remedy); Documentation/hidsim.docc/WillMyProgramSeeIt.md says more\(HIDBusError.help)
      """
  }

  /// Returns the device catalog for a client, which needs no `/dev/uhid`.
  ///
  /// For the loopback bus, the call makes the bus directory if it does not exist. If its parent is
  /// missing too, the loopback bus is left out without an error, since it has no devices. If the
  /// directory cannot be used and the selection is `auto`, the error is in
  /// ``HIDDeviceCatalog/leftOut``.
  ///
  /// - Throws: `limitReached` if the process lacks descriptors, memory or threads for its timeline.
  ///   If only the loopback bus is asked for, the error of a bus directory that cannot be used:
  ///   `unavailable`, `permissionDenied` or `limitReached`.
  public static func forClients(_ selection: HIDBusSelection) throws(HIDBusError)
    -> HIDDeviceCatalog
  {
    try HIDBusError.check(.real, "use a bus")
    let kernel: [any HIDClientBus] = selection == .loopback ? [] : [KernelBus()]
    if selection == .kernel || selection == .usb { return HIDDeviceCatalog(kernel) }
    do throws(HIDBusError) {
      return HIDDeviceCatalog(kernel + [LoopbackBus(directory: try BusDirectory.shared())])
    } catch {
      if error.errorNumber == ENOENT { return HIDDeviceCatalog(kernel) }
      if selection == .loopback { throw error }
      return HIDDeviceCatalog(kernel, leftOut: error)
    }
  }

  /// The interfaces of the devices that are served to other machines by programs of this user.
  package static var servedDevices: [HIDDeviceRecord] {
    sharedDirectory().map { DeviceEntry.served(in: $0) } ?? []
  }

  /// True if `/dev/uhid` can be opened, so that devices can be plugged into the kernel's bus.
  public static var kernelTakesDevices: Bool { kernelProblem == nil }

  /// The error of opening `/dev/uhid`; `nil` if it can be opened.
  package static var kernelProblem: HIDBusError? { KernelBus.unavailability() }

  private static func sharedDirectory() -> BusDirectory? {
    do throws(HIDBusError) {
      return try BusDirectory.shared()
    } catch {
      return nil
    }
  }

  /// Returns an ID for a new device, with room for 256 interfaces in its low bits.
  ///
  /// The call can wait about 0.1 s for another process.
  public func allocateDeviceID() -> HIDDeviceID {
    (try? directory?.allocateDeviceID()) ?? Self.randomDeviceID
  }

  /// Returns an ID like ``allocateDeviceID()``, and blocks no thread while it waits.
  package func nextDeviceID() async -> HIDDeviceID {
    guard let directory, Timeline.real.failure == nil else { return Self.randomDeviceID }
    do {
      for _ in 0..<BusDirectory.countAttempts {
        if let id = try directory.allocateDeviceIDIfFree() { return id }
        try await Timeline.real.sleep(until: .now.advanced(by: .milliseconds(1)))
      }
    } catch {
      // The folder cannot be used, or the task is cancelled and does not wait any more.
    }
    return Self.randomDeviceID
  }

  /// A random ID: without a folder, there is no counter that processes share.
  private static var randomDeviceID: HIDDeviceID {
    HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 0..<1 << 55) << 8)
  }

  /// Returns the reason why the kernel's bus refuses devices with this descriptor; `nil` if it
  /// accepts them, and always on the loopback bus.
  public func refusal(of descriptor: HIDReportDescriptor) -> HIDBusError? {
    kind.usesKernel ? KernelBus.refusal(of: descriptor.bytes, named: "device") : nil
  }

  /// The catalog of the devices on all ``clientBuses``.
  public var clients: HIDDeviceCatalog { HIDDeviceCatalog(clientBuses) }
}
