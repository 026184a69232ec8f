// SPDX-License-Identifier: Apache-2.0

@testable import HIDBus
import SystemPackage
import Testing

/// Tests of the errors that calls of the kernel become.
@Suite struct HIDBusErrorTests {
  @Test(
    "a lack of descriptors, memory or threads is a reached limit, with the setting to raise",
    arguments: [
      (.tooManyOpenFiles, "ulimit -n"), (.tooManyOpenFilesInSystem, "fs.file-max"),
      (.noMemory, "memory.max"), (.resourceTemporarilyUnavailable, "ulimit -u"),
    ] as [(Errno, String)])
  func limits(_ errno: Errno, _ setting: String) {
    for error in [
      HIDBusError.uhid(errno, "plug a device"), HIDBusError.hidraw(errno, "open", "/dev/hidraw3"),
    ] {
      #expect(error.kind == .limitReached)
      #expect(error.message.contains(setting))
      #expect(error.errorNumber == errno.rawValue)
    }
  }

  @Test("a lack of epoll watches is a reached limit, with the setting to raise")
  func watches() {
    for error in [
      HIDBusError.lacking(.noSpace, "plug a device"), HIDBusError.uhid(.noSpace, "plug a device"),
    ] {
      #expect(error.kind == .limitReached)
      #expect(error.message.contains("fs.epoll.max_user_watches"))
    }
  }

  @Test(
    "the advice to load uhid comes only if its node or its module is missing",
    arguments: [
      (.noSuchFileOrDirectory, true), (.operationNotSupportedByDevice, true),
      (.permissionDenied, false), (.tooManyOpenFiles, false), (.ioError, false),
    ] as [(Errno, Bool)])
  func loading(_ errno: Errno, _ isAdvised: Bool) {
    let error = HIDBusError.uhid(errno, "plug a device")
    let advice = HIDBus.advice(after: error)
    #expect(advice.contains("modprobe") == isAdvised, "\(advice)")
    #expect(advice.contains("for hidapi, evdev or SDL, run "))
    if errno == .tooManyOpenFiles { #expect(advice.contains("ulimit -n")) }
  }

  @Test(
    "the kernel bus refuses an interface whose index has no room in the ID", arguments: [256, -1])
  func interface(_ index: Int) async throws {
    let plain = try plainDevice()
    let description = HIDDeviceDescription(
      identity: plain.identity,
      physicalPath: HIDPhysicalPath(deviceID: plain.physicalPath.deviceID, interface: index),
      descriptor: plain.descriptor)
    let error = await #expect(throws: HIDBusError.self) {
      _ = try await KernelBus().plug(description, handler: EventLog())
    }
    #expect(error?.kind == .invalidArgument)
    #expect(error?.message.contains("expected 0 to 255") == true)
  }
}
