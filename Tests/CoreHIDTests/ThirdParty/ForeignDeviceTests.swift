// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

extension OnBothBuses.ThirdParty {
  /// Devices of a program that uses only the kernel's header.
  @Suite(
    "A device that a C program plugs by /dev/uhid",
    .enabled(if: Tools.compiler != nil, "needs cc: apt-get install gcc"))
  struct UHIDProgramTests {
    private func run(_ body: ([String]) async throws -> Void) async throws {
      try await Tools.withCompiled("uhid_device.c") { program in
        try await TestBus.kernel.run { try await body([program]) }
      }
    }

    @Test("a manager finds the device, and a client has its properties and elements")
    func properties() async throws {
      try await run { try await ForeignDevice.checkProperties($0, country: .germany) }
    }

    @Test("a client has the properties and elements of a keyboard")
    func keyboardProperties() async throws {
      try await run { try await ForeignDevice.checkKeyboardProperties($0, version: 0x0123) }
    }

    @Test("a manager that runs first is notified when the device is plugged and unplugged")
    func arrival() async throws { try await run(ForeignDevice.checkArrival) }

    @Test("input of the device arrives as reports and as values of elements")
    func input() async throws { try await run(ForeignDevice.checkInput) }

    @Test("input of a keyboard arrives as reports and as values of elements")
    func keyboardInput() async throws { try await run(ForeignDevice.checkKeyboardInput) }

    @Test("numbered reports are got and set, and a refused request is an I/O error")
    func numbered() async throws { try await run(ForeignDevice.checkNumberedRequests) }

    @Test("a keyboard answers with its keys, and receives its lamps")
    func keyboardRequests() async throws { try await run(ForeignDevice.checkKeyboardRequests) }

    @Test(
      "unnumbered reports are got and set, with or without a 0 in front of the device's answers",
      arguments: ForeignDevice.plainAnswers)
    func plain(answer: Data) async throws {
      try await run { try await ForeignDevice.checkPlainRequests($0, answer: answer) }
    }

    @Test(
      "streams end when the device is unplugged, and when its program is killed",
      arguments: [false, true])
    func removal(isKilled: Bool) async throws {
      try await run { try await ForeignDevice.checkRemoval($0, isKilled: isKilled) }
    }
  }

  /// Devices of hid-tools, the library that the kernel's own tests use.
  @Suite(
    "A device that hid-tools plugs",
    .enabled("needs Python with hid-tools: scripts/test installs it, or pip install hid-tools") {
      await Tools.pythonWithHIDTools != nil
    })
  struct HIDToolsDeviceTests {
    private func run(_ body: ([String]) async throws -> Void) async throws {
      let python = try #require(await Tools.pythonWithHIDTools)
      try await TestBus.kernel.run {
        try await body([python, "\(Tools.fixtures)/hidtools_device.py"])
      }
    }

    // hid-tools gives the kernel no country and no version.
    @Test("a manager finds the device, and a client has its properties and elements")
    func properties() async throws {
      try await run { try await ForeignDevice.checkProperties($0, country: .unsupported) }
    }

    @Test("a client has the properties and elements of a keyboard")
    func keyboardProperties() async throws {
      try await run { try await ForeignDevice.checkKeyboardProperties($0, version: nil) }
    }

    @Test("a manager that runs first is notified when the device is plugged and unplugged")
    func arrival() async throws { try await run(ForeignDevice.checkArrival) }

    @Test("input of the device arrives as reports and as values of elements")
    func input() async throws { try await run(ForeignDevice.checkInput) }

    @Test("input of a keyboard arrives as reports and as values of elements")
    func keyboardInput() async throws { try await run(ForeignDevice.checkKeyboardInput) }

    @Test("numbered reports are got and set, and a refused request is an I/O error")
    func numbered() async throws { try await run(ForeignDevice.checkNumberedRequests) }

    @Test("a keyboard answers with its keys, and receives its lamps")
    func keyboardRequests() async throws { try await run(ForeignDevice.checkKeyboardRequests) }

    @Test(
      "unnumbered reports are got and set, with or without a 0 in front of the device's answers",
      arguments: ForeignDevice.plainAnswers)
    func plain(answer: Data) async throws {
      try await run { try await ForeignDevice.checkPlainRequests($0, answer: answer) }
    }

    @Test(
      "streams end when the device is unplugged, and when its program is killed",
      arguments: [false, true])
    func removal(isKilled: Bool) async throws {
      try await run { try await ForeignDevice.checkRemoval($0, isKilled: isKilled) }
    }
  }
}
