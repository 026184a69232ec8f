// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@testable import HIDBus
import SystemPackage
import Testing

/// A bus on which the suite runs.
enum BusUnderTest: String, Sendable, CaseIterable, CustomTestStringConvertible {
  case loopback
  case kernel
  case usb

  /// True if the kernel's drivers take the devices of the bus.
  var usesKernel: Bool { self != .loopback }

  /// The byte 0 with which an unnumbered report of a client arrives at the device; nothing on the
  /// USB bus, since the kernel's USB driver removes it.
  var mark: [UInt8] { self == .usb ? [] : [0] }

  /// The available buses, or only the one that `HIDSIM_TEST_BUS` names.
  ///
  /// The loopback bus is always available, the kernel's bus if `/dev/uhid` opens, and the USB bus
  /// if the kernel has virtual host controllers that this process can use.
  static let all: [BusUnderTest] = {
    if let named { return [named] }
    return [.loopback] + (hasKernel ? [.kernel] : []) + (hasUSB ? [.usb] : [])
  }()

  /// The bus that `HIDSIM_TEST_BUS` names; nil if it names none.
  static let named = getenv("HIDSIM_TEST_BUS").flatMap {
    BusUnderTest(rawValue: String(cString: $0))
  }

  /// True if `/dev/uhid` opens.
  static let hasKernel = KernelBus.unavailability() == nil

  /// True if the kernel's virtual USB host controllers can be used.
  static let hasUSB = USBBus.unavailability() == nil

  /// The reason with which tests of the kernel bus are skipped.
  static let noKernel: Comment = "/dev/uhid does not open here; run the tests inside scripts/vm"

  var testDescription: String { rawValue }

  /// Creates the bus; all buses of a run share one folder.
  func make(
    _ fidelity: LoopbackBus.Fidelity = .lossless
  ) throws -> any HIDDeviceBus & HIDClientBus {
    switch self {
    case .kernel: KernelBus(discovery: try Self.discovery.get())
    case .usb: USBAndKernelBus(discovery: try Self.discovery.get())
    case .loopback: LoopbackBus(directory: try Self.folder.get(), fidelity: fidelity)
    }
  }

  private static let discovery: Result<KernelDiscovery, any Error> = Result {
    KernelDiscovery(
      sources: ChangeSource.here, udev: try? Udev.shared.get(), directory: try folder.get())
  }

  /// The one folder for the whole run, so that leaks of one test show in the next.
  private static let folder: Result<BusDirectory, any Error> = Result {
    var path = Array((NSTemporaryDirectory() + "hidsim-test-XXXXXX").utf8CString)
    guard mkdtemp(&path) != nil else { throw Errno(rawValue: errno) }
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    atexit { BusUnderTest.removeFolder() }
    return try BusDirectory(path: name)
  }

  private static func removeFolder() {
    guard case .success(let directory) = folder, let listing = opendir(directory.path) else {
      return
    }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      unlink("\(directory.path)/\(name)")
    }
    closedir(listing)
    rmdir(directory.path)
  }
}

/// The USB bus for devices, and the kernel bus, on which their clients find them.
struct USBAndKernelBus: HIDDeviceBus, HIDClientBus {
  private let devices: USBBus
  private let clients: KernelBus

  var kind: HIDBusKind { .usb }
  var executor: (any TaskExecutor)? { nil }
  var pluggingExecutor: (any TaskExecutor)? { devices.pluggingExecutor }
  var joinsInterfaces: Bool { true }

  init(discovery: KernelDiscovery) {
    devices = USBBus(discovery: discovery)
    clients = KernelBus(discovery: discovery)
  }

  func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort {
    try await devices.plug(description, handler: handler)
  }

  func plug(
    _ interfaces: [HIDDeviceDescription], handlers: [any HIDDeviceHandler]
  ) async throws(HIDBusError) -> [any HIDDevicePort] {
    try await devices.plug(interfaces, handlers: handlers)
  }

  func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> { clients.arrivals() }

  func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError? {
    clients.obstacle(toOpening: device)
  }

  func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort {
    try await clients.open(device)
  }
}
