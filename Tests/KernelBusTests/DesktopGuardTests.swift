// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HIDBus
import SystemPackage
import Testing

/// Tests of the guard that keeps simulated input from a desktop.
///
/// The guard decides from files that look like those of logind, and from a property that a rule of
/// udevd could set. `/dev/null` stands for an evdev node: it has a device number, and cannot be
/// grabbed.
@Suite struct DesktopGuardTests {
  private static let device = HIDDeviceRecord(
    id: HIDDeviceID(rawValue: 1), bus: .kernel, address: "/dev/hidraw0",
    identity: HIDDeviceIdentity(name: "hidsim keyboard", vendorID: 1, productID: 2),
    physicalPath: "hidsim-8000000000000100/input0", eventNodes: ["/dev/null"], descriptorBytes: [])

  private func isolation(
    _ surroundings: Surroundings, isLive: Bool = false, mark: String? = nil
  ) async throws -> HIDIsolation? {
    let desktopGuard = DesktopGuard(isLive: isLive, surroundings: surroundings) { name, number in
      name == "LIBINPUT_IGNORE_DEVICE" && number == 1 << 8 | 3 ? mark : nil
    }
    do throws(HIDBusError) {
      return try await desktopGuard.isolate(Self.device).isolation
    } catch {
      #expect(error.kind == .permissionDenied)
      #expect(error.message.contains("--live"))
      return nil
    }
  }

  @Test("an unmarked device that cannot be grabbed is refused at an active desktop")
  func refused() async throws {
    #expect(try await isolation(Surroundings(hasActiveSeat: true)) == nil)
    #expect(try await isolation(Surroundings(isContainer: true)) == nil, "the host's may be")
  }

  @Test(
    "a grab that lacks descriptors, memory or threads is a reached limit, and no lack of a rule",
    arguments: [
      (.tooManyOpenFiles, "ulimit -n"), (.tooManyOpenFilesInSystem, "fs.file-max"),
      (.noMemory, "memory.max"), (.resourceTemporarilyUnavailable, "ulimit -u"),
    ] as [(Errno, String)])
  func lacking(_ errno: Errno, _ setting: String) {
    let error = DesktopGuard.grabFailed(errno, Self.device, Surroundings(hasActiveSeat: true))
    #expect(error.kind == .limitReached)
    #expect(error.message.hasPrefix("grab /dev/null: "))
    #expect(error.message.contains(setting))
    #expect(!error.message.contains("70-hidsim.rules"))
    #expect(error.errorNumber == errno.rawValue)
  }

  @Test("a device that the udev rule has marked is accepted")
  func marked() async throws {
    #expect(try await isolation(Surroundings(hasActiveSeat: true), mark: "0") == nil)
    #expect(try await isolation(Surroundings(hasActiveSeat: true), mark: "1") == .rule)
  }

  @Test("a marked device is refused at a text console, which ignores the mark")
  func textConsole() async throws {
    let surroundings = Surroundings(hasActiveSeat: true, hasTextConsole: true)
    #expect(try await isolation(surroundings, mark: "1") == nil)
  }

  @Test("a live device is accepted at an active desktop")
  func live() async throws {
    #expect(try await isolation(Surroundings(hasActiveSeat: true), isLive: true) == .live)
  }

  @Test("every device is accepted in CI, on hidsim's own machine, or without an active seat")
  func alone() async throws {
    #expect(try await isolation(Surroundings()) == .live)
    #expect(try await isolation(Surroundings(isCI: true, hasActiveSeat: true)) == .live)
    #expect(try await isolation(Surroundings(isOwnMachine: true, isContainer: true)) == .live)
  }

  @Test(
    "the active session of a seat and its text console are found",
    arguments: [
      ("ACTIVE=3\n", "TYPE=wayland\n", true, false), ("ACTIVE=3\n", "TYPE=x11\n", true, false),
      ("ACTIVE=3\n", "TYPE=tty\n", true, true), ("ACTIVE=3\n", "", true, true),
      ("ACTIVE=\n", "TYPE=tty\n", false, false), ("CAN_TTY=1\n", "TYPE=tty\n", false, false),
    ])
  func sessions(
    _ sample: (seat: String, session: String, hasActive: Bool, isText: Bool)
  ) throws {
    let files = try TemporaryFiles()
    for folder in ["seats", "sessions"] { files.folder(folder) }
    try files.file("seats/seat0", "IS_SEAT0=1\n" + sample.seat)
    try files.file("sessions/3", "UID=1000\n" + sample.session)
    #expect(Surroundings.activeSessions(in: files.root).isEmpty != sample.hasActive)
    #expect(Surroundings.hasTextConsole(in: files.root) == sample.isText)
  }

  @Test("a machine without logind has no session")
  func noLogind() throws {
    let files = try TemporaryFiles()
    #expect(Surroundings.activeSessions(in: files.root) == [])
    #expect(!Surroundings.hasTextConsole(in: files.root))
  }
}
