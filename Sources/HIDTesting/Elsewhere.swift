// SPDX-License-Identifier: Apache-2.0

// On systems without virtual devices, tests that use them compile. The trait disables a test;
// `withVirtualDevice` cancels it, or fails before Swift 6.3.
#if !VIRTUAL_HID
  import CoreHID
  import Testing

  /// The devices of a test, of which there are none on this system.
  @available(macOS 15, *)
  final class TestBench: Sendable {
    private init() {}

    static func run(
      _ file: String, from source: String, on bus: HIDTestBus,
      _ body: @Sendable ([HIDTestDevice]) async throws -> Void
    ) async throws {
      #if compiler(>=6.3)
        if Test.current != nil { try Test.cancel(Comment(rawValue: HIDTestingError.linuxOnly)) }
      #endif
      throw HIDTestingError.unavailable
    }

    func name(of device: Int) -> String { "" }
    func nodes(of device: Int) -> [String] { [] }
    func deviceReference(of device: Int) async throws -> HIDDeviceClient.DeviceReference {
      throw HIDTestingError.unavailable
    }
    func perform(
      _ action: TestAction, on device: Int, _ sourceLocation: SourceLocation
    ) async throws -> Bool {
      throw HIDTestingError.unavailable
    }
    func plug(_ device: Int) async throws { throw HIDTestingError.unavailable }
    func unplug(_ device: Int) async {}
  }
#endif
