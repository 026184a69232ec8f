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

  /// The available buses, or only the one that `HIDSIM_TEST_BUS` names.
  ///
  /// The loopback bus is always available, and the kernel's bus if `/dev/uhid` opens.
  static let all: [BusUnderTest] = {
    if let name = getenv("HIDSIM_TEST_BUS"), let bus = BusUnderTest(rawValue: String(cString: name))
    {
      return [bus]
    }
    return hasKernel ? [.loopback, .kernel] : [.loopback]
  }()

  /// True if `/dev/uhid` opens.
  static let hasKernel = KernelBus.unavailability() == nil

  /// The reason with which tests of the kernel bus are skipped.
  static let noKernel: Comment = "/dev/uhid does not open here; run the tests inside scripts/vm"

  var testDescription: String { rawValue }

  /// Creates the bus; all buses of a run share one folder.
  func make(
    _ fidelity: LoopbackBus.Fidelity = .lossless
  ) throws -> any HIDDeviceBus & HIDClientBus {
    switch self {
    case .kernel: KernelBus(discovery: try Self.discovery.get())
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
